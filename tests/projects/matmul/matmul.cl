#include "tile.clh"

// C = A B, square matrices of SIZE numbers a side. A work-item computes ROWS numbers of a column.
__kernel void matmul(__global const float *a, __global const float *b, __global float *c)
{
    const int column = get_global_id(0), first = get_global_id(1) * ROWS;
    float sums[ROWS];
    for (int row = 0; row < ROWS; ++row)
        sums[row] = 0.0f;
    for (int k = 0; k < SIZE; ++k)
        for (int row = 0; row < ROWS; ++row)
            sums[row] += a[(first + row) * SIZE + k] * b[k * SIZE + column];
    for (int row = 0; row < ROWS; ++row)
        c[(first + row) * SIZE + column] = sums[row];
}
