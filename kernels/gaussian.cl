// Gaussian, 11 x 11 taps, each channel on its own. A tap's weight is the product of a weight for its column
// and one for its row, both from the same mask, whose 11 weights sum to 256:
//
//     mask = 1 4 8 16 32 134 32 16 8 4 1
//     sum(x, y) = the sum over i and j in -5 .. 5 of mask(i) * mask(j) * source(x + i, y + j)
//     output = (sum + 32768) >> 16
//
// The weights of all 121 taps sum to 256 * 256 = 65536: the shift divides by that, and 32768, half of it,
// rounds to the nearest. No sum is more than 65536 * 255, which fits 32 bits.

#include "common/stages.clh"

#if SEPARABLE == 1
// Passes  gaussian_horizontal writes the sum of 11 taps along the row, one number of 16 bits for each byte of
//         the source: it is exact, as the weights sum to 256 and 256 * 255 = 65280 fits. gaussian_vertical
//         adds 11 of those down the column. Nothing is rounded before the end, so these 22 taps give exactly the
//         sum of all 121.
#endif
#include "common/contract.clh"
#if SEPARABLE == 1 && BORDER == 0
// Edges   A third kernel, gaussian_edge, restores the source there after both passes.
#elif ACCESS != 0 && BORDER == 0
// Edges   A second kernel, gaussian_edge, restores the source there afterwards.
#endif
#if SEPARABLE == 1 && PADDED == 1
// Halo    The horizontal pass also filters the 5 halo rows above and below, so that the vertical pass needs no
//         border tests either: source_origin is the first row of the halo, and row r of the intermediate belongs to
//         row r - 5 of the image.
#endif
#if ROW_WALK == 1 && PIXELS_PER_ITEM > 1
// Walk    A work-item of the horizontal pass loads and writes blocks of PIXELS_PER_ITEM pixels. The first begins at most
//         16 bytes before a row, in the row's left margin; pixels of a block past the halo affect no tap.
#endif

#define RADIUS 5
#define TAPS 11
#if ACCESS == 0
#define WEIGHTS {1, 4, 8, 16, 32, 134, 32, 16, 8, 4, 1}
#endif

#if ACCESS == 0
#include "common/mapping.clh"
#else
#include "common/ownership.clh"
#endif

#if PADDED == 0 && (IMAGE == 0 || (SEPARABLE == 1 && IMAGE_BETWEEN == 0)) && (BORDER != 2 || IMAGE + IMAGE_BETWEEN == 0)
#include "common/inside.clh"
#endif

#if ACCESS == 0
#include "gaussian_sums.clh"
#endif

#if ACCESS != 0
#include "gaussian_words.clh"
#elif LOCAL_MEMORY == 1
#include "gaussian_local.clh"
#elif SEPARABLE == 0
#include "gaussian_direct.clh"
#else
#include "gaussian_horizontal.clh"

#include "gaussian_vertical.clh"
#endif

#if (SEPARABLE == 1 || ACCESS != 0) && BORDER == 0
#include "gaussian_edge.clh"
#endif
