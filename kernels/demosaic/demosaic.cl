// Demosaic: a sensor has one color filter per pixel, in the Bayer pattern
//
//     even row    R G R G ...
//     odd row     G B G B ...
//
// The two colors that a pixel lacks are the mean of the nearest two or four pixels that have them, rounded half up.

#ifndef REACH
#define REACH 1 // Pixels that a mean reaches on each side of its center
#endif
#include "common/stages.clh"

#ifndef QUADS
#define QUADS 0 // 1: a work-item owns a quad of the pattern, 2 x 2 pixels
#endif

// Units   Pitches and source_origin count bytes; x, y, width and height count pixels. Pixel (x, y) of the pattern is
//         source[source_origin + y * source_pitch + x]; its red, green and blue begin at
//         destination[y * destination_pitch + 3 * x].
#if PADDED == 0
// Border  Past an edge, the image is mirrored without repeating the edge pixel: that keeps the colors of the pattern.
#else
// Border  The host has filled a halo of one pixel, mirrored without repeating the edge pixel: that keeps the colors of the
//         pattern.
#endif
#if PIXELS_PER_ITEM > 1
// Writes  A work-item owns two quads of the pattern side by side: 4 x 2 pixels. The last ones of a row may lie past its
//         end: destination_pitch has room for them. A row below the image is not written.
// Layout  Rows begin at multiples of 128 bytes in the source and in the destination, so words of four pixels are aligned.
#elif QUADS == 1
// Writes  A work-item owns a quad of the pattern, 2 x 2 pixels. The last one of a row may lie past its end:
//         destination_pitch has room for it. A row below the image is not written.
#else
// Writes  A work-item owns one pixel.
#endif
#if QUADS == 1 && PADDED == 1
//         What is loaded past the halo is not used, but it exists: source_pitch has slack, and a row follows the halo.
#endif
#if LOCAL_MEMORY != 0
// Reads   The work-group copies its pixels and those around them into a tile.
#endif
//         The NDRange is rounded up to the local size: work-items outside the image write nothing.

#include "common/mapping.clh"

#if PADDED == 0 && BRANCHLESS == 1
// `index` mirrored into 0 .. length - 1. abs mirrors at the start, min at the end; max corrects indices further out, which
// are not used.
int inside(int index, int length)
{
    const int mirrored = abs(index);
    return max(min(mirrored, 2 * (length - 1) - mirrored), 0);
}
#elif PADDED == 0
// `index` mirrored into 0 .. length - 1.
int inside(int index, int length)
{
    if (index < 0)
        return min(-index, length - 1);
    if (index >= length)
        return max(2 * (length - 1) - index, 0); // 0 where the length is 1
    return index;
}
#endif

#if PIXELS_PER_ITEM == 1
#include "common/source_bytes.clh"

#if SHIFT_INDEX == 1 || QUADS == 1
int mean2(int a, int b)
{
    return (a + b + 1) >> 1;
}

int mean4(int a, int b, int c, int d)
{
    return (a + b + c + d + 2) >> 2;
}
#else
int mean2(int a, int b)
{
    return (a + b + 1) / 2;
}

int mean4(int a, int b, int c, int d)
{
    return (a + b + c + d + 2) / 4;
}
#endif

void store_pixel(int red, int green, int blue, __global uchar *out)
{
    out[0] = red;
    out[1] = green;
    out[2] = blue;
}
#endif

#if QUADS == 0
// 1 where `index` is odd. No index is negative.
int parity(int index)
{
#if SHIFT_INDEX == 1
    return index & 1;
#else
    return index % 2;
#endif
}

// Pixel (x, y), which is at `center`; its neighbors are at these distances in bytes.
#if BRANCHLESS == 0
void demosaic_pixel(source_bytes center, int left, int right, int up, int down, int x, int y, __global uchar *out)
{
    if (parity(y) == 0 && parity(x) == 0) // a red pixel
        store_pixel(center[0], mean4(center[up], center[left], center[right], center[down]),
                    mean4(center[up + left], center[up + right], center[down + left], center[down + right]), out);
    else if (parity(y) == 0) // a green pixel between red ones
        store_pixel(mean2(center[left], center[right]), center[0], mean2(center[up], center[down]), out);
    else if (parity(x) == 0) // a green pixel between blue ones
        store_pixel(mean2(center[up], center[down]), center[0], mean2(center[left], center[right]), out);
    else // a blue pixel
        store_pixel(mean4(center[up + left], center[up + right], center[down + left], center[down + right]),
                    mean4(center[up], center[left], center[right], center[down]), center[0], out);
}
#else
void demosaic_pixel(source_bytes center, int left, int right, int up, int down, int x, int y, __global uchar *out)
{
    // Every pixel computes all that any of the four cases needs.
    const int own = center[0];
    const int across = mean2(center[left], center[right]);
    const int upright = mean2(center[up], center[down]);
    const int cross = mean4(center[up], center[left], center[right], center[down]);
    const int corners = mean4(center[up + left], center[up + right], center[down + left], center[down + right]);
    // All bits set where the place is odd. select takes its second argument there.
    const int odd_x = -parity(x);
    const int odd_y = -parity(y);
    const int red = select(select(own, across, odd_x), select(upright, corners, odd_x), odd_y);
    const int green = select(cross, own, odd_x ^ odd_y);
    const int blue = select(select(corners, upright, odd_x), select(across, own, odd_x), odd_y);
    store_pixel(red, green, blue, out);
}
#endif
#elif PIXELS_PER_ITEM == 1
// Four neighboring pixels of a row, at these distances in bytes.
int4 load_row(source_bytes row, int4 columns)
{
    return (int4)(row[columns.s0], row[columns.s1], row[columns.s2], row[columns.s3]);
}

// The quad in the middle of 4 x 4 pixels. Which color is where is known when the kernel is compiled.
void store_quad(int4 above, int4 first, int4 second, int4 below, __global uchar *out, int destination_pitch, bool has_second)
{
    store_pixel(first.s1, mean4(above.s1, first.s0, first.s2, second.s1),
                mean4(above.s0, above.s2, second.s0, second.s2), out);
    store_pixel(mean2(first.s1, first.s3), first.s2, mean2(above.s2, second.s2), out + 3);
    if (has_second) {
        out += destination_pitch;
        store_pixel(mean2(first.s1, below.s1), second.s1, mean2(second.s0, second.s2), out);
        store_pixel(mean4(first.s1, first.s3, below.s1, below.s3),
                    mean4(first.s2, second.s1, second.s3, below.s2), second.s2, out + 3);
    }
}
#else
// Four pixels of a row, and for each of them its left and right neighbor.
typedef struct {
    ushort4 left, own, right;
} row_of_four;

row_of_four load_row(__global const uchar *first)
{
    const uchar4 own = *(__global const uchar4 *)first;
    row_of_four row;
    row.left = convert_ushort4((uchar4)(first[-1], own.s012));
    row.own = convert_ushort4(own);
    row.right = convert_ushort4((uchar4)(own.s123, first[4]));
    return row;
}

ushort4 mean2(ushort4 a, ushort4 b)
{
    return rhadd(a, b); // rounded half up
}

ushort4 mean4(ushort4 a, ushort4 b, ushort4 c, ushort4 d)
{
    return (a + b + c + d + (ushort)2) >> (ushort)2;
}

// Four pixels as red, green, blue, red, ...: 12 bytes, stored as three words.
void store_four(ushort4 red, ushort4 green, ushort4 blue, __global uchar *out)
{
    const uchar4 r = convert_uchar4(red), g = convert_uchar4(green), b = convert_uchar4(blue);
    const uchar16 pixels = (uchar16)(r.s0, g.s0, b.s0, r.s1, g.s1, b.s1, r.s2, g.s2, b.s2, r.s3, g.s3, b.s3, (uchar4)0);
    vstore3(as_uint4(pixels).s012, 0, (__global uint *)out);
}

// Of even places, the first one's component, of odd ones, the second one's.
ushort4 alternating(ushort4 even, ushort4 odd)
{
    return (ushort4)(even.s0, odd.s1, even.s2, odd.s3);
}

// A row of red and green pixels.
void store_red_row(row_of_four above, row_of_four row, row_of_four below, __global uchar *out)
{
    store_four(alternating(row.own, mean2(row.left, row.right)),
               alternating(mean4(above.own, row.left, row.right, below.own), row.own),
               alternating(mean4(above.left, above.right, below.left, below.right), mean2(above.own, below.own)), out);
}

// A row of green and blue pixels.
void store_blue_row(row_of_four above, row_of_four row, row_of_four below, __global uchar *out)
{
    store_four(alternating(mean2(above.own, below.own), mean4(above.left, above.right, below.left, below.right)),
               alternating(row.own, mean4(above.own, row.left, row.right, below.own)),
               alternating(mean2(row.left, row.right), row.own), out);
}
#endif

#if LOCAL_MEMORY != 0
#include "common/fill_tile.clh"

#if QUADS == 1
#define OWN_SIDE 2 // pixels along a row, and down the rows
#else
#define OWN_SIDE 1 // pixels along a row, and down the rows
#endif

__kernel void demosaic(__global const uchar *restrict source, int source_origin, int source_pitch,
                       __global uchar *restrict destination, int destination_pitch, int width, int height,
                       __local uchar *tile)
{
    const int group_width = get_local_size(ALONG_ROW) * OWN_SIDE;
    const int group_height = get_local_size(DOWN_ROWS) * OWN_SIDE;
    const int group_x = get_group_id(ALONG_ROW) * group_width;
    const int group_y = get_group_id(DOWN_ROWS) * group_height;
    const int own_x = get_local_id(ALONG_ROW) * OWN_SIDE;
    const int own_y = get_local_id(DOWN_ROWS) * OWN_SIDE;
    // The group's pixels and a halo of one pixel on each side.
    const int tile_pitch = group_width + 2;
    fill_tile(source + source_origin, source_pitch, tile, tile_pitch, group_width + 2, group_height + 2,
              group_x - 1, group_y - 1, width, height);
    const int x = group_x + own_x;
    const int y = group_y + own_y;
    if (x >= width || y >= height)
        return;

    __local const uchar *center = tile + (own_y + 1) * tile_pitch + own_x + 1;
    __global uchar *out = destination + y * destination_pitch + 3 * x;
#if QUADS == 0
    demosaic_pixel(center, -1, 1, -tile_pitch, tile_pitch, x, y, out);
#else
    const int4 columns = (int4)(-1, 0, 1, 2);
    store_quad(load_row(center - tile_pitch, columns), load_row(center, columns), load_row(center + tile_pitch, columns),
               load_row(center + 2 * tile_pitch, columns), out, destination_pitch, y + 1 < height);
#endif
}
#elif QUADS == 0
__kernel void demosaic(__global const uchar *restrict source, int source_origin, int source_pitch,
                       __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x, y: the pixel that this work-item owns

    __global const uchar *center = source + source_origin + y * source_pitch + x;
    // Distances to the neighbors in bytes.
#if PADDED == 1
    const int left = -1, right = 1;
    const int up = -source_pitch, down = source_pitch;
#else
    const int left = inside(x - 1, width) - x, right = inside(x + 1, width) - x;
    const int up = (inside(y - 1, height) - y) * source_pitch, down = (inside(y + 1, height) - y) * source_pitch;
#endif
    demosaic_pixel(center, left, right, up, down, x, y, destination + y * destination_pitch + 3 * x);
}
#elif PIXELS_PER_ITEM == 1
__kernel void demosaic(__global const uchar *restrict source, int source_origin, int source_pitch,
                       __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = 2 * get_global_id(ALONG_ROW);
    const int y = 2 * get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global uchar *out = destination + y * destination_pitch + 3 * x;
#if PADDED == 1
    __global const uchar *row = source + source_origin + y * source_pitch + x;
    const int4 columns = (int4)(-1, 0, 1, 2);
    const int4 rows = (int4)(-1, 0, 1, 2) * source_pitch;
#else
    // In an image of odd width or height, the last quad reaches one pixel past the edge, and its neighbors two.
    __global const uchar *row = source + source_origin;
    const int4 columns = (int4)(inside(x - 1, width), x, inside(x + 1, width), inside(x + 2, width));
    const int4 rows = (int4)(inside(y - 1, height), y, inside(y + 1, height), inside(y + 2, height)) * source_pitch;
#endif
    store_quad(load_row(row + rows.s0, columns), load_row(row + rows.s1, columns), load_row(row + rows.s2, columns),
               load_row(row + rows.s3, columns), out, destination_pitch, y + 1 < height);
}
#else
__kernel void demosaic(__global const uchar *restrict source, int source_origin, int source_pitch,
                       __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int x = 4 * get_global_id(ALONG_ROW);
    const int y = 2 * get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;

    __global const uchar *own = source + source_origin + y * source_pitch + x;
    __global uchar *out = destination + y * destination_pitch + 3 * x;
    const row_of_four above = load_row(own - source_pitch);
    const row_of_four first = load_row(own);
    const row_of_four second = load_row(own + source_pitch);
    const row_of_four below = load_row(own + 2 * source_pitch);
    store_red_row(above, first, second, out);
    if (y + 1 < height)
        store_blue_row(first, second, below, out + destination_pitch);
}
#endif
