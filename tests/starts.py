#!/usr/bin/env python3
"""Does the interval of one start of the program hold for the next? Starts it anew some times for each pair of variants and each size, and counts the intervals
that hold the median of all ratios. Needs a quiet machine, Python 3 and nothing else.

    tests/starts.py PROGRAM [--runs 10] [--device 0] [--starts N ...] [--budget-ms 300] [--size 1024x1024 3840x2160] [--json FILE]
    tests/starts.py target/release/kernel-ladder --starts 1 7

With several numbers after --starts each is tried in turn: 1 is how it was before comparisons were repeated in fresh processes.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

# Filter, the first variant, the second. The first three that the device has are taken.
PAIRS = [
    ("laplace", "coalesced+padded+vectorize=8+merged", "coalesced+padded+rows=3+access=int4+lanes=half"),
    ("laplace", "naive", "coalesced"),
    ("gaussian", "coalesced+padded+separable", "coalesced+padded+vectorize=5+separable"),
    ("laplace", "coalesced+padded+vectorize=4", "coalesced+padded+rows=3+access=int4+lanes=int"),
]


def compare(arguments, pair, size, starts):
    """What one start of the program says: ratio, low, high, verdict, number of processes, seconds. None where the device does not have both."""
    kernel, first, second = pair
    command = [arguments.program, "bench", "--filter", kernel, "--variant", first, second, "--size", size, "--compare", "--json"]
    command += ["--device", str(arguments.device), "--budget-ms", str(arguments.budget_ms), "--local", arguments.local]
    command += ["--channels", arguments.channels, "--starts", str(starts)]
    begun = time.monotonic()
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seconds = time.monotonic() - begun
    if ran.returncode != 0 and not ran.stdout:
        sys.exit(f"{' '.join(command)}\n{ran.stderr}")
    found = [row["compared_with_row_above"] for row in json.loads(ran.stdout)["result"] if row.get("compared_with_row_above")]
    if not found:
        return None
    found = found[0]
    if not found["speed_up"]:
        print(f"no ratio: {found}", flush=True)
    return {key: found[key] for key in ("speed_up", "low", "high", "verdict", "starts", "pairs", "busy")} | {"seconds": seconds}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--starts", type=int, nargs="+", default=[1, 7])
    parser.add_argument("--budget-ms", type=int, default=300)
    parser.add_argument("--local", default="driver")
    parser.add_argument("--channels", default="rgb")
    parser.add_argument("--size", nargs="+", default=["1024x1024", "3840x2160"])
    parser.add_argument("--pair", nargs=3, action="append", metavar=("FILTER", "FIRST", "SECOND"), help="instead of the three pairs")
    parser.add_argument("--json", help="also write all that was found to this file")
    arguments = parser.parse_args()
    all_found, failures, pairs = [], 0, []
    for pair in arguments.pair or PAIRS:
        if len(pairs) < (len(arguments.pair) if arguments.pair else 3):
            is_there = compare(arguments, pair, "256x256", 1) is not None
            pairs += [pair] * is_there
            if not is_there:
                print(f"not on this device: {pair[0]}: {pair[2]} over {pair[1]}", flush=True)
    print(f"{'held':>7}  {'half width':>10}  {'median':>7}  {'all ratios':>15}  {'s each':>6}  starts  size       pair", flush=True)
    for pair in pairs:
        for size in arguments.size:
            for starts in arguments.starts:
                found = [compare(arguments, pair, size, starts) for _ in range(arguments.runs)]
                ratios = [one["speed_up"] for one in found]
                middle = statistics.median(ratios)
                held = sum(one["low"] <= middle <= one["high"] for one in found)
                half = statistics.median((one["high"] - one["low"]) / 2 / one["speed_up"] for one in found if one["speed_up"])
                seconds = statistics.median(one["seconds"] for one in found)
                is_enough = 10 * held >= 9 * arguments.runs
                failures += starts > 1 and not is_enough
                between = f"{min(ratios):.4g} to {max(ratios):.4g}"
                counted = f"{held}/{arguments.runs}{'' if is_enough else ' !'}"
                print(
                    f"{counted:>7}  {100 * half:8.2f} %  {middle:7.4g}  {between:>15}  {seconds:6.1f}  {starts:6}  {size:9}  "
                    f"{pair[0]}: {pair[2]} over {pair[1]}",
                    flush=True,
                )
                all_found.append({"pair": pair, "size": size, "starts": starts, "median": middle, "held": held, "runs": found})
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(all_found, file, indent=1)
    if failures:
        sys.exit(f"{failures} of the cases with several starts held fewer than nine in ten")


if __name__ == "__main__":
    main()
