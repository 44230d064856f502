// Bilateral filter: an average over a round window, weighted by distance and by similarity. It smooths, but keeps edges
// sharp. All channels share one weight. `space` is in pixels, `color` in steps of 0 .. 255:
//
//     weight = exp(-distance / (2 * space * space)) * exp(-difference * difference / (2 * color * color))
//
// Each work-item computes one pixel; those outside the image do nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of CHANNELS bytes. Pixel (x, y) begins at
// source[source_origin + y * source_pitch + x * CHANNELS], destination[y * destination_pitch + x * CHANNELS].

#include "common/stages.clh"

#include "common/mapping.clh"

#if BORDER != 0
#include "common/inside.clh"
#endif

#if CHANNELS == 1
typedef int pixel;
typedef float sums;
#define to_sums convert_float

pixel load_pixel(__global const uchar *from)
{
    return *from;
}

void store_pixel(sums value, __global uchar *out)
{
    *out = convert_uchar_sat_rte(value); // rounded to nearest
}

int difference_between(pixel first, pixel second)
{
    return abs_diff(first, second);
}
#else
typedef int3 pixel; // one component for each channel
typedef float3 sums;
#define to_sums convert_float3

pixel load_pixel(__global const uchar *from)
{
    return convert_int3(vload3(0, from));
}

void store_pixel(sums value, __global uchar *out)
{
    vstore3(convert_uchar3_sat_rte(value), 0, out); // rounded to nearest
}

int difference_between(pixel first, pixel second)
{
    const uint3 apart = abs_diff(first, second);
    return apart.x + apart.y + apart.z;
}
#endif

__kernel void bilateral(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uchar *restrict destination, int destination_pitch, int width, int height,
                        int radius, float space, float color)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *first = source + source_origin; // pixel (0, 0)
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if BORDER == 0
    // Where the square around the window does not fit, the output is the source pixel.
    if (x < radius || y < radius || x + radius >= width || y + radius >= height) {
        store_pixel(to_sums(load_pixel(first + y * source_pitch + x * CHANNELS)), out);
        return;
    }
#endif

    const pixel center = load_pixel(first + y * source_pitch + x * CHANNELS);
    sums sum = 0; // of weight * neighbor
    float weights = 0;
    // One index runs over the square around the window. Two nested loops would need neither a division nor a remainder;
    // this form shows what the two cost.
    const int side = 2 * radius + 1;
    for (int tap = 0; tap < side * side; ++tap) {
        const int dx = tap % side - radius;
        const int dy = tap / side - radius;
        const int distance = dx * dx + dy * dy; // squared
        if (distance > radius * radius)
            continue;
#if BORDER == 0
        const pixel neighbor = load_pixel(first + (y + dy) * source_pitch + (x + dx) * CHANNELS);
#else
        const pixel neighbor =
            load_pixel(first + inside(y + dy, height) * source_pitch + inside(x + dx, width) * CHANNELS);
#endif
        const float apart = distance / (2 * space * space);
        const float steps = difference_between(neighbor, center) / color;
        const float weight = exp(-apart - steps * steps / 2);
        sum += weight * to_sums(neighbor);
        weights += weight;
    }
    store_pixel(sum / weights, out);
}
