// Sobel edges of a gray picture: output = saturate(|across| + |down|), the two gradients being
//
//                -1  0 +1                 -1 -2 -1
//     across  =  -2  0 +2        down  =   0  0  0
//                -1  0 +1                 +1 +2 +1
//
// |across| + |down| stands for the length of the gradient: no square root, and it fits 16 bits.

#ifndef BORDER
#define BORDER 0 // 0 copy, 1 replicate, 2 reflect101
#endif
#ifndef COALESCED
#define COALESCED 0 // 1: dimension 0 of the NDRange walks along a row
#endif
#ifndef PADDED
#define PADDED 0 // 1: the source has a halo of one pixel, and slack on the right and below
#endif
#ifndef PIXELS_PER_ITEM
#define PIXELS_PER_ITEM 1 // Pixels along a row that a work-item owns and loads as vectors
#endif
#ifndef SHORT16
#define SHORT16 0 // 1: sums of 16 bits instead of 32
#endif
#ifndef BRANCHLESS
#define BRANCHLESS 0 // 1: min, clamp and select instead of branches
#endif
#ifndef LOCAL_MEMORY
#define LOCAL_MEMORY 0 // 1: a tile in local memory
#endif
#ifndef ROWS_PER_ITEM
#define ROWS_PER_ITEM 1 // Rows that a work-item owns, one below the other
#endif
#ifndef BLOCK_PIXELS
#define BLOCK_PIXELS 1 // Pixels along a row that a work-item owns and loads one by one
#endif
#ifndef IMAGE
#define IMAGE 0 // The source is an image object, 1: one pixel a texel, 2: four pixels a texel
#endif
#ifndef SEPARABLE
#define SEPARABLE 0 // 1: gradients from the sums of columns, which neighboring pixels share
#endif

#if IMAGE == 0
// Units   Pitches and source_origin count bytes; width, height, x and y count pixels, of one byte each. Pixel
//         (x, y) is source[source_origin + y * source_pitch + x] and destination[y * destination_pitch + x].
#elif IMAGE == 1
// Units   destination_pitch counts bytes; width, height, x and y count pixels, of one byte each. Pixel (x, y)
//         is the red channel of texel (x, y) of the source, and destination[y * destination_pitch + x].
#else
// Units   destination_pitch counts bytes; width, height, x and y count pixels, of one byte each. The four
//         channels of texel (origin_texel + i, origin_row + y) of the source are the pixels (4i, y) to
//         (4i + 3, y). Pixel (x, y) of the result is destination[y * destination_pitch + x].
#endif
#if BORDER == 0
// Border  Copy: where the mask does not fit (the outermost rows and columns) the output is the source.
#elif PADDED == 1 || IMAGE == 2
// Border  The host has put what lies beyond the edges into a halo of one pixel.
#elif BORDER == 1 && IMAGE == 1
// Border  Replicate: beyond an edge, the edge pixel goes on. The sampler does that.
#elif BORDER == 1
// Border  Replicate: beyond an edge, the edge pixel goes on.
#else
// Border  Reflect101: beyond an edge, the picture goes on mirrored, without repeating the edge pixel.
#endif
#if PIXELS_PER_ITEM > 1
// Writes  A work-item owns OWN_PIXELS pixels along a row, in each of OWN_ROWS rows, and writes a row of them
//         whole. The last ones may lie behind the row's end: destination_pitch has room for them.
#elif BLOCK_PIXELS > 1 && PADDED == 1
// Writes  A work-item owns OWN_PIXELS pixels along a row, in each of OWN_ROWS rows. Those behind the row's end
//         are written, too: destination_pitch has room for them.
#elif BLOCK_PIXELS > 1
// Writes  A work-item owns OWN_PIXELS pixels along a row, in each of OWN_ROWS rows, and writes those that are
//         in the picture.
#elif ROWS_PER_ITEM > 1
// Writes  A work-item owns OWN_ROWS pixels, one below the other.
#else
// Writes  A work-item owns one pixel.
#endif
#if ROWS_PER_ITEM == 1
//         The NDRange is rounded up to the local size; work-items beyond the picture write nothing.
#else
//         The NDRange is rounded up to the local size, and OWN_ROWS need not divide the height: nothing is
//         written below the picture, and work-items beyond it write nothing at all.
#endif
#if LOCAL_MEMORY != 0 && PADDED == 0
// Reads   The work-group copies its pixels and one more on each side into a tile. What lies beyond an
//         edge is made up on the way, so every index into the source stays inside the picture.
#elif LOCAL_MEMORY != 0
// Reads   The work-group copies its pixels and one more on each side into a tile. The source has a halo
//         of one pixel; indices beyond the halo are clamped to it.
#elif IMAGE != 0
// Reads   A work-item reads its own pixels and one more on each side. No coordinate can be wrong: beyond the
//         image, the sampler gives the nearest texel.
#elif PADDED == 0
// Reads   A work-item reads its own pixels and one more on each side. There is nothing around the picture
//         in the source, so every index is first brought into 0 .. width - 1 and 0 .. height - 1.
#else
// Reads   A work-item reads its own pixels and one more on each side, which the halo has for every pixel of
//         the picture. What it reads for pixels behind a row's end or below the picture is not used, but it
//         is there: source_pitch has room for one work-item's pixels behind the last pixel of a row, and
//         OWN_ROWS - 1 rows follow the halo.
#endif

#if COALESCED == 1
// Dimension 0 walks along a row: work-items that run together touch neighboring bytes.
#define ALONG_ROW 0
#define DOWN_ROWS 1
#else
// Dimension 0 counts rows: work-items that run together are a whole row apart.
#define ALONG_ROW 1
#define DOWN_ROWS 0
#endif

// Pixels along a row and rows that a work-item owns.
#if PIXELS_PER_ITEM > 1
#define OWN_PIXELS PIXELS_PER_ITEM
#elif BLOCK_PIXELS > 1
#define OWN_PIXELS BLOCK_PIXELS
#else
#define OWN_PIXELS 1
#endif
#if ROWS_PER_ITEM > 1
#define OWN_ROWS ROWS_PER_ITEM
#else
#define OWN_ROWS 1
#endif

#if IMAGE != 0
#define picture __read_only image2d_t
__constant sampler_t nearest_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#else
#if LOCAL_MEMORY == 0
typedef __global const uchar *source_bytes;
#else
typedef __local const uchar *source_bytes; // neighbors are read from the tile
#endif
#if PADDED == 1 || LOCAL_MEMORY != 0
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
#endif

#if PADDED == 0 && IMAGE == 0 || IMAGE == 1 && BORDER == 2
#include "sobel_inside.clh"
#endif

#if PIXELS_PER_ITEM == 1
#include "sobel_pixel.clh"
#endif

#if PIXELS_PER_ITEM > 1
#include "sobel_vector.clh"
#elif BLOCK_PIXELS > 1
#include "sobel_block.clh"
#else
#include "sobel_scalar.clh"
#endif

#if LOCAL_MEMORY != 0
#include "sobel_tile.clh"
#elif IMAGE == 0
__kernel void sobel(__global const uchar *restrict source, int source_origin, int source_pitch,
                    __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW) * OWN_PIXELS;
    const int y = get_global_id(DOWN_ROWS) * OWN_ROWS;
    if (x >= width || y >= height)
        return;

#if PADDED == 1
    const picture from = { source + source_origin, source_pitch };
#else
    const picture from = { source + source_origin, source_pitch, width, height };
#endif
    find_edges(from, x, y, destination, destination_pitch, x, y, width, height);
}
#elif IMAGE == 1
__kernel void sobel(__read_only image2d_t source,
                    __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW) * OWN_PIXELS;
    const int y = get_global_id(DOWN_ROWS) * OWN_ROWS;
    if (x >= width || y >= height)
        return;

    find_edges(source, x, y, destination, destination_pitch, x, y, width, height);
}
#else
__kernel void sobel(__read_only image2d_t source, int origin_texel, int origin_row,
                    __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW) * OWN_PIXELS;
    const int y = get_global_id(DOWN_ROWS) * OWN_ROWS;
    if (x >= width || y >= height)
        return;

    find_edges(source, origin_texel + x / 4, origin_row + y, destination, destination_pitch, x, y, width, height);
}
#endif
