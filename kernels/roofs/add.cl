// Add: how many additions of 32-bit integers a device does per second. A work-item has CHAINS pairs of numbers; in a round,
// each number of a pair is added to the other one, as in Fibonacci's sequence. No formula that compilers know gives the
// result sooner, and the pairs do not wait for each other.

#include "roofs/piece.clh"

#ifndef CHAINS
#define CHAINS 8 // Pairs
#endif
#ifndef ROUNDS
#define ROUNDS 8 // Rounds in a step: the loop over steps is paid for once in 2 * CHAINS * ROUNDS additions
#endif

// Units   starts has 32 times CHAINS pairs; a work-item begins with those of number get_global_id(0) % 32.
__kernel void probe(__global const piece *restrict starts, __global piece *restrict destination, int steps)
{
    const int item = get_global_id(0);
    __global const piece *own = starts + (item & 31) * (2 * CHAINS);
    piece lower[CHAINS];
    piece higher[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
        lower[chain] = own[2 * chain];
        higher[chain] = own[2 * chain + 1];
    }
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain) {
                lower[chain] += higher[chain];
                higher[chain] += lower[chain];
            }
        }
    }
    piece all = 0;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
        all ^= lower[chain] ^ higher[chain];
    destination[item] = all;
}
