// Bilateral filter, gray or RGB: an average weighted by distance and by similarity: it smooths, but keeps edges sharp.
//
//     output = sum of weight * neighbor / sum of weight, rounded to nearest, over all dx * dx + dy * dy <= radius * radius
//     weight = exp(-distance / (2 * sigma_space * sigma_space)) * exp(-difference * difference / (2 * sigma_color * sigma_color))
//     distance = dx * dx + dy * dy, difference = |neighbor - center|, for RGB |red| + |green| + |blue|
//
// The three channels share one weight, which preserves colors. The center's own weight is 1, so the sum of weights is
// never 0, however small the others are.

#ifndef RADIUS
#define RADIUS 3 // Radius of the window in pixels
#endif
#include "common/stages.clh"

#if HALF == 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#include "common/contract.clh"

#include "common/mapping.clh"

#if PADDED == 0 && IMAGE == 0 && (BORDER != 0 || LOCAL_MEMORY == 1)
#include "common/inside.clh"
#endif

#if BORDER == 0 && PIXELS_PER_ITEM == 1
#include "is_edge.clh"
#endif

#if ACCESS != 0
#include "words.clh"
#elif PIXELS_PER_ITEM > 1
#include "vectors.clh"
#else
// Types for a pixel's channels, and the difference between two pixels.
#if CHANNELS == 3
typedef int3 pixel;
typedef float3 sums; // one per channel
#define to_pixel convert_int3
#define to_sums convert_float3
#define to_bytes convert_uchar3_sat_rte // rounded to nearest

int difference_between(pixel a, pixel b)
{
    const uint3 apart = abs_diff(a, b);
    return apart.x + apart.y + apart.z;
}

// Exactly three bytes: the pixel may be the last one of its buffer.
void store_pixel(__global uchar *out, uchar3 bytes)
{
    vstore3(bytes, 0, out);
}
#else
typedef int pixel;
typedef float sums;
#define to_pixel convert_int
#define to_sums convert_float
#define to_bytes convert_uchar_sat_rte // rounded to nearest

int difference_between(pixel a, pixel b)
{
    return abs_diff(a, b);
}

void store_pixel(__global uchar *out, uchar byte)
{
    *out = byte;
}
#endif

// The source of pixels.
#if IMAGE == 1
#include "common/texel.clh"

#define picture __read_only image2d_t
#else
#include "common/source_bytes.clh"

#if PADDED == 1 || BORDER == 0 || LOCAL_MEMORY == 1
typedef struct {
    source_bytes bytes; // starting at pixel (0, 0)
    int pitch;
} picture;
#else
typedef struct {
    source_bytes bytes; // starting at pixel (0, 0)
    int pitch;
    int width;
    int height;
} picture;
#endif
#endif

pixel load_pixel(picture source, int x, int y)
{
#if IMAGE == 1 && CHANNELS == 3
    return to_pixel(texel_at(source, x, y).xyz);
#elif IMAGE == 1
    return texel_at(source, x, y).x;
#elif CHANNELS == 3
    return to_pixel(vload3(0, source.bytes + y * source.pitch + x * CHANNELS));
#else
    return source.bytes[y * source.pitch + x];
#endif
}

// Pixel (x, y), at most a radius past the edge.
#if IMAGE == 1 || PADDED == 1 || LOCAL_MEMORY == 1 || BORDER == 0
#define load_neighbor load_pixel
#else
pixel load_neighbor(picture source, int x, int y)
{
    return load_pixel(source, inside(x, source.width), inside(y, source.height));
}
#endif

#include "window.clh"

#if IMAGE == 1
#if SPECIALIZED == 0
__kernel void bilateral(__read_only image2d_t source,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        int radius, space_parameter space, color_parameter color)
#else
__kernel void bilateral(__read_only image2d_t source,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        space_parameter space, color_parameter color)
#endif
{
#include "common/radius.clh"
#include "common/own_place.clh" // x, y: the pixel that this work-item owns

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if BORDER == 0
    if (is_edge(x, y, width, height, radius))
        store_pixel(out, to_bytes(load_pixel(source, x, y)));
    else
        filter_pixel(source, x, y, out, radius, space, color);
#else
    filter_pixel(source, x, y, out, radius, space, color);
#endif
}
#elif LOCAL_MEMORY == 0
#if SPECIALIZED == 0
__kernel void bilateral(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        int radius, space_parameter space, color_parameter color)
#else
__kernel void bilateral(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        space_parameter space, color_parameter color)
#endif
{
#include "common/radius.clh"
#include "common/own_place.clh" // x, y: the pixel that this work-item owns

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if PADDED == 1 || BORDER == 0
    const picture pixels = {source + source_origin, source_pitch};
#else
    const picture pixels = {source + source_origin, source_pitch, width, height};
#endif
#if BORDER == 0
    if (is_edge(x, y, width, height, radius))
        store_pixel(out, to_bytes(load_pixel(pixels, x, y)));
    else
        filter_pixel(pixels, x, y, out, radius, space, color);
#else
    filter_pixel(pixels, x, y, out, radius, space, color);
#endif
}
#else
#include "common/fill_tile.clh"

#if SPECIALIZED == 0
__kernel void bilateral(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        int radius, space_parameter space, color_parameter color, __local uchar *tile)
#else
__kernel void bilateral(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        space_parameter space, color_parameter color, __local uchar *tile)
#endif
{
#include "common/radius.clh"
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    // The tile holds the group's pixels and a halo of `radius` pixels on each side.
    const int tile_width = group_width + 2 * radius;
    const int tile_pitch = tile_width * CHANNELS;
    fill_tile(source + source_origin, source_pitch, tile, tile_pitch, tile_width, group_height + 2 * radius,
              group_x - radius, group_y - radius, width, height);
    if (x >= width || y >= height)
        return;

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    const picture pixels = {tile, tile_pitch};
#if BORDER == 0
    if (is_edge(x, y, width, height, radius))
        store_pixel(out, to_bytes(load_pixel(pixels, own_x + radius, own_y + radius)));
    else
        filter_pixel(pixels, own_x + radius, own_y + radius, out, radius, space, color);
#else
    filter_pixel(pixels, own_x + radius, own_y + radius, out, radius, space, color);
#endif
}
#endif
#endif
