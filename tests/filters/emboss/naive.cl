// Emboss: output = clamp(128 + strength * (upper left - lower right) / 4), each channel on its own. Edge pixels repeat.
#ifndef CHANNELS
#define CHANNELS 3 // Bytes per pixel
#endif

__kernel void emboss(__global const uchar *source, int source_origin, int source_pitch, __global uchar *destination,
                     int destination_pitch, int width, int height, int strength)
{
    const int x = get_global_id(1);
    const int y = get_global_id(0);
    if (x >= width || y >= height)
        return;
    const int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const int above = max(y - 1, 0), below = min(y + 1, height - 1);
    for (int channel = 0; channel < CHANNELS; ++channel) {
        const int upper_left = source[source_origin + above * source_pitch + left * CHANNELS + channel];
        const int lower_right = source[source_origin + below * source_pitch + right * CHANNELS + channel];
        destination[y * destination_pitch + x * CHANNELS + channel] = clamp(128 + strength * (upper_left - lower_right) / 4, 0, 255);
    }
}
