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

#include "common/mapping.clh"

#if PADDED == 0 && (IMAGE == 0 || (SEPARABLE == 1 && IMAGE_BETWEEN == 0)) && (BORDER != 2 || IMAGE + IMAGE_BETWEEN == 0)
#include "common/inside.clh"
#endif

#if ACCESS == 0
#if IMAGE == 1 || (IMAGE_BETWEEN == 1 && PADDED == 0)
#include "common/texel.clh"
#elif IMAGE_BETWEEN == 1
// Coordinates count texels, coordinates past an edge read the edge texel, and nothing is interpolated.
__constant sampler_t nearest_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#endif

#if FLOAT == 0
typedef ushort weight;
#else
// Every product and sum here is an integer of at most 65536 * 255 + 32768, which is less than 2^24: float
// holds each of them exactly, so neither fma nor the order of additions matters.
typedef float weight;
#endif

#if MASK_FROM == 1
__constant weight mask[TAPS] = WEIGHTS;
#endif

// The final sums: one for each byte that a work-item writes.
#if (PIXELS_PER_ITEM == 1 || IMAGE_BETWEEN == 1) && CHANNELS == 1
typedef uchar bytes;
#if FLOAT == 0
typedef uint sums;
#define to_sums convert_uint
#else
typedef float sums;
#define to_sums convert_float
#endif
#define to_bytes convert_uchar
#elif PIXELS_PER_ITEM == 1 || IMAGE_BETWEEN == 1
typedef uchar3 bytes;
#if FLOAT == 0
typedef uint3 sums;
#define to_sums convert_uint3
#else
typedef float3 sums;
#define to_sums convert_float3
#endif
#define to_bytes convert_uchar3
#else
typedef uchar16 bytes; // there is no vector of 15 components for 5 RGB pixels: the last one is not stored
#if FLOAT == 0
typedef uint16 sums;
#define to_sums convert_uint16
#else
typedef float16 sums;
#define to_sums convert_float16
#endif
#define to_bytes convert_uchar16
#endif

sums add_tap(sums sum, weight factor, sums values)
{
#if FLOAT == 2
    return fma((sums)factor, values, sum);
#elif FLOAT == 3
    return mad((sums)factor, values, sum); // exact in any rounding: whole numbers below 2^24
#else
    return sum + factor * values;
#endif
}

// The weights of all taps sum to 65536; adding half of that rounds to nearest.
bytes divided(sums sum)
{
#if FLOAT == 0
    return to_bytes((sum + 32768) >> 16);
#else
    return to_bytes((sum + 32768.0f) * (1.0f / 65536.0f)); // truncates the fraction
#endif
}

#if IMAGE_BETWEEN == 1 && CHANNELS == 3
void store_bytes(bytes value, __global uchar *out)
{
    vstore3(value, 0, out);
}
#elif IMAGE_BETWEEN == 1
void store_bytes(bytes value, __global uchar *out)
{
    *out = value;
}
#else
void store_bytes(bytes value, __global uchar *out)
{
#include "common/store_lanes.clh"
}
#endif
#endif

#if ACCESS != 0
#include "words.clh"
#elif LOCAL_MEMORY == 1
#include "local.clh"
#elif SEPARABLE == 0
// The source of pixels.
#if IMAGE == 1
#define picture __read_only image2d_t
#elif PADDED == 1
typedef struct {
    __global const uchar *origin; // its pixel (0, 0)
    int pitch;
} picture;
#else
typedef struct {
    __global const uchar *origin; // its pixel (0, 0)
    int pitch;
    int width;
    int height;
} picture;
#endif

// Pixel (x, y), which may lie outside the image.
sums pixel_at(picture source, int x, int y)
{
#if IMAGE == 1
    const uint4 pixel = texel_at(source, x, y);
#elif PADDED == 1
    __global const uchar *pixel = source.origin + y * source.pitch + x * CHANNELS;
#else
    __global const uchar *pixel = source.origin + inside(y, source.height) * source.pitch + inside(x, source.width) * CHANNELS;
#endif
#if IMAGE == 1 && CHANNELS == 1
    return to_sums(pixel.x);
#elif IMAGE == 1
    return to_sums(pixel.xyz);
#elif CHANNELS == 1
    return to_sums(*pixel);
#else
    return to_sums(vload3(0, pixel));
#endif
}

#if IMAGE == 1
__kernel void gaussian(__read_only image2d_t source,
                       __global uchar *restrict destination, int destination_pitch, int width, int height)
#elif MASK_FROM == 2
__kernel void gaussian(__global const uchar *restrict source, int source_origin, int source_pitch,
                       __global uchar *restrict destination, int destination_pitch, int width, int height,
                       __constant weight *mask)
#else
__kernel void gaussian(__global const uchar *restrict source, int source_origin, int source_pitch,
                       __global uchar *restrict destination, int destination_pitch, int width, int height)
#endif
{
#include "common/own_place.clh" // x, y: the pixel that this work-item owns

#if IMAGE == 0 && PADDED == 1
    const picture from = { source + source_origin, source_pitch };
#elif IMAGE == 0
    const picture from = { source + source_origin, source_pitch, width, height };
#endif
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if BORDER == 0
    if (x < RADIUS || y < RADIUS || x >= width - RADIUS || y >= height - RADIUS) {
#if IMAGE == 1
        store_bytes(to_bytes(pixel_at(source, x, y)), out);
#else
        store_bytes(to_bytes(pixel_at(from, x, y)), out);
#endif
        return;
    }
#endif
#if MASK_FROM == 0
    // Literals: immediate operands if the loops are unrolled, else an array in constant or private memory.
    const weight mask[TAPS] = WEIGHTS;
#endif
    sums sum = 0;
#include "common/unroll.clh"
    for (int row = 0; row < TAPS; ++row) {
#include "common/unroll.clh"
        for (int column = 0; column < TAPS; ++column)
#if IMAGE == 1
            sum = add_tap(sum, mask[row] * mask[column], pixel_at(source, x + column - RADIUS, y + row - RADIUS));
#else
            sum = add_tap(sum, mask[row] * mask[column], pixel_at(from, x + column - RADIUS, y + row - RADIUS));
#endif
    }
    store_bytes(divided(sum), out);
}
#else
#include "horizontal.clh"

#include "vertical.clh"
#endif

#if (SEPARABLE == 1 || ACCESS != 0) && BORDER == 0
// The third pass: restores the source where the mask does not fit. One dimension of the NDRange is the position along
// an edge, the other selects one of 20 lines: 5 rows at the top, 5 at the bottom, 5 columns at the left
// and 5 at the right. No pixel is written twice.

// The column or row that is number `line` of the first 5 and the last 5 of `length`; beyond `length` if the two overlap.
int edge_line(int line, int length)
{
    if (line < RADIUS)
        return line;
    return max(length - RADIUS, RADIUS) + line - RADIUS;
}

#if IMAGE == 1
__kernel void gaussian_edge(__read_only image2d_t source,
                            __global uchar *restrict destination, int destination_pitch, int width, int height)
#else
__kernel void gaussian_edge(__global const uchar *restrict source, int source_origin, int source_pitch,
                            __global uchar *restrict destination, int destination_pitch, int width, int height)
#endif
{
    const int place = get_global_id(ALONG_ROW);
    const int line = get_global_id(DOWN_ROWS);
    int x = place;
    int y = edge_line(line, height);
    int end = height;
    if (line >= 2 * RADIUS) {
        // A column, without its pixels in the top and bottom rows.
        x = edge_line(line - 2 * RADIUS, width);
        y = place + RADIUS;
        end = height - RADIUS;
    }
    if (x >= width || y >= end)
        return;

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if IMAGE == 1 && CHANNELS == 1
    *out = texel_at(source, x, y).x;
#elif IMAGE == 1
    vstore3(convert_uchar3(texel_at(source, x, y).xyz), 0, out);
#else
    for (int channel = 0; channel < CHANNELS; ++channel)
        out[channel] = source[source_origin + y * source_pitch + x * CHANNELS + channel];
#endif
}
#endif
