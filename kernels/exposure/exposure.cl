// Automatic exposure: a gain that brings the mean of all bytes, of all channels, to `target`. All in integers, the gain in
// 4096ths:
//
//     gain   = target / mean = target * 4096 * count / sum, rounded half up, at most 16 * 4096; 4096 where sum is 0
//     output = min(255, (input * gain + 2048) >> 12)

#ifndef TWO_STEPS
#define TWO_STEPS 0 // 1: groups store their sums, and another pass adds them
#endif
#ifndef FUSED
#define FUSED 0 // 6: each work-group of apply_gain computes the gain; only where groups store their sums
#endif
#if TWO_STEPS == 0
// Passes  clear_sum, sum_bytes, make_gain, apply_gain. Each reads what the ones before have left: a kernel is finished
//         before the next one begins.
#elif FUSED == 0
// Passes  sum_bytes, add_group_sums, make_gain, apply_gain. Each reads what the ones before have left: a kernel is
//         finished before the next one begins.
#else
// Passes  sum_bytes, apply_gain. The second reads what the first has left: it begins when that is finished. In apply_gain
//         each work-group adds the sums of all groups and computes the gain for itself.
#endif

#include "common/stages.clh"

#ifndef REDUCE
#define REDUCE 0 // Sums of work-items are added by 0 global atomics, 1 atomics in local memory, 2 a tree in local memory, 3 sub-groups
#endif

#include "common/pieces.clh"

#if ACCESS != 0
// Ends    Bytes past a row's pixels can be anything: sum_bytes does not add them, and apply_gain writes something there.
#endif
#if ROWS_PER_ITEM > 1 && FUSED == 0
// Rows    The rows of a work-item are those in sum_bytes. In apply_gain, where rows share nothing, it owns one.
#endif
// Sums    The sum of a group has 32 bits: its work-items own less than 2^24 bytes together. The sum of the picture has 64.

#include "common/mapping.clh"

// Bytes of a piece.
#if ACCESS == 1
#define PIECE_BYTES 4
#elif ACCESS == 4
#define PIECE_BYTES 16
#else
#define PIECE_BYTES 1
#endif

#if ACCESS == 0
uint sum_of_piece(piece loaded)
{
    return loaded;
}

piece with_gain(piece loaded, uint gain)
{
    return min(255u, (loaded * gain + 2048) >> 12);
}
#elif ACCESS == 1
uint sum_of_piece(piece loaded)
{
    return (uint)loaded.s0 + loaded.s1 + loaded.s2 + loaded.s3;
}

piece with_gain(piece loaded, uint gain)
{
    return convert_uchar4(min(255u, (convert_uint4(loaded) * gain + 2048) >> 12));
}
#else
// The even and the odd bytes of a word are added apart, in 16 bits each.
uint pairs_of_word(uint word)
{
    return (word & 0x00ff00ff) + (word >> 8 & 0x00ff00ff);
}

// 8 bytes in each 16 bits, 2040 at most: nothing carries from the lower ones into the upper ones.
uint sum_of_piece(piece loaded)
{
    const uint4 words = as_uint4(loaded);
    const uint pairs =
        pairs_of_word(words.s0) + pairs_of_word(words.s1) + pairs_of_word(words.s2) + pairs_of_word(words.s3);
    return (pairs & 0xffff) + (pairs >> 16);
}

uint word_with_gain(uint word, uint gain)
{
    const uint4 bytes = convert_uint4(as_uchar4(word));
    return as_uint(convert_uchar4(min(255u, (bytes * gain + 2048) >> 12)));
}

piece with_gain(piece loaded, uint gain)
{
    const uint4 words = as_uint4(loaded);
    return as_int4((uint4)(word_with_gain(words.s0, gain), word_with_gain(words.s1, gain),
                           word_with_gain(words.s2, gain), word_with_gain(words.s3, gain)));
}
#endif

#if ACCESS != 0
// The sum of the last piece of each row from `y` to `end`, of which only `bytes` bytes are in the picture.
uint sum_of_row_ends(__global const uchar *first, int source_pitch, int y, int end, int bytes)
{
    uint sum = 0;
    for (; y < end; ++y)
        for (int byte = 0; byte < bytes; ++byte)
            sum += first[y * source_pitch + byte];
    return sum;
}
#endif

// The sum of what the work-item owns; 0 outside the picture.
uint sum_own(__global const piece *source, int source_origin, int source_pitch, int width, int height)
{
    const int byte = get_global_id(ALONG_ROW) * PIECE_BYTES;
#if ROWS_PER_ITEM == 1
    const int first_y = get_global_id(DOWN_ROWS);
#else
    const int first_y = get_global_id(DOWN_ROWS) * ROWS_PER_ITEM;
#endif
#if ROWS_PER_ITEM == 1
    const int end = min(first_y + 1, height);
#else
    const int end = min(first_y + ROWS_PER_ITEM, height);
#endif
    const int bytes = width * CHANNELS - byte; // of the row, from here on
    if (bytes <= 0)
        return 0;

#if ACCESS != 0
    if (bytes < PIECE_BYTES)
        return sum_of_row_ends((__global const uchar *)source + source_origin + byte, source_pitch, first_y, end, bytes);
#endif
    uint sum = 0;
#if ROWS_PER_ITEM > 1
    // Unrolled, four loads wait for memory together.
#pragma unroll 4
#endif
    for (int y = first_y; y < end; ++y)
        sum += sum_of_piece(source[(source_origin + y * source_pitch + byte) / PIECE_BYTES]);
    return sum;
}

#if TWO_STEPS == 0
// Adds to the sum of all, of two words: sums[0] is the low one. A 64-bit atomic is not part of OpenCL 1.2. The low word
// tells what it was before: each time it passes 2^32, just one work-item sees that, and adds 1 to the high word.
void hand_over(uint sum, __global uint *sums)
{
    const uint before = atomic_add(&sums[0], sum);
    if (before + sum < before)
        atomic_inc(&sums[1]);
}
#else
// Stores the sum of the group behind the number of groups. No group waits for another one.
void hand_over(uint sum, __global uint *sums)
{
    const uint groups = get_num_groups(0) * get_num_groups(1);
    const uint group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    sums[1 + group] = sum;
    if (group == 0)
        sums[0] = groups;
}
#endif

#if TWO_STEPS == 0
// Buffers between passes hold anything before they are written.
__kernel void clear_sum(__global uint *restrict sums)
{
    if (get_global_id(0) == 0 && get_global_id(1) == 0) {
        sums[0] = 0;
        sums[1] = 0;
    }
}
#endif

#if REDUCE == 0
// One global atomic for each work-item: all of them meet at one address.
__kernel void sum_bytes(__global const piece *restrict source, int source_origin, int source_pitch,
                        __global uint *restrict sums, int width, int height)
{
    const int byte = get_global_id(ALONG_ROW) * PIECE_BYTES;
    const int y = get_global_id(DOWN_ROWS);
    if (byte < width * CHANNELS && y < height)
        hand_over(sum_own(source, source_origin, source_pitch, width, height), sums);
}
#elif REDUCE == 1
// One local atomic for each work-item, and one of them hands over the sum of the group. All work-items of the group reach
// both barriers, those outside the picture, too.
__kernel void sum_bytes(__global const piece *restrict source, int source_origin, int source_pitch,
                        __global uint *restrict sums, int width, int height)
{
    __local uint group_sum;
    const bool is_first = get_local_id(0) == 0 && get_local_id(1) == 0;
    if (is_first)
        group_sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    atomic_add(&group_sum, sum_own(source, source_origin, source_pitch, width, height));
    barrier(CLK_LOCAL_MEM_FENCE);

    if (is_first)
        hand_over(group_sum, sums);
}
#elif REDUCE == 3
#if INLINE_PTX == 1
// NVIDIA's compiler has none of OpenCL's functions for sub-groups, but 32 work-items with consecutive numbers run together and
// can exchange registers. After five exchanges, each has the sum of all.
uint sum_of_32(uint sum)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        uint other;
        asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(other) : "r"(sum), "r"(distance));
        sum += other;
    }
    return sum;
}
#endif

// Sums of a sub-group are added without local memory; one local atomic for each sub-group is left. All work-items of the
// group reach both barriers, those outside the picture, too.
__kernel void sum_bytes(__global const piece *restrict source, int source_origin, int source_pitch,
                        __global uint *restrict sums, int width, int height)
{
    __local uint group_sum;
    const uint item = get_local_id(1) * get_local_size(0) + get_local_id(0);
    if (item == 0)
        group_sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint own = sum_own(source, source_origin, source_pitch, width, height);
#if INLINE_PTX == 1
    // The last work-items of a group may be fewer than 32: they add one by one.
    const bool is_whole = (item | 31) < get_local_size(0) * get_local_size(1);
    const uint sum = is_whole ? sum_of_32(own) : own;
    if (!is_whole || item % 32 == 0)
        atomic_add(&group_sum, sum);
#else
    const uint sum = sub_group_reduce_add(own);
    if (get_sub_group_local_id() == 0)
        atomic_add(&group_sum, sum);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item == 0)
        hand_over(group_sum, sums);
}
#else
// `group_sums` is not restrict: with it, compilers have moved loads of it past the barrier.
// A tree: at each level, the upper half of the sums is added to the lower half. Where their number is odd, the one in the
// middle waits for the next level, so that any size of a group is right. All work-items of the group take the same number
// of levels and reach every barrier, those outside the picture, too.
__kernel void sum_bytes(__global const piece *restrict source, int source_origin, int source_pitch,
                        __global uint *restrict sums, int width, int height, __local uint *group_sums)
{
    const uint item = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const uint items = get_local_size(0) * get_local_size(1);
    group_sums[item] = sum_own(source, source_origin, source_pitch, width, height);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint left = items; left > 1;) {
        const uint half_up = (left + 1) / 2;
        if (item + half_up < left)
            group_sums[item] += group_sums[item + half_up];
        barrier(CLK_LOCAL_MEM_FENCE);
        left = half_up;
    }
    if (item == 0)
        hand_over(group_sums[0], sums);
}
#endif

// The gain that belongs to the sum of all bytes. Rounded half up: (2 * product + sum) / (2 * sum). With up to 2^32 bytes, the
// dividend stays below 2^54.
uint gain_of(ulong sum, int target, int width, int height)
{
    if (sum == 0)
        return 4096; // a black picture stays black
    const ulong count = (ulong)width * height * CHANNELS;
    return min((2 * 4096 * target * count + sum) / (2 * sum), (ulong)(16 * 4096));
}

#if FUSED == 0
// Sums that make_gain adds.
#if TWO_STEPS == 1
#define SUMMING_ITEMS 256
#else
#define SUMMING_ITEMS 1
#endif

#if TWO_STEPS == 1
// SUMMING_ITEMS work-items add the sums of all groups, each every SUMMING_ITEMS-th. There is neither an atomic nor a barrier, so any size of a
// group is right. lane_sums has two words for each, the low one first.
__kernel void add_group_sums(__global const uint *restrict sums, __global uint *restrict lane_sums)
{
    const uint lane = get_global_id(0);
    if (lane >= SUMMING_ITEMS || get_global_id(1) != 0)
        return;

    const uint groups = sums[0];
    ulong sum = 0;
    for (uint group = lane; group < groups; group += SUMMING_ITEMS)
        sum += sums[1 + group];
    lane_sums[2 * lane] = (uint)sum;
    lane_sums[2 * lane + 1] = (uint)(sum >> 32);
}
#endif

// A single work-item computes the gain from the sum: a division in 64 bits takes many instructions, so it is done once.
__kernel void make_gain(__global const uint *restrict sums, __global uint *restrict gain, int target, int width, int height)
{
    if (get_global_id(0) != 0 || get_global_id(1) != 0)
        return;

    ulong sum = 0;
    for (int lane = 0; lane < SUMMING_ITEMS; ++lane)
        sum += (ulong)sums[2 * lane + 1] << 32 | sums[2 * lane];
    gain[0] = gain_of(sum, target, width, height);
}

// input * gain stays below 2^24, in 32 bits.
__kernel void apply_gain(__global const piece *restrict source, int source_origin, int source_pitch,
                         __global piece *restrict destination, int destination_pitch, __global const uint *restrict gain,
                         int width, int height)
{
    const int byte = get_global_id(ALONG_ROW) * PIECE_BYTES;
    const int y = get_global_id(DOWN_ROWS);
    if (byte >= width * CHANNELS || y >= height)
        return;

    const piece loaded = source[(source_origin + y * source_pitch + byte) / PIECE_BYTES];
    destination[(y * destination_pitch + byte) / PIECE_BYTES] = with_gain(loaded, gain[0]);
}
#else
// input * gain stays below 2^24, in 32 bits. All work-items of the group reach the barriers, those outside the picture, too.
__kernel void apply_gain(__global const piece *restrict source, int source_origin, int source_pitch,
                         __global piece *restrict destination, int destination_pitch, __global const uint *restrict sums,
                         int target, int width, int height)
{
    // The two words of the sum of all.
    __local uint low;
    __local uint high;
    __local uint group_gain;
    const uint item = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const uint items = get_local_size(0) * get_local_size(1);
    if (item == 0) {
        low = 0;
        high = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // Each work-item adds every items-th sum. Each time the low word passes 2^32, just one of them sees it.
    const uint groups = sums[0];
    ulong sum = 0;
    for (uint group = item; group < groups; group += items)
        sum += sums[1 + group];
    const uint before = atomic_add(&low, (uint)sum);
    const uint carry = before + (uint)sum < before ? 1 : 0;
    if ((uint)(sum >> 32) + carry != 0)
        atomic_add(&high, (uint)(sum >> 32) + carry);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item == 0)
        group_gain = gain_of((ulong)high << 32 | low, target, width, height);
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint gain = group_gain;
    const int byte = get_global_id(ALONG_ROW) * PIECE_BYTES;
    if (byte >= width * CHANNELS)
        return;
    const int first_y = get_global_id(DOWN_ROWS) * ROWS_PER_ITEM;
    const int end = min(first_y + ROWS_PER_ITEM, height);
#pragma unroll 4
    for (int y = first_y; y < end; ++y) {
        const piece loaded = source[(source_origin + y * source_pitch + byte) / PIECE_BYTES];
        destination[(y * destination_pitch + byte) / PIECE_BYTES] = with_gain(loaded, gain);
    }
}
#endif
