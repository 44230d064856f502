// A picture of image_width * image_height convolved with a filter; the input has a margin, so that all of the filter lies within it.
// A work-item computes tile_size_x * tile_size_y outputs that lie a whole work-group apart.
#define image_width 512
#define image_height 512
#define input_width (image_width + filter_width - 1)

__kernel void convolution(__global float *output, __global const float *input, __constant float *filter)
{
    int left = get_group_id(0) * (block_size_x * tile_size_x) + get_local_id(0);
    int top = get_group_id(1) * (block_size_y * tile_size_y) + get_local_id(1);
    float sums[tile_size_y][tile_size_x];
    for (int v = 0; v < tile_size_y; v++)
        for (int u = 0; u < tile_size_x; u++)
            sums[v][u] = 0.0f;
    for (int j = 0; j < filter_height; j++)
        for (int i = 0; i < filter_width; i++) {
            float weight = filter[j * filter_width + i];
            for (int v = 0; v < tile_size_y; v++)
                for (int u = 0; u < tile_size_x; u++) {
                    int x = min(left + u * block_size_x, image_width - 1);
                    int y = min(top + v * block_size_y, image_height - 1);
                    sums[v][u] += weight * input[(y + j) * input_width + x + i];
                }
        }
    for (int v = 0; v < tile_size_y; v++)
        for (int u = 0; u < tile_size_x; u++) {
            int x = left + u * block_size_x, y = top + v * block_size_y;
            if (x < image_width && y < image_height)
                output[y * image_width + x] = sums[v][u];
        }
}
