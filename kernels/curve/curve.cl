// Tone curve: every byte is moved toward the root curve, which brightens shadows,
//
//     root = sqrt(255 * byte), rounded to the nearest integer
//     output = ((100 - strength) * byte + strength * root + 50) / 100, rounded down, with strength in 0 .. 100
//
// A byte has only 256 values: whatever a curve costs, it has to be computed no more than 256 times.

#include "common/stages.clh"

#ifndef LUT
#define LUT 0 // A table of outputs 1: in global memory, 2: in constant memory, 3: copied to local memory; 0: computed
#endif

#if LUT == 1
// Table   table[b] is the output of byte b. The entries that work-items of a sub-group need at once may lie in several
//         cache lines: the table has eight of 64 bytes.
#elif LUT == 2
// Table   table[b] is the output of byte b. Constant memory of a GPU answers all work-items of a sub-group at once if they
//         need the same entry, and one entry after the other if they do not: the time depends on the picture.
#elif LUT == 3
// Table   table[b] is the output of byte b. Each work-group copies it to local memory, as bytes: 64 words of four entries.
//         Where local memory has 32 banks, two words share a bank, so at most two accesses wait for each other. The copy
//         costs the same for a small work-group as for a large one.
#elif FLOAT == 1
// Exact   255 * byte is an integer, and the square of a number that ends in .5 ends in .25: they differ by at least 0.25,
//         so the root is at least 0.0004 away from where rounding changes. OpenCL's sqrt is off by at most 3 ulp, which
//         is less than 0.00005.
#endif
#include "common/pieces.clh"

#if LUT == 0
#if ACCESS == 0
typedef int number;
#define widen convert_int
#define to_bytes convert_uchar
#elif ACCESS == 1
typedef int4 number;
#define widen convert_int4
#define to_bytes convert_uchar4
#else
typedef int16 number;
#define widen convert_int16
#define to_bytes convert_uchar16
#endif
#if FLOAT == 1 && ACCESS == 0
#define to_float convert_float
#define to_nearest convert_int_rte
#elif FLOAT == 1 && ACCESS == 1
#define to_float convert_float4
#define to_nearest convert_int4_rte
#elif FLOAT == 1
#define to_float convert_float16
#define to_nearest convert_int16_rte
#endif

// The square root of 255 * value, rounded to the nearest integer.
#if FLOAT == 1
number root_of(number value)
{
    return to_nearest(sqrt(255.0f * to_float(value)));
}
#else
number root_of(number value)
{
    // The largest root for which root - 0.5 does not exceed the exact one. Both are doubled and squared, so that all
    // numbers are integers. The eight bits of the root are found one by one.
    number root = 0;
    for (int bit = 128; bit > 0; bit /= 2) {
        const number larger = root + bit;
        root = (2 * larger - 1) * (2 * larger - 1) <= 4 * 255 * value ? larger : root;
    }
    return root;
}
#endif

piece curve_of(piece bytes, int strength)
{
    const number value = widen(bytes);
    return to_bytes(((100 - strength) * value + strength * root_of(value) + 50) / 100);
}
#else
#if LUT == 1
typedef __global const ushort *entries;
#elif LUT == 2
typedef __constant ushort *entries;
#else
typedef __local const uchar *entries;
#endif

// Vectors hold the bytes, but each one is looked up on its own: there is no vector load from several places.
piece curve_of(piece bytes, entries table)
{
#if ACCESS == 0
    return table[bytes];
#elif ACCESS == 1
    return (uchar4)(table[bytes.x], table[bytes.y], table[bytes.z], table[bytes.w]);
#else
    return (uchar16)(table[bytes.s0], table[bytes.s1], table[bytes.s2], table[bytes.s3],
                     table[bytes.s4], table[bytes.s5], table[bytes.s6], table[bytes.s7],
                     table[bytes.s8], table[bytes.s9], table[bytes.sa], table[bytes.sb],
                     table[bytes.sc], table[bytes.sd], table[bytes.se], table[bytes.sf]);
#endif
}
#endif

#include "common/mapping.clh"

#if LUT == 0
__kernel void curve(__global const piece *restrict source, int source_origin, int source_pitch,
                    __global piece *restrict destination, int destination_pitch, int width, int height,
                    int strength)
#elif LUT == 1
__kernel void curve(__global const piece *restrict source, int source_origin, int source_pitch,
                    __global piece *restrict destination, int destination_pitch, int width, int height,
                    __global const ushort *restrict table)
#elif LUT == 2
__kernel void curve(__global const piece *restrict source, int source_origin, int source_pitch,
                    __global piece *restrict destination, int destination_pitch, int width, int height,
                    __constant ushort *table)
#else
__kernel void curve(__global const piece *restrict source, int source_origin, int source_pitch,
                    __global piece *restrict destination, int destination_pitch, int width, int height,
                    __global const ushort *restrict curve_table, __local uchar *table)
#endif
{
#if LUT == 3
    const int group_items = get_local_size(0) * get_local_size(1);
    for (int index = get_local_id(1) * get_local_size(0) + get_local_id(0); index < 256; index += group_items)
        table[index] = curve_table[index];
    barrier(CLK_LOCAL_MEM_FENCE); // every work-item of the group must reach this: those outside the image return later

#endif
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
    const int from = (source_origin + y * source_pitch) / piece_bytes + column;
    const int to = y * destination_pitch / piece_bytes + column;

#if ROWS_PER_ITEM == 1 && LUT == 0
    destination[to] = curve_of(source[from], strength);
#elif ROWS_PER_ITEM == 1
    destination[to] = curve_of(source[from], table);
#else
    const int rows = min(ROWS_PER_ITEM, height - y);
    for (int row = 0; row < rows; ++row)
        destination[to + row * destination_pitch / piece_bytes] =
#if LUT == 0
            curve_of(source[from + row * source_pitch / piece_bytes], strength);
#else
            curve_of(source[from + row * source_pitch / piece_bytes], table);
#endif
#endif
}
