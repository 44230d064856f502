// Laplace sharpen, each channel on its own:
//
//     output = saturate(9 * center - its 8 neighbors) = saturate(10 * center - the sum of all 9)

#ifndef REACH
#define REACH 1 // Pixels that the mask reaches on each side of its center
#endif
#ifndef EDGE_PASS
#define EDGE_PASS 0 // 1: pixels at the image's edges are left to a kernel of their own
#endif
#include "common/stages.clh"

#include "common/contract.clh"
#if EDGE_PASS == 1
// Edges   Pixels in the first and last rows and columns belong to a second kernel, laplace_edge. All others have all
//         their neighbors, so the first kernel tests nothing.
#endif

#include "common/mapping.clh"

#if IMAGE == 0 && ACCESS == 0 && (PIXELS_PER_ITEM > 1 || ROWS_PER_ITEM > 1 || (PADDED == 0 && LOCAL_MEMORY == 0 && (EDGE_PASS == 0 || BORDER != 0)))
#include "common/source_bytes.clh"
#endif

#if PADDED == 0 && IMAGE == 0 && (EDGE_PASS == 0 || BORDER != 0)
#include "common/inside.clh"
#endif

#if BORDER == 0 && PIXELS_PER_ITEM == 1 && ACCESS == 0 && EDGE_PASS == 0
#include "common/is_edge.clh"
#endif

#if IMAGE == 1
#include "common/texel.clh"

// All channels of a pixel: one texel holds them.
#if CHANNELS == 3
typedef int3 pixel;

// Pixel (x, y) of `source`, which may lie outside the image.
pixel pixel_at(__read_only image2d_t source, int x, int y)
{
    return convert_int3(texel_at(source, x, y).xyz);
}

void store_saturated(pixel value, __global uchar *out)
{
    vstore3(convert_uchar3_sat(value), 0, out);
}
#else
typedef int pixel;

// Pixel (x, y) of `source`, which may lie outside the image.
pixel pixel_at(__read_only image2d_t source, int x, int y)
{
    return texel_at(source, x, y).x;
}

void store_saturated(pixel value, __global uchar *out)
{
    *out = convert_uchar_sat(value);
}
#endif

typedef struct {
    pixel center;
    pixel sum; // of `center` and its left and right neighbor
} row_of_three;

row_of_three load_row(__read_only image2d_t source, int x, int y)
{
    row_of_three row;
    row.center = pixel_at(source, x, y);
    row.sum = pixel_at(source, x - 1, y) + row.center + pixel_at(source, x + 1, y);
    return row;
}

// The work-item's pixels, starting at (x, y). Three row sums are in registers at any time: each step down drops the one
// above and computes one below.
void sharpen_own_pixels(__read_only image2d_t source, __global uchar *destination, int destination_pitch,
                        int x, int y, int width, int height)
{
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    row_of_three above = load_row(source, x, y - 1);
    row_of_three here = load_row(source, x, y);
    const int end = min(y + OWN_ROWS, height);
    for (; y < end; ++y) {
        const row_of_three below = load_row(source, x, y + 1);
        const pixel sharpened = 10 * here.center - (above.sum + here.sum + below.sum);
#if BORDER == 0
        store_saturated(is_edge(x, y, width, height) ? here.center : sharpened, out);
#else
        store_saturated(sharpened, out);
#endif
        above = here;
        here = below;
        out += destination_pitch;
    }
}
#elif ACCESS != 0
#include "common/words.clh"

#include "common/lane_neighbors.clh"

#include "common/lanes_add.clh"

#include "nine_less.clh"

// The work-item's row number `row`, which lies between the first and the third of three rows.
words filter_row(const row_of_lanes rows[OWN_ROWS + 2], int row)
{
    const row_of_lanes above = rows[row];
    const row_of_lanes here = rows[row + 1];
    const row_of_lanes below = rows[row + 2];
    row_of_lanes sides; // for each column, the sum of the bytes above and below
    row_of_lanes columns; // for each column, the sum of all three
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        sides.part[part] = add_lanes(above.part[part], below.part[part]);
        columns.part[part] = add_lanes(sides.part[part], here.part[part]);
    }
    row_of_lanes sharpened;
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        const words neighbors = add_lanes(add_lanes(left_of(columns, part), right_of(columns, part)), sides.part[part]);
        sharpened.part[part] = nine_less(here.part[part], neighbors);
    }
    return put_together(sharpened);
}

#include "common/words_block.clh"
#elif PIXELS_PER_ITEM == 1
uchar saturate(int value)
{
#if BRANCHLESS == 1
    return clamp(value, 0, 255);
#else
    return value < 0 ? 0 : value > 255 ? 255 : value;
#endif
}

#if ROWS_PER_ITEM == 1 && (PADDED == 1 || LOCAL_MEMORY != 0 || EDGE_PASS == 1)
// The sharpened value of a byte that has all its neighbors; `pitch` bytes separate two rows.
#if LOCAL_MEMORY == 0
uchar sharpen(__global const uchar *byte, int pitch)
#else
uchar sharpen(__local const uchar *byte, int pitch)
#endif
{
    const int sum = byte[-pitch - CHANNELS] + byte[-pitch] + byte[-pitch + CHANNELS]
                  + byte[-CHANNELS] + byte[0] + byte[CHANNELS]
                  + byte[pitch - CHANNELS] + byte[pitch] + byte[pitch + CHANNELS];
    return saturate(10 * byte[0] - sum);
}
#endif
#if ROWS_PER_ITEM > 1 || (PADDED == 0 && LOCAL_MEMORY == 0 && (EDGE_PASS == 0 || BORDER != 0))
// The sum of a byte and its neighbors in the row, at these distances in bytes.
int row_sum(source_bytes byte, int left, int right)
{
    return byte[left] + byte[0] + byte[right];
}

// The work-item's pixels, starting at (x, y); `center` is the first byte of that pixel. The sum of all 9 is the sum of
// three row sums. Each row sum is computed once and used for the row above, its own row and the row below.
void sharpen_own_pixels(source_bytes center, int pitch, __global uchar *destination, int destination_pitch,
                        int x, int y, int width, int height)
{
    // Distances to the neighbors in bytes.
#if PADDED == 1 || LOCAL_MEMORY != 0
    const int left = -CHANNELS;
    const int right = CHANNELS;
    const int up = -pitch;
#else
    const int left = (inside(x - 1, width) - x) * CHANNELS;
    const int right = (inside(x + 1, width) - x) * CHANNELS;
    const int up = (inside(y - 1, height) - y) * pitch;
#endif
    const int end = min(y + OWN_ROWS, height);
    for (int channel = 0; channel < CHANNELS; ++channel) {
        source_bytes byte = center + channel;
        __global uchar *out = destination + y * destination_pitch + x * CHANNELS + channel;
        int above = row_sum(byte + up, left, right);
        int here = row_sum(byte, left, right);
        for (int row = y; row < end; ++row) {
#if PADDED == 1 || LOCAL_MEMORY != 0
            const int down = pitch;
#else
            const int down = (inside(row + 1, height) - row) * pitch;
#endif
            const int below = row_sum(byte + down, left, right);
            const uchar sharpened = saturate(10 * byte[0] - (above + here + below));
#if BORDER == 0 && BRANCHLESS == 1
            *out = select(sharpened, byte[0], (uchar)is_edge(x, row, width, height));
#elif BORDER == 0
            *out = is_edge(x, row, width, height) ? byte[0] : sharpened;
#else
            *out = sharpened;
#endif
            above = here;
            here = below;
            byte += pitch;
            out += destination_pitch;
        }
    }
}
#endif
#else
#include "vector.clh"
#endif

#if LOCAL_MEMORY != 0
#if PADDED == 1
// Fills the tile with rows of `tile_bytes` bytes; its first byte belongs to pixel (first_x, first_y). All work-items of the
// group fill it together, byte by byte, including those outside the image. The host has allocated it: local memory is a
// kernel argument.
void fill_tile(__global const uchar *source, int source_pitch, __local uchar *tile, int tile_pitch,
               int tile_bytes, int tile_height, int first_x, int first_y, int width, int height)
{
    const int last_byte = (width + 1) * CHANNELS - 1;
    for (int row = get_local_id(DOWN_ROWS); row < tile_height; row += get_local_size(DOWN_ROWS)) {
        __global const uchar *source_row = source + min(first_y + row, height) * source_pitch;
        for (int byte = get_local_id(ALONG_ROW); byte < tile_bytes; byte += get_local_size(ALONG_ROW))
            tile[row * tile_pitch + byte] = source_row[min(first_x * CHANNELS + byte, last_byte)];
    }
    barrier(CLK_LOCAL_MEM_FENCE); // every work-item of the group must reach this: those outside the image return later
}
#else
#include "common/fill_tile.clh"
#endif

__kernel void laplace(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height,
                      __local uchar *tile)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    // The tile holds the group's pixels and a halo of one pixel on each side: for a group of 32 x 4 pixels, 34 x 6, of
    // which 76 of 204 are halo.
#if PIXELS_PER_ITEM * CHANNELS == 12 || PIXELS_PER_ITEM * CHANNELS == 15
    // Loads are 16 bytes long, and the last load of a row begins at the right neighbor of its pixels.
    const int tile_bytes = (group_width + 2) * CHANNELS + 16 - PIXELS_PER_ITEM * CHANNELS;
#else
    const int tile_bytes = (group_width + 2) * CHANNELS;
#endif
#if LOCAL_MEMORY == 1
    const int tile_pitch = tile_bytes;
#else
    // An odd number of 4-byte words: 32 rows begin in 32 banks.
    const int tile_pitch = ((tile_bytes + 3) / 4 | 1) * 4;
#endif
#if PADDED == 1
    fill_tile(source + source_origin, source_pitch, tile, tile_pitch, tile_bytes, group_height + 2,
              group_x - 1, group_y - 1, width, height);
#else
    fill_tile(source + source_origin, source_pitch, tile, tile_pitch, group_width + 2, group_height + 2,
              group_x - 1, group_y - 1, width, height);
#endif
    if (x >= width || y >= height)
        return;

    __local const uchar *center = tile + (own_y + 1) * tile_pitch + (own_x + 1) * CHANNELS;
#if PIXELS_PER_ITEM == 1 && ROWS_PER_ITEM == 1
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel)
#if BORDER == 0 && BRANCHLESS == 1
        out[channel] = select(sharpen(center + channel, tile_pitch), center[channel], (uchar)is_edge(x, y, width, height));
#elif BORDER == 0
        out[channel] = is_edge(x, y, width, height) ? center[channel] : sharpen(center + channel, tile_pitch);
#else
        out[channel] = sharpen(center + channel, tile_pitch);
#endif
#else
    sharpen_own_pixels(center, tile_pitch, destination, destination_pitch, x, y, width, height);
#endif
}
#elif ACCESS != 0
__kernel void laplace(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // byte, y: the first byte that this work-item owns

    filter_block(source + source_origin, source_pitch, destination, destination_pitch, byte, y, width, height);
}
#elif EDGE_PASS == 1
__kernel void laplace(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    // The first work-item owns pixel (1, 1).
    const int x = get_global_id(ALONG_ROW) + 1;
    const int y = get_global_id(DOWN_ROWS) + 1;
    if (x >= width - 1 || y >= height - 1)
        return;

    __global const uchar *center = source + source_origin + y * source_pitch + x * CHANNELS;
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel)
        out[channel] = sharpen(center + channel, source_pitch);
}

// Four lines of work-items: first and last row, then first and last column without what belongs to these rows.
__kernel void laplace_edge(__global const uchar *restrict source, int source_origin, int source_pitch,
                           __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int place = get_global_id(ALONG_ROW);
    const int line = get_global_id(DOWN_ROWS);
    int x = place;
    int y = line == 0 ? 0 : height - 1;
    int end = line == 1 && height == 1 ? 0 : height; // one row is the first and the last
    if (line >= 2) {
        x = line == 2 ? 0 : width - 1;
        y = place + 1;
        end = line == 3 && width == 1 ? 0 : height - 1;
    }
    if (line >= 4 || x >= width || y >= end)
        return;

    __global const uchar *center = source + source_origin + y * source_pitch + x * CHANNELS;
#if BORDER == 0
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel)
        out[channel] = center[channel];
#else
    sharpen_own_pixels(center, source_pitch, destination, destination_pitch, x, y, width, height);
#endif
}
#elif IMAGE == 0
__kernel void laplace(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    __global const uchar *center = source + source_origin + y * source_pitch + x * CHANNELS;
#if PIXELS_PER_ITEM == 1 && ROWS_PER_ITEM == 1 && PADDED == 1
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel)
#if BORDER == 0 && BRANCHLESS == 1
        out[channel] = select(sharpen(center + channel, source_pitch), center[channel], (uchar)is_edge(x, y, width, height));
#elif BORDER == 0
        out[channel] = is_edge(x, y, width, height) ? center[channel] : sharpen(center + channel, source_pitch);
#else
        out[channel] = sharpen(center + channel, source_pitch);
#endif
#else
    sharpen_own_pixels(center, source_pitch, destination, destination_pitch, x, y, width, height);
#endif
}
#else
__kernel void laplace(__read_only image2d_t source,
                      __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh"

    sharpen_own_pixels(source, destination, destination_pitch, x, y, width, height);
}
#endif
