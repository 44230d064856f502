// Add: output = saturate(source + amount), byte by byte; amount lies in -255 .. 255. One addition for each
// byte that is read and written, and with float two conversions: loads and stores are most of the work.

#include "common/stages.clh"

#if FLOAT == 1
// Exact   A float holds every integer up to 2^24, so sums of -255 .. 510 lose nothing.
#endif
#include "common/pieces.clh"

#if ACCESS == 0
#define saturate convert_uchar_sat
#elif ACCESS == 1
#define saturate convert_uchar4_sat
#elif ACCESS == 2
#define saturate convert_uchar8_sat
#else
#define saturate convert_uchar16_sat
#endif

#if FLOAT == 0
typedef int number;
#else
typedef float number;
#endif
#if FLOAT == 0 && ACCESS == 0
#define widen convert_int
#elif FLOAT == 0 && ACCESS == 1
#define widen convert_int4
#elif FLOAT == 0 && ACCESS == 2
#define widen convert_int8
#elif FLOAT == 0
#define widen convert_int16
#elif ACCESS == 0
#define widen convert_float
#elif ACCESS == 1
#define widen convert_float4
#elif ACCESS == 2
#define widen convert_float8
#else
#define widen convert_float16
#endif

piece add_to_each_byte(piece bytes, number amount)
{
#if ACCESS == 4
    return as_int4(saturate(widen(as_uchar16(bytes)) + amount)); // unpack, add, pack
#else
    return saturate(widen(bytes) + amount);
#endif
}

#include "common/mapping.clh"

#include "common/row_offset.clh"

__kernel void add(__global const piece *restrict source, int source_origin, int source_pitch,
                  __global piece *restrict destination, int destination_pitch, int width, int height,
                  int amount)
{
    const int piece_bytes = sizeof(piece);
    const int column = get_global_id(ALONG_ROW);
#if ROWS_PER_ITEM > 1
    const int y = get_global_id(DOWN_ROWS) * ROWS_PER_ITEM;
#else
    const int y = get_global_id(DOWN_ROWS);
#endif
    if (column * piece_bytes >= width * CHANNELS || y >= height)
        return;

    // In pieces, the unit of the pointers.
    const int from = (source_origin + row_offset(y, source_pitch)) / piece_bytes + column;
    const int to = row_offset(y, destination_pitch) / piece_bytes + column;

#if ROWS_PER_ITEM == 1
    destination[to] = add_to_each_byte(source[from], amount);
#else
    const int rows = min(ROWS_PER_ITEM, height - y);
    for (int row = 0; row < rows; ++row)
        destination[to + row_offset(row, destination_pitch) / piece_bytes] =
            add_to_each_byte(source[from + row_offset(row, source_pitch) / piece_bytes], amount);
#endif
}
