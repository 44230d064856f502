// Copy: how many bytes per second a device reads and writes. A work-item copies one piece, and there is nothing else to do.

#include "roofs/piece.clh"

// Units   last_piece is the number of pieces less one, and the number is a power of two: work-items beyond it copy the
//         same pieces once more. That keeps a launch over few bytes busy for long enough to be timed.
__kernel void probe(__global const piece *restrict source, __global piece *restrict destination, int last_piece)
{
    const int index = get_global_id(0) & last_piece;
    destination[index] = source[index];
}
