// Latency: how long a device waits for a number from memory. One work-item follows a chain: each number tells the place of
// the next one, so no load can begin before the one ahead of it has ended. The mask keeps the chain within the first
// numbers, a power of two: chains over few bytes stay in a cache.

__kernel void probe(__global const int *restrict next, __global int *restrict destination, int first, int steps, int mask)
{
    int place = first;
    for (int step = 0; step < steps; ++step)
        place = next[place] & mask;
    destination[0] = place;
}
