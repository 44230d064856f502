// Copy: output = source, byte by byte. Nothing is computed: it shows what the width of a load and a store
// costs, and which bytes neighboring work-items touch. With narrow loads, instructions take the time. With the
// widest ones memory does, and kernels that read and write as many bytes of memory are hardly faster.

#include "common/stages.clh"

#if IMAGE == 0
#include "common/pieces.clh"
#else
#if IMAGE == 1
// Units   destination_pitch counts bytes; width and height count pixels, and so do texels. Pixel (x, y) is
//         texel (x, y), and begins at destination[y * destination_pitch + x * CHANNELS].
#else
// Units   destination_pitch counts bytes; width and height count pixels. Texel (x, y) holds the pixels 4 * x
//         to 4 * x + 3 of row y, and pixel (x, y) is written to destination[y * destination_pitch + x].
// Writes  Four pixels at a time. The last four of a row may run past its end: destination_pitch has room for them.
#endif
#if ROWS_PER_ITEM > 1
//         A work-item owns its position in each of ROWS_PER_ITEM rows inside the image.
#endif
//         The NDRange is rounded up to the local size: work-items outside the image do nothing.
#endif

#include "common/mapping.clh"

#include "common/row_offset.clh"

#if TAIL != 0 || UNALIGNED != 0
#include "any_address.clh"
#elif IMAGE == 0
#include "common/group_size.clh"
__kernel void copy(__global const piece *restrict source, int source_origin, int source_pitch,
                   __global piece *restrict destination, int destination_pitch, int width, int height)
{
    const int piece_bytes = sizeof(piece);
#if INDEX == 1
    // As wide as addresses, where half as wide would do.
    const size_t column = get_global_id(ALONG_ROW);
#else
    const int column = get_global_id(ALONG_ROW);
#endif
#if ROWS_PER_ITEM > 1
    const int y = get_global_id(DOWN_ROWS) * ROWS_PER_ITEM;
#else
    const int y = get_global_id(DOWN_ROWS);
#endif
    if (column * piece_bytes >= width * CHANNELS || y >= height)
        return;

    // In pieces, the unit of the pointers.
#if INDEX == 1
    const size_t from = (source_origin + row_offset(y, source_pitch)) / piece_bytes + column;
    const size_t to = row_offset(y, destination_pitch) / piece_bytes + column;
#else
    const int from = (source_origin + row_offset(y, source_pitch)) / piece_bytes + column;
    const int to = row_offset(y, destination_pitch) / piece_bytes + column;
#endif

#if ROWS_PER_ITEM == 1
    destination[to] = source[from];
#else
    const int rows = min(ROWS_PER_ITEM, height - y);
    for (int row = 0; row < rows; ++row)
        destination[to + row_offset(row, destination_pitch) / piece_bytes] =
            source[from + row_offset(row, source_pitch) / piece_bytes];
#endif
}
#else
// Coordinates count texels, coordinates past an edge read the edge texel, and nothing is interpolated.
__constant sampler_t nearest_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// The pixels of a texel; `x` counts texels.
void store_texel(uint4 texel, int x, __global uchar *row)
{
#if IMAGE == 2
    vstore4(convert_uchar4(texel), x, row);
#elif CHANNELS == 3
    vstore3(convert_uchar3(texel.xyz), x, row);
#else
    row[x] = texel.x;
#endif
}

__kernel void copy(__read_only image2d_t source,
                   __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_place.clh" // x counts texels

#if IMAGE == 2
    if (4 * x >= width)
        return;
#endif
#if ROWS_PER_ITEM == 1
    store_texel(read_imageui(source, nearest_texel, (int2)(x, y)), x, destination + row_offset(y, destination_pitch));
#else
    const int end = min(y + ROWS_PER_ITEM, height);
    for (int row = y; row < end; ++row)
        store_texel(read_imageui(source, nearest_texel, (int2)(x, row)), x,
                    destination + row_offset(row, destination_pitch));
#endif
}
#endif
