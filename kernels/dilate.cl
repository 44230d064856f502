// Dilation by 3 x 3, each channel on its own: the highest of the nine bytes in and around a pixel. What is bright grows by
// a pixel on each side, and what is dark and narrower than three pixels vanishes.
//
// The highest of all 9 is that of three rows' highest, and a row's highest serves the rows above and below as well.

#ifndef REACH
#define REACH 1 // Pixels that the window reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/contract.clh"

#include "common/ownership.clh"

#if PADDED == 0 && IMAGE == 0
#include "common/inside.clh"
#endif

#if BORDER == 0
#include "common/is_edge.clh"
#endif

// What is compared at a time: a byte, or a texel's channels side by side.
#if IMAGE == 1 && CHANNELS == 3
typedef uchar3 bytes;
#else
typedef uchar bytes;
#endif

typedef struct {
    bytes center;
    bytes highest; // of `center` and its left and right neighbor
} row_of_window;

#if IMAGE == 1
#include "common/pixel_bytes.clh"

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
    int left; // how many bytes away the neighbors are
    int right;
    int height;
} picture;

// Pixel `x` of row `y`, which may be one above or below the picture.
row_of_window load_row(picture source, int x, int y)
{
#if PADDED == 1
    __global const uchar *own = source.origin + y * source.pitch + x * CHANNELS;
#else
    __global const uchar *own = source.origin + inside(y, source.height) * source.pitch + x * CHANNELS;
#endif
    row_of_window row;
    row.center = own[0];
    row.highest = max(max(own[source.left], row.center), own[source.right]);
    return row;
}
#endif

void store_bytes(bytes value, __global uchar *out)
{
#if IMAGE == 1 && CHANNELS == 3
    vstore3(value, 0, out);
#else
    *out = value;
#endif
}

// The pixels from (x, y) down, or one channel of them; `out` is the first that is written. Three rows are in registers
// at any time: with each step down, the one above is dropped and one below is loaded.
void filter_column(picture source, __global uchar *out, int destination_pitch, int x, int y, int width, int height)
{
    row_of_window above = load_row(source, x, y - 1);
    row_of_window here = load_row(source, x, y);
    const int end = min(y + OWN_ROWS, height);
    for (; y < end; ++y) {
        const row_of_window below = load_row(source, x, y + 1);
        const bytes highest = max(max(above.highest, here.highest), below.highest);
#if BORDER == 0
        store_bytes(is_edge(x, y, width, height) ? here.center : highest, out);
#else
        store_bytes(highest, out);
#endif
        above = here;
        here = below;
        out += destination_pitch;
    }
}

#if IMAGE == 1
__kernel void dilate(__read_only image2d_t source,
                     __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    filter_column(source, destination + y * destination_pitch + x * CHANNELS, destination_pitch, x, y, width, height);
}
#else
__kernel void dilate(__global const uchar *restrict source, int source_origin, int source_pitch,
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
    for (int channel = 0; channel < CHANNELS; ++channel) {
        const picture from = { source + source_origin + channel, source_pitch, left, right, height };
        filter_column(from, out + channel, destination_pitch, x, y, width, height);
    }
}
#endif
