// Resize by bilinear interpolation, each channel on its own. A pixel of the output is the weighted mean of the four pixels of
// the source around its place there.
//
// Place   The centers of the pixels are at 0.5, 1.5, ..., so column x of the output lies at
//         (x + 0.5) * width / out_width - 0.5 in the source; rows likewise. Places are rounded down to 256ths of a pixel.
//         A place is at least -128: half a pixel before the first center.
#include "common/stages.clh"
#if IMAGE == 3
// Weights The sampler interpolates: it finds the four texels around a place and applies the weights. OpenCL does not say how
//         precisely. Samplers of GPUs keep 8 bits of each weight; a place has no more, so its weights are exact. The mean is
//         then what integers give, before it is rounded; the sampler's own precision can move a mean that is close to a half
//         to the other side of it. So the result differs from that of integers by 1 at most. Weights that were rounded to 8
//         bits would be off by 1/512 at most in each direction, and the mean by 2 * 255 / 512 < 1.
#else
// Weights Two weights along the row sum to 256, and so do two down the column. A mean is a sum with weights that sum to
//         65536, plus a half, >> 16: integers of less than 2^24, the same on any device.
#endif
// Border  Replicate: past an edge, the edge pixel repeats.

#if IMAGE == 0
// Units   Pitches and source_origin count bytes; the sizes and x and y count pixels. Pixel (x, y) begins at
//         source[source_origin + y * source_pitch + x * CHANNELS], destination[y * destination_pitch + x * CHANNELS].
#else
// Units   destination_pitch counts bytes; the sizes and x and y count pixels. Pixel (x, y) is texel (x, y) of the source, and
//         begins at destination[y * destination_pitch + x * CHANNELS].
#endif
#if ROWS_PER_ITEM > 1
//         A work-item owns a column of ROWS_PER_ITEM pixels.
#endif
//         The NDRange is rounded up to the local size: work-items outside the output write nothing.

#include "common/mapping.clh"

#if IMAGE == 3
// The sampler finds what is around a place along a row or down a column. It needs the place alone, in texels.
typedef float neighbors;
#else
#if CHANNELS == 1
typedef int number;
#else
typedef int3 number; // one for each channel
#endif

// What is around a place along a row or down a column, in pixels of the source, and the weight of the second one in 256ths.
typedef struct {
    int first;
    int second;
    int weight;
} neighbors;
#endif

#if IMAGE == 1
#include "common/texel.clh"
#endif

#if LOOKUP_TABLE == 0
// The place of column or row `index` of `out_length` in the `length` of the source, in 256ths of a pixel. The product has up to
// 54 bits.
int place_of(int index, int length, int out_length)
{
    return (int)((2L * index + 1) * length * 128 / out_length) - 128;
}
#endif

#if IMAGE == 3
// Texel 0 has its center at 0.5. A place is less than 2^24, so it is exact as a float, and so is a 256th of it.
neighbors neighbors_of(int place, int length)
{
    return (place + 128) / 256.0f;
}
#elif IMAGE == 1
// The sampler repeats the edge texels.
neighbors neighbors_of(int place, int length)
{
    neighbors of;
    of.first = place >> 8; // rounds down, to -1 before the first center
    of.second = of.first + 1;
    of.weight = place & 255;
    return of;
}
#else
neighbors neighbors_of(int place, int length)
{
    neighbors of;
    const int first = place >> 8; // rounds down, to -1 before the first center
    of.first = max(first, 0);
    of.second = min(first + 1, length - 1);
    of.weight = place & 255;
    return of;
}
#endif

#if IMAGE == 3
// Coordinates count texels, coordinates past an edge read the edge texel, and the four texels around a place are interpolated.
__constant sampler_t linear_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
#elif IMAGE == 1
// Pixel (x, y), which may lie one beyond an edge, with all its channels.
number pixel_at(__read_only image2d_t source, int x, int y)
{
#if CHANNELS == 1
    return texel_at(source, x, y).x;
#else
    return convert_int3(texel_at(source, x, y).xyz);
#endif
}

// The weighted mean of two pixels of row `y`, times 256.
number mean_along(__read_only image2d_t source, neighbors along, int y)
{
    return (256 - along.weight) * pixel_at(source, along.first, y) + along.weight * pixel_at(source, along.second, y);
}
#else
// The pixel that begins at `pixel`, with all its channels.
number load_pixel(__global const uchar *pixel)
{
#if CHANNELS == 1
    return *pixel;
#else
    return convert_int3(vload3(0, pixel));
#endif
}

// The weighted mean of two pixels of a row, times 256. `row` is its first byte.
number mean_along(__global const uchar *row, neighbors along)
{
    return (256 - along.weight) * load_pixel(row + along.first * CHANNELS) +
           along.weight * load_pixel(row + along.second * CHANNELS);
}
#endif

#if IMAGE == 3
// The texels are 0.0 to 1.0. Rounded half up.
void resize_pixel(__read_only image2d_t source, __global uchar *out, neighbors along, neighbors down)
{
    const float4 mean = read_imagef(source, linear_texel, (float2)(along, down)) * 255.0f + 0.5f;
#if CHANNELS == 1
    *out = convert_uchar_sat(mean.x);
#else
    vstore3(convert_uchar3_sat(mean.xyz), 0, out);
#endif
}
#else
// Writes the weighted mean of the means of two rows.
void store_mean(number upper, number lower, int weight, __global uchar *out)
{
    const number mean = ((256 - weight) * upper + weight * lower + 32768) >> 16;
#if CHANNELS == 1
    *out = mean;
#else
    vstore3(convert_uchar3(mean), 0, out);
#endif
}
#endif

#if IMAGE == 1
void resize_pixel(__read_only image2d_t source, __global uchar *out, neighbors along, neighbors down)
{
    const number upper = mean_along(source, along, down.first);
    const number lower = mean_along(source, along, down.second);
    store_mean(upper, lower, down.weight, out);
}
#elif IMAGE == 0
// `source` is the first byte of the image.
void resize_pixel(__global const uchar *source, int pitch, __global uchar *out, neighbors along, neighbors down)
{
    const number upper = mean_along(source + down.first * pitch, along);
    const number lower = mean_along(source + down.second * pitch, along);
    store_mean(upper, lower, down.weight, out);
}
#endif

#if IMAGE > 0 && LOOKUP_TABLE == 0
__kernel void resize(__read_only image2d_t source,
                     __global uchar *restrict destination, int destination_pitch,
                     int width, int height, int out_width, int out_height)
#elif IMAGE > 0
__kernel void resize(__read_only image2d_t source,
                     __global uchar *restrict destination, int destination_pitch,
                     int width, int height, int out_width, int out_height,
                     __global const int *restrict columns, __global const int *restrict lines)
#elif LOOKUP_TABLE == 0
__kernel void resize(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch,
                     int width, int height, int out_width, int out_height)
#else
__kernel void resize(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch,
                     int width, int height, int out_width, int out_height,
                     __global const int *restrict columns, __global const int *restrict lines)
#endif
{
    const int x = get_global_id(ALONG_ROW);
#if ROWS_PER_ITEM == 1
    const int y = get_global_id(DOWN_ROWS);
#else
    const int y = get_global_id(DOWN_ROWS) * ROWS_PER_ITEM;
#endif
    if (x >= out_width || y >= out_height)
        return;

#if LOOKUP_TABLE == 0
    const neighbors along = neighbors_of(place_of(x, width, out_width), width);
#else
    const neighbors along = neighbors_of(columns[x], width);
#endif
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if ROWS_PER_ITEM == 1
    const int rows = 1;
#else
    const int rows = min(ROWS_PER_ITEM, out_height - y);
#endif
    for (int row = 0; row < rows; ++row) {
#if LOOKUP_TABLE == 0
        const neighbors down = neighbors_of(place_of(y + row, height, out_height), height);
#else
        const neighbors down = neighbors_of(lines[y + row], height);
#endif
#if IMAGE > 0
        resize_pixel(source, out + row * destination_pitch, along, down);
#else
        resize_pixel(source + source_origin, source_pitch, out + row * destination_pitch, along, down);
#endif
    }
}
