// NVIDIA's NPP and CUB as peers of `kernel-ladder peers`; `docs/peers.md` describes the lines that are exchanged.
//
//     nvcc -O2 -std=c++17 -o cuda cuda.cu -lnppif -lnppim -lnppist -lnppig -lnppicc -lnppial -lnppidei -lnppc
//
// A time is that of one call between two events of CUDA. Pictures are taken in turn, so that no cache holds the one that comes next. Rows and first
// pixel begin at multiples of 512 bytes, as nppiMalloc gives them, and the picture is in the middle of a larger buffer: functions without a
// border mode may read around it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <npp.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <vector>

using Call = std::function<int(int)>;
using Named = std::vector<std::pair<std::string, Call>>;

static NppStreamContext context;

static void check(cudaError_t error)
{
    if (error != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(error));
}

static void *on_device(size_t bytes)
{
    void *memory = nullptr;
    check(cudaMalloc(&memory, bytes));
    return memory;
}

template <typename T> static T *to_device(const std::vector<T> &values)
{
    T *memory = static_cast<T *>(on_device(values.size() * sizeof(T)));
    check(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

const int MARGIN_ROWS = 32;
const size_t MARGIN_BYTES = 512;
const size_t ROTATION_BYTES = 256 << 20;

// A picture of bytes on the device, several times.
struct Plane {
    int width, height, channels, pitch;
    std::vector<Npp8u *> copies;

    Plane(int width, int height, int channels, int count) : width(width), height(height), channels(channels)
    {
        pitch = int((size_t(width) * channels + 511) / 512 * 512 + 2 * MARGIN_BYTES);
        for (int copy = 0; copy < count; ++copy) {
            copies.push_back(static_cast<Npp8u *>(on_device(bytes())));
            check(cudaMemset(copies.back(), 0, bytes()));
        }
    }
    Plane(const Plane &) = delete;
    ~Plane()
    {
        for (Npp8u *copy : copies)
            cudaFree(copy);
    }
    size_t bytes() const { return size_t(pitch) * (height + 2 * MARGIN_ROWS); }
    Npp8u *at(int turn) const { return copies[turn % copies.size()] + size_t(pitch) * MARGIN_ROWS + MARGIN_BYTES; }
    NppiSize size() const { return {width, height}; }
};

struct Question {
    std::string verb, filter, path, written;
    int width, height, channels, runs;
    std::map<std::string, double> settings;

    double setting(const char *name, double otherwise = 0) const
    {
        const auto found = settings.find(name);
        return found == settings.end() ? otherwise : found->second;
    }
};

// Kernels between what CUB has.

__global__ void look_up(const Npp8u *source, Npp8u *destination, int width, int height, int pitch, const Npp8u *table)
{
    const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const uchar4 from = *reinterpret_cast<const uchar4 *>(source + size_t(y) * pitch + x);
    *reinterpret_cast<uchar4 *>(destination + size_t(y) * pitch + x) = {table[from.x], table[from.y], table[from.z], table[from.w]};
}

__global__ void equalizing_table(const int *histogram, long long pixels, Npp8u *table)
{
    __shared__ int counts[256];
    counts[threadIdx.x] = histogram[threadIdx.x];
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    long long below = 0, first = 0;
    for (int value = 0; value < 256; ++value) {
        below += counts[value];
        if (first == 0)
            first = below;
        const long long span = pixels - first;
        table[value] = Npp8u(span == 0 ? value : (255 * (below - first) + span / 2) / span);
    }
}

__global__ void brighten(const Npp8u *source, Npp8u *destination, int row_bytes, int height, int pitch, const unsigned long long *sum,
                         double target)
{
    const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= row_bytes || y >= height)
        return;
    const float gain = fminf(16.0f, float(target * row_bytes * height / double(max(*sum, 1ull))));
    const uchar4 from = *reinterpret_cast<const uchar4 *>(source + size_t(y) * pitch + x);
    const auto brighter = [gain](Npp8u value) { return Npp8u(fminf(255.0f, floorf(gain * value + 0.5f))); };
    *reinterpret_cast<uchar4 *>(destination + size_t(y) * pitch + x) = {brighter(from.x), brighter(from.y), brighter(from.z), brighter(from.w)};
}

// The sum of 16 bytes of a picture, whose rows are taken as one.
struct WordSum {
    const Npp8u *source;
    int row_words, pitch;
    __host__ __device__ unsigned long long operator()(int place) const
    {
        const uint4 word = *reinterpret_cast<const uint4 *>(source + size_t(place / row_words) * pitch + 16 * (place % row_words));
        unsigned sum = 0;
        for (unsigned part : {word.x, word.y, word.z, word.w})
            sum += (part & 255) + (part >> 8 & 255) + (part >> 16 & 255) + (part >> 24);
        return sum;
    }
};

// The functions that compute the filter, or something near it: what differs is found by comparing outputs.
static Named calls(const Question &asked, const Plane &s, const Plane &d)
{
    const NppiSize size = s.size();
    const NppiPoint origin = {0, 0};
    const bool rgb = asked.channels == 3;
    const int radius = int(asked.setting("radius", 1));
    Named named;
    // Macros name what they call. A call is given the turn, and so the copies to work on.
#define SD s.at(i), s.pitch, d.at(i), d.pitch
#define CALL(function, ...) named.push_back({#function, [=, &s, &d](int i) { return int(function##_Ctx(__VA_ARGS__, context)); }})
#define BY_CHANNELS(function, suffix, ...)                                                                                                  \
    if (rgb)                                                                                                                               \
        CALL(function##_8u_C3##suffix, __VA_ARGS__);                                                                                      \
    else                                                                                                                                   \
        CALL(function##_8u_C1##suffix, __VA_ARGS__)
    if (asked.filter == "copy") {
        BY_CHANNELS(nppiCopy, R, SD, size);
    } else if (asked.filter == "add" && asked.setting("amount") >= 0) {
        const Npp8u amount = Npp8u(asked.setting("amount"));
        static Npp8u amounts[3];
        std::fill(amounts, amounts + 3, amount);
        if (rgb)
            CALL(nppiAddC_8u_C3RSfs, s.at(i), s.pitch, amounts, d.at(i), d.pitch, size, 0);
        else
            CALL(nppiAddC_8u_C1RSfs, s.at(i), s.pitch, amount, d.at(i), d.pitch, size, 0);
    } else if (asked.filter == "laplace") {
        static Npp32s *mask = to_device<Npp32s>({-1, -1, -1, -1, 9, -1, -1, -1, -1});
        BY_CHANNELS(nppiFilter, R, SD, size, mask, NppiSize{3, 3}, NppiPoint{1, 1}, 1);
    } else if (asked.filter == "sobel") {
        CALL(nppiGradientVectorSobelBorder_8u16s_C1R, s.at(i), s.pitch, size, origin, nullptr, 0, nullptr, 0,
             reinterpret_cast<Npp16s *>(d.at(i)), d.pitch, nullptr, 0, size, NPP_MASK_SIZE_3_X_3, nppiNormL1, NPP_BORDER_REPLICATE);
    } else if (asked.filter == "gaussian") {
        static Npp32f *taps = to_device<Npp32f>(
            {1 / 256.f, 4 / 256.f, 8 / 256.f, 16 / 256.f, 32 / 256.f, 134 / 256.f, 32 / 256.f, 16 / 256.f, 8 / 256.f, 4 / 256.f, 1 / 256.f});
        BY_CHANNELS(nppiFilterGauss, R, SD, size, NPP_MASK_SIZE_11_X_11);
        BY_CHANNELS(nppiFilterGaussAdvancedBorder, R, s.at(i), s.pitch, size, origin, d.at(i), d.pitch, size, 11, taps, NPP_BORDER_REPLICATE);
    } else if (asked.filter == "box") {
        BY_CHANNELS(nppiFilterBox, R, SD, size, NppiSize{2 * radius, 2 * radius}, NppiPoint{radius - 1, radius - 1});
    } else if (asked.filter == "integral") {
        BY_CHANNELS(nppiFilterBox, R, SD, size, NppiSize{2 * radius + 1, 2 * radius + 1}, NppiPoint{radius, radius});
    } else if (asked.filter == "median" || asked.filter == "median-wide") {
        const int side = asked.filter == "median" ? 3 : 2 * radius + 1;
        const NppiSize mask = {side, side};
        Npp32u bytes = 0;
        if (rgb)
            nppiFilterMedianGetBufferSize_8u_C3R_Ctx(size, mask, &bytes, context);
        else
            nppiFilterMedianGetBufferSize_8u_C1R_Ctx(size, mask, &bytes, context);
        static std::map<Npp32u, Npp8u *> buffers;
        Npp8u *&buffer = buffers[bytes];
        if (!buffer)
            buffer = static_cast<Npp8u *>(on_device(bytes + 16));
        Npp8u *const work = buffer;
        BY_CHANNELS(nppiFilterMedian, R, SD, size, mask, NppiPoint{side / 2, side / 2}, work);
    } else if (asked.filter == "dilate") {
        BY_CHANNELS(nppiDilate3x3, R, SD, size);
    } else if (asked.filter == "bilateral") {
        const float color = float(asked.setting("sigma_color")), space = float(asked.setting("sigma_space"));
        BY_CHANNELS(nppiFilterBilateralGaussBorder, R, s.at(i), s.pitch, size, origin, d.at(i), d.pitch, size, radius, 1, color * color,
                    space * space, NPP_BORDER_REPLICATE);
    } else if (asked.filter == "luma") {
        CALL(nppiRGBToGray_8u_C3C1R, SD, size);
    } else if (asked.filter == "rotate") {
        const NppiRect from = {0, 0, s.width, s.height}, to = {0, 0, d.width, d.height};
        BY_CHANNELS(nppiRotate, R, s.at(i), size, s.pitch, from, d.at(i), d.pitch, to, 270.0, double(d.width - 1), 0.0, NPPI_INTER_NN);
        // Rows become columns, but nothing is mirrored.
        BY_CHANNELS(nppiTranspose, R, SD, size);
    } else if (asked.filter == "resize") {
        const NppiRect from = {0, 0, s.width, s.height}, to = {0, 0, d.width, d.height};
        BY_CHANNELS(nppiResize, R, s.at(i), s.pitch, size, from, d.at(i), d.pitch, d.size(), to, NPPI_INTER_LINEAR);
    } else if (asked.filter == "demosaic") {
        const NppiRect from = {0, 0, s.width, s.height};
        CALL(nppiCFAToRGB_8u_C1C3R, s.at(i), s.pitch, size, from, d.at(i), d.pitch, NPPI_BAYER_RGGB, NPPI_INTER_UNDEFINED);
    } else if (asked.filter == "equalize" && !rgb) {
        static int *histogram = static_cast<int *>(on_device(256 * sizeof(int)));
        static Npp8u *table = static_cast<Npp8u *>(on_device(256));
        static void *work = nullptr;
        static size_t work_bytes = 0;
        const auto count = [&s](int i, void *memory, size_t &bytes) {
            return cub::DeviceHistogram::HistogramEven(memory, bytes, s.at(i), histogram, 257, 0, 256, s.width, s.height, size_t(s.pitch),
                                                       context.hStream);
        };
        size_t needed = 0;
        check(count(0, nullptr, needed));
        if (needed > work_bytes)
            work = on_device(needed), work_bytes = needed;
        named.push_back({"cub::DeviceHistogram, two kernels of ours", [=, &s, &d](int i) {
            size_t bytes = work_bytes;
            int error = count(i, work, bytes);
            equalizing_table<<<1, 256, 0, context.hStream>>>(histogram, (long long)s.width * s.height, table);
            const dim3 block(32, 8), grid((s.width + 127) / 128, (s.height + 7) / 8);
            look_up<<<grid, block, 0, context.hStream>>>(s.at(i), d.at(i), s.width, s.height, s.pitch, table);
            return error ? error : int(cudaGetLastError());
        }});
    } else if (asked.filter == "exposure" && s.width * asked.channels % 16 == 0) {
        static unsigned long long *sum = static_cast<unsigned long long *>(on_device(sizeof(unsigned long long)));
        static void *work = nullptr;
        static size_t work_bytes = 0;
        const int row_bytes = s.width * asked.channels;
        const auto add = [=, &s](int i, void *memory, size_t &bytes) {
            const auto words = thrust::make_transform_iterator(thrust::make_counting_iterator(0), WordSum{s.at(i), row_bytes / 16, s.pitch});
            return cub::DeviceReduce::Sum(memory, bytes, words, sum, row_bytes / 16 * s.height, context.hStream);
        };
        size_t needed = 0;
        check(add(0, nullptr, needed));
        if (needed > work_bytes)
            work = on_device(needed), work_bytes = needed;
        const double target = asked.setting("target");
        named.push_back({"cub::DeviceReduce, a kernel of ours", [=, &s, &d](int i) {
            size_t bytes = work_bytes;
            int error = add(i, work, bytes);
            const dim3 block(32, 8), grid((row_bytes + 127) / 128, (s.height + 7) / 8);
            brighten<<<grid, block, 0, context.hStream>>>(s.at(i), d.at(i), row_bytes, s.height, s.pitch, sum, target);
            return error ? error : int(cudaGetLastError());
        }});
    } else if (asked.filter == "curve") {
        std::vector<Npp8u> values;
        for (int value = 0; value < 256; ++value) {
            const double brighter = floor(sqrt(255.0 * value) + 0.5);
            values.push_back(Npp8u(floor(value + asked.setting("strength") * (brighter - value) / 100 + 0.5)));
        }
        static Npp8u *table = nullptr;
        static const Npp8u *tables[3];
        table = to_device(values);
        std::fill(tables, tables + 3, table);
        if (rgb)
            CALL(nppiLUTPalette_8u_C3R, SD, size, tables, 8);
        else
            CALL(nppiLUTPalette_8u_C1R, SD, size, table, 8);
    }
    return named;
}

// Microseconds of so many runs, after some that warm up.
static std::vector<float> times(const Call &call, int runs)
{
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    // As long as the program warms up its own kernels in a round.
    const auto warm = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    for (int run = 0; run < 5 || std::chrono::steady_clock::now() < warm; ++run) {
        call(run);
        check(cudaStreamSynchronize(context.hStream));
    }
    std::vector<float> measured;
    for (int run = 0; run < runs; ++run) {
        float ms = 0;
        check(cudaEventRecord(begin, context.hStream));
        call(run);
        check(cudaEventRecord(end, context.hStream));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&ms, begin, end));
        measured.push_back(1000 * ms);
    }
    check(cudaEventDestroy(begin));
    check(cudaEventDestroy(end));
    return measured;
}

// What an answer works on: kept from one question to the next, as long as they are of the same filter and picture.
struct Held {
    std::string key;
    std::unique_ptr<Plane> source, destination;

    void prepare(const Question &asked)
    {
        std::string now = asked.filter + "\t" + asked.path;
        for (int number : {asked.width, asked.height, asked.channels})
            now += "\t" + std::to_string(number);
        for (const auto &[name, value] : asked.settings)
            now += "\t" + name + "=" + std::to_string(value);
        if (now == key)
            return;
        key.clear();
        source.reset();
        destination.reset();
        int width = asked.width, height = asked.height, channels = asked.channels;
        if (asked.filter == "rotate")
            std::swap(width, height);
        if (asked.filter == "resize")
            for (int *side : {&width, &height})
                *side = std::max(1, int((*side * asked.setting("percent") + 50) / 100));
        if (asked.filter == "luma")
            channels = 1;
        if (asked.filter == "demosaic")
            channels = 3;
        // Its result has 16 bits: twice the bytes are stored.
        if (asked.filter == "sobel")
            channels = 2;
        const size_t bytes = size_t(asked.width) * asked.height * asked.channels;
        const int count = int(std::min<size_t>(32, std::max<size_t>(1, (ROTATION_BYTES + bytes - 1) / bytes)));
        source = std::make_unique<Plane>(asked.width, asked.height, asked.channels, count);
        destination = std::make_unique<Plane>(width, height, channels, count);
        std::vector<Npp8u> picture(bytes);
        std::FILE *file = std::fopen(asked.path.c_str(), "rb");
        if (!file || std::fread(picture.data(), 1, bytes, file) != bytes)
            throw std::runtime_error("the picture could not be read");
        std::fclose(file);
        const size_t row = size_t(asked.width) * asked.channels;
        for (int copy = 0; copy < count; ++copy)
            check(cudaMemcpy2D(source->at(copy), source->pitch, picture.data(), row, row, asked.height, cudaMemcpyHostToDevice));
        key = now;
    }
};

static void write(const Plane &plane, const std::string &path)
{
    const size_t row = size_t(plane.width) * plane.channels;
    std::vector<Npp8u> bytes(row * plane.height);
    check(cudaMemcpy2D(bytes.data(), row, plane.at(0), plane.pitch, row, plane.height, cudaMemcpyDeviceToHost));
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size())
        throw std::runtime_error("the output could not be written");
    std::fclose(file);
}

static Question parsed(const std::string &line)
{
    std::vector<std::string> fields;
    std::stringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');)
        fields.push_back(field);
    if (fields.size() < 8)
        throw std::runtime_error("a question has eight fields or more");
    Question asked{fields[0], fields[1], fields[5], fields[7], std::stoi(fields[3]), std::stoi(fields[4]), fields[2] == "rgb" ? 3 : 1,
                   std::stoi(fields[6]), {}};
    for (size_t place = 8; place < fields.size(); ++place) {
        const size_t equals = fields[place].find('=');
        asked.settings[fields[place].substr(0, equals)] = std::stod(fields[place].substr(equals + 1));
    }
    return asked;
}

int main()
{
    cudaDeviceProp device;
    try {
        check(cudaGetDeviceProperties(&device, 0));
        check(cudaStreamCreate(&context.hStream));
    } catch (const std::exception &error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
    context.nCudaDeviceId = 0;
    context.nMultiProcessorCount = device.multiProcessorCount;
    context.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
    context.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
    context.nSharedMemPerBlock = device.sharedMemPerBlock;
    context.nCudaDevAttrComputeCapabilityMajor = device.major;
    context.nCudaDevAttrComputeCapabilityMinor = device.minor;
    context.nStreamFlags = 0;
    const NppLibraryVersion *version = nppGetLibVersion();
    std::cout << "peer\tNPP " << version->major << "." << version->minor << "." << version->build << ", CUB " << CUB_MAJOR_VERSION << "."
              << CUB_MINOR_VERSION << "\t" << device.name << std::endl;
    Held held;
    for (std::string line; std::getline(std::cin, line);) {
        try {
            const Question asked = parsed(line);
            held.prepare(asked);
            const Named named = calls(asked, *held.source, *held.destination);
            if (named.empty())
                std::cout << "unknown\n";
            int number = 0;
            for (const auto &[name, call] : named) {
                const int status = call(0);
                const cudaError_t error = cudaStreamSynchronize(context.hStream);
                if (status != 0 || error != cudaSuccess) {
                    std::cout << "failed\t" << name << ": " << (status ? "status " + std::to_string(status) : cudaGetErrorString(error)) << "\n";
                    continue;
                }
                if (asked.verb == "output") {
                    // One file for each function: what the last one wrote is not to be taken for what this one did.
                    const std::string path = asked.written + (number ? "." + std::to_string(number) : "");
                    check(cudaMemset(held.destination->copies[0], 0, held.destination->bytes()));
                    call(0);
                    check(cudaStreamSynchronize(context.hStream));
                    write(*held.destination, path);
                    std::cout << "wrote\t" << name << "\t" << path << "\n";
                } else {
                    std::cout << "times\t" << name << "\t";
                    for (float us : times(call, asked.runs))
                        std::cout << us << " ";
                    std::cout << "\n";
                }
                ++number;
            }
        } catch (const std::exception &error) {
            std::cout << "failed\t" << error.what() << "\n";
        }
        std::cout << "done" << std::endl;
    }
}
