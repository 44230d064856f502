// A multiplication and an addition with one rounding. The square of 1 + 2^-12 is 1 + 2^-11 + 2^-24, and its last bit is lost where the product is rounded
// by itself: 1 less, there is 2^-11. Each work-item tries its own number, so that nothing is computed by the compiler.

__kernel void probe(__global uint *wrong)
{
    const int i = get_global_id(0);
    const float scale = (float)(i + 1) / (float)(i + 1);
    const float number = (1.0f + 0x1p-12f) * scale;
    wrong[i] = fma(number, number, -1.0f) != 0x1p-11f + 0x1p-24f;
}
