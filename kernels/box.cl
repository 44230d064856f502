// Box blur, each channel on its own: the average of a block of pixels, rounded half up:
//
//     output = (sum of the block + area / 2) / area      area = (2 * radius) * (2 * radius)
//
// The block of pixel (x, y) extends from radius - 1 pixels before it to radius pixels after it in both directions. With a
// radius of 4 it has 8 x 8 pixels, and the division is (sum + 32) >> 6.

#ifndef RADIUS
#define RADIUS 4 // Pixels that the block reaches to the right and down, 1 to 16
#endif
#include "common/stages.clh"

#if SEPARABLE == 1
// Passes  The first sums 2 * radius pixels of a row, the second 2 * radius of these sums down a column. A sum is at
//         most 2 * 16 * 255 = 8160 and kept in 16 bits, so nothing is rounded before the end. Row 0 of `partial` stands for
//         row 1 - radius of the image, and there are height + 2 * radius - 1 of them: rows beyond the upper and lower
//         edges are summed like any other, so the second pass needs no border handling.
#elif TWO_STEPS == 1
// Passes  The first sums squares of 2 x 2 pixels, the second radius x radius of these, two pixels apart. A square is at
//         most 4 * 255 = 1020 and kept in 16 bits, so nothing is rounded before the end. Square (0, 0) of `partial` begins
//         at pixel (1 - radius, 1 - radius), and there are width + 2 * radius - 2 in a row and height + 2 * radius - 2
//         rows, including squares beyond the edges, so the second pass needs no border handling.
#endif
#include "common/contract.clh"
#if BORDER == 0 && (TWO_STEPS == 1 || SEPARABLE == 1 || PIXELS_PER_ITEM > 1 || ACCESS != 0)
// Edges   The passes treat the edge like replicate; a separate kernel restores the source there at the end.
#endif

#include "common/ownership.clh"

#if IMAGE == 1
#include "common/texel.clh"
#elif ACCESS == 0
#include "common/source_bytes.clh"
#endif

#if IMAGE == 0 && PADDED == 0 && (BORDER != 0 || LOCAL_MEMORY != 0 || TWO_STEPS == 1 || SEPARABLE == 1)
#include "common/inside.clh"
#endif

#if ACCESS == 0
#include "box_pixels.clh"
#endif

#if ACCESS != 0
#include "box_words.clh"
#elif RUNNING_SUM == 1
#include "box_running.clh"
#elif SEPARABLE == 1 || TWO_STEPS == 1
#include "box_passes.clh"
#else
#include "box_direct.clh"
#endif

#if BORDER == 0 && (TWO_STEPS == 1 || SEPARABLE == 1 || PIXELS_PER_ITEM > 1 || ACCESS != 0)
#include "box_edges.clh"
#endif
