// Median of 3 x 3, each channel on its own: of the nine bytes in and around a pixel, the fifth in order. It removes
// isolated outliers, and preserves edges where an average would blur them.
//
// Each column of three is sorted. Then
//
//     median of all 9 = median of (highest of the 3 lows, median of the 3 middles, lowest of the 3 highs)
//
// because each of the six others stands on the same side of at least five: any other low is at most its own middle
// and high, the highest low, and the middle and high above that; the lowest middle is at most its own high, the two
// other middles and their highs. That is three which are not above the median, and in the same way three highs and
// middles are not below it. Taking away three on each side leaves the median what it was.

#ifndef REACH
#define REACH 1 // Pixels that the window reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/contract.clh"

#include "common/ownership.clh"

#if PADDED == 0 && IMAGE == 0
#include "common/inside.clh"
#endif

// What is sorted at a time: a byte, or several side by side, each lane on its own: a texel's channels, or the bytes of
// a block's row.
#if PIXELS_PER_ITEM > 1
#include "common/lanes.clh"
#elif IMAGE == 1 && CHANNELS == 3
typedef uchar3 bytes;

void store_bytes(bytes value, __global uchar *out)
{
    vstore3(value, 0, out);
}
#else
typedef uchar bytes;

void store_bytes(bytes value, __global uchar *out)
{
    *out = value;
}
#endif

#if PIXELS_PER_ITEM > 1 || BRANCHLESS == 1 || IMAGE == 1
#define lower min
#define higher max
#else
bytes lower(bytes left, bytes right)
{
    return left < right ? left : right;
}

bytes higher(bytes left, bytes right)
{
    return left > right ? left : right;
}
#endif

// One row of what a work-item owns, and what lies one pixel to its left and right.
typedef struct {
    bytes left;
    bytes center;
    bytes right;
} row_of_window;

#if IMAGE == 1
#include "median_image.clh"
#else
#include "median_buffer.clh"
#endif

// Brings three into order, in place.
void sort_column(bytes *low, bytes *middle, bytes *high)
{
    const bytes first = lower(*low, *middle);
    const bytes second = higher(*low, *middle);
    const bytes third = *high;
    *low = lower(first, third);
    *middle = higher(first, lower(second, third));
    *high = higher(second, third);
}

bytes median_of_three(bytes first, bytes second, bytes third)
{
    return higher(lower(first, second), lower(higher(first, second), third));
}

bytes median_of_nine(row_of_window above, row_of_window here, row_of_window below)
{
    sort_column(&above.left, &here.left, &below.left);
    sort_column(&above.center, &here.center, &below.center);
    sort_column(&above.right, &here.right, &below.right);
    // Now the lows are above, the middles here and the highs below.
    return median_of_three(higher(higher(above.left, above.center), above.right),
                           median_of_three(here.left, here.center, here.right),
                           lower(lower(below.left, below.center), below.right));
}

#if BORDER == 0 && PIXELS_PER_ITEM > 1
#include "common/keep_edge_lanes.clh"
#elif BORDER == 0
#include "common/is_edge.clh"

// `median`, but the source's own `center` where the window does not fit around pixel (x, y).
bytes keep_edge(bytes median, bytes center, int x, int y, int width, int height)
{
    return is_edge(x, y, width, height) ? center : median;
}
#endif

// The pixels from (x, y) down, or one channel of them; `out` is the first that is written. Three rows are in registers
// at any time: with each step down, the one above is dropped and one below is loaded.
void filter_column(picture source, __global uchar *out, int destination_pitch, int x, int y, int width, int height)
{
    row_of_window above;
    row_of_window here;
    row_of_window below;
    load_row(source, x, y - 1, &above);
    load_row(source, x, y, &here);
    const int end = min(y + OWN_ROWS, height);
    for (; y < end; ++y) {
        load_row(source, x, y + 1, &below);
        const bytes median = median_of_nine(above, here, below);
#if BORDER == 0
        store_bytes(keep_edge(median, here.center, x, y, width, height), out);
#else
        store_bytes(median, out);
#endif
        above = here;
        here = below;
        out += destination_pitch;
    }
}

#if IMAGE == 1
__kernel void median(__read_only image2d_t source,
                     __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    filter_column(source, destination + y * destination_pitch + x * CHANNELS, destination_pitch, x, y, width, height);
}
#else
__kernel void median(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    // How many bytes away the neighbors are.
#if PADDED == 1
    const int left = -CHANNELS;
    const int right = CHANNELS;
#else
    const int left = (inside(x - 1, width) - x) * CHANNELS;
    const int right = (inside(x + 1, width) - x) * CHANNELS;
#endif
#if PIXELS_PER_ITEM == 1
    for (int channel = 0; channel < CHANNELS; ++channel) {
        const picture from = { source + source_origin + channel, source_pitch, left, right, height };
        filter_column(from, out + channel, destination_pitch, x, y, width, height);
    }
#else
    const picture from = { source + source_origin, source_pitch, left, right, height };
    filter_column(from, out, destination_pitch, x, y, width, height);
#endif
}
#endif
