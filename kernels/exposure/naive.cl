// Automatic exposure: a gain that brings the mean of all bytes, of all channels, to `target`. In 4096ths:
//
//     gain   = target / mean = target * 4096 * count / sum, rounded half up, at most 16 * 4096; 4096 where sum is 0
//     output = min(255, (input * gain + 2048) >> 12)
//
// Pitches and source_origin count bytes; width and height count pixels of CHANNELS bytes. Byte b of row y is
// source[source_origin + y * source_pitch + b], and destination[y * destination_pitch + b].

#include "common/stages.clh"

#include "common/mapping.clh"

// The sum has 64 bits, in two words: sum[0] is the low one. Buffers hold anything before they are written.
__kernel void clear_sum(__global uint *restrict sum)
{
    if (get_global_id(0) == 0 && get_global_id(1) == 0) {
        sum[0] = 0;
        sum[1] = 0;
    }
}

// One work-item for each byte. Others add to the sum at the same time, so the addition has to be atomic.
__kernel void sum_bytes(__global const uchar *restrict source, int source_origin, int source_pitch,
                        __global uint *restrict sum, int width, int height)
{
    const int column = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (column >= width * CHANNELS || y >= height)
        return;

    const uint own = source[source_origin + y * source_pitch + column];
    const uint before = atomic_add(&sum[0], own);
    if (before + own < before)
        atomic_inc(&sum[1]); // the low word has passed 2^32
}

// A single work-item.
__kernel void make_gain(__global const uint *restrict sum, __global uint *restrict gain, int target, int width, int height)
{
    if (get_global_id(0) != 0 || get_global_id(1) != 0)
        return;

    const ulong whole = (ulong)sum[1] << 32 | sum[0];
    if (whole == 0) {
        gain[0] = 4096;
        return;
    }
    const ulong count = (ulong)width * height * CHANNELS;
    const ulong rounded = (2 * 4096 * target * count + whole) / (2 * whole);
    gain[0] = min(rounded, (ulong)(16 * 4096));
}

// One work-item for each byte.
__kernel void apply_gain(__global const uchar *restrict source, int source_origin, int source_pitch,
                         __global uchar *restrict destination, int destination_pitch, __global const uint *restrict gain,
                         int width, int height)
{
    const int column = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (column >= width * CHANNELS || y >= height)
        return;

    const uint byte = source[source_origin + y * source_pitch + column];
    destination[y * destination_pitch + column] = min(255u, (byte * gain[0] + 2048) >> 12);
}
