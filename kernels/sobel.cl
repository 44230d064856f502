// Sobel edges of a gray image: output = saturate(|across| + |down|), the two gradients being
//
//                -1  0 +1                 -1 -2 -1
//     across  =  -2  0 +2        down  =   0  0  0
//                -1  0 +1                 +1 +2 +1
//
// |across| + |down| approximates the length of the gradient without a square root, and fits in 16 bits.

#ifndef CHANNELS
#define CHANNELS 1 // Bytes per pixel: the image is gray
#endif
#ifndef REACH
#define REACH 1 // Pixels that the mask reaches on each side of its center
#endif
#include "common/stages.clh"

#include "common/contract.clh"

#include "common/ownership.clh"

#if ACCESS == 0
#include "sobel_pixels.clh"
#else
#include "sobel_words.clh"

__kernel void sobel(__global const uchar *restrict source, int source_origin, int source_pitch,
                    __global uchar *restrict destination, int destination_pitch, int width, int height)
{
#include "common/own_words.clh" // byte, y: the first byte that this work-item owns

    filter_block(source + source_origin, source_pitch, destination, destination_pitch, byte, y, width, height);
}
#endif
