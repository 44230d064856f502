// Box blur, each channel on its own: the average of a block of pixels, rounded half up. The block of pixel (x, y) extends
// from radius - 1 pixels before it to radius pixels after it in both directions. Each work-item computes one pixel; those
// outside the image do nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of CHANNELS bytes. Pixel (x, y) begins at
// source[source_origin + y * source_pitch + x * CHANNELS], destination[y * destination_pitch + x * CHANNELS].

#include "common/stages.clh"

#include "common/mapping.clh"

#if BORDER != 0
#include "common/inside.clh"
#endif

__kernel void box(__global const uchar *restrict source, int source_origin, int source_pitch,
                  __global uchar *restrict destination, int destination_pitch,
                  int radius, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *first = source + source_origin; // pixel (0, 0)
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if BORDER == 0
    // Where the block does not fit, the output is the source pixel.
    if (x < radius - 1 || y < radius - 1 || x >= width - radius || y >= height - radius) {
        for (int channel = 0; channel < CHANNELS; ++channel)
            out[channel] = first[y * source_pitch + x * CHANNELS + channel];
        return;
    }
#endif

    uint sum[CHANNELS] = {0};
    for (int dy = 1 - radius; dy <= radius; ++dy)
        for (int dx = 1 - radius; dx <= radius; ++dx) {
#if BORDER == 0
            __global const uchar *pixel = first + (y + dy) * source_pitch + (x + dx) * CHANNELS;
#else
            __global const uchar *pixel = first + inside(y + dy, height) * source_pitch + inside(x + dx, width) * CHANNELS;
#endif
            for (int channel = 0; channel < CHANNELS; ++channel)
                sum[channel] += pixel[channel];
        }
    const uint area = 4 * radius * radius;
    for (int channel = 0; channel < CHANNELS; ++channel)
        out[channel] = (sum[channel] + area / 2) / area;
}
