// Laplace sharpen, each channel on its own:
//
//     output = saturate(9 * center - its 8 neighbors) = saturate(10 * center - the sum of all 9)
//
// The sum of all 9 is the sum of three row sums, and a row sum serves the rows above and below as well.

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
#define PADDED 0 // 1: the source has a halo of one pixel, and slack on the right and below
#endif
#ifndef PIXELS_PER_ITEM
#define PIXELS_PER_ITEM 1 // Pixels along a row that a work-item owns
#endif
#ifndef MERGED_LOADS
#define MERGED_LOADS 0 // 1: two loads a row instead of three
#endif
#ifndef SHORT16
#define SHORT16 0 // 1: sums of 16 bits instead of 32
#endif
#ifndef BRANCHLESS
#define BRANCHLESS 0 // 1: select and clamp instead of branches
#endif
#ifndef LOCAL_MEMORY
#define LOCAL_MEMORY 0 // 1: a tile in local memory; 2: its rows one byte further apart
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
// Border  Copy: where the mask does not fit (the outermost rows and columns) the output is the source.
#elif PADDED == 1
// Border  The host has put what lies beyond the edges into the halo.
#elif BORDER == 1 && IMAGE == 1
// Border  Replicate: beyond an edge, the edge pixel goes on. The sampler does that.
#elif BORDER == 1
// Border  Replicate: beyond an edge, the edge pixel goes on.
#else
// Border  Reflect101: beyond an edge, the picture goes on mirrored, without repeating the edge pixel.
#endif
#if PIXELS_PER_ITEM == 1 && ROWS_PER_ITEM == 1
// Writes  A work-item owns one pixel.
#elif PIXELS_PER_ITEM == 1
// Writes  A work-item owns ROWS_PER_ITEM pixels, one below the other.
#elif ROWS_PER_ITEM == 1
// Writes  A work-item owns a block of PIXELS_PER_ITEM pixels in a row and writes it whole. The last block
//         of a row may run past the row's end: destination_pitch has room for it.
#else
// Writes  A work-item owns a block of PIXELS_PER_ITEM pixels in each of ROWS_PER_ITEM rows and writes a
//         row of it whole. The last block of a row may run past the row's end: destination_pitch has
//         room for it.
#endif
#if ROWS_PER_ITEM == 1
//         The NDRange is rounded up to the local size; work-items beyond the picture write nothing.
#else
//         The NDRange is rounded up to the local size, and ROWS_PER_ITEM need not divide the height:
//         nothing is written below the picture, and work-items beyond it write nothing at all.
#endif
#if LOCAL_MEMORY != 0 && PADDED == 0
// Reads   The work-group copies its pixels and one more on each side into a tile. What lies beyond an
//         edge is made up on the way, so every index into the source stays inside the picture.
#elif LOCAL_MEMORY != 0
// Reads   The work-group copies its pixels and one more on each side into a tile. The source has a halo
//         of one pixel, filled by the host; indices beyond the halo are clamped to it.
#elif IMAGE == 1
// Reads   A work-item reads its own pixels and one more on each side. No coordinate can be wrong: beyond the
//         image, the sampler gives the nearest texel.
#elif PADDED == 0
// Reads   A work-item reads its own pixels and one more on each side. There is nothing around the picture
//         in the source, so no index may leave 0 .. width - 1 and 0 .. height - 1.
#elif PIXELS_PER_ITEM == 1
// Reads   A work-item reads its own pixels and one more on each side. The source has a halo of one pixel,
//         filled by the host, so these are there for every pixel of the picture.
#elif ROWS_PER_ITEM == 1
// Reads   A work-item reads its own pixels and one more on each side. The source has a halo of one pixel,
//         filled by the host, so these are there for every pixel of the picture. The last load of a row
//         ends at most one block of vectors behind the row's last pixel: source_pitch has that slack.
#else
// Reads   A work-item reads its own pixels and one more on each side. The source has a halo of one pixel,
//         filled by the host, so these are there for every pixel of the picture. The last load of a row
//         ends at most one block of vectors behind the row's last pixel: source_pitch has that slack. The
//         last blocks end at most ROWS_PER_ITEM - 1 rows below the picture: so many follow the halo.
#endif

#if LOCAL_MEMORY != 0
typedef __local const uchar *source_bytes; // neighbors are read from the tile
#elif IMAGE == 0
typedef __global const uchar *source_bytes;
#endif

#if IMAGE == 0
#include "border.clh"
#endif

#if IMAGE == 1
#include "laplace_image.clh"
#elif PIXELS_PER_ITEM == 1
#include "laplace_scalar.clh"
#else
#include "laplace_vector.clh"
#endif

#if IMAGE == 1
__kernel void laplace(__read_only image2d_t source,
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

    sharpen_own_pixels(source, destination, destination_pitch, x, y, width, height);
}
#elif LOCAL_MEMORY == 0
__kernel void laplace(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#if COALESCED == 1
    // Dimension 0 walks along a row: work-items that run together touch neighboring bytes.
    const int along_row = 0;
    const int down_rows = 1;
#else
    // Dimension 0 counts rows: work-items that run together are a whole row apart.
    const int along_row = 1;
    const int down_rows = 0;
#endif
#if PIXELS_PER_ITEM == 1
    const int x = get_global_id(along_row);
#else
    const int x = get_global_id(along_row) * PIXELS_PER_ITEM;
#endif
#if ROWS_PER_ITEM == 1
    const int y = get_global_id(down_rows);
#else
    const int y = get_global_id(down_rows) * ROWS_PER_ITEM;
#endif
    sharpen_own_pixels(source + source_origin + y * source_pitch + x * CHANNELS, source_pitch,
                       destination, destination_pitch, x, y, width, height);
}
#else
__kernel void laplace(__global const uchar *restrict source, int source_origin, int source_pitch,
                      __global uchar *restrict destination, int destination_pitch, int width, int height,
                      __local uchar *tile)
{
#if COALESCED == 1
    // Dimension 0 walks along a row: work-items that run together touch neighboring bytes.
    const int along_row = 0;
    const int down_rows = 1;
#else
    // Dimension 0 counts rows: work-items that run together are a whole row apart.
    const int along_row = 1;
    const int down_rows = 0;
#endif
    const int columns = get_local_size(along_row);
    const int lines = get_local_size(down_rows);
    const int column = get_local_id(along_row);
    const int line = get_local_id(down_rows);

    // The group owns group_width x group_height pixels from (group_x, group_y) on, and this work-item
    // those of them from (own_x, own_y) on.
#if PIXELS_PER_ITEM == 1
    const int group_width = columns;
    const int own_x = column;
#else
    const int group_width = columns * PIXELS_PER_ITEM;
    const int own_x = column * PIXELS_PER_ITEM;
#endif
#if ROWS_PER_ITEM == 1
    const int group_height = lines;
    const int own_y = line;
#else
    const int group_height = lines * ROWS_PER_ITEM;
    const int own_y = line * ROWS_PER_ITEM;
#endif
    const int group_x = get_group_id(along_row) * group_width;
    const int group_y = get_group_id(down_rows) * group_height;

    // The tile has the group's pixels and one more on each side.
    const int tile_rows = group_height + 2;
#if PIXELS_PER_ITEM * CHANNELS == 12 || PIXELS_PER_ITEM * CHANNELS == 15
    // Loads are 16 bytes long, and the last work-item's begin at its right neighbor.
    const int tile_row_bytes = (group_width + 2) * CHANNELS + 16 - PIXELS_PER_ITEM * CHANNELS;
#else
    const int tile_row_bytes = (group_width + 2) * CHANNELS;
#endif
#if LOCAL_MEMORY == 1
    const int tile_pitch = tile_row_bytes;
#else
    const int tile_pitch = tile_row_bytes + 1; // a column does not fall into one memory bank
#endif

    // All work-items fill the tile together, also those that own nothing of the picture.
    for (int row = line; row < tile_rows; row += lines) {
#if PADDED == 1
        const int source_y = min(group_y - 1 + row, height);
        __global const uchar *source_row = source + source_origin + source_y * source_pitch;
        const int last_byte = (width + 1) * CHANNELS - 1;
        for (int byte = column; byte < tile_row_bytes; byte += columns)
            tile[row * tile_pitch + byte] = source_row[min((group_x - 1) * CHANNELS + byte, last_byte)];
#else
        const int source_y = inside(min(group_y - 1 + row, height), height);
        __global const uchar *source_row = source + source_origin + source_y * source_pitch;
        for (int pixel = column; pixel < group_width + 2; pixel += columns) {
            const int source_x = inside(min(group_x - 1 + pixel, width), width);
            __global const uchar *from = source_row + source_x * CHANNELS;
            __local uchar *to = tile + row * tile_pitch + pixel * CHANNELS;
            for (int channel = 0; channel < CHANNELS; ++channel)
                to[channel] = from[channel];
        }
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE); // every work-item comes here: those beyond the picture return later

    sharpen_own_pixels(tile + (own_y + 1) * tile_pitch + (own_x + 1) * CHANNELS, tile_pitch,
                       destination, destination_pitch, group_x + own_x, group_y + own_y, width, height);
}
#endif
