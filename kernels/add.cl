// Add: output = saturate(source + amount), byte by byte; amount lies in -255 .. 255. One addition for each
// byte that is read and written: the arithmetic is free, and what can be gained is in the loads and stores.

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
#ifndef FLOAT
#define FLOAT 0 // 1: adds in float
#endif
#ifndef ACCESS
#define ACCESS 0 // What a load takes: 0 uchar, 1 uchar4, 2 uchar8, 3 uchar16, 4 int4
#endif

// Units   Pitches and source_origin count bytes; width and height count pixels. Byte b of row y is
//         source[source_origin + y * source_pitch + b], and destination[y * destination_pitch + b].
#if ACCESS != 0
// Layout  Pointers are to whole vectors, so these must be aligned: rows begin at multiples of 128 bytes, in
//         the source and in the destination, and all vectors divide 128.
// Reads   A row is taken as bytes, whatever its pixels are, and cut into pieces of one vector. The last
// Writes  piece may run past the row's pixels, but not past its pitch, for that is a multiple of 128.
#endif
#if FLOAT == 1
// Exact   A float holds every integer up to 2^24, so sums of -255 .. 510 lose nothing.
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
#define saturate convert_uchar_sat
#elif ACCESS == 1
typedef uchar4 piece;
#define saturate convert_uchar4_sat
#elif ACCESS == 2
typedef uchar8 piece;
#define saturate convert_uchar8_sat
#elif ACCESS == 3
typedef uchar16 piece;
#define saturate convert_uchar16_sat
#else
typedef int4 piece; // 16 bytes, four in each lane of 32 bits
#define saturate convert_uchar16_sat
#endif

#if FLOAT == 0
typedef int number;
#if ACCESS == 0
#define widen convert_int
#elif ACCESS == 1
#define widen convert_int4
#elif ACCESS == 2
#define widen convert_int8
#else
#define widen convert_int16
#endif
#else
typedef float number;
#if ACCESS == 0
#define widen convert_float
#elif ACCESS == 1
#define widen convert_float4
#elif ACCESS == 2
#define widen convert_float8
#else
#define widen convert_float16
#endif
#endif

#if ACCESS == 4
piece add_to_each_byte(piece bytes, number amount)
{
    return as_int4(saturate(widen(as_uchar16(bytes)) + amount)); // unpacked, added, packed again
}
#else
piece add_to_each_byte(piece bytes, number amount)
{
    return saturate(widen(bytes) + amount);
}
#endif

__kernel void add(__global const piece *restrict source, int source_origin, int source_pitch,
                  __global piece *restrict destination, int destination_pitch, int width, int height,
                  int amount)
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
    destination[to + column] = add_to_each_byte(source[from + column], amount);
#else
    const int first = get_global_id(down_rows) * ROWS_PER_ITEM;
    if (column * piece_bytes >= width * CHANNELS)
        return;

    const int end = min(first + ROWS_PER_ITEM, height);
    for (int y = first; y < end; ++y) {
        // Counted in pieces, as the pointers count.
        const int from = (source_origin + y * source_pitch) / piece_bytes;
        const int to = y * destination_pitch / piece_bytes;
        destination[to + column] = add_to_each_byte(source[from + column], amount);
    }
#endif
}
