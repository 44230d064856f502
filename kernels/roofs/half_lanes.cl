// Half lanes: whether integers below 2048, taken for halves bit by bit, add and multiply exactly on a device. Nothing but a run
// tells: a device may flush subnormal halves to zero, whatever it claims. Work-item `first` tries its number with every other.

#ifndef LANES
#define LANES 2 // Sums of 16 bits, two to a word: 1 integers, 2 halves
#endif
#ifndef INLINE_PTX
#define INLINE_PTX 0 // 1: the compiler is NVIDIA's, and takes instructions of its device
#endif
#include "common/words.clh"

#include "common/lanes_add.clh"

#include "common/lanes_order.clh"

#include "common/lanes_column.clh"

#include "laplace/nine_less.clh"

#include "sobel/gradient.clh"

// The two lanes hold different numbers: neither may touch the other.
uint both(uint low, uint high)
{
    return low | high << 16;
}

// Laplace: centers go up to 255, the sums of their 8 neighbors up to 2040.
bool is_sharpened(int center, int neighbors)
{
    const int other_center = 255 - center;
    const int other_neighbors = 8 * 255 - neighbors;
    const words result = nine_less(both(center, other_center), both(neighbors, other_neighbors));
    const int low = clamp(9 * center - neighbors, 0, 255);
    const int high = clamp(9 * other_center - other_neighbors, 0, 255);
    return result.s1 == both(low, high);
}

// Sobel: both sums down the columns go up to 1020, and what rises is four times a difference of bytes.
bool is_edge(int left, int right, int above, int below)
{
    const words rise = rise_of(both(above, below), both(below, above));
    const words down = twice_and(rise, add_lanes(rise, rise));
    const words result = strength(both(left, right), both(right, left), down);
    return result.s1 == min((int)abs(right - left) + 4 * (int)abs(below - above), 255) * 0x10001;
}

__kernel void probe(__global uint *wrong, int numbers)
{
    const int first = get_global_id(0);
    uint errors = 0;
    for (int second = 0; second < numbers; ++second) {
        const words one = both(first, second);
        const words other = both(second, first);
        if (first + second < numbers)
            errors += add_lanes(one, other).s1 != both(first + second, first + second);
        if (2 * first + second < numbers && 2 * second + first < numbers)
            errors += twice_and(one, other).s1 != both(2 * first + second, 2 * second + first);
        if (first + second < numbers) {
            const uint sum = with_entering(one.s1, other.s1);
            errors += sum != both(first + second, first + second) || without_leaving(sum, other.s1) != one.s1;
        }
        const ordered_pair pair = in_order(one, other);
        errors += pair.low.s1 != least(one, other).s1 || pair.high.s1 != most(one, other).s1;
        errors += least(one, other).s1 != both(min(first, second), min(first, second));
        errors += most(one, other).s1 != both(max(first, second), max(first, second));
        if (first <= 255 && second <= 8 * 255)
            errors += !is_sharpened(first, second);
        if (first <= 4 * 255 && second <= 4 * 255)
            errors += !is_edge(first, second, first & 255, second & 255);
    }
    wrong[first] = errors;
}
