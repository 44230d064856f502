// Template matching: output = mean of |pixel - template| over the square of 2 * REACH + 1 pixels around a pixel, rounded
// half up. It is dark where the picture is like the template. Each work-item computes one pixel; those outside the image do
// nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of one byte each. Pixel (x, y) is
// source[source_origin + y * source_pitch + x] and destination[y * destination_pitch + x]. The template is `pattern`, row by
// row.

#ifndef REACH
#define REACH 12 // Pixels that the template reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/mapping.clh"

#include "common/inside.clh"

__kernel void match(__global const uchar *restrict source, int source_origin, int source_pitch,
                    __global uchar *restrict destination, int destination_pitch, int width, int height,
                    __global const ushort *restrict pattern)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    const int side = 2 * REACH + 1;
    uint sum = 0;
    for (int row = 0; row < side; ++row) {
        const int source_y = inside(y - REACH + row, height);
        for (int column = 0; column < side; ++column) {
            const int source_x = inside(x - REACH + column, width);
            const int pixel = source[source_origin + source_y * source_pitch + source_x];
            const int wanted = pattern[row * side + column];
            sum += abs_diff(pixel, wanted);
        }
    }
    const uint count = side * side;
    destination[y * destination_pitch + x] = (sum + count / 2) / count;
}
