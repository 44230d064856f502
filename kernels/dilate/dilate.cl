// Dilation by 3 x 3, each channel on its own: the maximum of the nine bytes in and around a pixel. Bright areas grow by a
// pixel on each side, and dark structures narrower than three pixels vanish.
//
// The maximum of all 9 is the maximum of three row maxima.

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

typedef struct {
    bytes center;
    bytes highest; // maximum of `center` and its left and right neighbors
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

row_of_window load_row(picture source, int x, int y)
{
    row_of_window row;
    row.center = pixel_at(source, x, y);
    row.highest = max(max(pixel_at(source, x - 1, y), row.center), pixel_at(source, x + 1, y));
    return row;
}
#else
typedef struct {
    __global const uchar *origin; // its pixel (0, 0), or one channel of that
    int pitch;
    int left; // distance to the neighbors in bytes
    int right;
    int height;
} picture;

// The work-item's pixels of row `y` starting at pixel `x`; the row may lie above or below the image.
row_of_window load_row(picture source, int x, int y)
{
#if PADDED == 1
    __global const uchar *own = source.origin + y * source.pitch + x * CHANNELS;
#else
    __global const uchar *own = source.origin + inside(y, source.height) * source.pitch + x * CHANNELS;
#endif
    row_of_window row;
#if PIXELS_PER_ITEM == 1
    row.center = own[0];
    row.highest = max(max(own[source.left], row.center), own[source.right]);
#else
    row.center = load_bytes(0, own);
    row.highest = max(max(load_bytes(0, own + source.left), row.center), load_bytes(0, own + source.right));
#endif
    return row;
}
#endif

#if ROWS_PER_ITEM == 1
#if PIXELS_PER_ITEM == 1
// The work-item's pixel (x, y), or one channel of it; `out` is where it is written.
#else
// The work-item's block starting at pixel (x, y); `out` is its first pixel written.
#endif
void filter_own_row(picture source, __global uchar *out, int x, int y, int width, int height)
{
    const row_of_window above = load_row(source, x, y - 1);
    const row_of_window here = load_row(source, x, y);
    const row_of_window below = load_row(source, x, y + 1);
    const bytes highest = max(max(above.highest, here.highest), below.highest);
#if BORDER == 0
    store_bytes(keep_edge(highest, here.center, x, y, width, height), out);
#else
    store_bytes(highest, out);
#endif
}
#else
// The work-item's pixels starting at (x, y), or one channel of them; `out` is the first one written. Three rows are in
// registers at any time: each step down drops the one above and loads one below.
void filter_column(picture source, __global uchar *out, int destination_pitch, int x, int y, int width, int height)
{
    row_of_window above = load_row(source, x, y - 1);
    row_of_window here = load_row(source, x, y);
    const int end = min(y + OWN_ROWS, height);
    for (; y < end; ++y) {
        const row_of_window below = load_row(source, x, y + 1);
        const bytes highest = max(max(above.highest, here.highest), below.highest);
#if BORDER == 0
        store_bytes(keep_edge(highest, here.center, x, y, width, height), out);
#else
        store_bytes(highest, out);
#endif
        above = here;
        here = below;
        out += destination_pitch;
    }
}
#endif

#if IMAGE == 1
__kernel void dilate(__read_only image2d_t source,
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
__kernel void dilate(__global const uchar *restrict source, int source_origin, int source_pitch,
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

__kernel void dilate(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // byte, y: the first byte that this work-item owns

    filter_block(source + source_origin, source_pitch, destination, destination_pitch, byte, y, width, height);
}
#endif
