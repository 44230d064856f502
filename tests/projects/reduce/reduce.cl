// The sum of many numbers: each work-group leaves one number, and a last work-item adds those up.
__kernel void partial(__global const int *numbers, __global long *sums, __local long *shared, int count)
{
    long sum = 0;
    for (int index = get_global_id(0); index < count; index += get_global_size(0))
        sum += numbers[index];
    const int own = get_local_id(0);
    shared[own] = sum;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (own < step)
            shared[own] += shared[own + step];
    }
    if (own == 0)
        sums[get_group_id(0)] = shared[0];
}

__kernel void last(__global const long *sums, __global long *total, uint groups)
{
    long sum = 0;
    for (uint group = 0; group < groups; ++group)
        sum += sums[group];
    *total = sum;
}
