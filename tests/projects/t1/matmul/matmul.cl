// product = left * right, of squares with `side` rows. A work-group computes a tile of block_size_x * tile_size_x columns and block_size_y * tile_size_y rows;
// it loads `depth` columns of left and as many rows of right into local memory at a time. The conditions make tiles and depth divide the side.
#define columns (block_size_x * tile_size_x)
#define rows (block_size_y * tile_size_y)
#define items (block_size_x * block_size_y)

__kernel void matmul(__global float *product, __global const float *left, __global const float *right, int side)
{
    __local float of_left[rows * depth];
    __local float of_right[depth * columns];
    int x = get_local_id(0), y = get_local_id(1), item = y * block_size_x + x;
    int first_column = get_group_id(0) * columns, first_row = get_group_id(1) * rows;
    float sums[tile_size_y][tile_size_x];
    for (int v = 0; v < tile_size_y; v++)
        for (int u = 0; u < tile_size_x; u++)
            sums[v][u] = 0.0f;
    for (int from = 0; from < side; from += depth) {
        for (int at = item; at < rows * depth; at += items)
            of_left[at] = left[(first_row + at / depth) * side + from + at % depth];
        for (int at = item; at < depth * columns; at += items)
            of_right[at] = right[(from + at / columns) * side + first_column + at % columns];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < depth; k++)
            for (int v = 0; v < tile_size_y; v++) {
                float one = of_left[(y + v * block_size_y) * depth + k];
                for (int u = 0; u < tile_size_x; u++)
                    sums[v][u] += one * of_right[k * columns + x + u * block_size_x];
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int v = 0; v < tile_size_y; v++)
        for (int u = 0; u < tile_size_x; u++)
            product[(first_row + y + v * block_size_y) * side + first_column + x + u * block_size_x] = sums[v][u];
}
