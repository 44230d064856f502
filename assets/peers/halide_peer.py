"""Halide as a peer of `kernel-ladder peers`; `docs/peers.md` describes the lines that are exchanged.

    python3 halide_peer.py one|all

Schedules are by hand, as Halide's lessons teach them: strips of rows in parallel, vectors along a row.
"""

import os
import sys
import time

IS_ALONE = sys.argv[1:] == ["one"]
if IS_ALONE:
    # Asked for when the first pipeline runs.
    os.environ["HL_NUM_THREADS"] = "1"

import halide as hl
import numpy as np

ROTATION_BYTES = 256 << 20
# As long as the program warms up its own kernels in a round.
WARM_UP_SECONDS = 0.005
TAPS = [1, 4, 8, 16, 32, 134, 32, 16, 8, 4, 1]
x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
yo, yi = hl.Var("yo"), hl.Var("yi")


def clamped(source, condition=hl.BoundaryConditions.repeat_edge):
    """The source with what lies beyond its edges."""
    at = hl.Func("at")
    at[x, y, c] = condition(source)[x, y, c]
    return at


def by_strips(out, *stages, lanes=32, rows=32):
    """Strips of rows in parallel, each row by vectors; the stages before are computed for a strip at a time. A strip of the source is copied with
    its neighbors, or every vector would ask where the edges are."""
    out.split(y, yo, yi, rows).parallel(yo).vectorize(x, lanes)
    for stage in stages:
        stage.compute_at(out, yo).vectorize(x, lanes)
    return out


def add(source, channels, parameters):
    out = hl.Func("out")
    out[x, y, c] = hl.u8_sat(hl.i16(source[x, y, c]) + int(parameters["amount"]))
    return by_strips(out)


def copy(source, channels, parameters):
    out = hl.Func("out")
    out[x, y, c] = source[x, y, c]
    return by_strips(out)


def laplace(source, channels, parameters):
    at, sums, out = clamped(source), hl.Func("sums"), hl.Func("out")
    sums[x, y, c] = hl.i16(at[x, y - 1, c]) + hl.i16(at[x, y, c]) + hl.i16(at[x, y + 1, c])
    out[x, y, c] = hl.u8_sat(10 * hl.i16(at[x, y, c]) - (sums[x - 1, y, c] + sums[x, y, c] + sums[x + 1, y, c]))
    return by_strips(out, at)


def dilate(source, channels, parameters):
    at, columns, out = clamped(source), hl.Func("columns"), hl.Func("out")
    columns[x, y, c] = hl.max(hl.max(at[x, y - 1, c], at[x, y, c]), at[x, y + 1, c])
    out[x, y, c] = hl.max(hl.max(columns[x - 1, y, c], columns[x, y, c]), columns[x + 1, y, c])
    return by_strips(out, at)


def sobel(source, channels, parameters):
    at, out = clamped(source), hl.Func("out")
    tap = lambda i, j: hl.i16(at[x + i, y + j, c])
    across = tap(1, -1) + 2 * tap(1, 0) + tap(1, 1) - tap(-1, -1) - 2 * tap(-1, 0) - tap(-1, 1)
    down = tap(-1, 1) + 2 * tap(0, 1) + tap(1, 1) - tap(-1, -1) - 2 * tap(0, -1) - tap(1, -1)
    out[x, y, c] = hl.u8_sat(hl.abs(across) + hl.abs(down))
    return by_strips(out, at)


def median(source, channels, parameters):
    at, out = clamped(source), hl.Func("out")
    low, middle, high = hl.Func("low"), hl.Func("middle"), hl.Func("high")
    a, b, d = at[x, y - 1, c], at[x, y, c], at[x, y + 1, c]
    low[x, y, c] = hl.min(hl.min(a, b), d)
    high[x, y, c] = hl.max(hl.max(a, b), d)
    middle[x, y, c] = hl.max(hl.min(a, b), hl.min(hl.max(a, b), d))
    three = lambda f: (f[x - 1, y, c], f[x, y, c], f[x + 1, y, c])
    of_middle = lambda p, q, r: hl.max(hl.min(p, q), hl.min(hl.max(p, q), r))
    lows, middles, highs = three(low), three(middle), three(high)
    out[x, y, c] = of_middle(
        hl.max(hl.max(lows[0], lows[1]), lows[2]), of_middle(*middles), hl.min(hl.min(highs[0], highs[1]), highs[2])
    )
    return by_strips(out, at, low, middle, high)


def gaussian(source, channels, parameters):
    at, rows, out = clamped(source, hl.BoundaryConditions.mirror_interior), hl.Func("rows"), hl.Func("out")
    total = lambda tap: sum((tap(place - 5) * weight for place, weight in enumerate(TAPS)), start=0)
    rows[x, y, c] = hl.u16(total(lambda i: hl.u16(at[x + i, y, c])))
    out[x, y, c] = hl.u8((total(lambda j: hl.u32(rows[x, y + j, c])) + 32768) >> 16)
    return by_strips(out, at, rows)


def box(source, channels, parameters):
    radius = int(parameters["radius"])
    at, rows, out = clamped(source), hl.Func("rows"), hl.Func("out")
    rows[x, y, c] = sum((hl.u16(at[x + i, y, c]) for i in range(1 - radius, radius + 1)), start=hl.u16(0))
    count = 4 * radius * radius
    total = sum((hl.u32(rows[x, y + j, c]) for j in range(1 - radius, radius + 1)), start=hl.u32(0))
    out[x, y, c] = hl.u8((total + count // 2) / count)
    return by_strips(out, at, rows)


KNOWN = {"add": add, "box": box, "copy": copy, "dilate": dilate, "gaussian": gaussian, "laplace": laplace, "median": median, "sobel": sobel}


class Held:
    """A compiled pipeline over copies of a picture, kept from one question to the next."""

    def __init__(self):
        self.key = None

    def prepare(self, name, channels, width, height, path, parameters):
        key = (name, channels, width, height, path, tuple(sorted(parameters.items())))
        if key == self.key:
            return
        picture = np.fromfile(path, np.uint8).reshape(height, width, channels)
        count = min(8, -(-ROTATION_BYTES // picture.nbytes))
        # Halide's first dimension is the one along a row: channels one plane after the other, as its vectors like them.
        planes = np.ascontiguousarray(picture.transpose(2, 0, 1))
        self.inputs = [hl.Buffer(planes.copy()) for _ in range(count)]
        self.outputs = [hl.Buffer(np.empty_like(planes)) for _ in range(count)]
        self.parameter = hl.ImageParam(hl.UInt(8), 3)
        self.pipeline = KNOWN[name](self.parameter, channels, parameters)
        self.pipeline.compile_jit()
        self.key = key

    def run(self, turn):
        self.parameter.set(self.inputs[turn % len(self.inputs)])
        self.pipeline.realize(self.outputs[turn % len(self.outputs)])


def answer(fields, held):
    verb, name, kind, width, height, path, runs, written, *settings = fields
    channels, width, height = (3 if kind == "rgb" else 1), int(width), int(height)
    if name not in KNOWN:
        return "unknown"
    parameters = {key: float(value) for key, value in (setting.split("=") for setting in settings)}
    held.prepare(name, channels, width, height, path, parameters)
    label = f"{name}, planes" if channels > 1 else name
    if verb == "output":
        held.run(0)
        np.ascontiguousarray(np.asarray(held.outputs[0]).transpose(1, 2, 0)).tofile(written)
        return f"wrote\t{label}\t{written}"
    warm, turn = time.perf_counter() + WARM_UP_SECONDS, 0
    while turn < max(2, len(held.inputs)) or time.perf_counter() < warm:
        held.run(turn)
        turn += 1
    measured, budget = [], time.perf_counter() + 1
    for turn in range(int(runs)):
        begun = time.perf_counter()
        held.run(turn)
        measured.append(1e6 * (time.perf_counter() - begun))
        if turn >= 4 and time.perf_counter() > budget:
            break
    return f"times\t{label}\t" + " ".join(f"{us:.2f}" for us in measured)


def main():
    from importlib.metadata import version

    print(f"peer\tHalide {version('halide')}, {'one thread' if IS_ALONE else 'all threads'}\tthe CPU", flush=True)
    held = Held()
    for line in sys.stdin:
        try:
            said = answer(line.rstrip("\n").split("\t"), held)
        except Exception as error:  # whatever the library says goes into the page
            said = "failed\t" + " ".join(str(error).split())[:200]
        print(said + "\ndone", flush=True)


if __name__ == "__main__":
    main()
