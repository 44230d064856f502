// Constant: how many bytes per second a device loads from constant memory. A work-item adds up CHAINS pieces in a round.
// With UNIFORM, all work-items of a group load the same pieces, as GPUs have constant caches for; otherwise neighboring
// work-items load neighboring pieces. Where a round reads depends on an argument, so no load can be kept for the next one.

#include "roofs/piece.clh"

#ifndef UNIFORM
#define UNIFORM 1 // Otherwise each work-item has places of its own
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

// Units   table has at least 2 * SPAN pieces, and as many more as a group has work-items; stride counts pieces.
__kernel void probe(__constant piece *restrict table, __global piece *restrict destination, int steps, int stride)
{
#if UNIFORM == 1
    const int item = 0;
#else
    const int item = get_local_id(0);
#endif
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
                sum[chain] += table[item + place + chain * (SPAN / CHAINS)];
        }
    }
    piece all = 0;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
        all = all * 31 + sum[chain];
    destination[get_global_id(0)] = all;
}
