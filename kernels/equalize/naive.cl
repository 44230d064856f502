// Histogram equalization, each channel on its own. With the histogram h of a channel and N pixels:
//
//     cdf(v)   = h(0) + h(1) + ... + h(v)
//     cdf_min  = cdf of the lowest value that occurs
//     table(v) = (cdf(v) - cdf_min) * 255 / (N - cdf_min), rounded half up
//     output   = table(input)
//
// A channel of a single value (N = cdf_min) stays as it is.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of CHANNELS bytes. Pixel (x, y) begins at
// source[source_origin + y * source_pitch + x * CHANNELS], destination[y * destination_pitch + x * CHANNELS]. Value v of a
// channel is counted in counters[256 * channel + v], and becomes table[256 * channel + v].

#include "common/stages.clh"

#include "common/mapping.clh"

// One work-item for each counter. Buffers hold anything before they are written.
__kernel void clear_counters(__global uint *restrict counters)
{
    const int value = get_global_id(0);
    const int channel = get_global_id(1);
    if (value < 256 && channel < CHANNELS)
        counters[256 * channel + value] = 0;
}

// One work-item for each pixel. Others may count the same value at the same time, so the addition has to be atomic.
__kernel void count_values(__global const uchar *restrict source, int source_origin, int source_pitch,
                           __global uint *restrict counters, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *pixel = source + source_origin + y * source_pitch + x * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel)
        atomic_inc(&counters[256 * channel + pixel[channel]]);
}

// One work-item for each entry of the table.
__kernel void make_table(__global const uint *restrict counters, __global uchar *restrict table, int width, int height)
{
    const int value = get_global_id(0);
    const int channel = get_global_id(1);
    if (value >= 256 || channel >= CHANNELS)
        return;

    uint cdf = 0;
    uint cdf_min = 0;
    for (int index = 0; index <= value; ++index) {
        cdf += counters[256 * channel + index];
        if (cdf_min == 0)
            cdf_min = cdf; // 0 until a value occurs
    }
    const uint pixels = (uint)width * (uint)height;
    if (cdf_min == 0 || cdf_min == pixels) {
        // The value does not occur, nor a lower one; or the channel has a single value.
        table[256 * channel + value] = value;
        return;
    }
    const ulong above = cdf - cdf_min;
    const ulong range = pixels - cdf_min;
    table[256 * channel + value] = (above * 2 * 255 + range) / (2 * range);
}

// One work-item for each pixel.
__kernel void map_values(__global const uchar *restrict source, int source_origin, int source_pitch,
                         __global uchar *restrict destination, int destination_pitch, __global const uchar *restrict table,
                         int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *pixel = source + source_origin + y * source_pitch + x * CHANNELS;
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel)
        out[channel] = table[256 * channel + pixel[channel]];
}
