// Laplace sharpen, each channel on its own:
//
//     output = saturate(9 * center - its 8 neighbors) = saturate(10 * center - the sum of all 9)

#ifndef REACH
#define REACH 1 // Pixels that the mask reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/contract.clh"

#include "common/ownership.clh"

#if IMAGE == 0 && ACCESS == 0
#if PIXELS_PER_ITEM > 1 || ROWS_PER_ITEM > 1 || (PADDED == 0 && LOCAL_MEMORY == 0 && (BORDER != 0 || BRANCHLESS == 1))
#include "common/source_bytes.clh"
#endif
#endif

#if PADDED == 0 && IMAGE == 0 && (BORDER != 0 || BRANCHLESS == 1 || ROWS_PER_ITEM > 1 || LOCAL_MEMORY != 0)
#include "common/inside.clh"
#endif

#if BORDER == 0 && PIXELS_PER_ITEM == 1 && ACCESS == 0
#include "common/is_edge.clh"
#endif

#if IMAGE == 1
#include "laplace_image.clh"
#elif ACCESS != 0
#include "laplace_words.clh"
#elif PIXELS_PER_ITEM == 1
#include "laplace_scalar.clh"
#else
#include "laplace_vector.clh"
#endif

#if LOCAL_MEMORY != 0
#include "laplace_tile.clh"
#elif ACCESS != 0
__kernel void laplace(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_words.clh" // byte, y: the first byte that this work-item owns

    filter_block(source + source_origin, source_pitch, destination, destination_pitch, byte, y, width, height);
}
#elif IMAGE == 0
__kernel void laplace(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    __global const uchar *center = source + source_origin + y * source_pitch + x * CHANNELS;
#include "laplace_own_pixels.clh"
}
#else
__kernel void laplace(__read_only image2d_t source,
                      __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh"

    sharpen_own_pixels(source, destination, destination_pitch, x, y, width, height);
}
#endif
