// Median of 3 x 3, each channel on its own: of the nine bytes in and around a pixel, the fifth in order. It takes
// away specks, and keeps edges where an average would blur them.
//
// Each column of three is sorted. Then
//
//     median of all 9 = median of (highest of the 3 lows, median of the 3 middles, lowest of the 3 highs)
//
// because each of the six others stands on the same side of at least five: any other low is at most its own middle
// and high, the highest low, and the middle and high above that; the lowest middle is at most its own high, the two
// other middles and their highs. That is three which are not above the median, and in the same way three highs and
// middles are not below it. Taking away three on each side leaves the median what it was.

#ifndef CHANNELS
#define CHANNELS 3 // Bytes of a pixel: 3 are red, green and blue, 1 is gray
#endif
#ifndef BORDER
#define BORDER 0 // 0 copy, 1 replicate, 2 reflect101
#endif
#ifndef COALESCED
#define COALESCED 0 // 1: dimension 0 of the NDRange walks along a row
#endif
#ifndef PADDED
#define PADDED 0 // 1: the source has a halo of one pixel, and slack on the right
#endif
#ifndef PIXELS_PER_ITEM
#define PIXELS_PER_ITEM 1 // Pixels along a row that a work-item owns
#endif
#ifndef BRANCHLESS
#define BRANCHLESS 0 // 1: min, max and select instead of branches
#endif
#ifndef ROWS_PER_ITEM
#define ROWS_PER_ITEM 1 // Rows that a work-item owns, one below the other
#endif
#ifndef IMAGE
#define IMAGE 0 // 1: the source is an image object, one pixel a texel
#endif

#if IMAGE == 0
// Units   Pitches and source_origin count bytes; width, height, x and y count pixels. Pixel (x, y) begins
//         at source[source_origin + y * source_pitch + x * CHANNELS]
//         and at destination[y * destination_pitch + x * CHANNELS].
#else
// Units   destination_pitch counts bytes; width, height, x and y count pixels. Pixel (x, y) is texel (x, y) of
//         the source, and begins at destination[y * destination_pitch + x * CHANNELS].
#endif
#if BORDER == 0
// Border  Copy: where the window does not fit (the outermost rows and columns) the output is the source.
#elif PADDED == 1
// Border  The host has put what lies beyond the edges into the halo.
#elif BORDER == 1 && IMAGE == 1
// Border  Replicate: beyond an edge, the edge pixel goes on. The sampler does that.
#elif BORDER == 1
// Border  Replicate: beyond an edge, the edge pixel goes on.
#else
// Border  Reflect101: beyond an edge, the picture goes on mirrored, without repeating the edge pixel.
#endif
#if PIXELS_PER_ITEM > 1
// Writes  A work-item owns OWN_PIXELS pixels along a row, in each of OWN_ROWS rows, and writes a row of them
//         whole. The last ones may lie behind the row's end: destination_pitch has room for them.
#elif ROWS_PER_ITEM > 1
// Writes  A work-item owns OWN_ROWS pixels, one below the other.
#else
// Writes  A work-item owns one pixel.
#endif
//         The NDRange is rounded up to the local size; nothing is written outside the picture.
#if IMAGE == 1
// Reads   A work-item reads its own pixels and one more on each side. No coordinate can be wrong: beyond the
//         image, the sampler gives the nearest texel.
#elif PADDED == 0
// Reads   A work-item reads its own pixels and one more on each side. There is nothing around the picture
//         in the source, so every index is first brought into 0 .. width - 1 and 0 .. height - 1.
#elif PIXELS_PER_ITEM == 1
// Reads   A work-item reads its own pixels and one more on each side, which the halo has for every pixel of
//         the picture.
#else
// Reads   A work-item reads its own pixels and one more on each side, which the halo has for every pixel of
//         the picture. A row's last load ends at most one vector behind its last pixel: source_pitch has that
//         slack.
#endif

#if PADDED == 0 && IMAGE == 0
#include "border_far.clh"
#endif

// Pixels along a row and rows that a work-item owns.
#if PIXELS_PER_ITEM > 1
#define OWN_PIXELS PIXELS_PER_ITEM
#else
#define OWN_PIXELS 1
#endif
#if ROWS_PER_ITEM > 1
#define OWN_ROWS ROWS_PER_ITEM
#else
#define OWN_ROWS 1
#endif

// What is sorted at a time: a byte, or several side by side, each lane on its own: a texel's channels, or the bytes of
// a block's row.
#if IMAGE == 1 && CHANNELS == 3
typedef uchar3 bytes;
#elif PIXELS_PER_ITEM == 1
typedef uchar bytes;
#elif PIXELS_PER_ITEM * CHANNELS == 4
typedef uchar4 bytes;
typedef char4 lanes;
#define lane_numbers (char4)(0, 1, 2, 3)
#else
typedef uchar16 bytes;
typedef char16 lanes;
#define lane_numbers (char16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#endif

#if PIXELS_PER_ITEM > 1 || BRANCHLESS == 1 || IMAGE == 1
#define lower min
#define higher max
#else
bytes lower(bytes left, bytes right)
{
    if (left < right)
        return left;
    return right;
}

bytes higher(bytes left, bytes right)
{
    if (left > right)
        return left;
    return right;
}
#endif

void store_bytes(bytes value, __global uchar *to)
{
#if IMAGE == 1 && CHANNELS == 3
    vstore3(value, 0, to);
#elif PIXELS_PER_ITEM == 1
    to[0] = value;
#elif PIXELS_PER_ITEM * CHANNELS == 4
    vstore4(value, 0, to);
#elif PIXELS_PER_ITEM * CHANNELS == 12
    // There is no vector of 12: the last four lanes are the next block's.
    vstore8(value.lo, 0, to);
    vstore4(value.s89ab, 0, to + 8);
#else
    vstore16(value, 0, to);
#endif
}

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

#if BORDER == 0
// `median`, but the source's own `center` where the window does not fit. (x, y) is the first pixel.
bytes keep_edge(bytes median, bytes center, int x, int y, int width, int height)
{
#if PIXELS_PER_ITEM > 1
    // The window fits lanes begin .. end - 1: none in the first and the last row, else all but those of the
    // first and the last column. Clamped to lane numbers, both fit a char, as lanes must to select bytes.
    const int is_inner_row = (y != 0) & (y != height - 1);
    const char begin = max(1 - x, 0) * CHANNELS;
    const char end = clamp(width - 1 - x, 0, OWN_PIXELS) * CHANNELS * is_inner_row;
    const lanes lane = lane_numbers;
    return select(median, center, (lane < begin) | (lane >= end));
#elif BRANCHLESS == 1 || IMAGE == 1
    // | computes all four; || would decide after each whether to go on.
    const bool is_edge = (x == 0) | (y == 0) | (x == width - 1) | (y == height - 1);
    return is_edge ? center : median;
#else
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
        return center;
    return median;
#endif
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
#if COALESCED == 1
    // Dimension 0 walks along a row: work-items that run together read neighboring texels.
    const int x = get_global_id(0);
    const int y = get_global_id(1) * OWN_ROWS;
#else
    // Dimension 0 counts rows: work-items that run together read one below the other.
    const int x = get_global_id(1);
    const int y = get_global_id(0) * OWN_ROWS;
#endif
    if (x >= width || y >= height)
        return;

    filter_column(source, destination + y * destination_pitch + x * CHANNELS, destination_pitch, x, y, width, height);
}
#else
__kernel void median(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#if COALESCED == 1
    // Dimension 0 walks along a row: work-items that run together touch neighboring bytes.
    const int x = get_global_id(0) * OWN_PIXELS;
    const int y = get_global_id(1) * OWN_ROWS;
#else
    // Dimension 0 counts rows: work-items that run together are a whole row apart.
    const int x = get_global_id(1) * OWN_PIXELS;
    const int y = get_global_id(0) * OWN_ROWS;
#endif
    if (x >= width || y >= height)
        return;

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
