// Demosaic: a sensor has one color filter per pixel, in the Bayer pattern
//
//     even row    R G R G ...
//     odd row     G B G B ...
//
// The two colors that a pixel lacks are the mean of the nearest two or four pixels that have them, rounded half up. Past an
// edge, the image is mirrored without repeating the edge pixel: that keeps the colors of the pattern. Each work-item
// computes one pixel; those outside the image do nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels. Pixel (x, y) of the pattern is
// source[source_origin + y * source_pitch + x]; its red, green and blue begin at destination[y * destination_pitch + 3 * x].

#include "common/stages.clh"

#include "common/mapping.clh"

// `index` mirrored into 0 .. length - 1; it is at most one outside.
int mirrored(int index, int length)
{
    if (length == 1)
        return 0;
    if (index < 0)
        return 1;
    if (index == length)
        return length - 2;
    return index;
}

__kernel void demosaic(__global const uchar *restrict source, int source_origin, int source_pitch,
                       __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *above = source + source_origin + mirrored(y - 1, height) * source_pitch;
    __global const uchar *row = source + source_origin + y * source_pitch;
    __global const uchar *below = source + source_origin + mirrored(y + 1, height) * source_pitch;
    const int left = mirrored(x - 1, width);
    const int right = mirrored(x + 1, width);

    int red, green, blue;
    if (y % 2 == 0 && x % 2 == 0) { // a red pixel
        red = row[x];
        green = (above[x] + row[left] + row[right] + below[x] + 2) / 4;
        blue = (above[left] + above[right] + below[left] + below[right] + 2) / 4;
    } else if (y % 2 == 0) { // a green pixel between red ones
        red = (row[left] + row[right] + 1) / 2;
        green = row[x];
        blue = (above[x] + below[x] + 1) / 2;
    } else if (x % 2 == 0) { // a green pixel between blue ones
        red = (above[x] + below[x] + 1) / 2;
        green = row[x];
        blue = (row[left] + row[right] + 1) / 2;
    } else { // a blue pixel
        red = (above[left] + above[right] + below[left] + below[right] + 2) / 4;
        green = (above[x] + row[left] + row[right] + below[x] + 2) / 4;
        blue = row[x];
    }
    __global uchar *out = destination + y * destination_pitch + 3 * x;
    out[0] = red;
    out[1] = green;
    out[2] = blue;
}
