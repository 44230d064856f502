// Gaussian, 11 x 11 taps, each channel on its own. A tap's weight is the product of a weight for its column
// and one for its row, both out of the same mask, whose 11 weights sum to 256:
//
//     mask = 1 4 8 16 32 134 32 16 8 4 1
//     sum(x, y) = the sum over i and j in -5 .. 5 of mask(i) * mask(j) * source(x + i, y + j)
//     output = (sum + 32768) >> 16
//
// The weights of all 121 taps sum to 256 * 256 = 65536: the shift divides by that, and 32768, half of it,
// rounds to the nearest. No sum is more than 65536 * 255, which fits 32 bits.

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
#define PADDED 0 // 1: the source has a halo of 5 pixels, and slack on the right
#endif
#ifndef PIXELS_PER_ITEM
#define PIXELS_PER_ITEM 1 // Pixels along a row that a work-item owns: 5 of RGB, 16 of gray fill a vector
#endif
#ifndef LOCAL_MEMORY
#define LOCAL_MEMORY 0 // 1: a tile in local memory
#endif
#ifndef IMAGE
#define IMAGE 0 // 1: the source is an image object, a pixel a texel
#endif
#ifndef IMAGE_BETWEEN
#define IMAGE_BETWEEN 0 // 1: what the first pass writes and the second reads is an image object
#endif
#ifndef SEPARABLE
#define SEPARABLE 0 // 1: a horizontal and a vertical pass of 11 taps instead of 121 taps in one
#endif
#ifndef ROW_WALK
#define ROW_WALK 0 // 1: a work-item walks along a whole row or down a whole column
#endif
#ifndef MASK_FROM
#define MASK_FROM 0 // The mask's weights are 0 literals, 1 constant memory, 2 a kernel argument
#endif
#ifndef FLOAT
#define FLOAT 0 // Sums in 0 integers, 1 float, 2 float by fma
#endif
#ifndef UNROLL
#define UNROLL 0 // 1: the loop over the taps is unrolled
#endif

// Units   Pitches and source_origin count bytes; width, height, x and y count pixels.
#if IMAGE == 0
//         Pixel (x, y) begins at source[source_origin + y * source_pitch + x * CHANNELS]
//         and at destination[y * destination_pitch + x * CHANNELS].
#else
//         Pixel (x, y) is texel (x, y) of the source, in its channels r or r, g and b,
//         and begins at destination[y * destination_pitch + x * CHANNELS].
#endif
#if SEPARABLE == 1
// Passes  gaussian_horizontal writes the sum of 11 taps along the row, one number of 16 bits for each byte of
//         the source: it is exact, as the weights sum to 256 and 256 * 255 = 65280 fits. gaussian_vertical
//         adds 11 of those down the column. Nothing is rounded before the end, so these 22 taps are the same
//         sum as all 121.
#endif
#if BORDER == 0
// Border  Copy: where the mask does not fit (5 rows and columns on each side) the output is the source.
#elif PADDED == 1
// Border  The host has put what lies beyond the edges into the halo.
#elif BORDER == 1
// Border  Replicate: beyond an edge, the edge pixel goes on.
#else
// Border  Reflect101: beyond an edge, the picture goes on mirrored, without repeating the edge pixel.
#endif
#if SEPARABLE == 1 && BORDER == 0
//         A third kernel, gaussian_edge, puts the source back there after both passes.
#endif
#if SEPARABLE == 1 && PADDED == 1
//         The horizontal pass filters the 5 halo rows above and below as well, so that the vertical one finds
//         its neighbors without asking for the border, too: source_origin is that of the first row of
//         the halo, and row r of what lies between the passes belongs to row r - 5 of the picture.
#endif
#if ROW_WALK == 1 && PIXELS_PER_ITEM > 1 && IMAGE_BETWEEN == 1
// Writes  A work-item of the horizontal pass owns a whole row, which it writes in blocks of PIXELS_PER_ITEM
//         pixels; one of the vertical pass owns a column of pixels.
#elif ROW_WALK == 1 && PIXELS_PER_ITEM > 1
// Writes  A work-item of the horizontal pass owns a whole row, one of the vertical pass a strip that is
//         PIXELS_PER_ITEM pixels wide. Both write blocks of PIXELS_PER_ITEM pixels in a row, whole: the
//         last block of a row may run past the row's end, and the pitches have room for it.
#elif ROW_WALK == 1
// Writes  A work-item of the horizontal pass owns a whole row, one of the vertical pass a column of pixels.
#elif PIXELS_PER_ITEM > 1 && IMAGE_BETWEEN == 1
// Writes  A work-item of the horizontal pass owns a block of PIXELS_PER_ITEM pixels in a row, one of the
//         vertical pass a pixel.
#elif PIXELS_PER_ITEM > 1
// Writes  A work-item owns a block of PIXELS_PER_ITEM pixels in a row and writes it whole. The last block
//         of a row may run past the row's end: the pitches have room for it.
#else
// Writes  A work-item owns one pixel.
#endif
//         The NDRange is rounded up to the local size; work-items beyond the picture write nothing.
#if LOCAL_MEMORY == 1
// Reads   The work-group copies its pixels and the 5 next to them, on the sides where the mask reaches, into
//         a tile. What lies beyond an edge is made up on the way, so every index into the source
//         stays inside the picture.
#elif IMAGE == 1 && BORDER != 2
// Reads   5 pixels more on each side. The sampler repeats the edge texel for those beyond it.
#elif IMAGE == 1
// Reads   5 pixels more on each side. A sampler can only mirror with the edge texel twice, so the kernel
//         says itself which texel stands for one beyond the edge.
#elif PADDED == 0
// Reads   5 pixels more on each side. There is nothing around the picture in the source, so no index may
//         leave 0 .. width - 1 and 0 .. height - 1.
#elif PIXELS_PER_ITEM == 1
// Reads   5 pixels more on each side. The source has a halo of as many, filled by the host.
#elif ROW_WALK == 0
// Reads   5 pixels more on each side. The source has a halo of as many, filled by the host. A row's last load
//         begins at most 4 pixels behind its last pixel and is 16 bytes long: source_pitch has that slack.
#else
// Reads   A block more on each side. The source has a halo of 5 pixels, filled by the host; what a block holds
//         beyond it meets no tap. The first block begins at most 16 bytes before a row, in the row's left
//         margin, and the last begins at most PIXELS_PER_ITEM - 1 pixels behind its last pixel and is
//         16 bytes long: source_pitch has that slack.
#endif

#define RADIUS 5
#define TAPS 11

#include "gaussian_sums.clh"

#if PADDED == 0 && (IMAGE == 0 || BORDER == 2 || (SEPARABLE == 1 && IMAGE_BETWEEN == 0))
#include "border_far.clh"
#endif

#if LOCAL_MEMORY == 1
#include "gaussian_local.clh"
#elif SEPARABLE == 0
#include "gaussian_direct.clh"
#else
#include "gaussian_horizontal.clh"

#include "gaussian_vertical.clh"
#endif

#if SEPARABLE == 1 && BORDER == 0
#include "gaussian_edge.clh"
#endif
