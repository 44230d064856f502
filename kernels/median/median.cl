// Median of 3 x 3, each channel on its own: of the nine bytes in and around a pixel, the fifth in order. It removes
// isolated outliers, and preserves edges where an average would blur them.
//
// Each column of three is sorted. Then
//
//     median of all 9 = median of (highest of the 3 lows, median of the 3 middles, lowest of the 3 highs)
//
// because each of the six others has at least five of the nine on one side: any other low is at most its own middle and
// high, the highest low, and the middle and high of that column; the lowest middle is at most its own high, the two
// other middles and their highs. So three values are not above the median, and likewise three are not below it.
// Removing three on each side leaves the median unchanged.

#ifndef REACH
#define REACH 1 // Pixels that the window reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/contract.clh"

#include "common/mapping.clh"

#if ACCESS == 0
#if PADDED == 0 && IMAGE == 0
#include "common/inside.clh"
#endif

#include "common/compared_bytes.clh"

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

// One row of the work-item's pixels, and the pixels to their left and right.
typedef struct {
    bytes left;
    bytes center;
    bytes right;
} row_of_window;

#if IMAGE == 1
#include "common/texel.clh"

#define picture __read_only image2d_t

// Pixel (x, y) of `source`, which may lie outside the image, with all its channels.
bytes pixel_at(picture source, int x, int y)
{
#if CHANNELS == 3
    return convert_uchar3(texel_at(source, x, y).xyz);
#else
    return texel_at(source, x, y).x;
#endif
}

// Pixel (x, y) with its neighbors to the left and right.
void load_row(picture source, int x, int y, row_of_window *row)
{
    row->left = pixel_at(source, x - 1, y);
    row->center = pixel_at(source, x, y);
    row->right = pixel_at(source, x + 1, y);
}
#else
typedef struct {
    __global const uchar *origin; // its pixel (0, 0), or one channel of that
    int pitch;
    int left;  // distance to the neighbors in bytes
    int right;
    int height;
} picture;

// The work-item's pixels of row `y` starting at pixel `x`, and their neighbors; the row may lie above or below the image.
void load_row(picture source, int x, int y, row_of_window *row)
{
#if PADDED == 1
    __global const uchar *own = source.origin + y * source.pitch + x * CHANNELS;
#else
    __global const uchar *own = source.origin + inside(y, source.height) * source.pitch + x * CHANNELS;
#endif
#if PIXELS_PER_ITEM == 1
    row->left = own[source.left];
    row->center = own[0];
    row->right = own[source.right];
#else
    row->left = load_bytes(0, own + source.left);
    row->center = load_bytes(0, own);
    row->right = load_bytes(0, own + source.right);
#endif
}
#endif

// Sorts three values in place.
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

#if ROWS_PER_ITEM == 1
#if PIXELS_PER_ITEM == 1
// The work-item's pixel (x, y), or one channel of it; `out` is where it is written.
#else
// The work-item's block starting at pixel (x, y); `out` is its first pixel written.
#endif
void filter_own_row(picture source, __global uchar *out, int x, int y, int width, int height)
{
    row_of_window above;
    row_of_window here;
    row_of_window below;
    load_row(source, x, y - 1, &above);
    load_row(source, x, y, &here);
    load_row(source, x, y + 1, &below);
    const bytes median = median_of_nine(above, here, below);
#if BORDER == 0
    store_bytes(keep_edge(median, here.center, x, y, width, height), out);
#else
    store_bytes(median, out);
#endif
}
#else
// The work-item's pixels starting at (x, y), or one channel of them; `out` is the first one written. Three rows are in
// registers at any time: each step down drops the one above and loads one below.
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
#endif

#if IMAGE == 1
__kernel void median(__read_only image2d_t source,
                     __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if ROWS_PER_ITEM == 1
    filter_own_row(source, out, x, y, width, height);
#else
    filter_column(source, out, destination_pitch, x, y, width, height);
#endif
}
#else
__kernel void median(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    // Distances to the neighbors in bytes.
#if PADDED == 1
    const int left = -CHANNELS;
    const int right = CHANNELS;
#else
    const int left = (inside(x - 1, width) - x) * CHANNELS;
    const int right = (inside(x + 1, width) - x) * CHANNELS;
#endif
#if PIXELS_PER_ITEM == 1 && ROWS_PER_ITEM == 1
    for (int channel = 0; channel < CHANNELS; ++channel) {
        const picture from = { source + source_origin + channel, source_pitch, left, right, height };
        filter_own_row(from, out + channel, x, y, width, height);
    }
#elif PIXELS_PER_ITEM == 1
    for (int channel = 0; channel < CHANNELS; ++channel) {
        const picture from = { source + source_origin + channel, source_pitch, left, right, height };
        filter_column(from, out + channel, destination_pitch, x, y, width, height);
    }
#elif ROWS_PER_ITEM == 1
    const picture from = { source + source_origin, source_pitch, left, right, height };
    filter_own_row(from, out, x, y, width, height);
#else
    const picture from = { source + source_origin, source_pitch, left, right, height };
    filter_column(from, out, destination_pitch, x, y, width, height);
#endif
}
#endif
#else
#include "words.clh"

__kernel void median(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // byte, y: the first byte that this work-item owns

    filter_block(source + source_origin, source_pitch, destination, destination_pitch, byte, y, width, height);
}
#endif
