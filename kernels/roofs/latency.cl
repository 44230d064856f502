// Latency: how long a device waits for a number from memory. One work-item follows a chain: each number tells the place of
// the next one, so no load can begin before the one ahead of it has ended.

__kernel void probe(__global const int *restrict next, __global int *restrict destination, int first, int steps)
{
    int place = first;
    for (int step = 0; step < steps; ++step)
        place = next[place];
    destination[0] = place;
}
