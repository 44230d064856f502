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

#include "common/ownership.clh"

#if PADDED == 0 && IMAGE == 0 && (BORDER != 0 || LOCAL_MEMORY == 1)
#include "common/inside.clh"
#endif

#include "bilateral_pixels.clh"

#include "bilateral_weights.clh"

#include "bilateral_window.clh"

#if IMAGE == 1
__kernel void bilateral(
    __read_only image2d_t source,
    __global uchar *restrict destination, int destination_pitch, int width, int height,
#include "common/radius_parameter.clh"
    space_parameter space, color_parameter color)
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
__kernel void bilateral(
    __global const uchar *restrict source, int source_origin, int source_pitch,
    __global uchar *restrict destination, int destination_pitch, int width, int height,
#include "common/radius_parameter.clh"
    space_parameter space, color_parameter color)
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

__kernel void bilateral(
    __global const uchar *restrict source, int source_origin, int source_pitch,
    __global uchar *restrict destination, int destination_pitch, int width, int height,
#include "common/radius_parameter.clh"
    space_parameter space, color_parameter color, __local uchar *tile)
{
#include "common/radius.clh"
#include "common/group.clh"

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
