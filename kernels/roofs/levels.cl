// Levels: how fast a device reads again what it has just read. Each work-group reads a block of its own again and again: a
// block that fits into a cache is read from there. It writes the sum, so that no compiler can leave a load out. Each round
// combines the numbers with another one, so that no compiler can use the sum of one round for all.

#include "roofs/piece.clh"

__kernel void probe(__global const piece *restrict source, __global piece *restrict destination, const int pieces,
                    const int rounds)
{
    const int step = get_local_size(0);
    const int block = get_group_id(0) * pieces;
    piece sum = 0;
    for (int round = 0; round < rounds; ++round)
#pragma unroll 4
        for (int index = get_local_id(0); index < pieces; index += step)
            sum += source[block + index] ^ (uint)round;
    destination[get_global_id(0)] = sum;
}
