// Box blur, each channel on its own: the average of a block of pixels, rounded half up:
//
//     output = (sum of the block + area / 2) / area      area = (2 * radius) * (2 * radius)
//
// The block of pixel (x, y) reaches from radius - 1 pixels before it to radius pixels behind it in both directions. With a
// radius of 4 these are 8 x 8 pixels, and the division is (sum + 32) >> 6.

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
#define PADDED 0 // 1: the source has a halo of `radius` pixels, and slack on the right
#endif
#ifndef PIXELS_PER_ITEM
#define PIXELS_PER_ITEM 1 // Pixels along a row that a work-item owns: 1, or as many as fill 16 lanes
#endif
#ifndef LOCAL_MEMORY
#define LOCAL_MEMORY 0 // 1: a tile in local memory; 2: its rows one byte further apart
#endif
#ifndef IMAGE
#define IMAGE 0 // 1: the source is an image object, one pixel a texel
#endif
#ifndef IMAGE_BETWEEN
#define IMAGE_BETWEEN 0 // 1: what the first pass hands to the second is an image object
#endif
#ifndef SEPARABLE
#define SEPARABLE 0 // 1: a pass along rows and a pass along columns
#endif
#ifndef RUNNING_SUM
#define RUNNING_SUM 0 // 1: a work-item walks a whole row or column and keeps the sum
#endif
#ifndef TWO_STEPS
#define TWO_STEPS 0 // 1: a pass that sums squares of 2 x 2 pixels and a pass that sums squares
#endif
#ifndef SPECIALIZED
#define SPECIALIZED 0 // 1: the radius is compiled in
#endif
#ifndef RADIUS
#define RADIUS 4 // Pixels that the block reaches to the right and down, 1 to 16
#endif
#ifndef UNROLL
#define UNROLL 0 // 1: the loop along a row of the block is unrolled
#endif

#if IMAGE == 0
// Units   Pitches and source_origin count bytes; width, height, x and y count pixels. Pixel (x, y) begins
//         at source[source_origin + y * source_pitch + x * CHANNELS]
//         and at destination[y * destination_pitch + x * CHANNELS].
#else
// Units   destination_pitch counts bytes; width, height, x and y count pixels. Pixel (x, y) is texel (x, y) of the
//         source, its channels 0 to 255 in the texel's first components, and begins
//         at destination[y * destination_pitch + x * CHANNELS].
#endif
#if SEPARABLE == 1
// Passes  The first sums 2 * radius pixels of a row, the second 2 * radius of these sums below each other. A sum is at
//         most 2 * 16 * 255 = 8160 and kept in 16 bits, so nothing is rounded before the end. Row 0 of `partial` stands for
//         row 1 - radius of the picture, and there are height + 2 * radius - 1 of them: what lies beyond the upper and
//         lower edge is summed like any row, and the second pass meets no border.
#elif TWO_STEPS == 1
// Passes  The first sums squares of 2 x 2 pixels, the second radius x radius of these, two pixels apart. A square is at
//         most 4 * 255 = 1020 and kept in 16 bits, so nothing is rounded before the end. Square (0, 0) of `partial` begins
//         at pixel (1 - radius, 1 - radius), and there are width + 2 * radius - 2 in a row and height + 2 * radius - 2
//         rows: the squares beyond the edges are there as well, and the second pass meets no border.
#endif
#if PADDED == 1
// Border  The host has put what lies beyond the edges into the halo.
#elif IMAGE == 1 && BORDER != 2
// Border  Beyond an edge, the sampler goes on with the edge pixel.
#elif BORDER == 2
// Border  Reflect101: beyond an edge, the picture goes on mirrored, without repeating the edge pixel.
#elif BORDER == 1 || TWO_STEPS == 1 || SEPARABLE == 1 || LOCAL_MEMORY != 0
// Border  Replicate: beyond an edge, the edge pixel goes on.
#endif
#if BORDER == 0 && (TWO_STEPS == 1 || SEPARABLE == 1 || PIXELS_PER_ITEM > 1)
//         Copy: where the block does not fit the output is the source; a kernel of its own puts it there at the end.
#elif BORDER == 0
// Border  Copy: where the block does not fit the output is the source.
#endif
#if RUNNING_SUM == 1
// Writes  A work-item of the first pass owns a row of sums, one of the second a column of pixels. Dimension 0 of the
//         NDRange counts them.
#elif PIXELS_PER_ITEM == 1
// Writes  A work-item owns one pixel.
#else
// Writes  A work-item owns a block of PIXELS_PER_ITEM pixels in a row and writes it whole. The last block of a row may
//         run past the row's end: pitches have room for it.
#endif
//         The NDRange is rounded up to the local size; work-items beyond what is to be written write nothing.
#if LOCAL_MEMORY != 0
// Reads   The work-group copies its pixels and those around that their blocks reach into a tile. What lies beyond an edge
//         is made up on the way, so every index into the source stays inside the picture.
#elif IMAGE == 1
// Reads   Whatever coordinates the kernel gives, the sampler stays inside the image.
#elif PADDED == 1 && PIXELS_PER_ITEM > 1
// Reads   The halo has every pixel that a block reaches. The last load of a row begins at most `radius` pixels behind the
//         row's last pixel and is 16 bytes long: source_pitch has that slack.
#elif PADDED == 1
// Reads   The halo has every pixel that a block reaches.
#else
// Reads   There is nothing around the picture in the source, so no index leaves 0 .. width - 1 and 0 .. height - 1.
#endif

#include "box_pixels.clh"

#if RUNNING_SUM == 1
#include "box_running.clh"
#elif SEPARABLE == 1 || TWO_STEPS == 1
#include "box_passes.clh"
#else
#include "box_direct.clh"
#endif

#if BORDER == 0 && (TWO_STEPS == 1 || SEPARABLE == 1 || PIXELS_PER_ITEM > 1)
#include "box_edges.clh"
#endif
