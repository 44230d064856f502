// The sum of two vectors. A work-group has block_size_x * per_item elements next to each other; its work-items take turns, so that neighbours read neighbours.
__kernel void vector_add(__global float *sum, __global const float *left, __global const float *right, int count)
{
    int first = get_group_id(0) * (block_size_x * per_item) + get_local_id(0);
    for (int step = 0; step < per_item; step++) {
        int index = first + step * block_size_x;
        if (index < count)
            sum[index] = left[index] + right[index];
    }
}
