// Median of a square of pixels, each channel on its own: of the (2 * REACH + 1) * (2 * REACH + 1) values in and around a
// pixel, the one in the middle of their order. Each work-item computes one pixel; those outside the image do nothing.
//
// All values are sorted, although only one of them is wanted. The array is private to the work-item: as its indices are not
// known when the kernel is compiled, it lies in memory, not in registers.
//
// Pitches and source_origin count bytes; x, y, width and height count pixels of CHANNELS bytes. Pixel (x, y) begins at
// source[source_origin + y * source_pitch + x * CHANNELS], destination[y * destination_pitch + x * CHANNELS].

#ifndef REACH
#define REACH 2 // Pixels that the square reaches on each side of its center: 2 or 3
#endif
#include "common/stages.clh"

#include "common/mapping.clh"

#if BORDER != 0
#include "common/inside.clh"
#endif

#define AREA ((2 * REACH + 1) * (2 * REACH + 1)) // values in a square: 25 or 49

__kernel void median_wide(__global const uchar *restrict source, int source_origin, int source_pitch,
                          __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *first = source + source_origin; // pixel (0, 0)
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if BORDER == 0
    // Where the square does not fit, the output is the source pixel.
    if (x < REACH || y < REACH || x + REACH >= width || y + REACH >= height) {
        for (int channel = 0; channel < CHANNELS; ++channel)
            out[channel] = first[y * source_pitch + x * CHANNELS + channel];
        return;
    }
#endif
    for (int channel = 0; channel < CHANNELS; ++channel) {
        uchar sorted[AREA];
        int count = 0;
        for (int row = y - REACH; row <= y + REACH; ++row) {
            for (int column = x - REACH; column <= x + REACH; ++column) {
#if BORDER == 0
                sorted[count] = first[row * source_pitch + column * CHANNELS + channel];
#else
                sorted[count] = first[inside(row, height) * source_pitch + inside(column, width) * CHANNELS + channel];
#endif
                ++count;
            }
        }
        // The lowest of all values comes first, then the lowest of the others, and so on.
        for (int place = 0; place < AREA - 1; ++place) {
            for (int other = place + 1; other < AREA; ++other) {
                if (sorted[other] < sorted[place]) {
                    const uchar higher = sorted[place];
                    sorted[place] = sorted[other];
                    sorted[other] = higher;
                }
            }
        }
        out[channel] = sorted[AREA / 2];
    }
}
