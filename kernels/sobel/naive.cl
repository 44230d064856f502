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

// Three pixels of a row, side by side.
typedef struct {
    int left;
    int center;
    int right;
} row_of_three;

row_of_three load_row(__global const uchar *row, int left, int x, int right)
{
    const row_of_three loaded = {row[left], row[x], row[right]};
    return loaded;
}

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

#if BORDER == 0
    const row_of_three above = load_row(first + (y - 1) * source_pitch, x - 1, x, x + 1);
    const row_of_three here = load_row(first + y * source_pitch, x - 1, x, x + 1);
    const row_of_three below = load_row(first + (y + 1) * source_pitch, x - 1, x, x + 1);
#else
    const int left = inside(x - 1, width);
    const int right = inside(x + 1, width);
    const row_of_three above = load_row(first + inside(y - 1, height) * source_pitch, left, x, right);
    const row_of_three here = load_row(first + y * source_pitch, left, x, right);
    const row_of_three below = load_row(first + inside(y + 1, height) * source_pitch, left, x, right);
#endif
    const int across = above.right + 2 * here.right + below.right - above.left - 2 * here.left - below.left;
    const int down = below.left + 2 * below.center + below.right - above.left - 2 * above.center - above.right;
    const uint sum = abs(across) + abs(down);
    *out = sum > 255 ? 255 : sum;
}
