// Sobel edges of a gray image: output = saturate(|across| + |down|), the two gradients being
//
//                -1  0 +1                 -1 -2 -1
//     across  =  -2  0 +2        down  =   0  0  0
//                -1  0 +1                 +1 +2 +1
//
// |across| + |down| approximates the length of the gradient without a square root, and fits in 16 bits.

#ifndef CHANNELS
#define CHANNELS 1 // Bytes per pixel: the image is gray
#endif
#ifndef REACH
#define REACH 1 // Pixels that the mask reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/contract.clh"

#include "common/mapping.clh"

#if ACCESS == 0
#if PADDED == 0 && IMAGE == 0
#include "common/inside.clh"
#endif

#if IMAGE == 1
#include "common/texel.clh"
#elif IMAGE == 2
// Coordinates count texels, coordinates past an edge read the edge texel, and nothing is interpolated.
__constant sampler_t nearest_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#else
#include "common/source_bytes.clh"
#endif

#if IMAGE != 0
#define picture __read_only image2d_t
#elif PADDED == 1 || LOCAL_MEMORY != 0
typedef struct {
    source_bytes origin; // its pixel (0, 0)
    int pitch;
} picture;
#else
typedef struct {
    source_bytes origin; // its pixel (0, 0)
    int pitch;
    int width;
    int height;
} picture;
#endif

#if PIXELS_PER_ITEM > 1
#include "vector.clh"
#else
#include "scalar.clh"
#endif

#if LOCAL_MEMORY != 0
#include "common/fill_tile.clh"

__kernel void sobel(__global const uchar *restrict source, int source_origin, int source_pitch,
                    __global uchar *restrict destination, int destination_pitch, int width, int height,
                    __local uchar *tile)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    // The tile holds the group's pixels and a halo of one pixel on each side: for a group of 32 x 4 pixels, 34 x 6, of
    // which 76 of 204 are halo.
    const int tile_pitch = group_width + 2;
    fill_tile(source + source_origin, source_pitch, tile, tile_pitch, tile_pitch, group_height + 2,
              group_x - 1, group_y - 1, width, height);
    if (x >= width || y >= height)
        return;

    const picture from = { tile, tile_pitch };
    find_edges(from, own_x + 1, own_y + 1, destination, destination_pitch, x, y, width, height);
}
#elif IMAGE == 0
__kernel void sobel(__global const uchar *restrict source, int source_origin, int source_pitch,
                    __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

#if PADDED == 1
    const picture from = { source + source_origin, source_pitch };
#else
    const picture from = { source + source_origin, source_pitch, width, height };
#endif
#if ROWS_PER_ITEM == 1 && BLOCK_PIXELS == 1 && PIXELS_PER_ITEM == 1
    find_edges(from, destination, destination_pitch, x, y, width, height);
#else
    find_edges(from, x, y, destination, destination_pitch, x, y, width, height);
#endif
}
#elif IMAGE == 1
__kernel void sobel(__read_only image2d_t source,
                    __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh"

#if ROWS_PER_ITEM == 1 && BLOCK_PIXELS == 1 && PIXELS_PER_ITEM == 1
    find_edges(source, destination, destination_pitch, x, y, width, height);
#else
    find_edges(source, x, y, destination, destination_pitch, x, y, width, height);
#endif
}
#else
__kernel void sobel(__read_only image2d_t source, int origin_texel, int origin_row,
                    __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh"

    find_edges(source, origin_texel + x / 4, origin_row + y, destination, destination_pitch, x, y, width, height);
}
#endif
#else
#include "words.clh"

__kernel void sobel(__global const uchar *restrict source, int source_origin, int source_pitch,
                    __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // byte, y: the first byte that this work-item owns

    filter_block(source + source_origin, source_pitch, destination, destination_pitch, byte, y, width, height);
}
#endif
