// Box blur, each channel on its own: the average of a block of pixels, rounded half up:
//
//     output = (sum of the block + area / 2) / area      area = (2 * radius) * (2 * radius)
//
// The block of pixel (x, y) extends from radius - 1 pixels before it to radius pixels after it in both directions. With a
// radius of 4 it has 8 x 8 pixels, and the division is (sum + 32) >> 6.

#ifndef RADIUS
#define RADIUS 4 // Pixels that the block reaches to the right and down, 1 to 16
#endif
#include "common/stages.clh"

#if SEPARABLE == 1
// Passes  The first sums 2 * radius pixels of a row, the second 2 * radius of these sums down a column. A sum is at
//         most 2 * 16 * 255 = 8160 and kept in 16 bits, so nothing is rounded before the end. Row 0 of `partial` stands for
//         row 1 - radius of the image, and there are height + 2 * radius - 1 of them: rows beyond the upper and lower
//         edges are summed like any other, so the second pass needs no border handling.
#elif TWO_STEPS == 1
// Passes  The first sums squares of 2 x 2 pixels, the second radius x radius of these, two pixels apart. A square is at
//         most 4 * 255 = 1020 and kept in 16 bits, so nothing is rounded before the end. Square (0, 0) of `partial` begins
//         at pixel (1 - radius, 1 - radius), and there are width + 2 * radius - 2 in a row and height + 2 * radius - 2
//         rows, including squares beyond the edges, so the second pass needs no border handling.
#endif
#include "common/contract.clh"
#if BORDER == 0 && (TWO_STEPS == 1 || SEPARABLE == 1 || PIXELS_PER_ITEM > 1 || ACCESS != 0)
// Edges   The passes treat the edge like replicate; a separate kernel restores the source there at the end.
#endif

#include "common/mapping.clh"

#if IMAGE == 1
#include "common/texel.clh"
#elif ACCESS == 0
#include "common/source_bytes.clh"
#endif

#if IMAGE == 0 && PADDED == 0 && (BORDER != 0 || LOCAL_MEMORY != 0 || TWO_STEPS == 1 || SEPARABLE == 1)
#include "common/inside.clh"
#endif

#if ACCESS == 0
#include "pixels.clh"
#endif

#if ACCESS != 0
#include "words.clh"
#elif SEPARABLE == 1 || TWO_STEPS == 1
#include "passes.clh"
#else
#if BORDER == 0 && PIXELS_PER_ITEM == 1
// Whether the block does not fit around pixel (x, y).
bool is_edge(int x, int y, int width, int height, int radius)
{
    return x < radius - 1 || y < radius - 1 || x >= width - radius || y >= height - radius;
}
#endif

#if IMAGE == 1
sums sum_of_block(__read_only image2d_t source, int x, int y, int radius)
{
    sums sum = 0;
    for (int dy = 1 - radius; dy <= radius; ++dy) {
#include "common/unroll.clh"
        for (int dx = 1 - radius; dx <= radius; ++dx)
            sum += pixel_at(source, x + dx, y + dy);
    }
    return sum;
}

#if SPECIALIZED == 0
__kernel void box(__read_only image2d_t source,
                  __global uchar *restrict destination, int destination_pitch,
                  int radius, int width, int height)
#else
__kernel void box(__read_only image2d_t source,
                  __global uchar *restrict destination, int destination_pitch,
                  int width, int height)
#endif
{
#include "common/radius.clh"
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if BORDER == 0
    if (is_edge(x, y, width, height, radius)) {
        store_pixels(pixel_at(source, x, y), out);
        return;
    }
#endif
    store_pixels(average(sum_of_block(source, x, y, radius), radius), out);
}
#elif LOCAL_MEMORY == 0 && PADDED == 0 && BORDER != 0
// The block of pixel (x, y); `first` is the first byte of the image.
sums sum_of_block(source_bytes first, int pitch, int x, int y, int width, int height, int radius)
{
    sums sum = 0;
    for (int dy = 1 - radius; dy <= radius; ++dy) {
        source_bytes row = first + inside(y + dy, height) * pitch;
#include "common/unroll.clh"
        for (int dx = 1 - radius; dx <= radius; ++dx)
            sum += load_pixels(row + inside(x + dx, width) * CHANNELS);
    }
    return sum;
}
#else
// The block of the pixel that begins at `center`. All of it lies inside the buffer.
sums sum_of_block(source_bytes center, int pitch, int radius)
{
    sums sum = 0;
    for (int dy = 1 - radius; dy <= radius; ++dy) {
#include "common/unroll.clh"
        for (int dx = 1 - radius; dx <= radius; ++dx)
            sum += load_pixels(center + dy * pitch + dx * CHANNELS);
    }
    return sum;
}
#endif

#if IMAGE == 0 && LOCAL_MEMORY == 0
#if SPECIALIZED == 0
__kernel void box(__global const uchar *restrict source, int source_origin, int source_pitch,
                  __global uchar *restrict destination, int destination_pitch,
                  int radius, int width, int height)
#else
__kernel void box(__global const uchar *restrict source, int source_origin, int source_pitch,
                  __global uchar *restrict destination, int destination_pitch,
                  int width, int height)
#endif
{
#include "common/radius.clh"
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if PADDED == 1 || BORDER == 0
    source_bytes center = source + source_origin + y * source_pitch + x * CHANNELS;
#endif
#if BORDER == 0 && PIXELS_PER_ITEM == 1
    if (is_edge(x, y, width, height, radius)) {
        store_pixels(load_pixels(center), out);
        return;
    }
#endif
#if PADDED == 1 || BORDER == 0
    const sums sum = sum_of_block(center, source_pitch, radius);
#else
    const sums sum = sum_of_block(source + source_origin, source_pitch, x, y, width, height, radius);
#endif
    store_pixels(average(sum, radius), out);
}
#endif

#if LOCAL_MEMORY != 0
#include "common/fill_tile.clh"

#if SPECIALIZED == 0
__kernel void box(__global const uchar *restrict source, int source_origin, int source_pitch,
                  __global uchar *restrict destination, int destination_pitch,
                  int radius, int width, int height, __local uchar *tile)
#else
__kernel void box(__global const uchar *restrict source, int source_origin, int source_pitch,
                  __global uchar *restrict destination, int destination_pitch,
                  int width, int height, __local uchar *tile)
#endif
{
#include "common/radius.clh"
#include "common/own_place.clh" // x, y: the first pixel that this work-item owns

    // The tile holds the group's pixels and a halo: radius - 1 pixels before and radius after them.
    const int tile_width = group_width + 2 * radius - 1;
    const int tile_height = group_height + 2 * radius - 1;
#if LOCAL_MEMORY == 1
    const int tile_pitch = tile_width * CHANNELS;
#else
    // An odd number of 4-byte words: 32 rows begin in 32 banks.
    const int tile_pitch = ((tile_width * CHANNELS + 3) / 4 | 1) * 4;
#endif
    fill_tile(source + source_origin, source_pitch, tile, tile_pitch, tile_width, tile_height,
              group_x + 1 - radius, group_y + 1 - radius, width, height);
    if (x >= width || y >= height)
        return;

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    source_bytes center = tile + (own_y + radius - 1) * tile_pitch + (own_x + radius - 1) * CHANNELS;
#if BORDER == 0
    if (is_edge(x, y, width, height, radius)) {
        store_pixels(load_pixels(center), out);
        return;
    }
#endif
    store_pixels(average(sum_of_block(center, tile_pitch, radius), radius), out);
}
#endif
#endif

#if BORDER == 0 && (TWO_STEPS == 1 || SEPARABLE == 1 || PIXELS_PER_ITEM > 1 || ACCESS != 0)
// Row number `line` of the rows, or column number `line` of the columns, on which the block does not fit: radius - 1 at the
// start and `radius` at the end of `length`; the result is beyond `length` if the two overlap.
int edge_line(int line, int length, int radius)
{
    if (line < radius - 1)
        return line;
    return max(length - radius, radius - 1) + line - (radius - 1);
}

#if IMAGE == 0
// Restores the source where the block does not fit. The NDRange is the longer side by 2 * (2 * radius - 1): whole rows first,
// then the ends of the other rows. No pixel is written twice.
#if SPECIALIZED == 0
__kernel void keep_edges(__global const uchar *restrict source, int source_origin, int source_pitch,
                         __global uchar *restrict destination, int destination_pitch,
                         int radius, int width, int height)
#else
__kernel void keep_edges(__global const uchar *restrict source, int source_origin, int source_pitch,
                         __global uchar *restrict destination, int destination_pitch,
                         int width, int height)
#endif
{
#include "common/radius.clh"
    const int along = get_global_id(0);
    const int line = get_global_id(1);
    const int lines = 2 * radius - 1;
    int x = along;
    int y = edge_line(line, height, radius);
    int end = height;
    if (line >= lines) {
        x = edge_line(line - lines, width, radius);
        y = radius - 1 + along;
        end = height - radius;
    }
    if (x >= width || y >= end || line >= 2 * lines)
        return;
    __global const uchar *from = source + source_origin + y * source_pitch + x * CHANNELS;
    __global uchar *to = destination + y * destination_pitch + x * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel)
        to[channel] = from[channel];
}
#else
// Restores the source where the block does not fit. The NDRange is the longer side by 2 * (2 * radius - 1): whole rows first,
// then the ends of the other rows. No pixel is written twice.
#if SPECIALIZED == 0
__kernel void keep_edges(__read_only image2d_t source,
                         __global uchar *restrict destination, int destination_pitch,
                         int radius, int width, int height)
#else
__kernel void keep_edges(__read_only image2d_t source,
                         __global uchar *restrict destination, int destination_pitch,
                         int width, int height)
#endif
{
#include "common/radius.clh"
    const int along = get_global_id(0);
    const int line = get_global_id(1);
    const int lines = 2 * radius - 1;
    int x = along;
    int y = edge_line(line, height, radius);
    int end = height;
    if (line >= lines) {
        x = edge_line(line - lines, width, radius);
        y = radius - 1 + along;
        end = height - radius;
    }
    if (x >= width || y >= end || line >= 2 * lines)
        return;
    store_pixels(pixel_at(source, x, y), destination + y * destination_pitch + x * CHANNELS);
}
#endif
#endif
