// Luma: converts a color image to grayscale, 0.299 red + 0.587 green + 0.114 blue (ITU-R BT.601), rounded to
// the nearest byte: a dot product for each pixel.

#include "common/stages.clh"

#if IMAGE == 0
// Units   Pitches and source_origin count bytes; width and height count pixels. Pixel (x, y) is red, green
//         and blue starting at source[source_origin + y * source_pitch + 3 * x], and becomes
//         destination[y * destination_pitch + x].
#else
// Units   destination_pitch counts bytes; width and height count pixels, and so do texels. Pixel (x, y) is
//         texel (x, y): red, green, blue and a fourth channel of 0. It becomes
//         destination[y * destination_pitch + x].
#endif
#if PIXELS_PER_ITEM == 4
// Reads   Four pixels are 12 bytes, and a load takes 16: source_pitch has slack for the last one of a row.
// Writes  Four bytes at a time. The last four of a row may run past its end: destination_pitch has room.
#elif PIXELS_PER_ITEM == 16
// Reads   The last 16 pixels of a row may run past its end: source_pitch has slack.
// Writes  16 bytes at a time. The last 16 of a row may run past its end: destination_pitch has room.
#endif
#if FLOAT == 0
// Within  1 of the exact result: the weights are rounded to 256ths, 77 + 150 + 29 = 256. The largest error
//         of a weight is 0.0018, of a sum less than 0.5.
#else
// Within  1 of the exact result: a sum that ends in .5 may be rounded to either side.
#endif
#if ROWS_PER_ITEM > 1
//         A work-item owns its position in each of ROWS_PER_ITEM rows inside the image.
#endif
//         The NDRange is rounded up to the local size: work-items outside the image do nothing.

#include "common/mapping.clh"

#if PIXELS_PER_ITEM == 1
typedef uchar bytes;
#define to_bytes convert_uchar_sat
#define round_to_bytes convert_uchar_sat_rte
#elif PIXELS_PER_ITEM == 4
typedef uchar4 bytes;
#define to_bytes convert_uchar4_sat
#define round_to_bytes convert_uchar4_sat_rte
#else
typedef uchar16 bytes;
#define to_bytes convert_uchar16
#define round_to_bytes convert_uchar16_sat_rte
#endif
#if PIXELS_PER_ITEM == 1 && FLOAT == 0
typedef int number;
#elif PIXELS_PER_ITEM == 1
typedef float number;
#elif PIXELS_PER_ITEM == 4 && FLOAT == 0
typedef int4 number; // of four pixels
#define widen convert_int4
#elif PIXELS_PER_ITEM == 4
typedef float4 number; // of four pixels
#define widen convert_float4
#elif FLOAT == 0
typedef ushort16 number; // of 16 pixels; 256 * 255 + 128 fits into 16 bits
#define widen convert_ushort16
#else
typedef float16 number; // of 16 pixels
#define widen convert_float16
#endif

bytes luma_of(number red, number green, number blue)
{
#if FLOAT == 0 && PIXELS_PER_ITEM == 16
    return to_bytes(((ushort)77 * red + (ushort)150 * green + (ushort)29 * blue + (ushort)128) >> (ushort)8);
#elif FLOAT == 0
    return to_bytes((77 * red + 150 * green + 29 * blue + 128) >> 8);
#elif FLOAT == 2
    return round_to_bytes(fma(red, (number)0.299f, fma(green, (number)0.587f, blue * 0.114f)));
#elif PIXELS_PER_ITEM == 1
    return round_to_bytes(dot((float4)(red, green, blue, 0.0f), (float4)(0.299f, 0.587f, 0.114f, 0.0f)));
#else
    // As many dot products at once as there are pixels, one component per pixel.
    return round_to_bytes(red * 0.299f + green * 0.587f + blue * 0.114f);
#endif
}

#if IMAGE == 1
// Coordinates count texels, coordinates past an edge read the edge texel, and nothing is interpolated.
__constant sampler_t nearest_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// Writes the luma of pixel (x, y).
void filter_pixel(__read_only image2d_t source, __global uchar *out, int x, int y)
{
    const uint4 texel = read_imageui(source, nearest_texel, (int2)(x, y));
    *out = luma_of(texel.x, texel.y, texel.z);
}
#elif PIXELS_PER_ITEM == 1
// Writes the luma of the pixel that begins at `pixel`.
void filter_pixels(__global const uchar *pixel, __global uchar *out)
{
    *out = luma_of(pixel[0], pixel[1], pixel[2]);
}
#elif PIXELS_PER_ITEM == 16
#include "common/colors_of_16.clh"

// Writes the luma of the 16 pixels that begin at `first`.
void filter_pixels(__global const uchar *first, __global uchar *out)
{
    const colors_of_16 pixels = load_colors(first);
    vstore16(luma_of(widen(pixels.red), widen(pixels.green), widen(pixels.blue)), 0, out);
}
#else
// Writes the luma of the four pixels that begin at `first`.
void filter_pixels(__global const uchar *first, __global uchar *out)
{
    const uchar16 pixels = vload16(0, first);
    vstore4(luma_of(widen(pixels.s0369), widen(pixels.s147a), widen(pixels.s258b)), 0, out);
}
#endif

#if IMAGE == 1
__kernel void luma(__read_only image2d_t source,
                   __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    __global uchar *out = destination + y * destination_pitch + x;
#if ROWS_PER_ITEM == 1
    filter_pixel(source, out, x, y);
#else
    const int rows = min(ROWS_PER_ITEM, height - y);
    for (int row = 0; row < rows; ++row)
        filter_pixel(source, out + row * destination_pitch, x, y + row);
#endif
}
#else
__kernel void luma(__global const uchar *restrict source, int source_origin, int source_pitch,
                   __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    __global const uchar *from = source + source_origin + y * source_pitch + 3 * x;
    __global uchar *out = destination + y * destination_pitch + x;
#if ROWS_PER_ITEM == 1
    filter_pixels(from, out);
#else
    const int rows = min(ROWS_PER_ITEM, height - y);
    for (int row = 0; row < rows; ++row)
        filter_pixels(from + row * source_pitch, out + row * destination_pitch);
#endif
}
#endif
