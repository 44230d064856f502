// Box blur of any radius by an integral image (summed-area table), each channel on its own: the average of the window of
// (2 * radius + 1) x (2 * radius + 1) pixels around a pixel, cut at the image's edges, rounded half up.
//
// Sums    sums[(y * width + x) * CHANNELS + channel] becomes the sum of a rectangle whose last pixel is (x, y), inclusive.
//         A first pass sums along the rows, a second one sums these values down the columns. The sum of a window is then
//         four of these values, added and subtracted, whatever the radius.
// Wrap    The sums of a large image may wrap around at 2^32. The result is still right: sums and differences of uint are
//         exact modulo 2^32, and the sum of a window is at most 201 * 201 * 255 < 2^32.
// Units   Pitches and source_origin count bytes; x, y, width and height count pixels of CHANNELS bytes. Pixel (x, y)
//         begins at source[source_origin + y * source_pitch + x * CHANNELS], and at
//         destination[y * destination_pitch + x * CHANNELS]. `sums` has no padding between rows.
// Border  The window is cut at the edges: no index leaves the image, and the sum is divided by the number of pixels in it.
//         The NDRange is rounded up to the local size: work-items outside the image write nothing.

#include "common/stages.clh"

#ifndef SCAN
#define SCAN 0 // A row is scanned 0 by one work-item, by a work-group 1 in steps, 2 as a tree, 3 in steps over pieces
#endif
#ifndef BAND_ROWS
#define BAND_ROWS 0 // Columns are cut into bands of so many rows; 0: a work-item walks down a whole column
#endif
#ifndef FUSED
#define FUSED 0 // 5: the pass that sums the bands also joins them, each to those above it
#endif
#ifndef RECIPROCAL
#define RECIPROCAL 0 // 1: multiplication by a reciprocal instead of division
#endif

#include "common/mapping.clh"

#if CHANNELS == 1
typedef uint value;

value load_bytes(__global const uchar *pixel)
{
    return *pixel;
}

value load_sums(__global const uint *sums)
{
    return *sums;
}

void store_sums(value sum, __global uint *sums)
{
    *sums = sum;
}

void store_bytes(value average, __global uchar *pixel)
{
    *pixel = average;
}
#else
typedef uint3 value; // one for each channel

value load_bytes(__global const uchar *pixel)
{
    return convert_uint3(vload3(0, pixel));
}

value load_sums(__global const uint *sums)
{
    return vload3(0, sums);
}

void store_sums(value sum, __global uint *sums)
{
    vstore3(sum, 0, sums);
}

void store_bytes(value average, __global uchar *pixel)
{
    vstore3(convert_uchar3(average), 0, pixel);
}
#endif

#if SCAN == 0
// Each work-item walks along a row.
__kernel void scan_rows(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uint *restrict sums, int width, int height)
{
    const int y = get_global_id(0);
    if (y >= height || get_global_id(1) > 0)
        return;

    __global const uchar *row = source + source_origin + y * source_pitch;
    __global uint *out = sums + y * width * CHANNELS;
    value sum = 0;
    for (int x = 0; x < width; ++x) {
        sum += load_bytes(row + x * CHANNELS);
        store_sums(sum, out + x * CHANNELS);
    }
}
#elif SCAN == 2
// The sum of the values that the work-items before this one in the group's row have; `total` becomes that of all. Work-items
// of the row are numbered 0 .. count - 1. (Blelloch's scan: about 2 * count additions.)
value sum_before(value own, __local value *tile, int index, int count, value *total)
{
    // The tree has a power of two of leaves, at least `count` and less than 2 * count; the surplus leaves are 0.
    int leaves = 1;
    while (leaves < count)
        leaves *= 2;
    tile[index] = own;
    if (index + count < leaves)
        tile[index + count] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    // Up the tree: the last leaf of each node becomes the sum of the node. On each level, half as many work-items add. A tree of
    // one leaf has no nodes, but a level all the same: PoCL 3.1 computes wrong sums where loops with barriers are not entered.
    int half_node = 1;
    do {
        const int last = (index + 1) * 2 * half_node - 1;
        if (last < leaves)
            tile[last] += tile[last - half_node];
        barrier(CLK_LOCAL_MEM_FENCE);
        half_node *= 2;
    } while (half_node < leaves);
    // The root holds the sum of all. It is kept behind the tree, whose leaves are fewer than 2 * count.
    if (index == 0) {
        tile[2 * count - 1] = tile[leaves - 1];
        tile[leaves - 1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // Down the tree: the last leaf of each node holds the sum of all before the node. This is the sum before its left half;
    // with the sum of the left half it is the sum before its right half.
    half_node = max(leaves / 2, 1);
    do {
        const int last = (index + 1) * 2 * half_node - 1;
        if (last < leaves) {
            const value left = tile[last - half_node];
            tile[last - half_node] = tile[last];
            tile[last] += left;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        half_node /= 2;
    } while (half_node > 0);
    *total = tile[2 * count - 1];
    // No barrier is needed before the next chunk: each work-item overwrites its own leaf, and a surplus leaf that no one reads.
    return tile[index];
}
#else
// The sum of the values that the work-items before this one in the group's row have; `total` becomes that of all. Work-items
// of the row are numbered 0 .. count - 1. (The scan of Hillis and Steele: about count * log2(count) additions.)
value sum_before(value own, __local value *tile, int index, int count, value *total)
{
    // Each step reads one half of the tile and writes the other one, so that it needs only one barrier.
    __local value *from = tile;
    __local value *to = tile + count;
    value sum = own;
    from[index] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    // Before each step, a place holds the sum of the `distance` values up to it; the step doubles that.
    for (int distance = 1; distance < count; distance *= 2) {
        if (index >= distance)
            sum += from[index - distance];
        to[index] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        __local value *other = from;
        from = to;
        to = other;
    }
    *total = from[count - 1];
    barrier(CLK_LOCAL_MEM_FENCE); // the next chunk overwrites the tile
    return sum - own;
}
#endif

#if SCAN == 1 || SCAN == 2
// Each row of a work-group scans a row of the image, in chunks of a pixel for each work-item. There is only one group along
// dimension 0. `tile` has 2 values for each work-item.
__kernel void scan_rows(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uint *restrict sums, int width, int height, __local value *tile)
{
    const int index = get_local_id(0);
    const int count = get_local_size(0);
    const int y = get_global_id(1);
    __local value *own_tile = tile + get_local_id(1) * 2 * count;

    // Rows below the image take part, because all work-items of a group must reach its barriers. They have the value 0.
    __global const uchar *row = source + source_origin + y * source_pitch;
    __global uint *out = sums + y * width * CHANNELS;
    value carry = 0; // sum of the chunks before
    for (int first = 0; first < width; first += count) {
        const int x = first + index;
        const bool is_inside = x < width && y < height;
        value own = 0;
        if (is_inside)
            own = load_bytes(row + x * CHANNELS);
        value total;
        const value before = sum_before(own, own_tile, index, count, &total);
        if (is_inside)
            store_sums(carry + before + own, out + x * CHANNELS);
        carry += total;
    }
}
#elif SCAN == 3
#define PIECE 4 // Pixels along a row that a work-item keeps in registers

// Each row of a work-group scans a row of the image, in chunks of PIECE pixels for each work-item: a work-item sums its piece
// in registers, the group scans the sums of the pieces, and the work-item adds what is before its piece. There is only one
// group along dimension 0. `tile` has 2 values for each work-item.
__kernel void scan_rows(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uint *restrict sums, int width, int height, __local value *tile)
{
    const int index = get_local_id(0);
    const int count = get_local_size(0);
    const int y = get_global_id(1);
    __local value *own_tile = tile + get_local_id(1) * 2 * count;

    // Rows below the image take part, because all work-items of a group must reach its barriers. They have the value 0.
    __global const uchar *row = source + source_origin + y * source_pitch;
    __global uint *out = sums + y * width * CHANNELS;
    const int end = y < height ? width : 0;
    value carry = 0; // sum of the chunks before
    for (int first = 0; first < width; first += count * PIECE) {
        const int x = first + index * PIECE;
        value piece[PIECE]; // sums within the piece
        value sum = 0;
#pragma unroll
        for (int pixel = 0; pixel < PIECE; ++pixel) {
            if (x + pixel < end)
                sum += load_bytes(row + (x + pixel) * CHANNELS);
            piece[pixel] = sum;
        }
        value total;
        const value before = carry + sum_before(sum, own_tile, index, count, &total);
#pragma unroll
        for (int pixel = 0; pixel < PIECE; ++pixel)
            if (x + pixel < end)
                store_sums(before + piece[pixel], out + (x + pixel) * CHANNELS);
        carry += total;
    }
}
#endif

#if BAND_ROWS == 0
// Each work-item walks down a column: one channel of the pixels below each other. Neighboring work-items read and write
// neighboring sums. The columns are summed in place.
__kernel void scan_columns(__global uint *sums, int width, int height)
{
    const int row_sums = width * CHANNELS;
    const int column = get_global_id(0);
    if (column >= row_sums || get_global_id(1) > 0)
        return;

    __global uint *own = sums + column;
    uint sum = 0;
    for (int y = 0; y < height; ++y) {
        sum += own[y * row_sums];
        own[y * row_sums] = sum;
    }
}
#elif FUSED == 5
// A state is what is known of a column down to the end of a band: 0 nothing yet, or one of these and a sum. A state is two
// words, `row_sums` words apart: each has the state in its upper half and one half of the sum in its lower half. So each word
// is valid on its own, and a sum is whole once both words are in the same state. Nothing is assumed of the order in which
// other work-groups see the words, because OpenCL 1.2 promises none. It promises that each atomic operation is one step.
#define OF_BAND (1u << 16) // the sum of the band alone
#define OF_ALL (2u << 16) // the sum of the band and of all above it

// Memory between passes has what earlier runs left in it.
__kernel void clear_states(__global uint *restrict states, int count)
{
    const int index = get_global_id(0);
    if (index < count && get_global_id(1) == 0)
        states[index] = 0;
}

void publish(__global uint *state, int row_sums, uint kind, uint sum)
{
    atomic_xchg(state, kind | (sum & 0xffff));
    atomic_xchg(state + row_sums, kind | sum >> 16);
}

// The sum of a column over all bands above `band`. It looks back, one band after the other, until it finds one that knows the
// sum of all above it, too; `states` are those of the column. Where a band has published nothing yet, it is waited for.
uint sum_above(__global uint *states, int row_sums, int band)
{
    uint sum = 0;
    uint kind = 0;
    for (int above = band - 1; above >= 0 && kind != OF_ALL; --above) {
        __global uint *state = states + 2 * above * row_sums;
        uint low, high;
        do {
            // Adding 0 reads the word: a plain load might read an old copy from a cache again and again.
            low = atomic_add(state, 0);
            high = atomic_add(state + row_sums, 0);
            kind = low & 0xffff0000;
        } while (kind == 0 || kind != (high & 0xffff0000));
        sum += high << 16 | (low & 0xffff);
    }
    return sum;
}

// Each work-item sums one column within one band, and adds what is above: each sum is read once and written once. Neighboring
// work-items read and write neighboring sums.
void scan_band(__global uint *sums, __global uint *states, int row_sums, int height, int column, int band)
{
    const int first = band * BAND_ROWS;
    __global uint *own = sums + first * row_sums + column;
    uint within[BAND_ROWS]; // sums within the band
    uint sum = 0;
#pragma unroll
    for (int row = 0; row < BAND_ROWS; ++row) {
        if (first + row < height)
            sum += own[row * row_sums];
        within[row] = sum;
    }
    // The bands below can use the sum of the band before that of all is known: they do not wait for each other in turn.
    __global uint *state = states + 2 * band * row_sums + column;
    uint above = 0;
    if (band > 0) {
        publish(state, row_sums, OF_BAND, sum);
        above = sum_above(states + column, row_sums, band);
    }
    publish(state, row_sums, OF_ALL, above + sum);
#pragma unroll
    for (int row = 0; row < BAND_ROWS; ++row)
        if (first + row < height)
            own[row * row_sums] = above + within[row];
}

// The bands are joined as they are summed (decoupled look-back). states[0] is the next ticket; behind it are the states of each
// band, and in a band those of its columns.
//
// A work-group may wait for another one only if that one has started, or both may wait forever: a device need not start a
// group before others have ended. So the place of a group in the NDRange says nothing. It takes a ticket, and with it as many
// columns of a band as it has work-items; tickets go along the bands, from the top down. Who has taken an earlier ticket has
// started, and waits for even earlier ones only. Work-items of one group have different columns, and do not wait for each
// other. (That a group which has started goes on while another one waits is not promised by OpenCL, but devices do so.)
__kernel void scan_columns(__global uint *sums, __global uint *states, int width, int height)
{
    __local int ticket;
    const int row_sums = width * CHANNELS;
    const int index = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const int count = get_local_size(0) * get_local_size(1);
    const int blocks = (row_sums + count - 1) / count; // of a band
    const int tickets = blocks * ((height + BAND_ROWS - 1) / BAND_ROWS);

    // A group goes on until no ticket is left, so it does not matter how many groups there are. All its work-items leave the
    // loop together, so all of them reach every barrier.
    while (true) {
        if (index == 0)
            ticket = atomic_inc(&states[0]);
        barrier(CLK_LOCAL_MEM_FENCE);
        const int own = ticket;
        barrier(CLK_LOCAL_MEM_FENCE); // all have read it before it changes
        if (own >= tickets)
            break;
        const int column = own % blocks * count + index;
        if (column < row_sums)
            scan_band(sums, states + 1, row_sums, height, column, own / blocks);
    }
}
#else
// Each work-item walks down a column within one band of rows: one channel of the pixels below each other. Neighboring
// work-items read and write neighboring sums. The columns are summed in place, each band on its own.
__kernel void scan_columns(__global uint *sums, int width, int height)
{
    const int row_sums = width * CHANNELS;
    const int column = get_global_id(0);
    const int first = get_global_id(1) * BAND_ROWS;
    if (column >= row_sums || first >= height)
        return;

    const int rows = min(BAND_ROWS, height - first);
    __global uint *own = sums + first * row_sums + column;
    uint sum = 0;
    for (int row = 0; row < rows; ++row) {
        sum += own[row * row_sums];
        own[row * row_sums] = sum;
    }
}

// Each work-item walks down the bands of a column. The last row of a band holds the sum of the band; offsets[band * row_sums +
// column] becomes the sum of the bands above it.
__kernel void scan_bands(__global const uint *restrict sums, __global uint *restrict offsets, int width, int height)
{
    const int row_sums = width * CHANNELS;
    const int column = get_global_id(0);
    if (column >= row_sums || get_global_id(1) > 0)
        return;

    uint sum = 0;
    for (int first = 0; first < height; first += BAND_ROWS) {
        offsets[first / BAND_ROWS * row_sums + column] = sum;
        if (first + BAND_ROWS < height)
            sum += sums[(first + BAND_ROWS - 1) * row_sums + column];
    }
}
#endif

#if RECIPROCAL == 0
// `count` pixels sum to `sum`; rounded half up.
value average(value sum, uint count)
{
    return (sum + count / 2) / count;
}
#else
// `count` pixels sum to `sum`; rounded half up. The quotient is at most 255, and the numerator at most 201 * 201 * 255.5 <
// 2^24, so it is exact as a float. Few roundings of 2^-24 each cannot change the quotient by 1, but they may take it to the
// other side of a whole number. The remainder tells, and the result is exact on any device.
#if CHANNELS == 1
uint average(uint sum, uint count)
{
    const int numerator = sum + count / 2;
    const int quotient = convert_int(convert_float(numerator) * (1.0f / count));
    const int remainder = numerator - quotient * (int)count;
    return quotient + (remainder >= (int)count) - (remainder < 0);
}
#else
uint3 average(uint3 sum, uint count)
{
    const int3 numerator = convert_int3(sum + count / 2);
    const int3 quotient = convert_int3(convert_float3(numerator) * (1.0f / count));
    const int3 remainder = numerator - quotient * (int3)count;
    // Comparisons of vectors are -1 where they hold.
    return convert_uint3(quotient - (remainder >= (int3)count) + (remainder < 0));
}
#endif
#endif

#if BAND_ROWS == 0 || FUSED == 5
// The sum from pixel (0, 0) to pixel (x, y): 0 to the left of the image and above it.
value sum_to(__global const uint *sums, int width, int x, int y)
{
    if (x < 0 || y < 0)
        return 0;
    return load_sums(sums + (y * width + x) * CHANNELS);
}

// Each work-item computes one pixel.
__kernel void average_windows(__global const uint *restrict sums,
                              __global uchar *restrict destination, int destination_pitch,
                              int radius, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    const int left = max(x - radius, 0), right = min(x + radius, width - 1);
    const int top = max(y - radius, 0), bottom = min(y + radius, height - 1);
    const uint count = (right - left + 1) * (bottom - top + 1);
    const value sum = sum_to(sums, width, right, bottom) - sum_to(sums, width, left - 1, bottom) -
                      sum_to(sums, width, right, top - 1) + sum_to(sums, width, left - 1, top - 1);
    store_bytes(average(sum, count), destination + y * destination_pitch + x * CHANNELS);
}
#else
// The sum from pixel (0, 0) to pixel (x, y): 0 to the left of the image and above it. It is that within the band, and that of
// the bands above.
value sum_to(__global const uint *sums, __global const uint *offsets, int width, int x, int y)
{
    if (x < 0 || y < 0)
        return 0;
    return load_sums(sums + (y * width + x) * CHANNELS) + load_sums(offsets + (y / BAND_ROWS * width + x) * CHANNELS);
}

// Each work-item computes one pixel.
__kernel void average_windows(__global const uint *restrict sums, __global const uint *restrict offsets,
                              __global uchar *restrict destination, int destination_pitch,
                              int radius, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    const int left = max(x - radius, 0), right = min(x + radius, width - 1);
    const int top = max(y - radius, 0), bottom = min(y + radius, height - 1);
    const uint count = (right - left + 1) * (bottom - top + 1);
    const value sum = sum_to(sums, offsets, width, right, bottom) - sum_to(sums, offsets, width, left - 1, bottom) -
                      sum_to(sums, offsets, width, right, top - 1) + sum_to(sums, offsets, width, left - 1, top - 1);
    store_bytes(average(sum, count), destination + y * destination_pitch + x * CHANNELS);
}
#endif
