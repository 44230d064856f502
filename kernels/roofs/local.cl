// Local: how many bytes per second a device loads from local memory. Each work-group fills a tile once and then reads it
// again and again: in a round, a work-item adds up CHAINS pieces. Neighboring work-items read neighboring pieces, which is
// without conflict in every bank. Where a round reads depends on an argument, so no load can be kept for the next one.

#include "roofs/piece.clh"

#ifndef ITEMS
#define ITEMS 64 // Work-items of a group
#endif
#ifndef SPAN
#define SPAN 64 // Places at which a round may begin, a power of two
#endif
#ifndef CHAINS
#define CHAINS 4 // Pieces of a round
#endif
#ifndef ROUNDS
#define ROUNDS 8 // Rounds in a step: the loop over steps is paid for once in CHAINS * ROUNDS loads
#endif
#define TILE_PIECES (ITEMS + 2 * SPAN)

// Units   source has at least TILE_PIECES pieces, of which every group's tile is a copy; stride counts pieces.
__kernel void probe(__global const piece *restrict source, __global piece *restrict destination, int steps, int stride)
{
    __local piece tile[TILE_PIECES];
    const int item = get_local_id(0);
    for (int index = item; index < TILE_PIECES; index += ITEMS)
        tile[index] = source[index];
    barrier(CLK_LOCAL_MEM_FENCE);
    piece sum[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
        sum[chain] = 0;
    int place = 0;
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int round = 0; round < ROUNDS; ++round) {
            place = (place + stride) & (SPAN - 1);
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain)
                sum[chain] += tile[item + place + chain * (SPAN / CHAINS)];
        }
    }
    piece all = 0;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
        all = all * 31 + sum[chain];
    destination[get_global_id(0)] = all;
}
