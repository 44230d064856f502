// Rotate: the image turned by 90 degrees clockwise. Nothing is computed, bytes only move. Neighbors along a row of the
// source are a whole row apart in the result, so of a plain load and a plain store, one is always strided.

#include "common/stages.clh"

#ifndef TRANSPOSE_FIRST
#define TRANSPOSE_FIRST 0 // 1: blocks are transposed before they go to the tile, not after
#endif

#if IMAGE == 0
// Units   Pitches and source_origin count bytes; x, y, width and height count pixels of the source, of CHANNELS bytes each.
//         The result is height pixels wide and width pixels high. Pixel (x, y) of the source begins at
//         source[source_origin + y * source_pitch + x * CHANNELS], and becomes pixel (height - 1 - y, x) of the result:
//         destination[x * destination_pitch + (height - 1 - y) * CHANNELS].
#else
// Units   destination_pitch counts bytes; x, y, width and height count pixels of the source, and so do texels. The result
//         is height pixels wide and width pixels high. Texel (x, y) becomes pixel (height - 1 - y, x) of the result:
//         destination[x * destination_pitch + (height - 1 - y) * CHANNELS].
#endif
#if ROWS_PER_ITEM > 1
// Rows    A work-item owns four rows of the source, counted from the lowest one up: pixel 4 * n of an output row comes from
//         source row height - 1 - 4 * n. So four output pixels begin at a multiple of four, and are stored as whole words.
//         The last ones may run past the row's end: destination_pitch has room for them. What is stored there comes from
//         the first row: no row above it is read.
// Layout  Rows begin at multiples of 128 bytes in the destination.
#endif
#if PIXELS_PER_ITEM > 1
//         The same holds for the source: its words are aligned, too. The last four pixels of a row may run past its end:
//         source_pitch has slack for them.
#endif
#if LOCAL_MEMORY != 0 && ROWS_PER_ITEM == 1
// Reads   The work-group copies its pixels into a tile, along rows of the source. Indices past an edge are clamped to it.
// Writes  After the barrier, work-items take other pixels: neighbors take pixels of one column of the tile, which are
//         neighbors in a row of the result.
#elif TRANSPOSE_FIRST == 1
// Tile    The work-group copies its blocks into a tile, transposed: a row of the tile has pixels of a row of the result. Behind
//         the four rows of a column of blocks lie four unused words. So the words that neighbors store fall into different
//         banks, and pieces of 16 bytes stay aligned.
// Writes  After the barrier, work-items store pieces of the tile's rows. A row of the tile may run past the row of the result,
//         up to a multiple of four pixels.
#elif LOCAL_MEMORY != 0
// Reads   The work-group copies its blocks into a tile, along rows of the source.
// Writes  After the barrier, work-items take other blocks: neighbors take blocks of one column of the tile, which are
//         neighbors in a row of the result.
#endif
//         The NDRange is rounded up to the local size: work-items outside the image write nothing.

#include "common/mapping.clh"

#if LOCAL_MEMORY != 0 && ROWS_PER_ITEM == 1
#if PADDED == 0
#include "common/inside.clh"
#endif

#include "common/fill_tile.clh"
#endif

#if IMAGE == 1
// Coordinates count texels, coordinates past an edge read the edge texel, and nothing is interpolated.
__constant sampler_t nearest_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#endif

#if ROWS_PER_ITEM > 1
#if CHANNELS == 1
typedef uint pixels4; // four pixels side by side, as a word

#define to_words as_uint
#define to_bytes as_uchar4
#else
typedef uint3 pixels4; // four pixels side by side, 12 bytes, as three words

#define to_bytes as_uchar16 // the last four are undefined, and not used

pixels4 to_words(uchar16 bytes)
{
    return as_uint4(bytes).s012;
}
#endif

#if TRANSPOSE_FIRST == 0
// Four pixels from the first word of a row of the result on.
void store4(pixels4 pixels, __global uchar *out)
{
#if CHANNELS == 1
    *(__global uint *)out = pixels;
#else
    vstore3(pixels, 0, (__global uint *)out);
#endif
}
#endif
#endif

#if ROWS_PER_ITEM > 1 && PIXELS_PER_ITEM == 1
// The pixels of four rows, the lowest of which is `lowest`; `column` points to the one in row 0.
pixels4 load_column(__global const uchar *column, int source_pitch, int lowest)
{
    __global const uchar *first = column + lowest * source_pitch;
    __global const uchar *second = column + max(lowest - 1, 0) * source_pitch;
    __global const uchar *third = column + max(lowest - 2, 0) * source_pitch;
    __global const uchar *fourth = column + max(lowest - 3, 0) * source_pitch;
#if CHANNELS == 1
    return to_words((uchar4)(*first, *second, *third, *fourth));
#else
    return to_words((uchar16)(vload3(0, first), vload3(0, second), vload3(0, third), vload3(0, fourth), (uchar4)0));
#endif
}
#elif ROWS_PER_ITEM > 1
// Four pixels from a word of the source on.
pixels4 load4(__global const uchar *first)
{
#if CHANNELS == 1
    return *(__global const uint *)first;
#else
    return vload3(0, (__global const uint *)first);
#endif
}

// Four rows of four pixels; `first` is the lowest row of the source.
typedef struct {
    pixels4 first, second, third, fourth;
} block4x4;

// Rows of the block become columns.
block4x4 transposed(block4x4 block)
{
    block4x4 turned;
#if CHANNELS == 1
    const uchar4 a = to_bytes(block.first), b = to_bytes(block.second);
    const uchar4 c = to_bytes(block.third), d = to_bytes(block.fourth);
    turned.first = to_words((uchar4)(a.s0, b.s0, c.s0, d.s0));
    turned.second = to_words((uchar4)(a.s1, b.s1, c.s1, d.s1));
    turned.third = to_words((uchar4)(a.s2, b.s2, c.s2, d.s2));
    turned.fourth = to_words((uchar4)(a.s3, b.s3, c.s3, d.s3));
#else
    const uchar16 a = to_bytes((uint4)(block.first, 0)), b = to_bytes((uint4)(block.second, 0));
    const uchar16 c = to_bytes((uint4)(block.third, 0)), d = to_bytes((uint4)(block.fourth, 0));
    const uchar4 none = 0;
    turned.first = to_words((uchar16)(a.s012, b.s012, c.s012, d.s012, none));
    turned.second = to_words((uchar16)(a.s345, b.s345, c.s345, d.s345, none));
    turned.third = to_words((uchar16)(a.s678, b.s678, c.s678, d.s678, none));
    turned.fourth = to_words((uchar16)(a.s9ab, b.s9ab, c.s9ab, d.s9ab, none));
#endif
    return turned;
}

// The block whose lowest row is `lowest`; `column` points to its first pixel in row 0.
block4x4 load_block(__global const uchar *column, int source_pitch, int lowest)
{
    block4x4 block;
    block.first = load4(column + lowest * source_pitch);
    block.second = load4(column + max(lowest - 1, 0) * source_pitch);
    block.third = load4(column + max(lowest - 2, 0) * source_pitch);
    block.fourth = load4(column + max(lowest - 3, 0) * source_pitch);
    return block;
}

#if TRANSPOSE_FIRST == 0
// Rows of the source become columns of the result. `columns` of the block's four columns are in the image.
void store_turned(block4x4 block, __global uchar *out, int destination_pitch, int columns)
{
    const block4x4 turned = transposed(block);
    store4(turned.first, out);
    if (columns > 1)
        store4(turned.second, out + destination_pitch);
    if (columns > 2)
        store4(turned.third, out + 2 * destination_pitch);
    if (columns > 3)
        store4(turned.fourth, out + 3 * destination_pitch);
}
#endif
#endif

#if LOCAL_MEMORY != 0 && ROWS_PER_ITEM > 1
// Four rows of a block into the tile, whose rows lie `pitch` words apart.
void store_block(block4x4 block, __local uint *to, int pitch)
{
#if CHANNELS == 1
    to[0] = block.first;
    to[pitch] = block.second;
    to[2 * pitch] = block.third;
    to[3 * pitch] = block.fourth;
#else
    vstore3(block.first, 0, to);
    vstore3(block.second, 0, to + pitch);
    vstore3(block.third, 0, to + 2 * pitch);
    vstore3(block.fourth, 0, to + 3 * pitch);
#endif
}
#endif

#if LOCAL_MEMORY != 0 && ROWS_PER_ITEM == 1
__kernel void rotate_clockwise(__global const uchar *restrict source, int source_origin, int source_pitch,
                               __global uchar *restrict destination, int destination_pitch, int width, int height,
                               __local uchar *tile)
{
    const int group_width = get_local_size(ALONG_ROW);
    const int group_height = get_local_size(DOWN_ROWS);
    const int group_x = get_group_id(ALONG_ROW) * group_width;
    const int group_y = get_group_id(DOWN_ROWS) * group_height;
#if LOCAL_MEMORY == 1
    const int tile_pitch = group_width * CHANNELS;
#else
    // An odd number of 4-byte words: 32 rows begin in 32 banks.
    const int tile_pitch = ((group_width * CHANNELS + 3) / 4 | 1) * 4;
#endif
    fill_tile(source + source_origin, source_pitch, tile, tile_pitch, group_width, group_height,
              group_x, group_y, width, height);

    // The group's work-items in the order in which sub-groups are made of them, row by row of the result.
    const uint number = get_local_id(DOWN_ROWS) * group_width + get_local_id(ALONG_ROW);
    const int tile_x = number / (uint)group_height;
    const int tile_y = number % (uint)group_height;
    const int x = group_x + tile_x;
    const int y = group_y + tile_y;
    if (x >= width || y >= height)
        return;

    __local const uchar *from = tile + tile_y * tile_pitch + tile_x * CHANNELS;
    __global uchar *to = destination + x * destination_pitch + (height - 1 - y) * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel)
        to[channel] = from[channel];
}
#elif TRANSPOSE_FIRST == 1
// As uint4, the tile begins at a multiple of 16 bytes.
__kernel void rotate_clockwise(__global const uchar *restrict source, int source_origin, int source_pitch,
                               __global uchar *restrict destination, int destination_pitch, int width, int height,
                               __local uint4 *pieces)
{
    __local uint *tile = (__local uint *)pieces;
#include "own_block.clh" // the work-group and its blocks, the work-item and its own

    // In words, of which four pixels take CHANNELS.
    const int tile_pitch = group_lines * CHANNELS;
    const int column_pitch = 4 * tile_pitch + 4;

    if (own_x < width && lowest >= 0) {
        const block4x4 turned = transposed(load_block(source + source_origin + own_x * CHANNELS, source_pitch, lowest));
        __local uint *to = tile + own_column * column_pitch + own_line * CHANNELS;
        store_block(turned, to, tile_pitch);
    }
    barrier(CLK_LOCAL_MEM_FENCE); // every work-item of the group must reach this: those outside the image, too

    // Rows of the result, and words of each, that are the group's.
    const int rows = min(4 * group_columns, width - 4 * first_column);
    const int words = min(group_lines, (height + 3) / 4 - first_line) * CHANNELS;
    const int item = own_line * group_columns + own_column;
    const int items = group_columns * group_lines;
    __global uchar *out = destination + 4 * first_column * destination_pitch + 4 * first_line * CHANNELS;
    if (tile_pitch % 4 == 0) {
        const int row_pieces = tile_pitch / 4;
        for (int piece = item; piece < rows * row_pieces; piece += items) {
            const int row = piece / row_pieces;
            const int word = piece % row_pieces * 4;
            __local const uint *from = tile + row / 4 * column_pitch + row % 4 * tile_pitch + word;
            __global uint *to = (__global uint *)(out + row * destination_pitch) + word;
            if (word + 4 <= words) {
                *(__global uint4 *)to = *(__local const uint4 *)from;
            } else {
                for (int index = word; index < words; ++index, ++from, ++to)
                    *to = *from;
            }
        }
    } else {
        for (int index = item; index < rows * tile_pitch; index += items) {
            const int row = index / tile_pitch;
            const int word = index % tile_pitch;
            if (word < words)
                *((__global uint *)(out + row * destination_pitch) + word) =
                    tile[row / 4 * column_pitch + row % 4 * tile_pitch + word];
        }
    }
}
#elif LOCAL_MEMORY != 0
__kernel void rotate_clockwise(__global const uchar *restrict source, int source_origin, int source_pitch,
                               __global uchar *restrict destination, int destination_pitch, int width, int height,
                               __local uint *tile)
{
#include "own_block.clh" // the work-group and its blocks, the work-item and its own

    // In words, of which four pixels take CHANNELS.
#if LOCAL_MEMORY == 1
    const int tile_pitch = group_columns * CHANNELS;
#else
    // An odd number: 32 rows begin in 32 banks.
    const int tile_pitch = group_columns * CHANNELS | 1;
#endif

    if (own_x < width && lowest >= 0) {
        const block4x4 block = load_block(source + source_origin + own_x * CHANNELS, source_pitch, lowest);
        __local uint *to = tile + 4 * own_line * tile_pitch + own_column * CHANNELS;
        store_block(block, to, tile_pitch);
    }
    barrier(CLK_LOCAL_MEM_FENCE); // every work-item of the group must reach this: those outside the image return later

    // The group's work-items in the order in which sub-groups are made of them, line by line of the result.
    const uint number = own_line * group_columns + own_column;
    const int column = number / (uint)group_lines;
    const int line = number % (uint)group_lines;
    const int x = 4 * (first_column + column);
    const int turned_x = 4 * (first_line + line);
    if (x >= width || turned_x >= height)
        return;

    __local const uint *from = tile + 4 * line * tile_pitch + column * CHANNELS;
    block4x4 block;
#if CHANNELS == 1
    block.first = from[0];
    block.second = from[tile_pitch];
    block.third = from[2 * tile_pitch];
    block.fourth = from[3 * tile_pitch];
#else
    block.first = vload3(0, from);
    block.second = vload3(0, from + tile_pitch);
    block.third = vload3(0, from + 2 * tile_pitch);
    block.fourth = vload3(0, from + 3 * tile_pitch);
#endif
    store_turned(block, destination + x * destination_pitch + turned_x * CHANNELS, destination_pitch, width - x);
}
#elif IMAGE == 1
__kernel void rotate_clockwise(__read_only image2d_t source,
                               __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the pixel that this work-item owns

    const uint4 texel = read_imageui(source, nearest_texel, (int2)(x, y));
#if CHANNELS == 1
    destination[x * destination_pitch + height - 1 - y] = texel.x;
#else
    vstore3(convert_uchar3(texel.xyz), 0, destination + x * destination_pitch + (height - 1 - y) * CHANNELS);
#endif
}
#elif ROWS_PER_ITEM == 1
__kernel void rotate_clockwise(__global const uchar *restrict source, int source_origin, int source_pitch,
                               __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the pixel that this work-item owns

    __global const uchar *from = source + source_origin + y * source_pitch + x * CHANNELS;
    __global uchar *to = destination + x * destination_pitch + (height - 1 - y) * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel)
        to[channel] = from[channel];
}
#else
__kernel void rotate_clockwise(__global const uchar *restrict source, int source_origin, int source_pitch,
                               __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns; y counts from the lowest row up

    __global const uchar *column = source + source_origin + x * CHANNELS;
    __global uchar *out = destination + x * destination_pitch + y * CHANNELS;
#if PIXELS_PER_ITEM == 1
    store4(load_column(column, source_pitch, height - 1 - y), out);
#else
    store_turned(load_block(column, source_pitch, height - 1 - y), out, destination_pitch, width - x);
#endif
}
#endif
