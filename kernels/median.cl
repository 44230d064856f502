// Median of 3 x 3, each channel on its own: of the nine bytes in and around a pixel, the fifth in order. It removes
// isolated outliers, and preserves edges where an average would blur them.
//
// Each column of three is sorted. Then
//
//     median of all 9 = median of (highest of the 3 lows, median of the 3 middles, lowest of the 3 highs)
//
// because each of the six others has at least five of the nine on one side: any other low is at most its own middle and
// high, the highest low, and the middle and high of that column; the lowest middle is at most its own high, the two
// other middles and their highs. So three values are not above the median, and likewise three are not below it.
// Removing three on each side leaves the median unchanged.

#ifndef REACH
#define REACH 1 // Pixels that the window reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/contract.clh"

#include "common/ownership.clh"

#if ACCESS == 0
#include "median_pixels.clh"
#else
#include "median_words.clh"

__kernel void median(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_words.clh" // byte, y: the first byte that this work-item owns

    filter_block(source + source_origin, source_pitch, destination, destination_pitch, byte, y, width, height);
}
#endif
