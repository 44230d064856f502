// Epsilon filter 9 x 9, gray: smooths noise and preserves edges. Of the 81 pixels around and including a pixel,
// it takes the mean of those close to it in value, rounded half up:
//
//     output = (2 * sum + count) / (2 * count)     over the neighbors with |neighbor - center| <= threshold
//
// The center always counts, so the count is never 0.

#ifndef CHANNELS
#define CHANNELS 1 // Bytes per pixel: the image is gray
#endif
#ifndef REACH
#define REACH 4 // Pixels that the mask reaches on each side of its center
#endif
#include "common/stages.clh"

#if HALF == 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#include "common/contract.clh"

#include "common/mapping.clh"

#if ACCESS == 0 && (IMAGE == 0 || LOCAL_MEMORY != 0)
#include "common/source_bytes.clh"
#endif

#if PADDED == 0 && IMAGE == 0 && (BORDER != 0 || BRANCHLESS == 1 || LOCAL_MEMORY != 0)
#include "common/inside.clh"
#endif

#if BORDER == 0 && PIXELS_PER_ITEM == 1
#include "common/is_edge.clh"
#endif

#if IMAGE == 1
#include "common/texel.clh"
#elif IMAGE == 2
// Coordinates count texels, coordinates past an edge read the edge texel, and nothing is interpolated.
__constant sampler_t nearest_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// The four pixels of a texel.
uchar4 load_texel(__read_only image2d_t source, int column, int row)
{
    return convert_uchar4(read_imageui(source, nearest_texel, (int2)(column, row)));
}
#endif

#if ACCESS != 0
#include "words.clh"
#elif PIXELS_PER_ITEM == 1 && IMAGE != 2
#include "scalar.clh"
#else
#include "lanes.clh"

#if PIXELS_PER_ITEM == 1
int sum_of_lanes(int4 lanes)
{
    return lanes.s0 + lanes.s1 + lanes.s2 + lanes.s3;
}

// The pixel (x, y). Its row of nine lies in three texels: its own and those to the left and right, whose outer pixels are
// not all needed.
void filter_own_pixels(__read_only image2d_t source, int origin_texel, int origin_row,
                       __global uchar *destination, int destination_pitch,
                       int x, int y, int width, int height, int threshold)
{
    const int texel = origin_texel + x / 4;
    const int place = x % 4; // position of the pixel in its texel
    const int4 lane = (int4)(0, 1, 2, 3);
    const int own = sum_of_lanes(convert_int4(load_texel(source, texel, origin_row + y)) & (lane == place));
    __global uchar *out = destination + y * destination_pitch + x;
#if BORDER == 0 && BRANCHLESS == 0
    if (is_edge(x, y, width, height)) {
        *out = own;
        return;
    }
#endif
    const pixels center = (pixel)own;
    const pixels limit = (pixel)threshold;
    // Each component adds a column of nine, as many values as a row.
    nine_sums left_sum = 0;
    nine_sums middle_sum = 0;
    nine_sums right_sum = 0;
    pixels left_count = 0;
    pixels middle_count = 0;
    pixels right_count = 0;
#if UNROLL == 1
#pragma unroll
#endif
    for (int dy = -REACH; dy <= REACH; ++dy) {
        const int row = origin_row + y + dy;
        add_if_near(to_pixels(load_texel(source, texel - 1, row)), center, limit, &left_sum, &left_count);
        add_if_near(to_pixels(load_texel(source, texel, row)), center, limit, &middle_sum, &middle_count);
        add_if_near(to_pixels(load_texel(source, texel + 1, row)), center, limit, &right_sum, &right_count);
    }

    // The nine begin in the left texel, and end in the right one, at the position that the pixel has in its own texel.
    const int4 is_left = lane >= place;
    const int4 is_right = lane <= place;
    const int sum = sum_of_lanes((convert_int4(left_sum) & is_left) + convert_int4(middle_sum)
                                 + (convert_int4(right_sum) & is_right));
    const int count = sum_of_lanes((convert_int4(left_count) & is_left) + convert_int4(middle_count)
                                   + (convert_int4(right_count) & is_right));
#if FLOAT == 0
    const uchar mean = (2 * sum + count) / (2 * count); // rounded half up
#else
    // `sum` adds differences from the center; rounded half up.
    const uchar mean = (2 * (own * count + sum) + count) / (2 * count);
#endif
#if BORDER == 0 && BRANCHLESS == 1
    *out = select(mean, (uchar)own, (uchar)is_edge(x, y, width, height));
#else
    *out = mean;
#endif
}
#else
#include "block.clh"
#endif
#endif

#if ACCESS != 0
#elif LOCAL_MEMORY != 0
#if IMAGE == 0
#include "common/fill_tile.clh"

__kernel void epsilon(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height,
                      int threshold, __local uchar *tile)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    // The tile holds the group's pixels and a halo of REACH pixels on each side: for a group of 32 x 4 pixels, 40 x 12, of
    // which 352 of 480 are halo.
    const int tile_pitch = group_width + 2 * REACH;
    fill_tile(source + source_origin, source_pitch, tile, tile_pitch, tile_pitch, group_height + 2 * REACH,
              group_x - REACH, group_y - REACH, width, height);
    if (x >= width || y >= height)
        return;

    filter_own_pixels(tile + (own_y + REACH) * tile_pitch + own_x + REACH, tile_pitch,
                      destination, destination_pitch, x, y, width, height, threshold);
}
#else
__kernel void epsilon(__read_only image2d_t source, int origin_texel, int origin_row,
                      __global uchar *restrict destination, int destination_pitch, int width, int height,
                      int threshold, __local uchar *tile)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    // All work-items of the group fill the tile together, including those outside the image. It holds the group's texels,
    // one more on the left and right, and REACH more rows above and below. Past an edge the sampler repeats the edge texel.
    const int tile_texels = group_width / 4 + 2;
    const int tile_pitch = tile_texels * 4;
    for (int row = get_local_id(DOWN_ROWS); row < group_height + 2 * REACH; row += get_local_size(DOWN_ROWS)) {
        const int source_row = origin_row + group_y - REACH + row;
        for (int texel = get_local_id(ALONG_ROW); texel < tile_texels; texel += get_local_size(ALONG_ROW)) {
            const int source_texel = origin_texel + group_x / 4 - 1 + texel;
            vstore4(load_texel(source, source_texel, source_row), 0, tile + row * tile_pitch + texel * 4);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE); // every work-item of the group must reach this: those outside the image return later
    if (x >= width || y >= height)
        return;

    filter_own_pixels(tile + (own_y + REACH) * tile_pitch + own_x + REACH, tile_pitch,
                      destination, destination_pitch, x, y, width, height, threshold);
}
#endif
#elif IMAGE == 0
__kernel void epsilon(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height,
                      int threshold)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    filter_own_pixels(source + source_origin + y * source_pitch + x, source_pitch,
                      destination, destination_pitch, x, y, width, height, threshold);
}
#elif IMAGE == 1
__kernel void epsilon(__read_only image2d_t source,
                      __global uchar *restrict destination, int destination_pitch, int width, int height,
                      int threshold)
{
#include "common/own_place.clh"

    filter_own_pixels(source, destination, destination_pitch, x, y, width, height, threshold);
}
#else
__kernel void epsilon(__read_only image2d_t source, int origin_texel, int origin_row,
                      __global uchar *restrict destination, int destination_pitch, int width, int height,
                      int threshold)
{
#include "common/own_place.clh"

    filter_own_pixels(source, origin_texel, origin_row,
                      destination, destination_pitch, x, y, width, height, threshold);
}
#endif
