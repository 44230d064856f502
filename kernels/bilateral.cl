// Bilateral filter, gray or RGB: a mean of the neighbors in which those near in space and near in color count more.
//
//     output = sum of weight * neighbor / sum of weight, rounded to nearest, over all dx * dx + dy * dy <= radius * radius
//     weight = exp(-distance / (2 * sigma_space * sigma_space)) * exp(-difference * difference / (2 * sigma_color * sigma_color))
//     distance = dx * dx + dy * dy, difference = |neighbor - center|, for RGB |red| + |green| + |blue|
//
// The three channels share one weight, so that colors do not drift apart. The center's own weight is 1, so the sum of
// weights is never 0, however small the others become.

#ifndef CHANNELS
#define CHANNELS 3 // Bytes of a pixel: 3 are red, green and blue, 1 is gray
#endif
#ifndef BORDER
#define BORDER 0 // 0 copy, 1 replicate, 2 reflect101
#endif
#ifndef COALESCED
#define COALESCED 0 // 1: dimension 0 of the NDRange walks along a row
#endif
#ifndef PADDED
#define PADDED 0 // 1: the source has a halo of one radius
#endif
#ifndef LOCAL_MEMORY
#define LOCAL_MEMORY 0 // 1: a tile in local memory
#endif
#ifndef IMAGE
#define IMAGE 0 // 1: the source is an image object, one pixel a texel
#endif
#ifndef SPECIALIZED
#define SPECIALIZED 0 // 1: the radius is compiled in
#endif
#ifndef RADIUS
#define RADIUS 3 // Radius of the window in pixels
#endif
#ifndef FLOAT
#define FLOAT 0 // 2: multiply and add by fma
#endif
#ifndef HALF
#define HALF 0 // 1: weights are computed with 16 bits
#endif
#ifndef UNROLL
#define UNROLL 0 // 1: the loop over the window is unrolled
#endif
#ifndef NATIVE
#define NATIVE 0 // 1: the device's own exp and division
#endif
#ifndef LOOKUP_TABLE
#define LOOKUP_TABLE 0 // 1: weights come from tables
#endif
#ifndef SHIFT_INDEX
#define SHIFT_INDEX 0 // 1: shift and mask instead of division and remainder
#endif

#if HALF == 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#if IMAGE == 0
// Units   Pitches and source_origin count bytes; width, height, x and y count pixels. Pixel (x, y) begins
//         at source[source_origin + y * source_pitch + x * CHANNELS]
//         and at destination[y * destination_pitch + x * CHANNELS].
#else
// Units   destination_pitch counts bytes; width, height, x and y count pixels. Pixel (x, y) is the texel (x, y)
//         of the source, and begins at destination[y * destination_pitch + x * CHANNELS].
#endif
#if BORDER == 0
// Border  Copy: where the square around the window does not fit, the output is the source.
#elif PADDED == 1
// Border  The host has put what lies beyond the edges into the halo.
#elif BORDER == 1
// Border  Replicate: beyond an edge, the edge pixel goes on.
#else
// Border  Reflect101: beyond an edge, the picture goes on mirrored, without repeating the edge pixel.
#endif
// Writes  A work-item owns one pixel. The NDRange is rounded up to the local size; work-items beyond the
//         picture write nothing.
#if LOCAL_MEMORY == 1
// Reads   The work-group copies its pixels and a radius more on each side into a tile. What lies beyond an
//         edge is made up on the way, so every index into the source stays inside the picture.
#elif IMAGE == 1
// Reads   A work-item reads texels up to a radius away. What an image object is asked for beyond its edges the
//         sampler answers, so no index can do harm.
#elif PADDED == 1
// Reads   A work-item reads pixels up to a radius away. The source has a halo of one radius, filled by the
//         host, so these are there for every pixel of the picture.
#else
// Reads   A work-item reads pixels up to a radius away. There is nothing around the picture in the source, so
//         no index may leave 0 .. width - 1 and 0 .. height - 1.
#endif

#if COALESCED == 1
// Dimension 0 walks along a row: work-items that run together touch neighboring bytes.
enum { along_row = 0, down_rows = 1 };
#else
// Dimension 0 counts rows: work-items that run together are a whole row apart.
enum { along_row = 1, down_rows = 0 };
#endif

#if LOCAL_MEMORY == 1 || (PADDED == 0 && BORDER == 2) || (PADDED == 0 && BORDER == 1 && IMAGE == 0)
#include "border_far.clh"
#endif
#include "bilateral_pixels.clh"
#include "bilateral_weights.clh"
#include "bilateral_window.clh"

#if IMAGE == 0 && LOCAL_MEMORY == 0 && SPECIALIZED == 0
__kernel void bilateral(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        int radius, space_parameter space, color_parameter color)
{
    const picture pixels = {source + source_origin, source_pitch};
    filter_own_pixel(pixels, destination, destination_pitch, width, height, radius, space, color);
}
#elif IMAGE == 0 && LOCAL_MEMORY == 0
__kernel void bilateral(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        space_parameter space, color_parameter color)
{
    const picture pixels = {source + source_origin, source_pitch};
    filter_own_pixel(pixels, destination, destination_pitch, width, height, RADIUS, space, color);
}
#elif IMAGE == 1 && SPECIALIZED == 0
__kernel void bilateral(__read_only image2d_t source,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        int radius, space_parameter space, color_parameter color)
{
    filter_own_pixel(source, destination, destination_pitch, width, height, radius, space, color);
}
#elif IMAGE == 1
__kernel void bilateral(__read_only image2d_t source,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        space_parameter space, color_parameter color)
{
    filter_own_pixel(source, destination, destination_pitch, width, height, RADIUS, space, color);
}
#elif SPECIALIZED == 0
__kernel void bilateral(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        int radius, space_parameter space, color_parameter color, __local uchar *tile)
{
    fill_tile(tile, source + source_origin, source_pitch, width, height, radius);
    filter_own_pixel_of_tile(tile, destination, destination_pitch, width, height, radius, space, color);
}
#else
__kernel void bilateral(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        space_parameter space, color_parameter color, __local uchar *tile)
{
    fill_tile(tile, source + source_origin, source_pitch, width, height, RADIUS);
    filter_own_pixel_of_tile(tile, destination, destination_pitch, width, height, RADIUS, space, color);
}
#endif
