// Luma: the gray picture of a color picture, 0.299 red + 0.587 green + 0.114 blue (ITU-R BT.601), rounded to
// the nearest byte: a dot product for each pixel.

#ifndef COALESCED
#define COALESCED 0 // 1: dimension 0 of the NDRange walks along a row
#endif
#ifndef PADDED
#define PADDED 0 // 1: rows begin at multiples of 128 bytes and have slack on the right
#endif
#ifndef PIXELS_PER_ITEM
#define PIXELS_PER_ITEM 1 // Pixels along a row that a work-item owns
#endif
#ifndef ROWS_PER_ITEM
#define ROWS_PER_ITEM 1 // Rows that a work-item owns, one below the other
#endif
#ifndef IMAGE
#define IMAGE 0 // 1: the source is an image object, one pixel a texel
#endif
#ifndef FLOAT
#define FLOAT 0 // 1: weights and sums in float; 2: by fused multiply-adds
#endif

#if IMAGE == 0
// Units   Pitches and source_origin count bytes; width and height count pixels. Pixel (x, y) is red, green
//         and blue from source[source_origin + y * source_pitch + 3 * x] on, and becomes
//         destination[y * destination_pitch + x].
#else
// Units   destination_pitch counts bytes; width and height count pixels, and so do texels. Pixel (x, y) is
//         texel (x, y): red, green, blue and a fourth channel of 0. It becomes
//         destination[y * destination_pitch + x].
#endif
#if PIXELS_PER_ITEM == 4
// Reads   Four pixels are 12 bytes, and a load takes 16: source_pitch has slack for the last one of a row.
// Writes  Four bytes at a time. The last four of a row may run past its end: destination_pitch has room.
#endif
#if FLOAT == 0
// Within  1 of the exact result: the weights are rounded to 256ths, 77 + 150 + 29 = 256. The largest error
//         of a weight is 0.0018, of a sum less than 0.5.
#else
// Within  1 of the exact result: a sum that ends in .5 may be rounded to either side.
#endif
#if ROWS_PER_ITEM == 1
//         The NDRange is rounded up to the local size; work-items beyond the picture do nothing.
#else
//         A work-item owns its place in ROWS_PER_ITEM rows. The NDRange is rounded up to the local size, and
//         ROWS_PER_ITEM need not divide the height: nothing below the picture is read or written, and
//         work-items beyond it do nothing.
#endif

#if PIXELS_PER_ITEM == 1
#if FLOAT == 0
typedef int number;
#else
typedef float number;
#endif
typedef uchar bytes;
#define to_bytes convert_uchar_sat
#define round_to_bytes convert_uchar_sat_rte
#else
#if FLOAT == 0
typedef int4 number; // of four pixels
#define widen convert_int4
#else
typedef float4 number; // of four pixels
#define widen convert_float4
#endif
typedef uchar4 bytes;
#define to_bytes convert_uchar4_sat
#define round_to_bytes convert_uchar4_sat_rte
#endif

bytes luma_of(number red, number green, number blue)
{
#if FLOAT == 0
    return to_bytes((77 * red + 150 * green + 29 * blue + 128) >> 8);
#elif FLOAT == 2
    return round_to_bytes(fma(red, (number)0.299f, fma(green, (number)0.587f, blue * 0.114f)));
#elif PIXELS_PER_ITEM == 1
    return round_to_bytes(dot((float4)(red, green, blue, 0.0f), (float4)(0.299f, 0.587f, 0.114f, 0.0f)));
#else
    // Four dot products at once, a lane for each pixel.
    return round_to_bytes(red * 0.299f + green * 0.587f + blue * 0.114f);
#endif
}

#if IMAGE == 0
// The luma of the pixels of `row` from x on, which belong to one work-item.
bytes luma_from(__global const uchar *row, int x)
{
    __global const uchar *first = row + 3 * x;
#if PIXELS_PER_ITEM == 1
    return luma_of(first[0], first[1], first[2]);
#else
    const uchar16 pixels = vload16(0, first);
    return luma_of(widen(pixels.s0369), widen(pixels.s147a), widen(pixels.s258b));
#endif
}

void store(bytes luma, __global uchar *out)
{
#if PIXELS_PER_ITEM == 1
    *out = luma;
#else
    vstore4(luma, 0, out);
#endif
}

__kernel void luma(__global const uchar *restrict source, int source_origin, int source_pitch,
                   __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#if COALESCED == 1
    // Dimension 0 walks along a row: work-items that run together touch neighboring pixels.
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
    if (x >= width || y >= height)
        return;

    store(luma_from(source + source_origin + y * source_pitch, x), destination + y * destination_pitch + x);
#else
    const int first = get_global_id(down_rows) * ROWS_PER_ITEM;
    if (x >= width)
        return;

    const int end = min(first + ROWS_PER_ITEM, height);
    for (int y = first; y < end; ++y)
        store(luma_from(source + source_origin + y * source_pitch, x), destination + y * destination_pitch + x);
#endif
}
#else
uchar luma_of_texel(uint4 texel)
{
    return luma_of(texel.x, texel.y, texel.z);
}

__kernel void luma(__read_only image2d_t source,
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
#if ROWS_PER_ITEM == 1
    const int y = get_global_id(down_rows);
    if (x >= width || y >= height)
        return;

    destination[y * destination_pitch + x] = luma_of_texel(read_imageui(source, nearest, (int2)(x, y)));
#else
    const int first = get_global_id(down_rows) * ROWS_PER_ITEM;
    if (x >= width)
        return;

    const int end = min(first + ROWS_PER_ITEM, height);
    for (int y = first; y < end; ++y)
        destination[y * destination_pitch + x] = luma_of_texel(read_imageui(source, nearest, (int2)(x, y)));
#endif
}
#endif
