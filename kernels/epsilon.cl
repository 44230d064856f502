// Epsilon filter 9 x 9, gray: smooths noise and leaves edges. Of the 81 pixels around a pixel, itself
// included, it takes the mean of those that are near to it in value, rounded half up:
//
//     output = (2 * sum + count) / (2 * count)     over the neighbors with |neighbor - center| <= threshold
//
// The center is near to itself, so the count is never 0.

#ifndef BORDER
#define BORDER 0 // 0 copy, 1 replicate, 2 reflect101
#endif
#ifndef COALESCED
#define COALESCED 0 // 1: dimension 0 of the NDRange walks along a row
#endif
#ifndef PADDED
#define PADDED 0 // 1: the source has a halo of REACH pixels, and slack on the right
#endif
#ifndef PIXELS_PER_ITEM
#define PIXELS_PER_ITEM 1 // Pixels along a row that a work-item owns
#endif
#ifndef BRANCHLESS
#define BRANCHLESS 0 // 1: masks and select instead of branches
#endif
#ifndef LOCAL_MEMORY
#define LOCAL_MEMORY 0 // 1: a tile in local memory
#endif
#ifndef IMAGE
#define IMAGE 0 // 1: the source is an image object, one pixel a texel; 2: four pixels a texel
#endif
#ifndef FLOAT
#define FLOAT 0 // 1: float arithmetic instead of integer
#endif
#ifndef HALF
#define HALF 0 // 1: half instead of float
#endif
#ifndef UNROLL
#define UNROLL 0 // 1: the loops over the mask are unrolled
#endif

#if IMAGE == 0
// Units   Pitches and source_origin count bytes; width, height, x and y count pixels. Pixel (x, y) lies
//         at source[source_origin + y * source_pitch + x] and at destination[y * destination_pitch + x].
#elif IMAGE == 1
// Units   destination_pitch counts bytes; width, height, x and y count pixels. Pixel (x, y) is the source's
//         texel (x, y) and lies at destination[y * destination_pitch + x].
#else
// Units   destination_pitch counts bytes; width, height, x and y count pixels. Pixel (x, y) is component
//         x % 4 of the source's texel (origin_texel + x / 4, origin_row + y) and lies
//         at destination[y * destination_pitch + x].
#endif
#if BORDER == 0
// Border  Copy: where the mask does not fit (the outermost REACH rows and columns) the output is the source.
#elif PADDED == 1 || IMAGE == 2
// Border  The host has put what lies beyond the edges into a halo of REACH pixels.
#elif BORDER == 1
// Border  Replicate: beyond an edge, the edge pixel goes on.
#else
// Border  Reflect101: beyond an edge, the picture goes on mirrored, without repeating the edge pixel.
#endif
#if PIXELS_PER_ITEM == 1
// Writes  A work-item owns one pixel.
#else
// Writes  A work-item owns a block of PIXELS_PER_ITEM pixels in a row and writes it whole. The last block
//         of a row may run past the row's end: destination_pitch has room for it.
#endif
//         The NDRange is rounded up to the local size; work-items beyond the picture write nothing.
#if LOCAL_MEMORY != 0 && IMAGE == 2
// Reads   The work-group copies its texels, one more to the left and right and REACH more rows above and
//         below into a tile, of one byte a pixel. Beyond the image the sampler repeats its edge.
#elif LOCAL_MEMORY != 0 && PADDED == 1
// Reads   The work-group copies its pixels and REACH more on each side into a tile. The source has a halo of
//         REACH pixels, filled by the host; indices beyond the halo are clamped to it.
#elif LOCAL_MEMORY != 0
// Reads   The work-group copies its pixels and REACH more on each side into a tile. What lies beyond an
//         edge is made up on the way, so every index into the source stays inside the picture.
#elif IMAGE == 1
// Reads   A work-item reads 81 texels. Where coordinates leave the image the sampler repeats its edge.
#elif IMAGE == 2 && PIXELS_PER_ITEM == 1
// Reads   A work-item reads three texels in each of nine rows: twelve pixels, nine of which it needs.
#elif IMAGE == 2
// Reads   A work-item reads its own texels and one more to the left and to the right, in each of nine rows. A
//         row of the image has room for those of the last block.
#elif PADDED == 0
// Reads   A work-item reads its own pixel and REACH more on each side. There is nothing around the picture in
//         the source, so no index may leave 0 .. width - 1 and 0 .. height - 1.
#elif PIXELS_PER_ITEM == 1
// Reads   A work-item reads its own pixel and REACH more on each side. The source has a halo of REACH pixels,
//         filled by the host, so these are there for every pixel of the picture.
#else
// Reads   A work-item reads its own pixels and REACH more on each side. The source has a halo of REACH
//         pixels, filled by the host, so these are there for every pixel of the picture. The last block ends
//         at most PIXELS_PER_ITEM - 1 pixels behind the row's last one: source_pitch has room for it and its
//         halo.
#endif

#define REACH 4 // the mask has so many pixels on each side of its center

#if HALF == 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#if IMAGE != 0
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#endif
#if LOCAL_MEMORY == 0 && IMAGE == 0
typedef __global const uchar *source_bytes;
#elif LOCAL_MEMORY != 0
typedef __local const uchar *source_bytes; // neighbors are read from the tile
#endif

#include "epsilon_border.clh"

#if IMAGE == 2
// The four pixels of a texel.
uchar4 load_texel(__read_only image2d_t source, int column, int row)
{
    return convert_uchar4(read_imageui(source, nearest, (int2)(column, row)));
}
#endif

#if PIXELS_PER_ITEM == 1 && IMAGE != 2
#include "epsilon_scalar.clh"
#elif PIXELS_PER_ITEM == 1
#include "epsilon_lanes.clh"

#include "epsilon_packed.clh"
#elif IMAGE == 2 && LOCAL_MEMORY == 0
#include "epsilon_lanes.clh"

#include "epsilon_window.clh"

#include "epsilon_texels.clh"
#else
#include "epsilon_lanes.clh"

#include "epsilon_window.clh"

#include "epsilon_blocks.clh"
#endif

#if LOCAL_MEMORY != 0
#include "epsilon_tile.clh"
#elif IMAGE == 0
__kernel void epsilon(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height,
                      int threshold)
{
#if COALESCED == 1
    // Dimension 0 walks along a row: work-items that run together touch neighboring bytes.
    const int along_row = 0;
    const int down_rows = 1;
#else
    // Dimension 0 counts rows: work-items that run together are a whole row apart.
    const int along_row = 1;
    const int down_rows = 0;
#endif
#if PIXELS_PER_ITEM == 1
    const int x = get_global_id(along_row);
#else
    const int x = get_global_id(along_row) * PIXELS_PER_ITEM;
#endif
    const int y = get_global_id(down_rows);
    filter_own_pixels(source + source_origin + y * source_pitch + x, source_pitch,
                      destination, destination_pitch, x, y, width, height, threshold);
}
#elif IMAGE == 1
__kernel void epsilon(__read_only image2d_t source,
                      __global uchar *restrict destination, int destination_pitch, int width, int height,
                      int threshold)
{
    // Dimension 0 walks along a row: work-items that run together write neighboring bytes.
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    filter_own_pixels(source, destination, destination_pitch, x, y, width, height, threshold);
}
#else
__kernel void epsilon(__read_only image2d_t source, int origin_texel, int origin_row,
                      __global uchar *restrict destination, int destination_pitch, int width, int height,
                      int threshold)
{
    // Dimension 0 walks along a row: work-items that run together write neighboring bytes.
#if PIXELS_PER_ITEM == 1
    const int x = get_global_id(0);
#else
    const int x = get_global_id(0) * PIXELS_PER_ITEM;
#endif
    const int y = get_global_id(1);
    filter_own_pixels(source, origin_texel, origin_row,
                      destination, destination_pitch, x, y, width, height, threshold);
}
#endif
