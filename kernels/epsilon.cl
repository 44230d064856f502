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

#include "common/ownership.clh"

#if IMAGE == 0 || LOCAL_MEMORY != 0
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
#include "common/sampler.clh"

// The four pixels of a texel.
uchar4 load_texel(__read_only image2d_t source, int column, int row)
{
    return convert_uchar4(read_imageui(source, nearest_texel, (int2)(column, row)));
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
