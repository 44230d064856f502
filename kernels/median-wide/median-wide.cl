// Median of a square of pixels, each channel on its own: of the AREA = (2 * REACH + 1) * (2 * REACH + 1) values in and around
// a pixel, the one in the middle of their order: number 13 of 25, or number 25 of 49.

#ifndef REACH
#define REACH 2 // Pixels that the square reaches on each side of its center: 2 or 3
#endif
#include "common/stages.clh"
#ifndef RANK
#define RANK 0 // How the median is found: 0 all values are sorted, 1 the lower half, 2 by a network, 3 bit by bit
#endif

#include "common/contract.clh"

#include "common/mapping.clh"

#include "common/source_bytes.clh"

#if PADDED == 0 && (BORDER != 0 || LOCAL_MEMORY != 0)
#include "common/inside.clh"
#endif

#define SIDE (2 * REACH + 1)
#define AREA (SIDE * SIDE) // values in a square: 25 or 49

#if PIXELS_PER_ITEM > 1
#include "common/lanes.clh"

typedef bytes values; // each component is computed on its own
typedef bytes counts;
#else
typedef uchar values;
typedef int counts;
#endif

// Where squares are read from.
typedef struct {
    source_bytes origin; // its pixel (0, 0), or one channel of that
    int pitch;
    int width;
    int height;
} picture;

#if PIXELS_PER_ITEM > 1
// The pixels from (x, y) on, which may lie in the halo.
values values_at(picture source, int x, int y)
{
    return load_bytes(0, source.origin + y * source.pitch + x * CHANNELS);
}
#elif PADDED == 1 || LOCAL_MEMORY != 0 || BORDER == 0
// One channel of pixel (x, y), which lies inside the buffer.
values values_at(picture source, int x, int y)
{
    return source.origin[y * source.pitch + x * CHANNELS];
}
#else
// One channel of pixel (x, y), which may lie outside the image.
values values_at(picture source, int x, int y)
{
    return source.origin[inside(y, source.height) * source.pitch + inside(x, source.width) * CHANNELS];
}
#endif

// Value number `number` of the square around (x, y), row by row.
values value_of(picture source, int x, int y, int number)
{
    return values_at(source, x - REACH + number % SIDE, y - REACH + number / SIDE);
}

#if RANK != 3
// Puts the lower value first.
void order(values *first, values *second)
{
    const values lower = min(*first, *second);
    *second = max(*first, *second);
    *first = lower;
}
#endif

#if RANK < 2
#if RANK == 0
// All values are sorted, although only one of them is wanted. The array's indices are not known when the kernel is compiled,
// so it lies in private memory: on a GPU that is memory behind the caches, not registers.
#define SORTED (AREA - 1) // values that are put in their places; the last one is then in its own
#elif UNROLL == 1
// Sorting ends at the median: what is above it stays in any order. All loops are unrolled, so that every index is a constant,
// and the array can be kept in registers.
#define SORTED (AREA / 2 + 1) // values that are put in their places
#else
// Sorting ends at the median: what is above it stays in any order. The array's indices are not known when the kernel is
// compiled, so it lies in private memory: on a GPU that is memory behind the caches, not registers.
#define SORTED (AREA / 2 + 1) // values that are put in their places
#endif
values median_of_square(picture source, int x, int y)
{
    values sorted[AREA];
#include "common/unroll.clh"
    for (int number = 0; number < AREA; ++number)
        sorted[number] = value_of(source, x, y, number);
#include "common/unroll.clh"
    for (int place = 0; place < SORTED; ++place) {
#include "common/unroll.clh"
        for (int other = place + 1; other < AREA; ++other)
            order(&sorted[place], &sorted[other]);
    }
    return sorted[AREA / 2];
}
#elif RANK == 2
// Forgetful selection: of AREA / 2 + 2 values, the lowest has AREA / 2 + 1 above it, so it is not the median; nor is the
// highest. Both are forgotten, and another value is taken in: one less is kept. Three are left when all have been in.
//
// Which values are compared does not depend on the values: it is a network. All loops are unrolled, so that every index is a
// constant: there is neither a branch nor an array, and never more than AREA / 2 + 2 values are kept.
#define KEPT (AREA / 2 + 2)

values median_of_square(picture source, int x, int y)
{
    values kept[KEPT];
#pragma unroll
    for (int number = 0; number < KEPT; ++number)
        kept[number] = value_of(source, x, y, number);
#pragma unroll
    for (int count = KEPT; count > 3; --count) {
        // The lower of each pair comes into the first half, the higher into the second; the middle of an odd number is in both.
#pragma unroll
        for (int pair = 0; pair < count / 2; ++pair)
            order(&kept[pair], &kept[count - 1 - pair]);
        // The lowest of all comes first,
#pragma unroll
        for (int other = 1; other < (count + 1) / 2; ++other)
            order(&kept[0], &kept[other]);
        // and the highest of all last.
#pragma unroll
        for (int other = count / 2; other < count - 1; ++other)
            order(&kept[other], &kept[count - 1]);
        kept[0] = value_of(source, x, y, 2 * KEPT - count);
    }
    order(&kept[0], &kept[1]);
    return max(kept[0], min(kept[1], kept[2]));
}
#else
#if PIXELS_PER_ITEM > 1
// 1 where the value is below the bound, 0 elsewhere.
counts is_below(values value, values bound)
{
    return select((counts)0, (counts)1, value < bound);
}

// `low` where more than half of the values are below `high`, `high` elsewhere.
values low_or_high(values low, values high, counts below_high)
{
    return select(high, low, below_high > (counts)(AREA / 2));
}
#else
// 1 where the value is below the bound, 0 elsewhere.
counts is_below(values value, values bound)
{
    return value < bound;
}

// `low` where more than half of the values are below `high`, `high` elsewhere.
values low_or_high(values low, values high, counts below_high)
{
    return below_high > AREA / 2 ? low : high;
}
#endif

// The median is the largest number that no more than AREA / 2 of the values are below. Its bits are found one after the other,
// from the highest on, by counting: eight times AREA comparisons, in any order, and nothing is moved. All loops are unrolled,
// so that the square can stay in registers.
values median_of_square(picture source, int x, int y)
{
    values square[AREA];
#pragma unroll
    for (int number = 0; number < AREA; ++number)
        square[number] = value_of(source, x, y, number);
    values median = 0;
#pragma unroll
    for (int bit = 7; bit >= 0; --bit) {
        const values trial = median | (values)(1 << bit);
        counts below = 0;
#pragma unroll
        for (int number = 0; number < AREA; ++number)
            below += is_below(square[number], trial);
        median = low_or_high(median, trial, below);
    }
    return median;
}
#endif

#if PIXELS_PER_ITEM == 1
#if BORDER == 0
#include "common/is_edge.clh"

// Where the square does not fit, the output is the source pixel.
void keep_pixel(picture from, int x, int y, __global uchar *out)
{
    for (int channel = 0; channel < CHANNELS; ++channel)
        out[channel] = from.origin[y * from.pitch + x * CHANNELS + channel];
}
#endif

// Pixel (x, y) of `from`, one channel after the other.
void filter_pixel(picture from, int x, int y, __global uchar *out)
{
    for (int channel = 0; channel < CHANNELS; ++channel) {
        const picture of_channel = { from.origin + channel, from.pitch, from.width, from.height };
        out[channel] = median_of_square(of_channel, x, y);
    }
}
#elif BORDER == 0
#include "common/keep_edge_lanes.clh"
#endif

#if LOCAL_MEMORY == 0
__kernel void median_wide(__global const uchar *restrict source, int source_origin, int source_pitch,
                          __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    const picture from = { source + source_origin, source_pitch, width, height };
#if PIXELS_PER_ITEM > 1
    const values median = median_of_square(from, x, y);
#if BORDER == 0
    store_bytes(keep_edge(median, values_at(from, x, y), x, y, width, height), out);
#else
    store_bytes(median, out);
#endif
#else
#if BORDER == 0
    if (is_edge(x, y, width, height)) {
        keep_pixel(from, x, y, out);
        return;
    }
#endif
    filter_pixel(from, x, y, out);
#endif
}
#else
#include "common/fill_tile.clh"

__kernel void median_wide(__global const uchar *restrict source, int source_origin, int source_pitch,
                          __global uchar *restrict destination, int destination_pitch, int width, int height,
                          __local uchar *tile)
{
#include "common/own_place.clh" // x, y: the pixel that this work-item owns

    // The tile holds the group's pixels and a halo of REACH pixels.
    const int tile_width = group_width + 2 * REACH;
    const int tile_height = group_height + 2 * REACH;
    const int tile_pitch = tile_width * CHANNELS;
    fill_tile(source + source_origin, source_pitch, tile, tile_pitch, tile_width, tile_height,
              group_x - REACH, group_y - REACH, width, height);
    if (x >= width || y >= height)
        return;

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    const picture from = { tile, tile_pitch, tile_width, tile_height };
#if BORDER == 0
    if (is_edge(x, y, width, height)) {
        keep_pixel(from, own_x + REACH, own_y + REACH, out);
        return;
    }
#endif
    filter_pixel(from, own_x + REACH, own_y + REACH, out);
}
#endif
