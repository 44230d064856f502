// Despeckle: a pixel that differs by more than `threshold` from the mean of its eight neighbors, rounded half up, is an
// outlier and becomes the median of the 25 pixels in and around it; the others stay.
//
// The test is cheap and the median costly, and only outliers need it. Work-items of a sub-group that execute in lockstep pay
// for the median as soon as one of them has an outlier: with one outlier in ten pixels, scattered, that is 1 - 0.9^32, or 97 %
// of all sub-groups of 32.

#ifndef REACH
#define REACH 2 // Pixels that the window of the median reaches on each side of its center
#endif
#include "common/stages.clh"
#ifndef COMPACT
#define COMPACT 0 // Outliers are listed, and repaired by a pass of their own. 1: list; 2: fetched from it; 3: listed by groups
#endif

#include "common/contract.clh"
#if COMPACT == 0
// Passes  One: test, and median where it is needed.
#else
// Passes  Three. One clears the list; one tests each pixel, copies it, and lists it if it is an outlier; one overwrites each
//         listed pixel with its median. The order of the list differs from run to run, the output does not.
// List    list[0] is the number of entries, list[1] the number of those that have been fetched, list[LIST_BEGIN] the first
//         entry: y * width + x of an outlier. There is room for all pixels.
#endif

#include "common/mapping.clh"

#if PADDED == 0
#include "common/inside.clh"
#endif

// Where the median's pixels are in the source.
typedef struct {
    __global const uchar *origin; // its pixel (0, 0)
    int pitch;
    int width;
    int height;
} picture;

// Pixel (x, y), which may lie outside the image.
int pixel_at(picture source, int x, int y)
{
#if PADDED == 1
    return source.origin[y * source.pitch + x];
#else
    return source.origin[inside(y, source.height) * source.pitch + inside(x, source.width)];
#endif
}

// Whether `pixel`, which is pixel (x, y), differs too much from the mean of its eight neighbors.
bool is_outlier(picture source, int pixel, int x, int y, int threshold)
{
    const int above = pixel_at(source, x - 1, y - 1) + pixel_at(source, x, y - 1) + pixel_at(source, x + 1, y - 1);
    const int beside = pixel_at(source, x - 1, y) + pixel_at(source, x + 1, y);
    const int below = pixel_at(source, x - 1, y + 1) + pixel_at(source, x, y + 1) + pixel_at(source, x + 1, y + 1);
    const int mean = (above + beside + below + 4) >> 3;
    return abs_diff(pixel, mean) > threshold;
}

// The median of the 25 pixels in and around (x, y): number 13 in order, which is the largest value that fewer than 13 of them
// are below. Its bits are found one after the other, from the highest on, without any branch: what it costs does not depend
// on the pixels. All loops are unrolled, so that the window can stay in registers.
int median_at(picture source, int x, int y)
{
    int window[25];
#pragma unroll
    for (int row = 0; row < 5; ++row) {
#pragma unroll
        for (int column = 0; column < 5; ++column)
            window[5 * row + column] = pixel_at(source, x - 2 + column, y - 2 + row);
    }
    int median = 0;
#pragma unroll
    for (int bit = 7; bit >= 0; --bit) {
        const int trial = median | 1 << bit;
        int below = 0;
#pragma unroll
        for (int index = 0; index < 25; ++index)
            below += window[index] < trial;
        median = below < 13 ? trial : median;
    }
    return median;
}

#if COMPACT == 0
__kernel void despeckle(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uchar *restrict destination, int destination_pitch, int width, int height, int threshold)
{
#include "common/own_place.clh" // x, y: the pixel that this work-item owns

    const picture from = { source + source_origin, source_pitch, width, height };
    const int pixel = pixel_at(from, x, y);
    __global uchar *out = destination + y * destination_pitch + x;
#if BRANCHLESS == 1
    // The median of each pixel is computed, and chosen or not.
    const int median = median_at(from, x, y);
    *out = select(pixel, median, (int)is_outlier(from, pixel, x, y, threshold));
#else
    if (is_outlier(from, pixel, x, y, threshold))
        *out = median_at(from, x, y);
    else
        *out = pixel;
#endif
}
#else
#define LIST_BEGIN 2 // Index of the first entry

// Memory between passes has what earlier runs left in it.
__kernel void clear_list(__global uint *restrict list)
{
    if (get_global_id(0) == 0 && get_global_id(1) == 0) {
        list[0] = 0;
        list[1] = 0;
    }
}

__kernel void find_outliers(__global const uchar *restrict source, int source_origin, int source_pitch,
                            __global uchar *restrict destination, int destination_pitch, int width, int height, int threshold,
                            __global uint *restrict list)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    const picture from = { source + source_origin, source_pitch, width, height };
#if COMPACT == 3
    // Every work-item must reach the barriers, those outside the image too.
    __local uint found; // outliers of the group
    __local uint begin; // where its entries begin in the list
    const bool is_first = get_local_id(0) == 0 && get_local_id(1) == 0;
    if (is_first)
        found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool is_listed = false;
    uint place = 0; // among the group's entries
    if (x < width && y < height) {
        const int pixel = pixel_at(from, x, y);
        destination[y * destination_pitch + x] = pixel;
        is_listed = is_outlier(from, pixel, x, y, threshold);
        if (is_listed)
            place = atomic_inc(&found);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_first && found > 0)
        begin = atomic_add(&list[0], found);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_listed)
        list[LIST_BEGIN + begin + place] = y * width + x;
#else
    if (x >= width || y >= height)
        return;
    const int pixel = pixel_at(from, x, y);
    destination[y * destination_pitch + x] = pixel;
    if (is_outlier(from, pixel, x, y, threshold))
        list[LIST_BEGIN + atomic_inc(&list[0])] = y * width + x;
#endif
}

#if COMPACT == 2
// As many work-items as the host thought fit, however long the list is. A group fetches as many entries as it has work-items,
// until none are left. All its work-items leave the loop together, so all of them reach every barrier.
__kernel void repair_outliers(__global const uchar *restrict source, int source_origin, int source_pitch,
                              __global uchar *restrict destination, int destination_pitch, int width, int height,
                              __global uint *restrict list)
{
    __local uint fetched; // the first entry that the group has fetched
    const picture from = { source + source_origin, source_pitch, width, height };
    const uint own = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const uint group = get_local_size(0) * get_local_size(1);
    const uint count = list[0];
    while (true) {
        if (own == 0)
            fetched = atomic_add(&list[1], group);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint first = fetched;
        barrier(CLK_LOCAL_MEM_FENCE); // all have read it before it changes
        if (first >= count)
            break;
        if (first + own < count) {
            const int place = list[LIST_BEGIN + first + own];
            const int y = place / width;
            const int x = place - y * width;
            destination[y * destination_pitch + x] = median_at(from, x, y);
        }
    }
}
#else
// One work-item for each entry that the list could have: those past its end return at once.
__kernel void repair_outliers(__global const uchar *restrict source, int source_origin, int source_pitch,
                              __global uchar *restrict destination, int destination_pitch, int width, int height,
                              __global const uint *restrict list)
{
    const uint own = get_global_id(1) * get_global_size(0) + get_global_id(0);
    if (own >= list[0])
        return;
    const picture from = { source + source_origin, source_pitch, width, height };
    const int place = list[LIST_BEGIN + own];
    const int y = place / width;
    const int x = place - y * width;
    destination[y * destination_pitch + x] = median_at(from, x, y);
}
#endif
#endif
