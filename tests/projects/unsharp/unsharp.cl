// RGB to gray, then a 5 x 5 unsharp mask over the gray values. A work-item computes PX neighboring pixels.
__kernel void unsharp(__global const uchar *source, __global uchar *destination, int width, int height, float amount)
{
    const int y = get_global_id(1);
    const int first = get_global_id(0) * PX;
    if (y >= height)
        return;
    for (int x = first; x < min(first + PX, width); ++x) {
        int sum = 0, own = 0;
        for (int dy = -2; dy <= 2; ++dy)
            for (int dx = -2; dx <= 2; ++dx) {
                const int sx = clamp(x + dx, 0, width - 1), sy = clamp(y + dy, 0, height - 1);
                __global const uchar *pixel = source + 3 * (sy * width + sx);
                const int gray = (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2] + 128) >> 8;
                sum += gray;
                if (dx == 0 && dy == 0)
                    own = gray;
            }
#if BUG
        own += x == 7;
#endif
        destination[y * width + x] = convert_uchar_sat_rte(own + amount * (own - sum / 25.0f));
    }
}
