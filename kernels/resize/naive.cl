// Resize by bilinear interpolation, each channel on its own. A pixel of the output is the weighted mean of the four pixels of
// the source around its place there; edge pixels repeat. Each work-item computes one pixel; those outside the output do
// nothing.
//
// The centers of the pixels are at 0.5, 1.5, ..., so column x of the output lies at (x + 0.5) * width / out_width - 0.5 in the
// source; rows likewise. Places are rounded down to 256ths of a pixel.
//
// Pitches and source_origin count bytes; the sizes and x and y count pixels of CHANNELS bytes. Pixel (x, y) begins at
// source[source_origin + y * source_pitch + x * CHANNELS], destination[y * destination_pitch + x * CHANNELS].

#include "common/stages.clh"

#include "common/mapping.clh"

// The place of column or row `index` of `out_length` in the `length` of the source, in 256ths of a pixel.
int place_of(int index, int length, int out_length)
{
    return (int)((2L * index + 1) * length * 128 / out_length) - 128;
}

__kernel void resize(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch,
                     int width, int height, int out_width, int out_height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= out_width || y >= out_height)
        return;

    // >> 8 rounds down, also from -1 to -128; & 255 is how far the place is beyond that.
    const int across = place_of(x, width, out_width);
    const int down = place_of(y, height, out_height);
    const int right_weight = across & 255, left_weight = 256 - right_weight;
    const int below_weight = down & 255, above_weight = 256 - below_weight;
    const int left = max(across >> 8, 0) * CHANNELS;
    const int right = min((across >> 8) + 1, width - 1) * CHANNELS;
    __global const uchar *above = source + source_origin + max(down >> 8, 0) * source_pitch;
    __global const uchar *below = source + source_origin + min((down >> 8) + 1, height - 1) * source_pitch;

    for (int channel = 0; channel < CHANNELS; ++channel) {
        const int upper = left_weight * above[left + channel] + right_weight * above[right + channel];
        const int lower = left_weight * below[left + channel] + right_weight * below[right + channel];
        destination[y * destination_pitch + x * CHANNELS + channel] = (above_weight * upper + below_weight * lower + 32768) >> 16;
    }
}
