// Each work-item computes one element from its place, and from the texels of a volume and of a stack of layers there.
__constant sampler_t NEAREST = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void weigh(__read_only image3d_t volume, __read_only image2d_array_t layers, __global float *out, float4 weights, uchar small, short3 less)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int width = get_image_width(volume), height = get_image_height(volume), depth = get_image_depth(volume);
    if (x >= width || y >= height || z >= depth || get_work_dim() != 3) return;
    const uint texel = read_imageui(volume, NEAREST, (int4)(x, y, z, 0)).x;
    const float layer = read_imagef(layers, NEAREST, (int4)(x, y, z, 0)).x;
    out[(z * height + y) * width + x] = dot(weights, (float4)(x, y, z, texel)) + small * layer + (less.x - less.z) * DEPTH;
}
