// Rotate: the image turned by 90 degrees clockwise. Each work-item moves one pixel; those outside the image do nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of the source, of CHANNELS bytes each. The
// result is height pixels wide and width pixels high. Pixel (x, y) of the source begins at
// source[source_origin + y * source_pitch + x * CHANNELS] and becomes pixel (height - 1 - y, x) of the result: the first
// row becomes the last column.

#include "common/stages.clh"

#include "common/mapping.clh"

__kernel void rotate_clockwise(__global const uchar *restrict source, int source_origin, int source_pitch,
                               __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *from = source + source_origin + y * source_pitch + x * CHANNELS;
    __global uchar *to = destination + x * destination_pitch + (height - 1 - y) * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel)
        to[channel] = from[channel];
}
