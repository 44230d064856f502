// Epsilon filter 9 x 9, gray: of the 81 pixels in and around a pixel, the mean of those that differ from it by at most the
// threshold, rounded half up. The center always counts. Each work-item computes one pixel; those outside the image do
// nothing.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of one byte. Pixel (x, y) is
// source[source_origin + y * source_pitch + x] and destination[y * destination_pitch + x].

#ifndef REACH
#define REACH 4 // Pixels that the window reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/mapping.clh"

#if BORDER != 0
#include "common/inside.clh"
#endif

__kernel void epsilon(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height,
                      int threshold)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *first = source + source_origin; // pixel (0, 0)
    __global uchar *out = destination + y * destination_pitch + x;
    const int center = first[y * source_pitch + x];
#if BORDER == 0
    // Where the window does not fit, the output is the source pixel.
    if (x < REACH || y < REACH || x >= width - REACH || y >= height - REACH) {
        *out = center;
        return;
    }
#endif

    int sum = 0;
    int count = 0;
    for (int dy = -REACH; dy <= REACH; ++dy) {
#if BORDER == 0
        __global const uchar *row = first + (y + dy) * source_pitch;
#else
        __global const uchar *row = first + inside(y + dy, height) * source_pitch;
#endif
        for (int dx = -REACH; dx <= REACH; ++dx) {
#if BORDER == 0
            const int neighbor = row[x + dx];
#else
            const int neighbor = row[inside(x + dx, width)];
#endif
            if (abs(neighbor - center) <= threshold) {
                sum += neighbor;
                count += 1;
            }
        }
    }
    *out = (2 * sum + count) / (2 * count);
}
