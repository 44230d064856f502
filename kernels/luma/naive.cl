// Luma: converts a color image to grayscale, 0.299 red + 0.587 green + 0.114 blue (ITU-R BT.601), in 256ths: within 1 of
// the exact result. Each work-item computes one pixel; those outside the image do nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels. Pixel (x, y) is red, green and blue starting
// at source[source_origin + y * source_pitch + 3 * x], and becomes destination[y * destination_pitch + x].

#include "common/stages.clh"

#include "common/mapping.clh"

__kernel void luma(__global const uchar *restrict source, int source_origin, int source_pitch,
                   __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *pixel = source + source_origin + y * source_pitch + 3 * x;
    const int red = pixel[0];
    const int green = pixel[1];
    const int blue = pixel[2];
    destination[y * destination_pitch + x] = (77 * red + 150 * green + 29 * blue + 128) >> 8;
}
