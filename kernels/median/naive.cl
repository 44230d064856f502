// Median of 3 x 3, each channel on its own: of the nine bytes in and around a pixel, the fifth in order. Each work-item
// computes one pixel; those outside the image do nothing.
//
// Each column of three is sorted. The median of all nine is the median of the highest low, the median of the middles and
// the lowest high: median.cl proves it.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of CHANNELS bytes. Pixel (x, y) begins at
// source[source_origin + y * source_pitch + x * CHANNELS], destination[y * destination_pitch + x * CHANNELS].

#ifndef REACH
#define REACH 1 // Pixels that the window reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/mapping.clh"

#if BORDER != 0
#include "common/inside.clh"
#endif

uchar lower(uchar left, uchar right)
{
    return left < right ? left : right;
}

uchar higher(uchar left, uchar right)
{
    return left > right ? left : right;
}

uchar median_of_three(uchar first, uchar second, uchar third)
{
    return higher(lower(first, second), lower(higher(first, second), third));
}

// The three in order, the lowest first.
uchar3 sorted(uchar first, uchar second, uchar third)
{
    const uchar low = lower(first, second);
    const uchar high = higher(first, second);
    return (uchar3)(lower(low, third), higher(low, lower(high, third)), higher(high, third));
}

__kernel void median(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *center = source + source_origin + y * source_pitch + x * CHANNELS;
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    // Distances to the neighbors in bytes.
#if BORDER == 0
    const int left = -CHANNELS, right = CHANNELS, above = -source_pitch, below = source_pitch;
    // Where the window does not fit, the output is the source pixel.
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        for (int channel = 0; channel < CHANNELS; ++channel)
            out[channel] = center[channel];
        return;
    }
#else
    const int left = (inside(x - 1, width) - x) * CHANNELS;
    const int right = (inside(x + 1, width) - x) * CHANNELS;
    const int above = (inside(y - 1, height) - y) * source_pitch;
    const int below = (inside(y + 1, height) - y) * source_pitch;
#endif
    for (int channel = 0; channel < CHANNELS; ++channel) {
        __global const uchar *byte = center + channel;
        const uchar3 before = sorted(byte[above + left], byte[left], byte[below + left]);
        const uchar3 own = sorted(byte[above], byte[0], byte[below]);
        const uchar3 behind = sorted(byte[above + right], byte[right], byte[below + right]);
        out[channel] = median_of_three(higher(higher(before.x, own.x), behind.x),
                                       median_of_three(before.y, own.y, behind.y),
                                       lower(lower(before.z, own.z), behind.z));
    }
}
