// Emboss: output = clamp(128 + strength * (upper left - lower right) / 4), each channel on its own. Edge pixels repeat.
//
// Units   Pitches and source_origin count bytes, width and height pixels.

#include "common/stages.clh"

#ifndef QUAD
#define QUAD 0 // 1: a work-item owns four bytes of a row
#endif

#include "common/mapping.clh"

#if QUAD == 1
__kernel void emboss(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch, int width, int height, int strength)
{
    const int byte = 4 * get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (byte >= width * CHANNELS || y >= height)
        return;
    __global const uchar *own = source + source_origin + y * source_pitch + byte;
    const int4 upper_left = convert_int4(vload4(0, own - source_pitch - CHANNELS));
    const int4 lower_right = convert_int4(vload4(0, own + source_pitch + CHANNELS));
    const int4 value = clamp(128 + strength * (upper_left - lower_right) / 4, 0, 255);
    vstore4(convert_uchar4(value), 0, destination + y * destination_pitch + byte);
}
#else
__kernel void emboss(__global const uchar *restrict source, int source_origin, int source_pitch,
                     __global uchar *restrict destination, int destination_pitch, int width, int height, int strength)
{
    const int x = get_global_id(ALONG_ROW);
    const int y = get_global_id(DOWN_ROWS);
    if (x >= width || y >= height)
        return;
#if PADDED == 1
    // The halo has the edge pixels once more.
    const int left = x - 1, right = x + 1, above = y - 1, below = y + 1;
#else
    const int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const int above = max(y - 1, 0), below = min(y + 1, height - 1);
#endif
    __global const uchar *origin = source + source_origin;
    for (int channel = 0; channel < CHANNELS; ++channel) {
        const int upper_left = origin[above * source_pitch + left * CHANNELS + channel];
        const int lower_right = origin[below * source_pitch + right * CHANNELS + channel];
        destination[y * destination_pitch + x * CHANNELS + channel] =
            clamp(128 + strength * (upper_left - lower_right) / 4, 0, 255);
    }
}
#endif
