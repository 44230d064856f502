// Integer: how many operations of one class a device does per second on 32-bit integers. A work-item has CHAINS pairs of
// numbers, which do not wait for each other. In a round each number becomes what an operation makes of it and others
// that change as well: no formula that compilers know gives the result sooner.

#include "roofs/piece.clh"

#ifndef OPERATION
#define OPERATION 0 // 0 add, 1 shift and logic, 2 min and max, 3 multiply, 4 multiply and add
#endif
#ifndef CHAINS
#define CHAINS 8 // Pairs
#endif
#ifndef ROUNDS
#define ROUNDS 8 // Rounds in a step: the loop over steps is paid for once in CHAINS * ROUNDS pairs
#endif
#if OPERATION == 3
// Odd     A product of odd numbers is odd, so no product becomes 0 and stays it.
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
#if OPERATION == 3
        lower[chain] = own[2 * chain] | 1;
        higher[chain] = own[2 * chain + 1] | 1;
#else
        lower[chain] = own[2 * chain];
        higher[chain] = own[2 * chain + 1];
#endif
    }
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain) {
#if OPERATION == 0
                // As in Fibonacci's sequence.
                lower[chain] += higher[chain];
                higher[chain] += lower[chain];
#elif OPERATION == 1
                lower[chain] ^= higher[chain] << 5;
                higher[chain] ^= lower[chain] >> 3;
#elif OPERATION == 2
                // The smaller of two neighbors in a ring stays and the larger one goes on: the largest of all goes around, and
                // each of the others moves one place back.
                const int next = (chain + 1) % CHAINS;
                const piece lower_one = lower[chain];
                const piece higher_one = higher[chain];
                lower[chain] = min(lower_one, lower[next]);
                lower[next] = max(lower_one, lower[next]);
                higher[chain] = min(higher_one, higher[next]);
                higher[next] = max(higher_one, higher[next]);
#elif OPERATION == 3
                lower[chain] *= higher[chain];
                higher[chain] *= lower[chain];
#else
                const int next = (chain + 1) % CHAINS;
                lower[chain] = lower[chain] * higher[chain] + lower[next];
                higher[chain] = higher[chain] * lower[chain] + higher[next];
#endif
            }
        }
    }
    // The place of a number counts.
    piece all = 0;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
        all = (all * 31 + lower[chain]) * 31 + higher[chain];
    destination[item] = all;
}
