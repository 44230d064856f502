// Histogram equalization, each channel on its own: values are spread so that each occurs about as often as any other.
// With the histogram h of a channel and N pixels, all in integers:
//
//     cdf(v)   = h(0) + h(1) + ... + h(v)
//     cdf_min  = cdf of the lowest value that occurs
//     table(v) = (cdf(v) - cdf_min) * 255 / (N - cdf_min), rounded half up
//     output   = table(input)
//
// A channel of a single value (N = cdf_min) stays as it is. Counters have 32 bits: pictures have less than 2^32 pixels.

#include "common/stages.clh"

#ifndef FUSED
#define FUSED 0 // 4: each work-group of map_values makes the table
#endif
#if FUSED == 0
// Passes  clear_counters, count_values, make_table, map_values. Each reads what the ones before have left: a kernel is
//         finished before the next one begins.
#else
// Passes  clear_counters, count_values, map_values. Each reads what the ones before have left: a kernel is finished before
//         the next one begins. In map_values each work-group makes the table for itself.
#endif

#ifndef COUNTERS
#define COUNTERS 0 // Pixels are counted in 0 global memory, 1 local memory, 2 several copies in local memory
#endif

// Units   Pitches and source_origin count bytes; x, y, width and height count pixels of CHANNELS bytes. Pixel (x, y)
//         begins at source[source_origin + y * source_pitch + x * CHANNELS], destination[y * destination_pitch +
//         x * CHANNELS]. Value v of a channel is counted in counters[256 * channel + v] and becomes table[256 * channel
//         + v].
#if PIXELS_PER_ITEM > 1
// Layout  Rows begin at multiples of 128 bytes, in the source and in the destination. A block of PIXELS_PER_ITEM pixels is
//         a whole number of 32-bit words, so all words are aligned.
// Reads   The last block of a row may run past the row's end: the pitch has room for it. These bytes can be anything. They
//         are not counted.
// Writes  The last block of a row may run past the row's end: the pitch has room for it.
#endif
#if ROWS_PER_ITEM > 1
#if FUSED == 0
//         In count_values a work-item owns its block in each of ROWS_PER_ITEM rows inside the picture; in map_values, one.
#else
//         A work-item owns its block in each of ROWS_PER_ITEM rows inside the picture.
#endif
#endif
//         The NDRange is rounded up to the local size: work-items outside the picture neither count nor write.

#include "common/mapping.clh"

// The column of the work-item's first pixel.
int own_x(void)
{
#if PIXELS_PER_ITEM == 1
    return get_global_id(ALONG_ROW);
#else
    return get_global_id(ALONG_ROW) * PIXELS_PER_ITEM;
#endif
}

#if COUNTERS == 2
// Copies  Work-items that run together and meet the same value would wait for each other at its counter. So the group has
//         several copies of all counters, and neighboring work-items use different ones. The copies of one counter lie side
//         by side: work-items with different copies never meet in a bank, whatever they count.
#if CHANNELS == 1
#define COPIES 16
#else
#define COPIES 8
#endif
#endif

#if COUNTERS == 0
typedef __global uint *counter_array;
#else
typedef __local uint *counter_array;
#endif

// Counts a byte; `index` is that of its counter.
void count_byte(counter_array counts, int index)
{
#if COUNTERS == 2
    atomic_inc(&counts[COPIES * index]);
#else
    atomic_inc(&counts[index]);
#endif
}

#if FUSED == 0
typedef __global const uchar *table_array;
#else
typedef __local const uchar *table_array;
#endif

#if PIXELS_PER_ITEM == 1
// Counts the pixel that begins at `pixel`.
void count_pixel(__global const uchar *pixel, counter_array counts)
{
    for (int channel = 0; channel < CHANNELS; ++channel)
        count_byte(counts, 256 * channel + pixel[channel]);
}

// Maps the pixel that begins at `pixel`.
void map_pixel(__global const uchar *pixel, __global uchar *out, table_array table)
{
    for (int channel = 0; channel < CHANNELS; ++channel)
        out[channel] = table[256 * channel + pixel[channel]];
}
#else
// Counts the four bytes of a word. `byte` is the number of its first byte in the block, a literal wherever it is called:
// the channels are known when the kernel is compiled.
void count_word(uint word, int byte, counter_array counts)
{
    const uchar4 values = as_uchar4(word);
    count_byte(counts, byte % CHANNELS * 256 + values.s0);
    count_byte(counts, (byte + 1) % CHANNELS * 256 + values.s1);
    count_byte(counts, (byte + 2) % CHANNELS * 256 + values.s2);
    count_byte(counts, (byte + 3) % CHANNELS * 256 + values.s3);
}

// Maps the four bytes of a word; `byte` as above.
uint map_word(uint word, int byte, table_array table)
{
    const uchar4 values = as_uchar4(word);
    uchar4 mapped;
    mapped.s0 = table[byte % CHANNELS * 256 + values.s0];
    mapped.s1 = table[(byte + 1) % CHANNELS * 256 + values.s1];
    mapped.s2 = table[(byte + 2) % CHANNELS * 256 + values.s2];
    mapped.s3 = table[(byte + 3) % CHANNELS * 256 + values.s3];
    return as_uint(mapped);
}

#if PIXELS_PER_ITEM * CHANNELS == 4
typedef uint block;
#elif PIXELS_PER_ITEM * CHANNELS == 12
typedef uint3 block;
#else
typedef uint4 block;
#endif

// Loads the block that begins at `first`.
block load_block(__global const uchar *first)
{
#if PIXELS_PER_ITEM * CHANNELS == 12
    return vload3(0, (__global const uint *)first);
#else
    return *(__global const block *)first;
#endif
}

// Counts a block that is whole in its row.
void count_block(block words, counter_array counts)
{
#if PIXELS_PER_ITEM * CHANNELS == 4
    count_word(words, 0, counts);
#else
    count_word(words.s0, 0, counts);
    count_word(words.s1, 4, counts);
    count_word(words.s2, 8, counts);
#if PIXELS_PER_ITEM * CHANNELS == 16
    count_word(words.s3, 12, counts);
#endif
#endif
}

// Counts the first `bytes` of the block that begins at `first`: it runs past the end of its row.
void count_part(__global const uchar *first, int bytes, counter_array counts)
{
    for (int byte = 0; byte < bytes; ++byte)
        count_byte(counts, byte % CHANNELS * 256 + first[byte]);
}

// Maps the block that begins at `first`, whole.
void map_block(__global const uchar *first, __global uchar *out, table_array table)
{
    const block words = load_block(first);
#if PIXELS_PER_ITEM * CHANNELS == 4
    *(__global uint *)out = map_word(words, 0, table);
#elif PIXELS_PER_ITEM * CHANNELS == 12
    const uint3 mapped =
        (uint3)(map_word(words.s0, 0, table), map_word(words.s1, 4, table), map_word(words.s2, 8, table));
    vstore3(mapped, 0, (__global uint *)out);
#else
    *(__global uint4 *)out = (uint4)(map_word(words.s0, 0, table), map_word(words.s1, 4, table),
                                     map_word(words.s2, 8, table), map_word(words.s3, 12, table));
#endif
}
#endif

// Counts what the work-item owns of the picture.
void count_own(__global const uchar *origin, int source_pitch, counter_array counts, int width, int height)
{
    const int x = own_x();
#if ROWS_PER_ITEM == 1
    const int first_y = get_global_id(DOWN_ROWS);
#else
    const int first_y = get_global_id(DOWN_ROWS) * ROWS_PER_ITEM;
#endif
    if (x >= width)
        return;

#if ROWS_PER_ITEM == 1
    const int end = min(first_y + 1, height);
#else
    const int end = min(first_y + ROWS_PER_ITEM, height);
#endif
#if PIXELS_PER_ITEM == 1
    for (int y = first_y; y < end; ++y)
        count_pixel(origin + y * source_pitch + x * CHANNELS, counts);
#else
    __global const uchar *first = origin + first_y * source_pitch + x * CHANNELS;
    if (width - x < PIXELS_PER_ITEM) {
        for (int y = first_y; y < end; ++y, first += source_pitch)
            count_part(first, (width - x) * CHANNELS, counts);
        return;
    }
    int y = first_y;
#if ROWS_PER_ITEM > 1
    // Four rows are loaded before the first is counted: their loads wait for memory together, and for no atomic.
    for (; y + 4 <= end; y += 4, first += 4 * source_pitch) {
        const block rows[4] = {load_block(first), load_block(first + source_pitch), load_block(first + 2 * source_pitch),
                               load_block(first + 3 * source_pitch)};
#pragma unroll
        for (int row = 0; row < 4; ++row)
            count_block(rows[row], counts);
    }
#endif
    for (; y < end; ++y, first += source_pitch)
        count_block(load_block(first), counts);
#endif
}

// Buffers between passes hold anything before they are written.
__kernel void clear_counters(__global uint *restrict counters)
{
    const int value = get_global_id(0);
    const int channel = get_global_id(1);
    if (value < 256 && channel < CHANNELS)
        counters[256 * channel + value] = 0;
}

#if COUNTERS == 0
__kernel void count_values(__global const uchar *restrict source, int source_origin, int source_pitch,
                           __global uint *restrict counters, int width, int height)
{
    // Others may count the same value at the same time: each addition is atomic.
    count_own(source + source_origin, source_pitch, counters, width, height);
}
#elif COUNTERS == 1
// The group counts in local memory, then adds its counters to those in global memory: one global atomic for each value that
// occurs in the group, not for each byte. All work-items of the group reach both barriers, those outside the picture, too.
__kernel void count_values(__global const uchar *restrict source, int source_origin, int source_pitch,
                           __global uint *restrict counters, int width, int height)
{
    __local uint counts[256 * CHANNELS];
    const int item = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const int items = get_local_size(0) * get_local_size(1);

    for (int index = item; index < 256 * CHANNELS; index += items)
        counts[index] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    count_own(source + source_origin, source_pitch, counts, width, height);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int index = item; index < 256 * CHANNELS; index += items)
        if (counts[index] != 0)
            atomic_add(&counters[index], counts[index]);
}
#else
// The group counts in copies of its own, then adds their sums to the counters in global memory: one global atomic for
// each value that occurs in the group. All work-items of the group reach both barriers, those outside the picture, too.
__kernel void count_values(__global const uchar *restrict source, int source_origin, int source_pitch,
                           __global uint *restrict counters, int width, int height)
{
    __local uint counts[256 * CHANNELS * COPIES];
    const int item = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const int items = get_local_size(0) * get_local_size(1);

    for (int index = item; index < 256 * CHANNELS * COPIES; index += items)
        counts[index] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    count_own(source + source_origin, source_pitch, counts + item % COPIES, width, height);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int index = item; index < 256 * CHANNELS; index += items) {
        uint sum = 0;
        for (int copy = 0; copy < COPIES; ++copy) {
            // Work-items begin with different copies: in different banks.
            sum += counts[index * COPIES + (copy + item) % COPIES];
        }
        if (sum != 0)
            atomic_add(&counters[index], sum);
    }
}
#endif

// The entry of a value. `cdf` counts the pixels up to it, `cdf_min` those of the lowest value that occurs: 0 or the same
// number as `cdf` where neither the value nor a lower one occurs.
uchar table_entry(int value, uint cdf, uint cdf_min, uint pixels)
{
    if (cdf == 0 || cdf_min == pixels)
        return value; // neither the value nor a lower one occurs; or the channel has a single value
    // Rounded half up: (2 * above * 255 + range) / (2 * range). The product passes 32 bits.
    const ulong above = cdf - cdf_min;
    const ulong range = pixels - cdf_min;
    return (2 * 255 * above + range) / (2 * range);
}

#if FUSED == 0
// A work-item computes one entry of the table. It adds up all counters that it needs: so little work is not worth a
// barrier.
__kernel void make_table(__global const uint *restrict counters, __global uchar *restrict table, int width, int height)
{
    const int value = get_global_id(0);
    const int channel = get_global_id(1);
    if (value >= 256 || channel >= CHANNELS)
        return;

    uint cdf = 0;
    uint cdf_min = 0;
    for (int index = 0; index <= value; ++index) {
        cdf += counters[256 * channel + index];
        cdf_min = cdf_min == 0 ? cdf : cdf_min; // 0 until a value occurs
    }
    table[256 * channel + value] = table_entry(value, cdf, cdf_min, (uint)width * (uint)height);
}

__kernel void map_values(__global const uchar *restrict source, int source_origin, int source_pitch,
                         __global uchar *restrict destination, int destination_pitch, __global const uchar *restrict table,
                         int width, int height)
{
    const int x = own_x();
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *first = source + source_origin + y * source_pitch + x * CHANNELS;
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if PIXELS_PER_ITEM == 1
    map_pixel(first, out, table);
#else
    map_block(first, out, table);
#endif
}
#else
// Makes the table of a channel. All work-items of the group call it, also those outside the picture. Counters are loaded
// once, then added up in local memory, in sixteens first, so that no entry needs more than 16 + 15 additions. `sums` has room
// for 768 numbers.
void make_own_table(__global const uint *counters, __local uint *sums, __local uint *cdf_min, __local uchar *table,
                    uint pixels)
{
    const int item = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const int items = get_local_size(0) * get_local_size(1);
    __local uint *counts = sums;       // of this value
    __local uint *within = sums + 256; // up to this value, from the first of its sixteen
    __local uint *below = sums + 512;  // in all sixteens before
    for (int value = item; value < 256; value += items)
        counts[value] = counters[value];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int value = item; value < 256; value += items) {
        uint sum = 0;
        for (int index = value & ~15; index <= value; ++index)
            sum += counts[index];
        within[value] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int value = item; value < 256; value += items) {
        uint sum = 0;
        for (int last = 15; last < value; last += 16)
            sum += within[last];
        below[value] = sum;
        const uint cdf = sum + within[value];
        if (cdf != 0 && cdf == counts[value])
            *cdf_min = cdf; // of one work-item: the lowest value that occurs
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int value = item; value < 256; value += items)
        table[value] = table_entry(value, below[value] + within[value], *cdf_min, pixels);
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void map_values(__global const uchar *restrict source, int source_origin, int source_pitch,
                         __global uchar *restrict destination, int destination_pitch,
                         __global const uint *restrict counters, int width, int height)
{
    __local uint sums[768];
    __local uint cdf_min;
    __local uchar table[256 * CHANNELS];
    for (int channel = 0; channel < CHANNELS; ++channel)
        make_own_table(counters + 256 * channel, sums, &cdf_min, table + 256 * channel, (uint)width * (uint)height);

    const int x = own_x();
    const int first_y = get_global_id(DOWN_ROWS) * ROWS_PER_ITEM;
    if (x >= width)
        return;

    const int end = min(first_y + ROWS_PER_ITEM, height);
    __global const uchar *first = source + source_origin + first_y * source_pitch + x * CHANNELS;
    __global uchar *out = destination + first_y * destination_pitch + x * CHANNELS;
#pragma unroll 4
    for (int y = first_y; y < end; ++y, first += source_pitch, out += destination_pitch) {
#if PIXELS_PER_ITEM == 1
        map_pixel(first, out, table);
#else
        map_block(first, out, table);
#endif
    }
}
#endif
