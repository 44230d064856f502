// Multiply-add: how many multiplications with an addition a device does per second, in float or half. A work-item has
// CHAINS numbers; in a round, each becomes number * factor + first, and that becomes number * factor + second.
//
// Exact   With a factor of -1 a round adds second - first, which the host makes 1: the results are small integers, which
//         float and half hold exactly, however the device rounds and whether or not it fuses the two operations. The
//         compiler knows none of the three.

#ifndef HALF
#define HALF 0 // 1: arithmetic with 16 bits
#endif
#if HALF == 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#include "roofs/piece.clh"

#if HALF == 1
typedef half real;
#else
typedef float real;
#endif
#if HALF == 1 && LANES == 1
typedef half reals;
#define to_reals convert_half
#elif HALF == 1 && LANES == 2
typedef half2 reals;
#define to_reals convert_half2
#elif HALF == 1 && LANES == 4
typedef half4 reals;
#define to_reals convert_half4
#elif HALF == 1 && LANES == 8
typedef half8 reals;
#define to_reals convert_half8
#elif HALF == 1
typedef half16 reals;
#define to_reals convert_half16
#elif LANES == 1
typedef float reals;
#define to_reals convert_float
#elif LANES == 2
typedef float2 reals;
#define to_reals convert_float2
#elif LANES == 4
typedef float4 reals;
#define to_reals convert_float4
#elif LANES == 8
typedef float8 reals;
#define to_reals convert_float8
#else
typedef float16 reals;
#define to_reals convert_float16
#endif
#if LANES == 1
#define to_piece convert_uint
#elif LANES == 2
#define to_piece convert_uint2
#elif LANES == 4
#define to_piece convert_uint4
#elif LANES == 8
#define to_piece convert_uint8
#else
#define to_piece convert_uint16
#endif

#ifndef CHAINS
#define CHAINS 8 // Numbers
#endif
#ifndef ROUNDS
#define ROUNDS 8 // Rounds in a step: the loop over steps is paid for once in 2 * CHAINS * ROUNDS operations
#endif

// Units   starts has 32 times CHAINS pieces; a work-item begins with those of number get_global_id(0) % 32.
__kernel void probe(__global const piece *restrict starts, __global piece *restrict destination, int steps,
                    float factor_of_round, float first_of_round, float second_of_round)
{
    const int item = get_global_id(0);
    __global const piece *own = starts + (item & 31) * CHAINS;
    const reals factor = (reals)((real)factor_of_round);
    const reals first = (reals)((real)first_of_round);
    const reals second = (reals)((real)second_of_round);
    reals number[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
        number[chain] = to_reals(own[chain]);
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain)
                number[chain] = number[chain] * factor + first;
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain)
                number[chain] = number[chain] * factor + second;
        }
    }
    piece all = 0;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
        all += to_piece(number[chain]);
    destination[item] = all;
}
