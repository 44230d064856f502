// The mean of 3 × 3 texels: sums along rows, then sums of these along columns.
__kernel void rows(__read_only image2d_t source, sampler_t edges, __write_only image2d_t sums)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (at.x >= get_image_width(sums) || at.y >= get_image_height(sums)) return;
    uint4 sum = 0;
    for (int x = -1; x <= 1 - BUG; ++x) sum += read_imageui(source, edges, at + (int2)(x, 0));
    write_imageui(sums, at, sum);
}

__kernel void columns(__read_only image2d_t sums, sampler_t edges, __write_only image2d_t destination)
{
    const int x = get_global_id(0);
    for (int y = get_global_id(1) * PX; y < (get_global_id(1) + 1) * PX; ++y) {
        uint4 sum = 0;
        for (int dy = -1; dy <= 1; ++dy) sum += read_imageui(sums, edges, (int2)(x, y + dy));
        // What lies outside is not written.
        write_imageui(destination, (int2)(x, y), sum / 9);
    }
}
