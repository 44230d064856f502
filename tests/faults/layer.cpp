// An OpenCL library for tests: passes every call on to the system's own, except for one that goes wrong as it is told.
//
// The file that KERNEL_LADDER_FAULT names says what goes wrong, in one line "FUNCTION NUMBER MODE": the call of that number since the
// line was first seen by this process. When it is due the file is renamed to NAME.done, so that it goes wrong in one process only, and
// NAME.next, if it exists, to NAME. Modes of a driver that works and then lies hold from that call on, for all functions whose names begin so.
// KERNEL_LADDER_CALLS names a file to which the name of every call is appended, a line each.
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <unistd.h>
#include <unordered_map>

namespace {

enum class Mode {
  none,
  refuse,  // returns an error, and does nothing
  unknown, // returns a code that OpenCL does not know
  skip,    // says that it succeeded, and has done nothing
  delay,   // takes two seconds
  hang,    // never returns
  abort,
  crash,   // a wild read
  leave,   // ends the process as if all were well
  lose,    // the device is gone: this and all later calls fail
  corrupt, // succeeds, and what it wrote, read or returned is wrong
  huge,    // succeeds, and says that what there is to tell is 2^40 bytes long
  // From this call on, a driver that works and then lies:
  idle,    // a launch says that it ran, in so and so much time, and has done nothing
  deaf,    // a read says that it has read, and has done nothing
  flip,    // one byte of what a launch wrote is wrong
  mangle,  // one byte of what is read is wrong
  // Of timestamps, from this call on.
  backwards, frozen, shortened, ticks, stretched,
};

constexpr const char *NAMES[] = {"none", "refuse", "unknown", "skip", "delay", "hang", "abort", "crash", "leave", "lose", "corrupt", "huge",
                                 "idle", "deaf", "flip", "mangle", "backwards", "frozen", "shortened", "ticks", "stretched"};

Mode mode_named(const std::string &name) {
  for (size_t index = 0; index < std::size(NAMES); ++index)
    if (name == NAMES[index]) return static_cast<Mode>(index);
  std::fprintf(stderr, "fault layer: no mode %s\n", name.c_str());
  std::abort();
}

std::mutex guard;
bool is_lost = false;
Mode lie = Mode::none;
// A lie that is no timestamp's, and the functions that it is of.
Mode habit = Mode::none;
std::string habitual;

bool begins(const std::string &text, const std::string &with) { return text.compare(0, with.size(), with) == 0; }

void note(const char *function) {
  const char *path = std::getenv("KERNEL_LADDER_CALLS");
  if (!path) return;
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  std::string line = std::string(function) + "\n";
  (void)!write(file, line.data(), line.size());
  close(file);
}

// What goes wrong with this call.
Mode due(const char *function) {
  std::lock_guard<std::mutex> alone(guard);
  note(function);
  if (is_lost) return Mode::lose;
  if (habit != Mode::none && begins(function, habitual)) return habit;
  const char *path = std::getenv("KERNEL_LADDER_FAULT");
  FILE *file = path ? std::fopen(path, "re") : nullptr;
  if (!file) return Mode::none;
  char name[64], mode[64];
  unsigned long number = 0;
  int found = std::fscanf(file, "%63s %lu %63s", name, &number, mode);
  std::fclose(file);
  if (found != 3) return Mode::none;
  const Mode told = mode_named(mode);
  const bool is_habit = told >= Mode::idle && told < Mode::backwards;
  if (is_habit ? !begins(function, name) : std::strcmp(name, function) != 0) return Mode::none;
  static std::unordered_map<std::string, unsigned long> calls;
  if (++calls[std::string(name) + " " + std::to_string(number) + " " + mode] < number) return Mode::none;
  std::rename(path, (std::string(path) + ".done").c_str());
  std::rename((std::string(path) + ".next").c_str(), path);
  if (told == Mode::lose) is_lost = true;
  if (told >= Mode::backwards) lie = told;
  if (is_habit) {
    habit = told;
    habitual = name;
  }
  return told;
}

void *real(const char *function) {
  static void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, function) : nullptr;
  if (!symbol) {
    std::fprintf(stderr, "fault layer: no %s\n", function);
    std::abort();
  }
  return symbol;
}

// Ends or delays the process where that is the mode.
void suffer(Mode mode) {
  switch (mode) {
  case Mode::delay: sleep(2); break;
  case Mode::hang: for (;;) pause();
  case Mode::abort: std::abort();
  case Mode::crash: {
    volatile int *nowhere = reinterpret_cast<int *>(16);
    (void)*nowhere;
    break;
  }
  case Mode::leave: _exit(0);
  default: break;
  }
}

cl_int code_of(Mode mode) {
  switch (mode) {
  case Mode::lose: return CL_DEVICE_NOT_AVAILABLE;
  case Mode::unknown: return -9999;
  default: return CL_OUT_OF_RESOURCES;
  }
}

void garble(void *bytes, size_t count) {
  auto *each = static_cast<unsigned char *>(bytes);
  for (size_t index = 0; each && index < count; ++index) each[index] ^= 0x5A;
}

// An event of a command that does nothing.
cl_int empty_event(cl_command_queue queue, cl_event *event) {
  using Marker = cl_int(cl_command_queue, cl_uint, const cl_event *, cl_event *);
  return event ? reinterpret_cast<Marker *>(real("clEnqueueMarkerWithWaitList"))(queue, 0, nullptr, event) : CL_SUCCESS;
}

template <typename... A> auto last(A... args) {
  if constexpr (sizeof...(A) == 0) return;
  else return std::get<sizeof...(A) - 1>(std::make_tuple(args...));
}

// A call that goes wrong without any value of its own.
template <typename R, typename... A> R without(Mode mode, A... args) {
  if constexpr (std::is_pointer_v<R>) {
    auto code = last(args...);
    if constexpr (std::is_same_v<decltype(code), cl_int *>)
      if (code) *code = mode == Mode::skip ? CL_SUCCESS : code_of(mode);
    return nullptr;
  } else {
    if (mode != Mode::skip) return code_of(mode);
    auto event = last(args...);
    if constexpr (std::is_same_v<decltype(event), cl_event *>) {
      auto queue = std::get<0>(std::make_tuple(args...));
      if constexpr (std::is_same_v<decltype(queue), cl_command_queue>) return empty_event(queue, event);
    }
    return CL_SUCCESS;
  }
}

// What a call tells, writes or reads, made wrong: for each shape of arguments. The plain call returns a wrong result.
template <typename R, typename... A> R corrupted(Mode, R (*call)(A...), A... args) {
  R result = call(args...);
  if constexpr (std::is_pointer_v<R>) return result ? reinterpret_cast<R>(reinterpret_cast<char *>(result) + 8) : result;
  else return -9999;
}

// Questions that end with (which, size, value, size that there is).
cl_int told(Mode mode, cl_int result, size_t size, void *value, size_t *needed) {
  if (result != CL_SUCCESS) return result;
  if (mode == Mode::huge) {
    if (needed) *needed = size_t(1) << 40;
  } else if (value) garble(value, size);
  return result;
}
template <typename O>
cl_int corrupted(Mode mode, cl_int (*call)(O, cl_uint, size_t, void *, size_t *), O of, cl_uint which, size_t size, void *value, size_t *needed) {
  return told(mode, call(of, which, size, value, needed), size, value, needed);
}
template <typename O, typename P>
cl_int corrupted(Mode mode, cl_int (*call)(O, P, cl_uint, size_t, void *, size_t *), O of, P part, cl_uint which, size_t size, void *value,
                 size_t *needed) {
  return told(mode, call(of, part, which, size, value, needed), size, value, needed);
}

// Lists that end with (room, entries, number).
cl_int listed(Mode mode, cl_int result, cl_uint room, void *entries, size_t bytes, cl_uint *count) {
  if (result != CL_SUCCESS) return result;
  if (count) *count = mode == Mode::huge ? 0x7fffffff : *count + 3;
  if (entries) garble(entries, room * bytes);
  return result;
}
cl_int corrupted(Mode mode, cl_int (*call)(cl_uint, cl_platform_id *, cl_uint *), cl_uint room, cl_platform_id *entries, cl_uint *count) {
  return listed(mode, call(room, entries, count), room, entries, sizeof *entries, count);
}
cl_int corrupted(Mode mode, cl_int (*call)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *), cl_platform_id of,
                 cl_device_type type, cl_uint room, cl_device_id *entries, cl_uint *count) {
  return listed(mode, call(of, type, room, entries, count), room, entries, sizeof *entries, count);
}
cl_int corrupted(Mode mode, cl_int (*call)(cl_context, cl_mem_flags, cl_mem_object_type, cl_uint, cl_image_format *, cl_uint *), cl_context of,
                 cl_mem_flags flags, cl_mem_object_type type, cl_uint room, cl_image_format *entries, cl_uint *count) {
  return listed(mode, call(of, flags, type, room, entries, count), room, entries, sizeof *entries, count);
}

// A kernel that leaves out the lower half, and an argument that is one too large.
cl_int corrupted(Mode, cl_int (*call)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *),
                 cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local,
                 cl_uint waits, const cl_event *wait, cl_event *event) {
  size_t less[3] = {global[0], dimensions > 1 ? global[1] : 1, dimensions > 2 ? global[2] : 1};
  for (size_t index = dimensions; index-- > 0;) {
    size_t step = local ? local[index] : 1;
    if (less[index] / step < 2) continue;
    less[index] = less[index] / step / 2 * step;
    break;
  }
  return call(queue, kernel, dimensions, offset, less, local, waits, wait, event);
}
cl_int corrupted(Mode, cl_int (*call)(cl_kernel, cl_uint, size_t, const void *), cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  cl_int number;
  if (size != sizeof number || !value) return call(kernel, index, size, value);
  std::memcpy(&number, value, sizeof number);
  ++number;
  return call(kernel, index, size, &number);
}

// Reading: what arrives is wrong in the middle. Writing: so is what leaves.
void spoil(void *bytes, size_t count) {
  if (bytes) garble(static_cast<char *>(bytes) + count / 2, count > 16 ? 16 : count);
}
template <typename Call> cl_int written(Call call, const void *bytes, size_t count) {
  // Kept for ever: nobody says when the command has ended.
  void *copy = std::malloc(count);
  std::memcpy(copy, bytes, count);
  spoil(copy, count);
  return call(copy);
}
cl_int corrupted(Mode, cl_int (*call)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *),
                 cl_command_queue queue, cl_mem memory, cl_bool, size_t offset, size_t count, void *bytes, cl_uint waits, const cl_event *wait,
                 cl_event *event) {
  cl_int result = call(queue, memory, CL_TRUE, offset, count, bytes, waits, wait, event);
  spoil(bytes, count);
  return result;
}
cl_int corrupted(Mode, cl_int (*call)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *),
                 cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t count, const void *bytes, cl_uint waits,
                 const cl_event *wait, cl_event *event) {
  return written([&](void *copy) { return call(queue, memory, blocking, offset, count, copy, waits, wait, event); }, bytes, count);
}
cl_int corrupted(Mode, cl_int (*call)(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *),
                 cl_command_queue queue, cl_mem memory, cl_bool, const size_t *from, const size_t *to, const size_t *region, size_t pitch,
                 size_t slice, size_t host_pitch, size_t host_slice, void *bytes, cl_uint waits, const cl_event *wait, cl_event *event) {
  cl_int result = call(queue, memory, CL_TRUE, from, to, region, pitch, slice, host_pitch, host_slice, bytes, waits, wait, event);
  spoil(bytes, region[0]);
  return result;
}
cl_int corrupted(Mode, cl_int (*call)(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *),
                 cl_command_queue queue, cl_mem memory, cl_bool blocking, const size_t *origin, const size_t *region, size_t pitch, size_t slice,
                 const void *bytes, cl_uint waits, const cl_event *wait, cl_event *event) {
  return written([&](void *copy) { return call(queue, memory, blocking, origin, region, pitch, slice, copy, waits, wait, event); }, bytes,
                 pitch * (region[1] - 1) + region[0]);
}
void *corrupted(Mode, void *(*call)(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint, const cl_event *, cl_event *, cl_int *),
                cl_command_queue queue, cl_mem memory, cl_bool, cl_map_flags flags, size_t offset, size_t count, cl_uint waits,
                const cl_event *wait, cl_event *event, cl_int *code) {
  void *bytes = call(queue, memory, CL_TRUE, flags, offset, count, waits, wait, event, code);
  spoil(bytes, count);
  return bytes;
}
void *corrupted(Mode, void *(*call)(cl_command_queue, cl_mem, cl_bool, cl_map_flags, const size_t *, const size_t *, size_t *, size_t *, cl_uint, const cl_event *, cl_event *, cl_int *),
                cl_command_queue queue, cl_mem memory, cl_bool, cl_map_flags flags, const size_t *origin, const size_t *region, size_t *pitch,
                size_t *slice, cl_uint waits, const cl_event *wait, cl_event *event, cl_int *code) {
  void *bytes = call(queue, memory, CL_TRUE, flags, origin, region, pitch, slice, waits, wait, event, code);
  if (pitch) *pitch += 4;
  return bytes;
}
cl_int corrupted(Mode, cl_int (*call)(cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint, const cl_event *, cl_event *),
                 cl_command_queue queue, cl_mem memory, const void *, size_t size, size_t offset, size_t count, cl_uint waits,
                 const cl_event *wait, cl_event *event) {
  static const unsigned char OTHER[128] = {};
  return call(queue, memory, OTHER, size, offset, count, waits, wait, event);
}
cl_int corrupted(Mode, cl_int (*call)(cl_command_queue, cl_mem, const void *, const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *),
                 cl_command_queue queue, cl_mem memory, const void *, const size_t *origin, const size_t *region, cl_uint waits,
                 const cl_event *wait, cl_event *event) {
  static const unsigned char OTHER[16] = {};
  return call(queue, memory, OTHER, origin, region, waits, wait, event);
}

// Launches that did not happen: when they say that they were asked for.
std::unordered_map<cl_event, cl_ulong> idle_since;

// Memory objects that kernels were given, by kernel and number.
std::unordered_map<cl_kernel, std::unordered_map<cl_uint, cl_mem>> given;

cl_ulong now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return cl_ulong(time.tv_sec) * 1000000000 + cl_ulong(time.tv_nsec);
}

// What a liar does: for launches and reads; all else it does as it should.
template <typename R, typename... A> R lied(Mode, R (*call)(A...), A... args) { return call(args...); }

cl_int lied(Mode mode, cl_int (*call)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *),
            cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local,
            cl_uint waits, const cl_event *wait, cl_event *event) {
  if (mode == Mode::idle) {
    const cl_ulong begun = now_ns();
    usleep(200);
    cl_int result = empty_event(queue, event);
    std::lock_guard<std::mutex> alone(guard);
    if (event) idle_since[*event] = begun;
    return result;
  }
  cl_int result = call(queue, kernel, dimensions, offset, global, local, waits, wait, event);
  if (mode != Mode::flip || result != CL_SUCCESS) return result;
  // Outputs lie between guards: they are parts of buffers.
  static auto *info = reinterpret_cast<decltype(clGetMemObjectInfo) *>(real("clGetMemObjectInfo"));
  static auto *read = reinterpret_cast<decltype(clEnqueueReadBuffer) *>(real("clEnqueueReadBuffer"));
  static auto *write = reinterpret_cast<decltype(clEnqueueWriteBuffer) *>(real("clEnqueueWriteBuffer"));
  static auto *about = reinterpret_cast<decltype(clGetKernelInfo) *>(real("clGetKernelInfo"));
  char name[64] = {};
  about(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, nullptr);
  // The probes of roofs share one large buffer, of which some write a few numbers alone.
  const bool is_probe = std::strcmp(name, "probe") == 0;
  for (auto [index, memory] : given[kernel]) {
    cl_mem whole = nullptr;
    size_t size = 0;
    if (info(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, nullptr) != CL_SUCCESS || !whole) continue;
    info(memory, CL_MEM_SIZE, sizeof size, &size, nullptr);
    unsigned char byte = 0;
    const size_t place = is_probe ? 1 : size / 3;
    read(queue, memory, CL_TRUE, place, 1, &byte, 0, nullptr, nullptr);
    byte ^= 0x40;
    write(queue, memory, CL_TRUE, place, 1, &byte, 0, nullptr, nullptr);
  }
  return result;
}
cl_int lied(Mode mode, cl_int (*call)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *),
            cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t count, void *bytes, cl_uint waits,
            const cl_event *wait, cl_event *event) {
  if (mode == Mode::deaf) return empty_event(queue, event);
  cl_int result = call(queue, memory, mode == Mode::mangle ? CL_TRUE : blocking, offset, count, bytes, waits, wait, event);
  if (mode == Mode::mangle && result == CL_SUCCESS) static_cast<unsigned char *>(bytes)[count / 3] ^= 0x40;
  return result;
}
cl_int lied(Mode mode, cl_int (*call)(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *),
            cl_command_queue queue, cl_mem memory, cl_bool blocking, const size_t *from, const size_t *to, const size_t *region, size_t pitch,
            size_t slice, size_t host_pitch, size_t host_slice, void *bytes, cl_uint waits, const cl_event *wait, cl_event *event) {
  if (mode == Mode::deaf) return empty_event(queue, event);
  cl_int result = call(queue, memory, mode == Mode::mangle ? CL_TRUE : blocking, from, to, region, pitch, slice, host_pitch, host_slice, bytes,
                       waits, wait, event);
  if (mode == Mode::mangle && result == CL_SUCCESS) static_cast<unsigned char *>(bytes)[region[0] / 3] ^= 0x40;
  return result;
}

template <typename R, typename... A> R passed(const char *function, R (*call)(A...), A... args) {
  Mode mode = due(function);
  suffer(mode);
  switch (mode) {
  case Mode::idle:
  case Mode::deaf:
  case Mode::flip:
  case Mode::mangle: return lied(mode, call, args...);
  case Mode::refuse:
  case Mode::unknown:
  case Mode::skip:
  case Mode::lose: return without<R>(mode, args...);
  case Mode::corrupt:
  case Mode::huge: return corrupted(mode, call, args...);
  default: return call(args...);
  }
}

// The parameters of a function, one by one.
template <size_t N, typename F> struct Parameter;
template <size_t N, typename R, typename... A> struct Parameter<N, R(A...)> {
  using type = std::tuple_element_t<N, std::tuple<A...>>;
  using result = R;
};
template <typename F> using Result = typename Parameter<0, F>::result;

} // namespace

#define P(F, N) Parameter<N, decltype(F)>::type a##N
#define P1(F) P(F, 0)
#define P2(F) P1(F), P(F, 1)
#define P3(F) P2(F), P(F, 2)
#define P4(F) P3(F), P(F, 3)
#define P5(F) P4(F), P(F, 4)
#define P6(F) P5(F), P(F, 5)
#define P7(F) P6(F), P(F, 6)
#define P8(F) P7(F), P(F, 7)
#define P9(F) P8(F), P(F, 8)
#define P10(F) P9(F), P(F, 9)
#define P11(F) P10(F), P(F, 10)
#define P12(F) P11(F), P(F, 11)
#define P14(F) P12(F), P(F, 12), P(F, 13)
#define A1 a0
#define A2 A1, a1
#define A3 A2, a2
#define A4 A3, a3
#define A5 A4, a4
#define A6 A5, a5
#define A7 A6, a6
#define A8 A7, a7
#define A9 A8, a8
#define A10 A9, a9
#define A11 A10, a10
#define A12 A11, a11
#define A14 A12, a12, a13
#define PASS(N, F) \
  extern "C" __attribute__((visibility("default"))) Result<decltype(F)> F(P##N(F)) { \
    static auto *call = reinterpret_cast<decltype(F) *>(real(#F)); \
    return passed(#F, call, A##N); \
  }

PASS(3, clGetPlatformIDs)
PASS(5, clGetPlatformInfo)
PASS(5, clGetDeviceIDs)
PASS(5, clGetDeviceInfo)
PASS(6, clCreateContext)
PASS(1, clReleaseContext)
PASS(4, clCreateCommandQueue)
PASS(1, clReleaseCommandQueue)
PASS(1, clFlush)
PASS(5, clCreateProgramWithSource)
PASS(7, clCreateProgramWithBinary)
PASS(6, clBuildProgram)
PASS(6, clGetProgramBuildInfo)
PASS(5, clGetProgramInfo)
PASS(1, clReleaseProgram)
PASS(3, clCreateKernel)
PASS(5, clGetKernelInfo)
PASS(6, clGetKernelArgInfo)
PASS(6, clGetKernelWorkGroupInfo)
PASS(1, clReleaseKernel)
PASS(5, clCreateBuffer)
PASS(5, clCreateSubBuffer)
PASS(6, clCreateImage)
PASS(6, clGetSupportedImageFormats)
PASS(1, clReleaseMemObject)
PASS(5, clCreateSampler)
PASS(1, clReleaseSampler)
PASS(9, clEnqueueNDRangeKernel)
PASS(9, clEnqueueWriteBuffer)
PASS(9, clEnqueueReadBuffer)
PASS(14, clEnqueueReadBufferRect)
PASS(9, clEnqueueFillBuffer)
PASS(11, clEnqueueWriteImage)
PASS(11, clEnqueueReadImage)
PASS(8, clEnqueueFillImage)
PASS(10, clEnqueueMapBuffer)
PASS(12, clEnqueueMapImage)
PASS(6, clEnqueueUnmapMemObject)
PASS(2, clWaitForEvents)
PASS(5, clGetEventInfo)
PASS(4, clSVMAlloc)

// It returns nothing: what goes wrong leaves the memory allocated.
extern "C" __attribute__((visibility("default"))) void clSVMFree(cl_context context, void *memory) {
  static auto *call = reinterpret_cast<decltype(clSVMFree) *>(real("clSVMFree"));
  const Mode mode = due("clSVMFree");
  suffer(mode);
  if (mode == Mode::none || mode == Mode::delay) call(context, memory);
}

// An event's place may be another one's afterwards.
extern "C" __attribute__((visibility("default"))) cl_int clReleaseEvent(cl_event event) {
  static auto *call = reinterpret_cast<decltype(clReleaseEvent) *>(real("clReleaseEvent"));
  {
    std::lock_guard<std::mutex> alone(guard);
    idle_since.erase(event);
  }
  return passed("clReleaseEvent", call, event);
}

// Arguments: a liar has to know where outputs are.
extern "C" __attribute__((visibility("default"))) cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  static auto *call = reinterpret_cast<decltype(clSetKernelArg) *>(real("clSetKernelArg"));
  cl_int result = passed("clSetKernelArg", call, kernel, index, size, value);
  std::lock_guard<std::mutex> alone(guard);
  given[kernel].erase(index);
  if (result == CL_SUCCESS && value && size == sizeof(cl_mem)) std::memcpy(&given[kernel][index], value, size);
  return result;
}

// Timestamps: those of a liar are wrong ever after.
extern "C" __attribute__((visibility("default"))) cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info which, size_t size, void *value,
                                                                                 size_t *needed) {
  static auto *call = reinterpret_cast<decltype(clGetEventProfilingInfo) *>(real("clGetEventProfilingInfo"));
  cl_int result = passed("clGetEventProfilingInfo", call, event, which, size, value, needed);
  {
    std::lock_guard<std::mutex> alone(guard);
    auto idle = idle_since.find(event);
    if (idle != idle_since.end() && size == sizeof(cl_ulong) && value) {
      const cl_ulong after = which == CL_PROFILING_COMMAND_END ? 150000 : which == CL_PROFILING_COMMAND_START ? 50000 : 0;
      const cl_ulong time = idle->second + after;
      std::memcpy(value, &time, sizeof time);
      return CL_SUCCESS;
    }
  }
  if (lie == Mode::none || result != CL_SUCCESS || which != CL_PROFILING_COMMAND_END || size != sizeof(cl_ulong) || !value) return result;
  cl_ulong start = 0, end = 0;
  std::memcpy(&end, value, sizeof end);
  if (call(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr) != CL_SUCCESS) return result;
  cl_ulong took = end - start;
  switch (lie) {
  case Mode::backwards: end = start - took; break;
  case Mode::frozen: end = start; break;
  case Mode::shortened: end = start + took / 1000; break;
  case Mode::ticks: end = start + took / 42; break;
  case Mode::stretched: end = start + took * 1000; break;
  default: break;
  }
  std::memcpy(value, &end, sizeof end);
  return result;
}
