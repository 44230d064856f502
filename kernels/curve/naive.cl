// Tone curve: every byte is moved toward the root curve, which brightens shadows,
//
//     root = sqrt(255 * byte), rounded to the nearest integer
//     output = ((100 - strength) * byte + strength * root + 50) / 100, rounded down, with strength in 0 .. 100
//
// Each work-item computes one byte; those outside the image do nothing.
//
// Pitches and source_origin count bytes; width and height count pixels of CHANNELS bytes. Byte b of row y is
// source[source_origin + y * source_pitch + b], and destination[y * destination_pitch + b].

#include "common/stages.clh"

#include "common/mapping.clh"

// The square root of 255 * value, rounded to the nearest integer: the largest root for which root - 0.5 does not exceed it.
// Both sides are doubled and squared, so that all numbers are integers. The eight bits of the root are found one by one.
int root_of(int value)
{
    int root = 0;
    for (int bit = 128; bit > 0; bit /= 2) {
        const int larger = root + bit;
        if ((2 * larger - 1) * (2 * larger - 1) <= 4 * 255 * value)
            root = larger;
    }
    return root;
}

__kernel void curve(__global const uchar *restrict source, int source_origin, int source_pitch,
                    __global uchar *restrict destination, int destination_pitch, int width, int height,
                    int strength)
{
    const int column = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (column >= width * CHANNELS || y >= height)
        return;

    const int value = source[source_origin + y * source_pitch + column];
    destination[y * destination_pitch + column] = ((100 - strength) * value + strength * root_of(value) + 50) / 100;
}
