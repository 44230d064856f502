// Laplace sharpen, each channel on its own: ten times a byte, minus the sum of the nine bytes in and around it, kept in
// 0 .. 255. Each work-item computes one pixel; those outside the image do nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of CHANNELS bytes. Pixel (x, y) begins at
// source[source_origin + y * source_pitch + x * CHANNELS], destination[y * destination_pitch + x * CHANNELS].

#ifndef REACH
#define REACH 1 // Pixels that the mask reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/mapping.clh"

#if BORDER == 0
#include "common/is_edge.clh"
#else
#include "common/inside.clh"
#endif

uchar saturate(int value)
{
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

#if BORDER == 0
// The sharpened value of a byte that has all its neighbors; `pitch` bytes separate two rows.
uchar sharpen(__global const uchar *byte, int pitch)
{
    const int sum = byte[-pitch - CHANNELS] + byte[-pitch] + byte[-pitch + CHANNELS]
                  + byte[-CHANNELS] + byte[0] + byte[CHANNELS]
                  + byte[pitch - CHANNELS] + byte[pitch] + byte[pitch + CHANNELS];
    return saturate(10 * byte[0] - sum);
}
#else
// The sharpened value of a byte, given the distances to its neighbors in bytes.
uchar sharpen(__global const uchar *byte, int above, int below, int left, int right)
{
    const int sum = byte[above + left] + byte[above] + byte[above + right]
                  + byte[left] + byte[0] + byte[right]
                  + byte[below + left] + byte[below] + byte[below + right];
    return saturate(10 * byte[0] - sum);
}
#endif

__kernel void laplace(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *center = source + source_origin + y * source_pitch + x * CHANNELS;
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if BORDER == 0
    for (int channel = 0; channel < CHANNELS; ++channel)
        out[channel] = is_edge(x, y, width, height) ? center[channel] : sharpen(center + channel, source_pitch);
#else
    const int above = (inside(y - 1, height) - y) * source_pitch;
    const int below = (inside(y + 1, height) - y) * source_pitch;
    const int left = (inside(x - 1, width) - x) * CHANNELS;
    const int right = (inside(x + 1, width) - x) * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel)
        out[channel] = sharpen(center + channel, above, below, left, right);
#endif
}
