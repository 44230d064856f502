// Write: how many bytes per second a device writes. A work-item writes one piece, of numbers that tell its place.

#include "roofs/piece.clh"

__kernel void probe(__global piece *restrict destination, int first)
{
    const int index = get_global_id(0);
    destination[index] = (piece)((uint)(index + first));
}
