// The same as a textbook would write it: gray values of the neighborhood, then their mean.
int gray_of(__global const uchar *source, int x, int y, int width, int height)
{
    __global const uchar *pixel = source + 3 * (clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1));
    return (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2] + 128) / 256;
}

__kernel void naive(__global const uchar *source, __global uchar *destination, int width, int height, float amount)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx)
            sum += gray_of(source, x + dx, y + dy, width, height);
    const float own = gray_of(source, x, y, width, height);
    destination[y * width + x] = convert_uchar_sat_rte(own + amount * (own - sum / 25.0f));
}
