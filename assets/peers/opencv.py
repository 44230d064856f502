"""OpenCV as a peer of `kernel-ladder peers`; `docs/peers.md` describes the lines that are exchanged.

    python3 opencv.py one|all|umat

one, all: on the CPU, on one thread or on all. umat: on the first OpenCL device, by UMat; each time is that of a call out of several between two
finishes, so that launches are in it as they are for whoever uses the library.
"""

import statistics
import sys
import time

import cv2
import numpy as np

MODE = sys.argv[1] if len(sys.argv) > 1 else "all"
# Pictures taken in turn, so that no cache holds the one that comes next.
ROTATION_BYTES = 256 << 20
CALLS = 10
# As long as the program warms up its own kernels in a round.
WARM_UP_SECONDS = 0.005
TAPS = np.array([1, 4, 8, 16, 32, 134, 32, 16, 8, 4, 1], np.float32) / 256
LAPLACE = np.array([[-1, -1, -1], [-1, 9, -1], [-1, -1, -1]], np.float32)


def curve(strength):
    values = np.arange(256)
    brighter = np.floor(np.sqrt(255 * values) + 0.5)
    return np.clip(np.floor(values + strength * (brighter - values) / 100 + 0.5), 0, 255).astype(np.uint8)


class Kept:
    """Results of earlier calls, to write the next ones to: memory that is new to a process often costs as much as the filter itself."""

    def __init__(self):
        self.results = {}

    def __call__(self, name, function, *arguments, **settings):
        self.results[name] = result = function(*arguments, dst=self.results.get(name), **settings)
        return result


def sobel(source, kept):
    gradients = [
        kept(f"gradient {across}", cv2.Sobel, source, cv2.CV_16S, across, 1 - across, borderType=cv2.BORDER_REPLICATE) for across in (1, 0)
    ]
    bytes_of = [kept(f"bytes {number}", cv2.convertScaleAbs, gradient) for number, gradient in enumerate(gradients)]
    return kept("sum", cv2.add, *bytes_of)


def edges(source, kept):
    luma = kept("luma", cv2.cvtColor, source, cv2.COLOR_RGB2GRAY)
    return sobel(kept("blurred", cv2.GaussianBlur, luma, (3, 3), 0, borderType=cv2.BORDER_REPLICATE), kept)


def exposure(source, kept, channels, target):
    mean = statistics.mean(cv2.mean(source)[:channels])
    return kept("scaled", cv2.convertScaleAbs, source, alpha=min(16, target / max(mean, 1e-9)))


def calls(name, channels, width, height, parameters):
    """What computes the filter, by the name of the function; nothing where OpenCV has none. It takes the source, and what keeps results."""
    radius = int(parameters.get("radius", 1))
    side = 2 * radius + 1
    percent = int(parameters.get("percent", 100))
    scaled = tuple(max(1, (length * percent + 50) // 100) for length in (width, height))
    replicate = cv2.BORDER_REPLICATE
    table = curve(parameters.get("strength", 0))

    def one(function, *arguments, **settings):
        return function.__name__, lambda source, kept: kept("output", function, source, *arguments, **settings)

    known = {
        "add": lambda: one(cv2.add, (parameters["amount"],) * 4),
        "bilateral": lambda: one(cv2.bilateralFilter, side, parameters["sigma_color"], parameters["sigma_space"]),
        "box": lambda: one(cv2.blur, (2 * radius, 2 * radius), anchor=(radius - 1, radius - 1), borderType=replicate),
        "copy": lambda: one(cv2.copyTo, None),
        "curve": lambda: one(cv2.LUT, table),
        "demosaic": lambda: one(cv2.cvtColor, cv2.COLOR_BayerRGGB2RGB),
        "dilate": lambda: one(cv2.dilate, np.ones((3, 3), np.uint8)),
        "edges": lambda: ("cvtColor, GaussianBlur, Sobel", edges),
        "equalize": lambda: one(cv2.equalizeHist) if channels == 1 else None,
        "exposure": lambda: ("mean, convertScaleAbs", lambda source, kept: exposure(source, kept, channels, parameters["target"])),
        "gaussian": lambda: one(cv2.sepFilter2D, -1, TAPS, TAPS, borderType=cv2.BORDER_REFLECT_101),
        "integral": lambda: one(cv2.blur, (side, side), borderType=replicate),
        "laplace": lambda: one(cv2.filter2D, -1, LAPLACE, borderType=replicate),
        "luma": lambda: one(cv2.cvtColor, cv2.COLOR_RGB2GRAY),
        "median": lambda: one(cv2.medianBlur, 3),
        "median-wide": lambda: one(cv2.medianBlur, side),
        "resize": lambda: one(cv2.resize, scaled, interpolation=cv2.INTER_LINEAR),
        "rotate": lambda: one(cv2.rotate, cv2.ROTATE_90_CLOCKWISE),
        "sobel": lambda: ("Sobel, convertScaleAbs, add", sobel),
    }
    return known[name]() if name in known else None


def read(path, channels, width, height):
    shape = (height, width, channels) if channels > 1 else (height, width)
    return np.fromfile(path, np.uint8).reshape(shape)


class Sources:
    """Copies of a picture, as many as no cache holds."""

    def __init__(self):
        self.key, self.copies, self.filter, self.kept = None, [], None, []

    def of(self, name, path, channels, width, height):
        """The copies, each with what keeps the results of its calls: outputs are not found in caches, either."""
        key = (path, channels, width, height)
        if key != self.key:
            picture = read(*key)
            count = min(8, -(-ROTATION_BYTES // picture.nbytes))
            self.copies = [cv2.UMat(picture) if MODE == "umat" else picture.copy() for _ in range(count)]
        if (key, name) != (self.key, self.filter):
            self.kept = [Kept() for _ in self.copies]
        self.key, self.filter = key, name
        return list(zip(self.copies, self.kept))


def times(call, sources, runs):
    """Microseconds of so many calls."""
    warm, turn, measured = time.perf_counter() + WARM_UP_SECONDS, 0, []
    while turn < max(2, len(sources)) or time.perf_counter() < warm:
        call(*sources[turn % len(sources)])
        turn += 1
    if MODE == "umat":
        cv2.ocl.finish()
        for _ in range(max(3, runs // CALLS)):
            begun = time.perf_counter()
            for turn in range(CALLS):
                call(*sources[turn % len(sources)])
            cv2.ocl.finish()
            measured.append(1e6 * (time.perf_counter() - begun) / CALLS)
        return measured
    budget = time.perf_counter() + 1
    for turn in range(runs):
        begun = time.perf_counter()
        call(*sources[turn % len(sources)])
        measured.append(1e6 * (time.perf_counter() - begun))
        if turn >= 4 and time.perf_counter() > budget:
            break
    return measured


def greet():
    version = f"OpenCV {cv2.__version__}"
    if MODE == "umat":
        cv2.ocl.setUseOpenCL(True)
        device = cv2.ocl.Device.getDefault()
        # Without one, UMat computes on the CPU and says nothing.
        if not cv2.ocl.haveOpenCL() or not device.name():
            sys.exit("OpenCV finds no OpenCL device")
        return f"{version}, UMat", device.name()
    cv2.setNumThreads(1 if MODE == "one" else cv2.getNumberOfCPUs())
    return f"{version}, {'one thread' if MODE == 'one' else 'all threads'}", "the CPU"


def answer(fields, sources):
    verb, name, kind, width, height, path, runs, written, *settings = fields
    channels, width, height = (3 if kind == "rgb" else 1), int(width), int(height)
    parameters = {key: float(value) for key, value in (setting.split("=") for setting in settings)}
    known = calls(name, channels, width, height, parameters)
    if known is None:
        return "unknown"
    label, call = known
    if verb == "output":
        picture = read(path, channels, width, height)
        result = call(cv2.UMat(picture) if MODE == "umat" else picture, Kept())
        (result.get() if MODE == "umat" else result).tofile(written)
        return f"wrote\t{label}\t{written}"
    return f"times\t{label}\t" + " ".join(f"{us:.2f}" for us in times(call, sources.of(name, path, channels, width, height), int(runs)))


def main():
    name, device = greet()
    print(f"peer\t{name}\t{device}", flush=True)
    sources = Sources()
    for line in sys.stdin:
        try:
            said = answer(line.rstrip("\n").split("\t"), sources)
        except Exception as error:  # whatever a function of the library says goes into the page
            said = "failed\t" + " ".join(str(error).split())[:200]
        print(said + "\ndone", flush=True)


if __name__ == "__main__":
    main()
