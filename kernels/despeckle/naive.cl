// Despeckle: a pixel that differs by more than `threshold` from the mean of its eight neighbors, rounded half up, is an
// outlier and becomes the median of the 25 pixels in and around it; the others stay. Each work-item computes one pixel; those
// outside the image do nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of one byte each. Pixel (x, y) is
// source[source_origin + y * source_pitch + x] and destination[y * destination_pitch + x].

#ifndef REACH
#define REACH 2 // Pixels that the window of the median reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/mapping.clh"

#include "common/inside.clh"

__kernel void despeckle(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uchar *restrict destination, int destination_pitch, int width, int height, int threshold)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    const int pixel = source[source_origin + y * source_pitch + x];
    int neighbors = -pixel;
    for (int row = -1; row <= 1; ++row)
        for (int column = -1; column <= 1; ++column)
            neighbors += source[source_origin + inside(y + row, height) * source_pitch + inside(x + column, width)];
    const int mean = (neighbors + 4) / 8;
    int result = pixel;
    if (abs(pixel - mean) > threshold) {
        int window[25];
        for (int row = 0; row < 5; ++row)
            for (int column = 0; column < 5; ++column)
                window[5 * row + column] =
                    source[source_origin + inside(y - 2 + row, height) * source_pitch + inside(x - 2 + column, width)];
        // The median is number 13 in order: the largest value that fewer than 13 of the 25 are below. Its bits are found one
        // after the other, from the highest on.
        result = 0;
        for (int bit = 128; bit > 0; bit /= 2) {
            int below = 0;
            for (int index = 0; index < 25; ++index)
                if (window[index] < result + bit)
                    ++below;
            if (below < 13)
                result += bit;
        }
    }
    destination[y * destination_pitch + x] = result;
}
