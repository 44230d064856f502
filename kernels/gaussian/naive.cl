// Gaussian, 11 x 11 taps, each channel on its own. A tap's weight is the product of a weight for its column and one for
// its row, both from one mask. The weights of all 121 taps sum to 256 * 256 = 65536: the sum is divided by that, rounded.
// Each work-item computes one pixel; those outside the image do nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of CHANNELS bytes. Pixel (x, y) begins at
// source[source_origin + y * source_pitch + x * CHANNELS], destination[y * destination_pitch + x * CHANNELS].

#include "common/stages.clh"

#include "common/mapping.clh"

#if BORDER != 0
#include "common/inside.clh"
#endif

#define RADIUS 5 // Pixels that the mask reaches on each side of its center

#if CHANNELS == 1
typedef uint sums;

sums load_pixel(__global const uchar *pixel)
{
    return *pixel;
}

void store_pixel(sums value, __global uchar *out)
{
    *out = value;
}
#else
typedef uint3 sums; // one for each channel

sums load_pixel(__global const uchar *pixel)
{
    return convert_uint3(vload3(0, pixel));
}

void store_pixel(sums value, __global uchar *out)
{
    vstore3(convert_uchar3(value), 0, out);
}
#endif

__kernel void gaussian(__global const uchar *restrict source, int source_origin, int source_pitch,
                       __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *first = source + source_origin; // pixel (0, 0)
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if BORDER == 0
    // Where the mask does not fit, the output is the source pixel.
    if (x < RADIUS || y < RADIUS || x >= width - RADIUS || y >= height - RADIUS) {
        store_pixel(load_pixel(first + y * source_pitch + x * CHANNELS), out);
        return;
    }
#endif

    const uint mask[2 * RADIUS + 1] = {1, 4, 8, 16, 32, 134, 32, 16, 8, 4, 1};
    sums sum = 0;
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
#if BORDER == 0
            __global const uchar *pixel = first + (y + dy) * source_pitch + (x + dx) * CHANNELS;
#else
            __global const uchar *pixel = first + inside(y + dy, height) * source_pitch + inside(x + dx, width) * CHANNELS;
#endif
            sum += mask[dy + RADIUS] * mask[dx + RADIUS] * load_pixel(pixel);
        }
    store_pixel((sum + 32768) >> 16, out);
}
