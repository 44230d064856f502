#!/usr/bin/env python3
"""The CPU competitors against OpenCV, on one thread and on all, in turns.

    cargo build --release
    python3 -m venv opencv && opencv/bin/pip install opencv-python-headless
    opencv/bin/python tests/opencv.py [--size 7680x4320] [--rounds 5]

In each round the program measures its competitors (`kernel-ladder limits --cpu --json`) and OpenCV's functions are timed right behind. What is printed
is the median of the rounds' ratios, with the smallest and the largest: machines are noisy, and a ratio of one round is of one time of day. Pictures
are noise here and generated there; none of these filters' times depend on what is in them.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
TAPS = np.array([1, 4, 8, 16, 32, 134, 32, 16, 8, 4, 1], np.float32) / 256
LAPLACE = np.array([[-1, -1, -1], [-1, 9, -1], [-1, -1, -1]], np.float32)
# The program's filters, and what computes the same in OpenCV but for the rounding of some bytes, the border, and where an even side has its middle.
FILTERS = {
    "copy": lambda source, out: np.copyto(out, source),
    "laplace": lambda source, out: cv2.filter2D(source, -1, LAPLACE, dst=out, borderType=cv2.BORDER_REPLICATE),
    "gaussian": lambda source, out: cv2.sepFilter2D(source, -1, TAPS, TAPS, dst=out, borderType=cv2.BORDER_REFLECT_101),
    "box": lambda source, out: cv2.blur(source, (8, 8), dst=out, borderType=cv2.BORDER_REPLICATE),
    "median": lambda source, out: cv2.medianBlur(source, 3, dst=out),
    "bilateral": lambda source, out: cv2.bilateralFilter(source, 7, 30, 3, dst=out, borderType=cv2.BORDER_REPLICATE),
}


def milliseconds(compute, source, out, least_seconds=0.3):
    """The median time of a function, after two runs that do not count."""
    times = []
    compute(source, out)
    compute(source, out)
    begun = time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begun < least_seconds:
        start = time.perf_counter()
        compute(source, out)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def own(binary, name, size):
    """Times of the program's competitors by channels: one thread and all, in milliseconds."""
    command = [binary, "limits", "--cpu", "--json", "--filter", name, "--size", size]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["result"]["rows"]
    return {row["spec"]["channels"]: [row["cpu_one_thread_ns"] / 1e6, row["cpu_all_threads_ns"] / 1e6] for row in rows}


def told(ratios):
    """The median of ratios, and how far they reach."""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=str(ROOT / "target/release/kernel-ladder"))
    parser.add_argument("--size", default="7680x4320")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--filter", action="append", choices=FILTERS)
    arguments = parser.parse_args()
    width, height = (int(side) for side in arguments.size.split("x"))
    noise = np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)
    pictures = {"rgb": noise, "gray": np.ascontiguousarray(noise[:, :, 0])}
    threads = cv2.getNumberOfCPUs()
    print(f"OpenCV {cv2.__version__}, {arguments.size}, {arguments.rounds} rounds, {threads} threads\n")
    print("| filter | channels | ours, one thread, ms | OpenCV's | ratio | ours, all threads, ms | OpenCV's | ratio |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for name in arguments.filter or FILTERS:
        rounds = []
        for _ in range(arguments.rounds):
            times = own(arguments.binary, name, arguments.size)
            for channels, mine in times.items():
                source = pictures[channels]
                out = np.empty_like(source)
                theirs = []
                for count in (1, threads):
                    cv2.setNumThreads(count)
                    theirs.append(milliseconds(FILTERS[name], source, out))
                rounds.append((channels, mine, theirs))
        for channels in dict.fromkeys(channels for channels, _, _ in rounds):
            cells = []
            for index in (0, 1):
                pairs = [(mine[index], theirs[index]) for of, mine, theirs in rounds if of == channels]
                ours, theirs = (statistics.median(side) for side in zip(*pairs))
                cells += [f"{ours:.1f}", f"{theirs:.1f}", told([mine / other for mine, other in pairs])]
            print(f"| {name} | {channels} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
