// Copy: output = source, byte by byte. Each work-item copies one byte; those outside the image do nothing.
//
// Pitches and source_origin count bytes; width and height count pixels of CHANNELS bytes. Byte b of row y is
// source[source_origin + y * source_pitch + b], and destination[y * destination_pitch + b].

#include "common/stages.clh"

#include "common/mapping.clh"

__kernel void copy(__global const uchar *restrict source, int source_origin, int source_pitch,
                   __global uchar *restrict destination, int destination_pitch, int width, int height)
{
    const int column = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (column >= width * CHANNELS || y >= height)
        return;

    destination[y * destination_pitch + column] = source[source_origin + y * source_pitch + column];
}
