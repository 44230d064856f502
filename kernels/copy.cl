// Copy: output = source, byte by byte. Nothing is computed, so the time is the memory's: it shows what the
// width of a load and a store costs, and which bytes neighboring work-items touch. No kernel that reads and
// writes as many bytes can be faster on the same device.

#ifndef CHANNELS
#define CHANNELS 3 // Bytes of a pixel: 3 are red, green and blue, 1 is gray
#endif
#ifndef COALESCED
#define COALESCED 0 // 1: dimension 0 of the NDRange walks along a row
#endif
#ifndef PADDED
#define PADDED 0 // 1: rows begin at multiples of 128 bytes
#endif
#ifndef ROWS_PER_ITEM
#define ROWS_PER_ITEM 1 // Rows that a work-item owns, one below the other
#endif
#ifndef IMAGE
#define IMAGE 0 // 1: the source is an image object, one pixel a texel; 2: four gray pixels a texel
#endif
#ifndef ACCESS
#define ACCESS 0 // What a load takes: 0 uchar, 1 uchar4, 2 uchar8, 3 uchar16, 4 int4
#endif

#if IMAGE == 0
// Units   Pitches and source_origin count bytes; width and height count pixels. Byte b of row y is
//         source[source_origin + y * source_pitch + b], and destination[y * destination_pitch + b].
#elif IMAGE == 1
// Units   destination_pitch counts bytes; width and height count pixels, and so do texels. Pixel (x, y) is
//         texel (x, y), and begins at destination[y * destination_pitch + x * CHANNELS].
#else
// Units   destination_pitch counts bytes; width and height count pixels. Texel (x, y) holds the pixels 4 * x
//         to 4 * x + 3 of row y, and pixel (x, y) is written to destination[y * destination_pitch + x].
#endif
#if ACCESS != 0
// Layout  Pointers are to whole vectors, so these must be aligned: rows begin at multiples of 128 bytes, in
//         the source and in the destination, and all vectors divide 128.
// Reads   A row is taken as bytes, whatever its pixels are, and cut into pieces of one vector. The last
// Writes  piece may run past the row's pixels, but not past its pitch, for that is a multiple of 128.
#elif IMAGE == 2
// Writes  Four pixels at a time. The last four of a row may run past its end: destination_pitch has room.
#endif
#if ROWS_PER_ITEM == 1
//         The NDRange is rounded up to the local size; work-items beyond the picture do nothing.
#else
//         A work-item owns its place in ROWS_PER_ITEM rows. The NDRange is rounded up to the local size, and
//         ROWS_PER_ITEM need not divide the height: nothing below the picture is read or written, and
//         work-items beyond it do nothing.
#endif

#if ACCESS == 0
typedef uchar piece;
#elif ACCESS == 1
typedef uchar4 piece;
#elif ACCESS == 2
typedef uchar8 piece;
#elif ACCESS == 3
typedef uchar16 piece;
#else
typedef int4 piece; // 16 bytes like uchar16, but in four lanes of 32 bits
#endif

#if IMAGE != 0
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
#endif

#if IMAGE == 0
__kernel void copy(__global const piece *restrict source, int source_origin, int source_pitch,
                   __global piece *restrict destination, int destination_pitch, int width, int height)
{
#if COALESCED == 1
    // Dimension 0 walks along a row: work-items that run together touch neighboring pieces.
    const int along_row = 0;
    const int down_rows = 1;
#else
    // Dimension 0 counts rows: work-items that run together are a whole row apart.
    const int along_row = 1;
    const int down_rows = 0;
#endif
    const int piece_bytes = sizeof(piece);
    const int column = get_global_id(along_row);
#if ROWS_PER_ITEM == 1
    const int y = get_global_id(down_rows);
    if (column * piece_bytes >= width * CHANNELS || y >= height)
        return;

    // Counted in pieces, as the pointers count.
    const int from = (source_origin + y * source_pitch) / piece_bytes;
    const int to = y * destination_pitch / piece_bytes;
    destination[to + column] = source[from + column];
#else
    const int first = get_global_id(down_rows) * ROWS_PER_ITEM;
    if (column * piece_bytes >= width * CHANNELS)
        return;

    const int end = min(first + ROWS_PER_ITEM, height);
    for (int y = first; y < end; ++y) {
        // Counted in pieces, as the pointers count.
        const int from = (source_origin + y * source_pitch) / piece_bytes;
        const int to = y * destination_pitch / piece_bytes;
        destination[to + column] = source[from + column];
    }
#endif
}
#else
__kernel void copy(__read_only image2d_t source,
                   __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#if COALESCED == 1
    // Dimension 0 walks along a row: work-items that run together touch neighboring texels.
    const int along_row = 0;
    const int down_rows = 1;
#else
    // Dimension 0 counts rows: work-items that run together read one below the other.
    const int along_row = 1;
    const int down_rows = 0;
#endif
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    const int x = get_global_id(along_row);
#if IMAGE == 1
    const int texels = width;
#else
    const int texels = (width + 3) / 4;
#endif
#if ROWS_PER_ITEM == 1
    const int y = get_global_id(down_rows);
    if (x >= texels || y >= height)
        return;

    store_texel(read_imageui(source, nearest, (int2)(x, y)), x, destination + y * destination_pitch);
#else
    const int first = get_global_id(down_rows) * ROWS_PER_ITEM;
    if (x >= texels)
        return;

    const int end = min(first + ROWS_PER_ITEM, height);
    for (int y = first; y < end; ++y)
        store_texel(read_imageui(source, nearest, (int2)(x, y)), x, destination + y * destination_pitch);
#endif
}
#endif
