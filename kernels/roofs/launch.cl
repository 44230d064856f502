// Launch: what a kernel costs that has next to nothing to do. Each work-item writes one number, so that the launch can be
// checked.

__kernel void probe(__global int *destination, int number)
{
    destination[get_global_id(0)] = number;
}
