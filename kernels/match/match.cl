// Template matching: output = mean of |pixel - template| over the square of 2 * REACH + 1 pixels around a pixel, rounded
// half up. It is dark where the picture is like the template.
//
// A tap is one difference without its sign and one addition. It needs two numbers: a pixel and one of the template.

#ifndef REACH
#define REACH 12 // Pixels that the template reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/mapping.clh"

#if PIXELS_PER_ITEM == 1 && BLOCK_PIXELS == 1
// Loads   A work-item with one sum loads both for each tap.
#elif PIXELS_PER_ITEM > 1
// Loads   A work-item compares a source row with OWN_ROWS rows of the template at once. For each column it loads one vector of
//         pixels and OWN_ROWS numbers of the template, for OWN_PIXELS * OWN_ROWS taps.
#else
// Loads   A work-item compares a source row with OWN_ROWS rows of the template at once. From column to column its window of
//         OWN_PIXELS pixels moves on by one: it loads one pixel and OWN_ROWS numbers of the template, for
//         OWN_PIXELS * OWN_ROWS taps. That is register blocking, as in matrix multiplication.
#endif

#include "common/contract.clh"

#if PADDED == 0
#include "common/inside.clh"
#endif

#define SIDE (2 * REACH + 1)

#include "common/source_bytes.clh"

// The template, row by row.
#if MASK_FROM == 2
typedef __constant const ushort *template_numbers;
#else
typedef __global const ushort *template_numbers;
#endif

// A number for each of a work-item's pixels along a row.
#if PIXELS_PER_ITEM == 1 && BLOCK_PIXELS == 1
typedef int ints;
typedef uint uints;
#define to_bytes convert_uchar
#elif PIXELS_PER_ITEM == 4 || BLOCK_PIXELS == 4
typedef int4 ints;
typedef uint4 uints;
#define to_ints convert_int4
#define to_bytes convert_uchar4
#define load_bytes vload4
#define store_bytes vstore4
#elif BLOCK_PIXELS == 8
typedef int8 ints;
typedef uint8 uints;
#define to_bytes convert_uchar8
#define store_bytes vstore8
#else
typedef int16 ints;
typedef uint16 uints;
#define to_ints convert_int16
#define to_bytes convert_uchar16
#define load_bytes vload16
#define store_bytes vstore16
#endif

#if BLOCK_PIXELS == 4
// A window that `next_window` completes: its first pixel does not count.
ints first_window(source_bytes first)
{
    return (int4)(0, first[0], first[1], first[2]);
}

// The window moved on by one pixel, `last`.
ints next_window(ints window, int last)
{
    return (int4)(window.y, window.z, window.w, last);
}
#elif BLOCK_PIXELS == 8
// A window that `next_window` completes: its first pixel does not count.
ints first_window(source_bytes first)
{
    return (int8)(0, first[0], first[1], first[2], first[3], first[4], first[5], first[6]);
}

// The window moved on by one pixel, `last`.
ints next_window(ints window, int last)
{
    return (int8)(window.s1, window.s2, window.s3, window.s4, window.s5, window.s6, window.s7, last);
}
#endif

// Compares a source row with rows of the template, for the own rows begin .. end - 1. `first` is the pixel REACH to the left
// of the first own one; `wanted` is the row of the template for own row 0, and each further own row has the one above.
void compare_row(source_bytes first, template_numbers wanted, uints sums[OWN_ROWS], int begin, int end)
{
#if BLOCK_PIXELS > 1
    ints window = first_window(first);
#endif
#include "common/unroll.clh"
    for (int column = 0; column < SIDE; ++column) {
#if BLOCK_PIXELS > 1
        window = next_window(window, first[column + BLOCK_PIXELS - 1]);
#elif PIXELS_PER_ITEM > 1
        const ints window = to_ints(load_bytes(0, first + column));
#else
        const ints window = first[column];
#endif
#if ROWS_PER_ITEM == 1
        sums[0] += abs_diff(window, (ints)(int)wanted[column]);
#else
#pragma unroll
        for (int row = begin; row < end; ++row)
            sums[row] += abs_diff(window, (ints)(int)wanted[column - row * SIDE]);
#endif
    }
}

// Compares the own pixels' surroundings with the template. `corner` is the pixel REACH to the left of and above the first own
// one.
void compare(source_bytes corner, int pitch, template_numbers pattern, uints sums[OWN_ROWS])
{
#if ROWS_PER_ITEM == 1
    sums[0] = 0;
    for (int line = 0; line < SIDE; ++line)
        compare_row(corner + line * pitch, pattern + line * SIDE, sums, 0, 1);
#else
#pragma unroll
    for (int row = 0; row < OWN_ROWS; ++row)
        sums[row] = 0;
    // Source row `line` meets row `line - row` of the template for own row `row`, if there is one: the first source rows lie
    // under the template of the first own rows only, the last ones under that of the last own rows.
#pragma unroll
    for (int line = 0; line < OWN_ROWS - 1; ++line)
        compare_row(corner + line * pitch, pattern + line * SIDE, sums, 0, line + 1);
    for (int line = OWN_ROWS - 1; line < SIDE; ++line)
        compare_row(corner + line * pitch, pattern + line * SIDE, sums, 0, OWN_ROWS);
#pragma unroll
    for (int line = SIDE; line < SIDE + OWN_ROWS - 1; ++line)
        compare_row(corner + line * pitch, pattern + line * SIDE, sums, line - SIDE + 1, OWN_ROWS);
#endif
}

// The mean of the differences of each pixel, rounded half up: at most 255.
void store_means(uints sums, __global uchar *out, int pixels)
{
    const uints means = (sums + (uints)(SIDE * SIDE / 2)) / (uints)(SIDE * SIDE);
#if PIXELS_PER_ITEM == 1 && BLOCK_PIXELS == 1
    *out = to_bytes(means);
#elif PADDED == 1
    store_bytes(to_bytes(means), 0, out);
#else
    uchar bytes[OWN_PIXELS];
    store_bytes(to_bytes(means), 0, bytes);
    for (int pixel = 0; pixel < pixels; ++pixel)
        out[pixel] = bytes[pixel];
#endif
}

#if LOCAL_MEMORY != 0
#include "common/fill_tile.clh"

#include "common/group_size.clh"
__kernel void match(__global const uchar *restrict source, int source_origin, int source_pitch,
                    __global uchar *restrict destination, int destination_pitch, int width, int height,
                    template_numbers pattern, __local uchar *tile)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    const int tile_pitch = group_width + 2 * REACH;
    fill_tile(source + source_origin, source_pitch, tile, tile_pitch, tile_pitch, group_height + 2 * REACH,
              group_x - REACH, group_y - REACH, width, height);
    if (x >= width || y >= height)
        return;

    uints sums[OWN_ROWS];
    compare(tile + own_y * tile_pitch + own_x, tile_pitch, pattern, sums);
    __global uchar *out = destination + y * destination_pitch + x;
    const int pixels = min(OWN_PIXELS, width - x);
#if ROWS_PER_ITEM == 1
    store_means(sums[0], out, pixels);
#else
#pragma unroll
    for (int row = 0; row < OWN_ROWS; ++row)
        if (y + row < height)
            store_means(sums[row], out + row * destination_pitch, pixels);
#endif
}
#elif PADDED == 1
#include "common/group_size.clh"
__kernel void match(__global const uchar *restrict source, int source_origin, int source_pitch,
                    __global uchar *restrict destination, int destination_pitch, int width, int height,
                    template_numbers restrict pattern)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    uints sums[OWN_ROWS];
    compare(source + source_origin + (y - REACH) * source_pitch + x - REACH, source_pitch, pattern, sums);
    __global uchar *out = destination + y * destination_pitch + x;
#if ROWS_PER_ITEM == 1
    store_means(sums[0], out, OWN_PIXELS);
#else
#pragma unroll
    for (int row = 0; row < OWN_ROWS; ++row)
        if (y + row < height)
            store_means(sums[row], out + row * destination_pitch, OWN_PIXELS);
#endif
}
#else
__kernel void match(__global const uchar *restrict source, int source_origin, int source_pitch,
                    __global uchar *restrict destination, int destination_pitch, int width, int height,
                    template_numbers restrict pattern)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    uint sum = 0;
    for (int row = 0; row < SIDE; ++row) {
        __global const uchar *line = source + source_origin + inside(y - REACH + row, height) * source_pitch;
#include "common/unroll.clh"
        for (int column = 0; column < SIDE; ++column) {
            const int pixel = line[inside(x - REACH + column, width)];
            sum += abs_diff(pixel, (int)pattern[row * SIDE + column]);
        }
    }
    store_means(sum, destination + y * destination_pitch + x, 1);
}
#endif
