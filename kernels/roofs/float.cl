// Float: how many operations of one class a device does per second on floats or halves. A work-item has CHAINS numbers,
// which do not wait for each other. Each round adds 1 to each of them, in one or two operations.
//
// Exact   All results are small integers, which float and half hold exactly, however the device rounds and whether or
//         not it fuses two operations. The compiler does not know the arguments: for it a round may add anything.
//         multiply and add: with a factor of -1 a round adds second - first
//         add:              a round adds first + second, and no compiler may add these two beforehand
//         functions:        with a factor of 0, exp(0) = 1 is added
//         convert:          to an integer, to which `first` is added, and back

#ifndef OPERATION
#define OPERATION 0 // 0 multiply and add, 1 add, 2 native_exp, 3 exp, 4 convert
#endif
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
// A native function may miss by a little: the nearest integer is the result.
#if LANES == 1
#define to_ints convert_int
#define to_piece convert_uint_rte
#elif LANES == 2
#define to_ints convert_int2
#define to_piece convert_uint2_rte
#elif LANES == 4
#define to_ints convert_int4
#define to_piece convert_uint4_rte
#elif LANES == 8
#define to_ints convert_int8
#define to_piece convert_uint8_rte
#else
#define to_ints convert_int16
#define to_piece convert_uint16_rte
#endif

#ifndef CHAINS
#define CHAINS 8 // Numbers
#endif
#ifndef ROUNDS
#define ROUNDS 8 // Rounds in a step: the loop over steps is paid for once in CHAINS * ROUNDS numbers
#endif

// Units   starts has 32 times CHAINS pieces; a work-item begins with those of number get_global_id(0) % 32.
__kernel void probe(__global const piece *restrict starts, __global piece *restrict destination, int steps,
                    float factor_of_round, float first_of_round, float second_of_round)
{
    const int item = get_global_id(0);
    __global const piece *own = starts + (item & 31) * CHAINS;
#if OPERATION == 0
    const reals factor = (reals)((real)factor_of_round);
    const reals first = (reals)((real)first_of_round);
    const reals second = (reals)((real)second_of_round);
#elif OPERATION == 1
    const reals first = (reals)((real)first_of_round);
    const reals second = (reals)((real)second_of_round);
#elif OPERATION == 4
    const int more = convert_int(first_of_round);
#else
    const reals factor = (reals)((real)factor_of_round);
#endif
    reals number[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
        number[chain] = to_reals(own[chain]);
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int round = 0; round < ROUNDS; ++round) {
#if OPERATION == 0
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain)
                number[chain] = number[chain] * factor + first;
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain)
                number[chain] = number[chain] * factor + second;
#elif OPERATION == 1
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain)
                number[chain] += first;
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain)
                number[chain] += second;
#elif OPERATION == 2
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain)
                number[chain] += native_exp(number[chain] * factor);
#elif OPERATION == 3
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain)
                number[chain] += exp(number[chain] * factor);
#else
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain)
                number[chain] = to_reals(to_ints(number[chain]) + more);
#endif
        }
    }
    piece all = 0;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
        all += to_piece(number[chain]);
    destination[item] = all;
}
