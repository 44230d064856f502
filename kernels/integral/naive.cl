// Box blur of any radius by an integral image (summed-area table), each channel on its own: the average of the window of
// (2 * radius + 1) x (2 * radius + 1) pixels around a pixel, cut at the image's edges, rounded half up.
//
// sums[(y * width + x) * CHANNELS + channel] becomes the sum of the rectangle from pixel (0, 0) to pixel (x, y), inclusive:
// first the sum of its row so far, then of these down the column. The sum of a window is then four of these values, added
// and subtracted, whatever the radius. The sums of a large image may wrap around at 2^32: the result is still right, because
// differences modulo 2^32 are, and the sum of a window is at most 201 * 201 * 255 < 2^32.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of CHANNELS bytes. Pixel (x, y) begins at
// source[source_origin + y * source_pitch + x * CHANNELS], destination[y * destination_pitch + x * CHANNELS]. Work-items
// outside the image do nothing.

#include "common/stages.clh"

#include "common/mapping.clh"

// Each work-item walks along a row.
__kernel void scan_rows(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uint *restrict sums, int width, int height)
{
    const int y = get_global_id(0);
    if (y >= height || get_global_id(1) > 0)
        return;

    __global const uchar *row = source + source_origin + y * source_pitch;
    __global uint *out = sums + y * width * CHANNELS;
    uint sum[CHANNELS] = {0};
    for (int x = 0; x < width; ++x)
        for (int channel = 0; channel < CHANNELS; ++channel) {
            sum[channel] += row[x * CHANNELS + channel];
            out[x * CHANNELS + channel] = sum[channel];
        }
}

// Each work-item walks down a column: one channel of the pixels below each other.
__kernel void scan_columns(__global uint *sums, int width, int height)
{
    const int column = get_global_id(0);
    if (column >= width * CHANNELS || get_global_id(1) > 0)
        return;

    uint sum = 0;
    for (int y = 0; y < height; ++y) {
        sum += sums[y * width * CHANNELS + column];
        sums[y * width * CHANNELS + column] = sum;
    }
}

// The sum of one channel from pixel (0, 0) to pixel (x, y): 0 to the left of the image and above it.
uint sum_to(__global const uint *sums, int width, int x, int y, int channel)
{
    return x < 0 || y < 0 ? 0 : sums[(y * width + x) * CHANNELS + channel];
}

// Each work-item computes one pixel.
__kernel void average_windows(__global const uint *restrict sums,
                              __global uchar *restrict destination, int destination_pitch,
                              int radius, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    const int left = max(x - radius, 0), right = min(x + radius, width - 1);
    const int top = max(y - radius, 0), bottom = min(y + radius, height - 1);
    const uint count = (right - left + 1) * (bottom - top + 1);
    for (int channel = 0; channel < CHANNELS; ++channel) {
        const uint sum = sum_to(sums, width, right, bottom, channel) - sum_to(sums, width, left - 1, bottom, channel) -
                         sum_to(sums, width, right, top - 1, channel) + sum_to(sums, width, left - 1, top - 1, channel);
        destination[y * destination_pitch + x * CHANNELS + channel] = (sum + count / 2) / count;
    }
}
