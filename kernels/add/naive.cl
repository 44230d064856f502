// Add: output = source + amount, byte by byte, kept in 0 .. 255; amount lies in -255 .. 255. Each work-item computes one
// byte; those outside the image do nothing.
//
// Pitches and source_origin count bytes; width and height count pixels of CHANNELS bytes. Byte b of row y is
// source[source_origin + y * source_pitch + b], and destination[y * destination_pitch + b].

#include "common/stages.clh"

#include "common/mapping.clh"

__kernel void add(__global const uchar *restrict source, int source_origin, int source_pitch,
                  __global uchar *restrict destination, int destination_pitch, int width, int height,
                  int amount)
{
    const int column = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (column >= width * CHANNELS || y >= height)
        return;

    const int sum = source[source_origin + y * source_pitch + column] + amount;
    destination[y * destination_pitch + column] = convert_uchar_sat(sum);
}
