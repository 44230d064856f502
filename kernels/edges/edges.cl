// Edges: a pipeline of three filters. Each of them gives bytes, wherever and in whatever type these are kept.
//
//     gray = (77 * red + 150 * green + 29 * blue + 128) >> 8
//
//                     1 2 1
//     blurred  =  (   2 4 2   of gray  +  8) >> 4
//                     1 2 1
//
//     output = min(|across| + |down|, 255), of blurred, where
//
//                     -1  0 +1                 -1 -2 -1
//          across  =  -2  0 +2        down  =   0  0  0
//                     -1  0 +1                 +1 +2 +1
//

#ifndef REACH
#define REACH 2 // Pixels that blur and masks together reach on each side of the pixel
#endif
#ifndef FUSED
#define FUSED 0 // 1: luma within the blur; all within one kernel, 2: by tiles in local memory, 3: in registers
#endif
#ifndef STORE
#define STORE 0 // The type of what passes leave in memory: 0 uchar, 1 ushort, 2 float, 3 half
#endif
#include "common/stages.clh"

// Units   Pitches and source_origin count bytes; x, y, width and height count pixels. Pixel (x, y) is red, green and
//         blue starting at source[source_origin + y * source_pitch + 3 * x], and becomes
//         destination[y * destination_pitch + x].
#if FUSED == 0
// Passes  luma writes gray, blur reads it and writes blurred, sobel reads that. Both intermediates have one number per
//         pixel: that of (x, y) is at y * width + x.
#elif FUSED == 1
// Passes  blur computes gray again for each of its taps, so that it is never in memory. It writes blurred, one number per
//         pixel, that of (x, y) at y * width + x, and sobel reads that.
#endif
#if BORDER == 1
// Border  Replicate: past an edge, the edge pixel repeats. This holds for gray and again for blurred: what the masks find
//         past an edge is the blurred edge pixel, not what the blur would give there.
#else
// Border  Reflect101: past an edge, gray and blurred are mirrored without repeating the edge pixel. As the blur is
//         symmetric, it does not matter whether gray or blurred is mirrored.
#endif
#if PIXELS_PER_ITEM > 1 && ROWS_PER_ITEM > 1
// Writes  A work-item owns PIXELS_PER_ITEM pixels along a row, in each of ROWS_PER_ITEM rows inside the image.
#elif PIXELS_PER_ITEM > 1
// Writes  A work-item owns PIXELS_PER_ITEM pixels along a row.
#elif ROWS_PER_ITEM > 1
// Writes  A work-item owns one pixel along a row, in each of ROWS_PER_ITEM rows inside the image.
#else
// Writes  A work-item owns one pixel.
#endif
//         The NDRange is rounded up to the local size: work-items outside the image write nothing.
// Reads   No index leaves 0 .. width - 1 and 0 .. height - 1.

#include "common/mapping.clh"

#include "common/inside.clh"

int luma_of(__global const uchar *pixel)
{
    return (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2] + 128) >> 8;
}

#if PIXELS_PER_ITEM > 1
#include "edges/vectors.clh"
#elif FUSED < 2
#include "edges/passes.clh"
#elif FUSED == 2
#include "edges/tile.clh"
#else
#include "edges/registers.clh"
#endif
