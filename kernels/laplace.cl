// Laplace sharpen, each channel on its own:
//
//     output = saturate(9 * center - its 8 neighbors) = saturate(10 * center - the sum of all 9)
//
// The sum of all 9 is the sum of three rows of 3, and a row of 3 serves the output rows above and below too.

#ifndef CHANNELS
#define CHANNELS 3 // Bytes a pixel: 3 are red, green and blue, 1 is gray
#endif
#ifndef BORDER
#define BORDER 0 // 0 copy, 1 replicate, 2 reflect101
#endif
#ifndef COALESCED
#define COALESCED 0 // 1: dimension 0 of the NDRange walks along a row
#endif
#ifndef PADDED
#define PADDED 0 // 1: the source has a halo of one pixel and slack on the right
#endif
#ifndef PIXELS_PER_ITEM
#define PIXELS_PER_ITEM 1 // Pixels of a row that a work-item owns
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

// Units   Pitches and source_origin count bytes; width, height, x and y count pixels. Pixel (x, y) begins
//         at source[source_origin + y * source_pitch + x * CHANNELS]
//         and at destination[y * destination_pitch + x * CHANNELS].
#if BORDER == 0
// Border  Copy: where the mask does not fit (the outermost rows and columns) the output is the source.
#elif BORDER == 1
// Border  Replicate: beyond an edge, the edge pixel goes on.
#else
// Border  Reflect101: beyond an edge, the picture goes on mirrored, without repeating the edge pixel.
#endif
#if PIXELS_PER_ITEM == 1 && ROWS_PER_ITEM == 1
// Writes  Each work-item writes one pixel.
#elif PIXELS_PER_ITEM == 1
// Writes  Each work-item writes ROWS_PER_ITEM pixels below each other, without those below the picture.
#elif ROWS_PER_ITEM == 1
// Writes  Each work-item writes PIXELS_PER_ITEM pixels of a row. The last block of a row may run past the
//         row's end: destination_pitch has room for it.
#else
// Writes  Each work-item writes PIXELS_PER_ITEM pixels of ROWS_PER_ITEM rows, without the rows below the
//         picture. The last block of a row may run past the row's end: destination_pitch has room for it.
#endif
//         The NDRange is rounded up to the local size; work-items beyond the picture write nothing.
#if LOCAL_MEMORY != 0 && PADDED == 0
// Reads   The work-group copies its pixels and one more on each side into a tile. What lies beyond an edge
//         of the picture is made up on the way, so every index into the source stays inside.
#elif LOCAL_MEMORY != 0
// Reads   The work-group copies its pixels and one more on each side into a tile. The source has a halo of
//         one pixel, filled by the host; indices beyond the halo are clamped to it.
#elif PADDED == 0
// Reads   Each work-item reads its own pixels and one more on each side. The source has nothing around the
//         picture, so no index may leave 0 .. width - 1 and 0 .. height - 1.
#elif PIXELS_PER_ITEM == 1
// Reads   Each work-item reads its own pixels and one more on each side. The source has a halo of one
//         pixel, filled by the host, so these are there for every pixel of the picture.
#else
// Reads   Each work-item reads its own pixels and one more on each side. The source has a halo of one
//         pixel, filled by the host, so these are there for every pixel of the picture. The last block's
//         loads end at most one vector behind its row: source_pitch has that slack.
#endif

#if LOCAL_MEMORY == 0
typedef __global const uchar *source_bytes;
#else
typedef __local const uchar *source_bytes;
#endif

#if PADDED == 0 && (BORDER != 0 || BRANCHLESS == 1 || ROWS_PER_ITEM > 1 || LOCAL_MEMORY != 0)
// The index in 0 .. length - 1 that stands for `index`, which is -1 .. length.
int inside(int index, int length)
{
#if BORDER == 2 && BRANCHLESS == 1
    // Mirrored at both ends; the last clamp is for a length of 1, whose only index mirrors itself.
    const int mirrored = abs(index);
    return max(min(mirrored, 2 * (length - 1) - mirrored), 0);
#elif BORDER == 2
    if (length == 1)
        return 0;
    if (index < 0)
        return -index;
    if (index >= length)
        return 2 * (length - 1) - index;
    return index;
#elif BRANCHLESS == 1
    return clamp(index, 0, length - 1);
#else
    if (index < 0)
        return 0;
    if (index >= length)
        return length - 1;
    return index;
#endif
}
#endif

#if BORDER == 0 && PIXELS_PER_ITEM == 1
// Whether the mask does not fit around pixel (x, y).
bool is_edge(int x, int y, int width, int height)
{
#if BRANCHLESS == 1
    // | instead of ||: all four are computed, none decides whether the next is.
    return (x == 0) | (y == 0) | (x == width - 1) | (y == height - 1);
#else
    return x == 0 || y == 0 || x == width - 1 || y == height - 1;
#endif
}
#endif

#if PIXELS_PER_ITEM == 1
uchar saturate(int value)
{
#if BRANCHLESS == 1
    return clamp(value, 0, 255);
#else
    if (value < 0)
        return 0;
    if (value > 255)
        return 255;
    return value;
#endif
}

// A byte and its neighbors to the left and right, which lie at these distances in bytes.
int row_sum(source_bytes byte, int left, int right)
{
    return byte[left] + byte[0] + byte[right];
}
#endif

#if PIXELS_PER_ITEM == 1 && ROWS_PER_ITEM == 1
// `center` is the first byte of pixel (x, y), in the source or in the tile.
void sharpen_block(source_bytes center, int source_pitch, __global uchar *destination, int destination_pitch,
                   int x, int y, int width, int height)
{
    if (x >= width || y >= height)
        return;

    // Distances in bytes to the neighbors.
#if PADDED == 1 || LOCAL_MEMORY != 0 || (BORDER == 0 && BRANCHLESS == 0)
    const int left = -CHANNELS;
    const int right = CHANNELS;
    const int up = -source_pitch;
    const int down = source_pitch;
#else
    const int left = (inside(x - 1, width) - x) * CHANNELS;
    const int right = (inside(x + 1, width) - x) * CHANNELS;
    const int up = (inside(y - 1, height) - y) * source_pitch;
    const int down = (inside(y + 1, height) - y) * source_pitch;
#endif

    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    for (int channel = 0; channel < CHANNELS; ++channel) {
        source_bytes byte = center + channel;
#if BORDER == 0 && BRANCHLESS == 0
        if (is_edge(x, y, width, height)) {
            out[channel] = byte[0];
        } else {
            const int sum = row_sum(byte + up, left, right) + row_sum(byte, left, right) + row_sum(byte + down, left, right);
            out[channel] = saturate(10 * byte[0] - sum);
        }
#else
        const int sum = row_sum(byte + up, left, right) + row_sum(byte, left, right) + row_sum(byte + down, left, right);
        const int sharpened = saturate(10 * byte[0] - sum);
#endif
#if BORDER == 0 && BRANCHLESS == 1
        out[channel] = select(sharpened, (int)byte[0], (int)is_edge(x, y, width, height));
#elif BORDER != 0
        out[channel] = sharpened;
#endif
    }
}
#elif PIXELS_PER_ITEM == 1
// `center` is the first byte of pixel (x, y), in the source or in the tile. Each row's sum is used for three output rows.
void sharpen_block(source_bytes center, int source_pitch, __global uchar *destination, int destination_pitch,
                   int x, int y, int width, int height)
{
    if (x >= width || y >= height)
        return;

    // Distances in bytes to the neighbors.
#if PADDED == 1 || LOCAL_MEMORY != 0
    const int left = -CHANNELS;
    const int right = CHANNELS;
    const int up = -source_pitch;
#else
    const int left = (inside(x - 1, width) - x) * CHANNELS;
    const int right = (inside(x + 1, width) - x) * CHANNELS;
    const int up = (inside(y - 1, height) - y) * source_pitch;
#endif

    const int end = min(y + ROWS_PER_ITEM, height);
    for (int channel = 0; channel < CHANNELS; ++channel) {
        source_bytes byte = center + channel;
        __global uchar *out = destination + y * destination_pitch + x * CHANNELS + channel;
        int above = row_sum(byte + up, left, right);
        int here = row_sum(byte, left, right);
        for (int row = y; row < end; ++row) {
#if PADDED == 1 || LOCAL_MEMORY != 0
            const int below = row_sum(byte + source_pitch, left, right);
#else
            const int down = (inside(row + 1, height) - row) * source_pitch;
            const int below = row_sum(byte + down, left, right);
#endif
            const int sharpened = saturate(10 * byte[0] - (above + here + below));
#if BORDER == 0 && BRANCHLESS == 1
            out[0] = select(sharpened, (int)byte[0], (int)is_edge(x, row, width, height));
#elif BORDER == 0
            out[0] = is_edge(x, row, width, height) ? byte[0] : sharpened;
#else
            out[0] = sharpened;
#endif
            above = here;
            here = below;
            byte += source_pitch;
            out += destination_pitch;
        }
    }
}
#endif

#if PIXELS_PER_ITEM > 1
// One row of a block.
#if PIXELS_PER_ITEM * CHANNELS == 4
typedef uchar4 bytes;
#define load_bytes vload4
#define saturate_bytes convert_uchar4_sat
#elif PIXELS_PER_ITEM * CHANNELS == 8
typedef uchar8 bytes;
#define load_bytes vload8
#define saturate_bytes convert_uchar8_sat
#elif PIXELS_PER_ITEM * CHANNELS == 12
typedef uchar16 bytes; // the last 4 belong to the next block and are not stored
#define load_bytes vload16
#define saturate_bytes convert_uchar16_sat
#elif PIXELS_PER_ITEM * CHANNELS == 15
typedef uchar16 bytes; // the last one belongs to the next block and is not stored
#define load_bytes vload16
#define saturate_bytes convert_uchar16_sat
#elif PIXELS_PER_ITEM * CHANNELS == 16
typedef uchar16 bytes;
#define load_bytes vload16
#define saturate_bytes convert_uchar16_sat
#else
typedef struct { uchar16 low; uchar8 high; } bytes; // no vector has 24 lanes
#endif
#endif

#if PIXELS_PER_ITEM > 1 && SHORT16 == 1
// Sums of up to 9 bytes, and 10 bytes less such a sum: -2295 .. 2550, so 16 bits are enough.
#if PIXELS_PER_ITEM * CHANNELS == 4
typedef short4 sums;
#define widen convert_short4
#elif PIXELS_PER_ITEM * CHANNELS == 8
typedef short8 sums;
#define widen convert_short8
#elif PIXELS_PER_ITEM * CHANNELS == 24
typedef struct { short16 low; short8 high; } sums;
#define widen_low convert_short16
#define widen_high convert_short8
#else
typedef short16 sums;
#define widen convert_short16
#endif
#elif PIXELS_PER_ITEM > 1
// Sums of up to 9 bytes, and 10 bytes less such a sum: -2295 .. 2550.
#if PIXELS_PER_ITEM * CHANNELS == 4
typedef int4 sums;
#define widen convert_int4
#elif PIXELS_PER_ITEM * CHANNELS == 8
typedef int8 sums;
#define widen convert_int8
#elif PIXELS_PER_ITEM * CHANNELS == 24
typedef struct { int16 low; int8 high; } sums;
#define widen_low convert_int16
#define widen_high convert_int8
#else
typedef int16 sums;
#define widen convert_int16
#endif
#endif

#if PIXELS_PER_ITEM > 1
typedef struct {
    bytes center;
    sums sum; // of each byte of `center` and its neighbors to the left and right
} row_of_block;
#endif

#if PIXELS_PER_ITEM > 1 && PIXELS_PER_ITEM * CHANNELS < 24 && MERGED_LOADS == 0
// `first` is the first byte of the block in this row.
row_of_block load_row(source_bytes first)
{
    const bytes left = load_bytes(0, first - CHANNELS);
    const bytes right = load_bytes(0, first + CHANNELS);
    row_of_block row;
    row.center = load_bytes(0, first);
    row.sum = widen(left) + widen(row.center) + widen(right);
    return row;
}
#elif PIXELS_PER_ITEM > 1 && PIXELS_PER_ITEM * CHANNELS < 24
// `first` is the first byte of the block in this row.
row_of_block load_row(source_bytes first)
{
    const bytes left = load_bytes(0, first - CHANNELS);
    const bytes right = load_bytes(0, first + CHANNELS);
    // `left` is CHANNELS bytes behind `center`, so all of it but its first CHANNELS lanes is in `center`;
    // `right` is CHANNELS bytes ahead and has the lanes that are missing.
    row_of_block row;
#if CHANNELS == 3
    row.center = (uchar16)(left.s3456789a, left.sbcde, left.sf, right.sabc);
#elif PIXELS_PER_ITEM == 4
    row.center = (uchar4)(left.s123, right.s2);
#elif PIXELS_PER_ITEM == 8
    row.center = (uchar8)(left.s1234, left.s567, right.s6);
#else
    row.center = (uchar16)(left.s12345678, left.s9abc, left.sdef, right.se);
#endif
    row.sum = widen(left) + widen(row.center) + widen(right);
    return row;
}
#elif PIXELS_PER_ITEM * CHANNELS == 24 && MERGED_LOADS == 0
// `first` is the first byte of the block in this row.
row_of_block load_row(source_bytes first)
{
    const uchar16 left_low = vload16(0, first - CHANNELS);
    const uchar16 right_low = vload16(0, first + CHANNELS);
    const uchar8 left_high = vload8(0, first + 16 - CHANNELS);
    const uchar8 right_high = vload8(0, first + 16 + CHANNELS);
    row_of_block row;
    row.center.low = vload16(0, first);
    row.center.high = vload8(0, first + 16);
    row.sum.low = widen_low(left_low) + widen_low(row.center.low) + widen_low(right_low);
    row.sum.high = widen_high(left_high) + widen_high(row.center.high) + widen_high(right_high);
    return row;
}
#elif PIXELS_PER_ITEM * CHANNELS == 24
// `first` is the first byte of the block in this row.
row_of_block load_row(source_bytes first)
{
    // 30 bytes are needed, -3 .. 26. The two loads overlap in bytes 11 and 12.
    const uchar16 start = vload16(0, first - CHANNELS);           // bytes -3 .. 12
    const uchar16 end = vload16(0, first + 14 - CHANNELS);        // bytes 11 .. 26
    const uchar16 right_low = (uchar16)(start.s6789abcd, start.sef, end.s2345, end.s67); // bytes 3 .. 18
    const uchar8 left_high = end.s23456789;                       // bytes 13 .. 20
    const uchar8 right_high = end.s89abcdef;                      // bytes 19 .. 26
    row_of_block row;
    row.center.low = (uchar16)(start.s3456789a, start.sbcde, start.sf, end.s234); // bytes 0 .. 15
    row.center.high = (uchar8)(end.s5678, end.s9abc);             // bytes 16 .. 23
    row.sum.low = widen_low(start) + widen_low(row.center.low) + widen_low(right_low);
    row.sum.high = widen_high(left_high) + widen_high(row.center.high) + widen_high(right_high);
    return row;
}
#endif

#if PIXELS_PER_ITEM * CHANNELS == 24
bytes sharpen(sums above, row_of_block here, sums below)
{
    const sums sum = { above.low + here.sum.low + below.low, above.high + here.sum.high + below.high };
    bytes sharpened;
    sharpened.low = convert_uchar16_sat(widen_low((uchar16)(10)) * widen_low(here.center.low) - sum.low);
    sharpened.high = convert_uchar8_sat(widen_high((uchar8)(10)) * widen_high(here.center.high) - sum.high);
    return sharpened;
}
#elif PIXELS_PER_ITEM > 1
bytes sharpen(sums above, row_of_block here, sums below)
{
    return saturate_bytes((sums)(10) * widen(here.center) - (above + here.sum + below));
}
#endif

#if PIXELS_PER_ITEM > 1 && BORDER == 0 && BRANCHLESS == 1
// `sharpened`, but `center` where the mask does not fit.
bytes keep_edge(bytes sharpened, bytes center, int x, int y, int width, int height)
{
    // The mask fits lanes begin .. end - 1 of the block: none in the first and the last row. Both are clamped to
    // lane numbers, so that the comparison runs in bytes.
    const int is_inner_row = (y != 0) & (y != height - 1);
    const char begin = max(1 - x, 0) * CHANNELS;
    const char end = clamp(width - 1 - x, 0, PIXELS_PER_ITEM) * CHANNELS * is_inner_row;
#if PIXELS_PER_ITEM * CHANNELS == 4
    const char4 lane = (char4)(0, 1, 2, 3);
    return select(sharpened, center, (lane < begin) | (lane >= end));
#elif PIXELS_PER_ITEM * CHANNELS == 8
    const char8 lane = (char8)(0, 1, 2, 3, 4, 5, 6, 7);
    return select(sharpened, center, (lane < begin) | (lane >= end));
#elif PIXELS_PER_ITEM * CHANNELS == 24
    const char16 low = (char16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const char8 high = (char8)(16, 17, 18, 19, 20, 21, 22, 23);
    sharpened.low = select(sharpened.low, center.low, (low < begin) | (low >= end));
    sharpened.high = select(sharpened.high, center.high, (high < begin) | (high >= end));
    return sharpened;
#else
    const char16 lane = (char16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return select(sharpened, center, (lane < begin) | (lane >= end));
#endif
}
#endif

#if PIXELS_PER_ITEM > 1
void store_bytes(bytes value, __global uchar *out)
{
#if PIXELS_PER_ITEM * CHANNELS == 4
    vstore4(value, 0, out);
#elif PIXELS_PER_ITEM * CHANNELS == 8
    vstore8(value, 0, out);
#elif PIXELS_PER_ITEM * CHANNELS == 12
    // 12 = 8 + 4 bytes.
    vstore8(value.lo, 0, out);
    vstore4(value.s89ab, 0, out + 8);
#elif PIXELS_PER_ITEM * CHANNELS == 15
    // 15 = 8 + 4 + 2 + 1 bytes: the next byte belongs to another work-item.
    vstore8(value.lo, 0, out);
    vstore4(value.s89ab, 0, out + 8);
    vstore2(value.scd, 0, out + 12);
    out[14] = value.se;
#elif PIXELS_PER_ITEM * CHANNELS == 16
    vstore16(value, 0, out);
#else
    vstore16(value.low, 0, out);
    vstore8(value.high, 0, out + 16);
#endif
}
#endif

#if PIXELS_PER_ITEM > 1 && BORDER == 0 && BRANCHLESS == 0
void copy_pixel(source_bytes from, __global uchar *to)
{
    for (int channel = 0; channel < CHANNELS; ++channel)
        to[channel] = from[channel];
}

// Puts the source where the mask does not fit, after the whole row of the block was stored. `first` is the
// row's first byte in the source or in the tile, `center` what was loaded from there, `out` its place in the destination.
void restore_edge(source_bytes first, bytes center, __global uchar *out, int x, int y, int width, int height)
{
    const int last = width - 1 - x;
    if (y == 0 || y == height - 1) {
        store_bytes(center, out);
    } else {
        if (x == 0)
            copy_pixel(first, out);
        if (last < PIXELS_PER_ITEM)
            copy_pixel(first + last * CHANNELS, out + last * CHANNELS);
    }
}
#endif

#if PIXELS_PER_ITEM > 1 && ROWS_PER_ITEM == 1
// `first` is the block's first byte, in the source or in the tile; it is that of pixel (x, y).
void sharpen_block(source_bytes first, int source_pitch, __global uchar *destination, int destination_pitch,
                   int x, int y, int width, int height)
{
    if (x >= width || y >= height)
        return;

    const row_of_block above = load_row(first - source_pitch);
    const row_of_block here = load_row(first);
    const row_of_block below = load_row(first + source_pitch);
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
#if BORDER == 0 && BRANCHLESS == 1
    const bytes sharpened = sharpen(above.sum, here, below.sum);
    store_bytes(keep_edge(sharpened, here.center, x, y, width, height), out);
#elif BORDER == 0
    store_bytes(sharpen(above.sum, here, below.sum), out);
    restore_edge(first, here.center, out, x, y, width, height);
#else
    store_bytes(sharpen(above.sum, here, below.sum), out);
#endif
}
#elif PIXELS_PER_ITEM > 1
// `first` is the block's first byte, in the source or in the tile; it is that of pixel (x, y). Three rows are
// in registers at any time: going down, the one above is dropped and one below is loaded.
void sharpen_block(source_bytes first, int source_pitch, __global uchar *destination, int destination_pitch,
                   int x, int y, int width, int height)
{
    if (x >= width || y >= height)
        return;

    const int end = min(y + ROWS_PER_ITEM, height);
    __global uchar *out = destination + y * destination_pitch + x * CHANNELS;
    row_of_block above = load_row(first - source_pitch);
    row_of_block here = load_row(first);
    for (int row = y; row < end; ++row) {
        const row_of_block below = load_row(first + source_pitch);
#if BORDER == 0 && BRANCHLESS == 1
        const bytes sharpened = sharpen(above.sum, here, below.sum);
        store_bytes(keep_edge(sharpened, here.center, x, row, width, height), out);
#elif BORDER == 0
        store_bytes(sharpen(above.sum, here, below.sum), out);
        restore_edge(first, here.center, out, x, row, width, height);
#else
        store_bytes(sharpen(above.sum, here, below.sum), out);
#endif
        above = here;
        here = below;
        first += source_pitch;
        out += destination_pitch;
    }
}
#endif

#if LOCAL_MEMORY == 0
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
    int x = get_global_id(along_row);
    int y = get_global_id(down_rows);
#if PIXELS_PER_ITEM > 1
    x *= PIXELS_PER_ITEM;
#endif
#if ROWS_PER_ITEM > 1
    y *= ROWS_PER_ITEM;
#endif
    sharpen_block(source + source_origin + y * source_pitch + x * CHANNELS, source_pitch,
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

    // The pixels of the group, and the place in them of this work-item's own, which begin at (x, y).
    int group_width = columns;
    int group_height = lines;
    int own_x = column;
    int own_y = line;
    int x = get_global_id(along_row);
    int y = get_global_id(down_rows);
#if PIXELS_PER_ITEM > 1
    group_width *= PIXELS_PER_ITEM;
    own_x *= PIXELS_PER_ITEM;
    x *= PIXELS_PER_ITEM;
#endif
#if ROWS_PER_ITEM > 1
    group_height *= ROWS_PER_ITEM;
    own_y *= ROWS_PER_ITEM;
    y *= ROWS_PER_ITEM;
#endif

    // The tile has the pixels of the group and one more on each side: it begins at pixel (first_x, first_y).
    const int first_x = x - own_x - 1;
    const int first_y = y - own_y - 1;
    const int tile_rows = group_height + 2;
#if PIXELS_PER_ITEM * CHANNELS == 12 || PIXELS_PER_ITEM * CHANNELS == 15
    // The last work-item's loads end so many bytes behind its right neighbor.
    const int tile_row_bytes = (group_width + 2) * CHANNELS + 16 - PIXELS_PER_ITEM * CHANNELS;
#else
    const int tile_row_bytes = (group_width + 2) * CHANNELS;
#endif
#if LOCAL_MEMORY == 2
    // One byte more, so that a column of the tile does not fall into one memory bank.
    const int tile_pitch = tile_row_bytes + 1;
#else
    const int tile_pitch = tile_row_bytes;
#endif

    // All work-items fill the tile together, also those whose own pixels lie beyond the picture.
    for (int row = line; row < tile_rows; row += lines) {
#if PADDED == 1
        const int source_y = min(first_y + row, height);
        __global const uchar *source_row = source + source_origin + source_y * source_pitch;
        for (int byte = column; byte < tile_row_bytes; byte += columns)
            tile[row * tile_pitch + byte] = source_row[min(first_x * CHANNELS + byte, (width + 1) * CHANNELS - 1)];
#else
        const int source_y = inside(min(first_y + row, height), height);
        for (int pixel = column; pixel < group_width + 2; pixel += columns) {
            const int source_x = inside(min(first_x + pixel, width), width);
            __global const uchar *from = source + source_origin + source_y * source_pitch + source_x * CHANNELS;
            for (int channel = 0; channel < CHANNELS; ++channel)
                tile[row * tile_pitch + pixel * CHANNELS + channel] = from[channel];
        }
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    sharpen_block(tile + (own_y + 1) * tile_pitch + (own_x + 1) * CHANNELS, tile_pitch,
                  destination, destination_pitch, x, y, width, height);
}
#endif
