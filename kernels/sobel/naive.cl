// Sobel edges of a gray image: output = |across| + |down|, at most 255, the two gradients being
//
//                -1  0 +1                 -1 -2 -1
//     across  =  -2  0 +2        down  =   0  0  0
//                -1  0 +1                 +1 +2 +1
//
// Each work-item computes one pixel; those outside the image do nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of one byte. Pixel (x, y) is
// source[source_origin + y * source_pitch + x] and destination[y * destination_pitch + x].

#ifndef REACH
#define REACH 1 // Pixels that the mask reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/mapping.clh"
#if BORDER != 0
#include "common/inside.clh"
#endif

__kernel void sobel(__global const uchar *restrict source, int source_origin, int source_pitch,
                    __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *first = source + source_origin; // pixel (0, 0)
    __global uchar *out = destination + y * destination_pitch + x;
#if BORDER == 0
    // Where the mask does not fit, the output is the source pixel.
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        *out = first[y * source_pitch + x];
        return;
    }
#endif

    int near[3][3]; // the pixel and its neighbors, row by row
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
#if BORDER == 0
            near[row][column] = first[(y + row - 1) * source_pitch + x + column - 1];
#else
            near[row][column] = first[inside(y + row - 1, height) * source_pitch + inside(x + column - 1, width)];
#endif
    const int across = near[0][2] + 2 * near[1][2] + near[2][2] - near[0][0] - 2 * near[1][0] - near[2][0];
    const int down = near[2][0] + 2 * near[2][1] + near[2][2] - near[0][0] - 2 * near[0][1] - near[0][2];
    const uint sum = abs(across) + abs(down);
    *out = sum > 255 ? 255 : sum;
}
