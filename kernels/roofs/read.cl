// Read: how many bytes per second a device reads. A work-item adds up PIECES pieces; it writes the sum, so that no compiler
// can leave a load out.

#include "roofs/piece.clh"

#ifndef PIECES
#define PIECES 32 // Pieces that a work-item reads
#endif
#ifndef CONSECUTIVE
#define CONSECUTIVE 0 // 1: a work-item's pieces follow each other; 0: those of neighboring work-items do
#endif

__kernel void probe(__global const piece *restrict source, __global piece *restrict destination)
{
    const int item = get_global_id(0);
#if CONSECUTIVE == 1
    const int first = item * PIECES;
    const int step = 1;
#else
    const int first = item;
    const int step = get_global_size(0);
#endif
    piece sum = 0;
#pragma unroll
    for (int index = 0; index < PIECES; ++index)
        sum += source[first + index * step];
    destination[item] = sum;
}
