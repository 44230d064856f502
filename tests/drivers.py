#!/usr/bin/env python3
"""Runs every ladder on one device and prints what was right, what the device does not offer and why, and what failed. Ends with 1 where an output was wrong or the
driver crashed. Needs Python 3 and nothing else; OCL_ICD_VENDORS chooses the driver.

    OCL_ICD_VENDORS=FOLDER tests/drivers.py PROGRAM [--device 0] [--size 512x512] [--seconds 600] [--known LADDER:VARIANT]
"""

import argparse
import json
import subprocess
import sys


def reason(outcome):
    """Why a row has no reading, as one line."""
    told = outcome.get("unsupported") or outcome.get("failed") or outcome.get("skipped") or outcome
    while isinstance(told, dict):
        told = told.get("reason") or told.get("text") or next(iter(told.values()))
    return " ".join(str(told).split())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--device", default="0")
    parser.add_argument("--size", default="512x512")
    parser.add_argument("--seconds", type=int, default=600, help="for one ladder")
    parser.add_argument("--known", action="append", default=[], metavar="LADDER:VARIANT", help="a row that is known to fail: it is told, and does not end with 1")
    arguments = parser.parse_args()
    filters = json.loads(subprocess.run([arguments.program, "list", "--json"], stdout=subprocess.PIPE, check=True).stdout)["result"]
    bad, known, seen, total = 0, set(arguments.known), set(), {"right": 0, "unsupported": 0, "failed": 0}
    for name in (ladder["name"] for one in filters for ladder in one["ladders"]):
        command = [arguments.program, "bench", "--ladder", name, "--size", arguments.size, "--budget-ms", "5", "--device", arguments.device]
        try:
            ran = subprocess.run(command + ["--starts", "1", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=arguments.seconds)
            rows = json.loads(ran.stdout)["result"] if ran.stdout else []
        except subprocess.TimeoutExpired:
            print(f"{name:22} took more than {arguments.seconds} s", flush=True)
            bad += 1
            continue
        counts, told, failed = {"right": 0, "unsupported": 0, "failed": 0}, [], set()
        for row in rows:
            device, outcome = row["record"]["contender"].get("device"), row["record"]["outcome"]
            if device is None:
                continue
            measured = outcome.get("measured")
            kind = "right" if measured else "unsupported" if "unsupported" in outcome else "failed"
            counts[kind] += 1
            if kind == "failed":
                failed.add(f"{name}:{device['variant']}")
            if not measured:
                told.append(f"    {kind}: {device['variant']}: {reason(outcome)}")
        seen |= failed
        bad += len(failed - known) + (not rows)
        for kind, count in counts.items():
            total[kind] += count
        print(f"{name:22} {counts['right']:3} right  {counts['unsupported']:3} not offered  {counts['failed']:3} failed", *told, sep="\n", flush=True)
    print(f"{'all ladders':22} {total['right']:3} right  {total['unsupported']:3} not offered  {total['failed']:3} failed")
    for row in sorted(known - seen):
        print(f"{row} is known to fail, and did not: it can be left out")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
