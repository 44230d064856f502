// Edges: gray, blurred, then the strength of its edges, in three passes. The intermediates are bytes, one per pixel, rows side
// by side without gaps. In each pass, a work-item computes one pixel; those outside the image do nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels. Pixel (x, y) is red, green and blue starting
// at source[source_origin + y * source_pitch + 3 * x], and becomes destination[y * destination_pitch + x].

#ifndef REACH
#define REACH 2 // Pixels that blur and masks together reach on each side of the pixel
#endif
#include "common/stages.clh"

#include "common/mapping.clh"

#include "common/inside.clh"

// gray = (77 * red + 150 * green + 29 * blue + 128) / 256, rounded down
__kernel void luma(__global const uchar *restrict source, int source_origin, int source_pitch,
                   __global uchar *restrict gray, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *pixel = source + source_origin + y * source_pitch + 3 * x;
    gray[y * width + x] = (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2] + 128) >> 8;
}

//                1 2 1
// blurred  =  (  2 4 2  of gray  + 8) / 16, rounded down. Past an edge, the border mode continues the gray picture.
//                1 2 1
__kernel void blur(__global const uchar *restrict gray, __global uchar *restrict blurred, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    const int left = inside(x - 1, width);
    const int right = inside(x + 1, width);
    __global const uchar *above = gray + inside(y - 1, height) * width;
    __global const uchar *here = gray + y * width;
    __global const uchar *below = gray + inside(y + 1, height) * width;
    const int sum = above[left] + 2 * above[x] + above[right]
                  + 2 * (here[left] + 2 * here[x] + here[right])
                  + below[left] + 2 * below[x] + below[right];
    blurred[y * width + x] = (sum + 8) >> 4;
}

//                -1  0 +1                 -1 -2 -1
//     across  =  -2  0 +2        down  =   0  0  0     of blurred; output = |across| + |down|, at most 255
//                -1  0 +1                 +1 +2 +1
//
// Past an edge, the border mode continues the blurred picture.
__kernel void sobel(__global const uchar *restrict blurred,
                    __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    const int left = inside(x - 1, width);
    const int right = inside(x + 1, width);
    __global const uchar *above = blurred + inside(y - 1, height) * width;
    __global const uchar *here = blurred + y * width;
    __global const uchar *below = blurred + inside(y + 1, height) * width;
    const int across = above[right] + 2 * here[right] + below[right] - above[left] - 2 * here[left] - below[left];
    const int down = below[left] + 2 * below[x] + below[right] - above[left] - 2 * above[x] - above[right];
    const uint sum = abs(across) + abs(down);
    destination[y * destination_pitch + x] = sum > 255 ? 255 : sum;
}
