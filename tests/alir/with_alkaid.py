# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Holds the tool against alkaid itself: random programs that alkaid traces are written by the tool in every
# version, loaded by alkaid where it knows the version, and must predict the same values there and here.
# Pipelines must be written byte for byte and run alike. Those that the tool cuts must give the same there and
# here, with no slower stage and no more register bits than alkaid's own of as many stages.
#
#   python tests/alir/with_alkaid.py TOOL FOLDER
#
# The interpreter is one with alkaid, 0.7.1 or 0.8.2. What the tool writes as version 2 stays in FOLDER:
# a later run with another version of alkaid loads that, too.

import json
import pathlib
import subprocess
import sys

try:
    import numpy as np
    from alkaid import types

    if types.ALIR_SPEC_VERSION == 4:
        from alkaid.stateful import FSM
    from alkaid.trace import FVArrayInput, to_pipeline, trace
    from alkaid.trace.ops import einsum, quantize, relu
except ImportError as missing:
    sys.exit(print(f"-- skipped: {missing}"))

TOOL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
VERSION = types.ALIR_SPEC_VERSION
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        print(f"wrong: {what}")


def tool(*words):
    return subprocess.run([TOOL, *map(str, words)], check=True, capture_output=True).stdout


def program(seed):
    """Adders, tables, comparisons and shifted quantizers over a few inputs."""
    draw = np.random.default_rng(seed)
    inputs = FVArrayInput((int(draw.integers(2, 6)),))
    x = quantize(inputs, 1, int(draw.integers(2, 5)), int(draw.integers(0, 4)))
    for _ in range(int(draw.integers(1, 4))):
        kind = int(draw.integers(0, 6))
        if kind == 0:
            shape = (x.shape[0], int(draw.integers(2, 6)))
            x = einsum("i,ij->j", x, draw.integers(-64, 64, shape) / 16)
        elif kind == 1:
            x = relu(x)
        elif kind == 2:
            x = quantize(np.sin(x), 1, 0, 5, "SAT", "RND")
        elif kind == 3:
            x = np.sort(x)
        elif kind == 4:
            x = x * float(2.0 ** draw.integers(-3, 3)) + float(draw.integers(-5, 5)) / 4
        else:
            x = np.concatenate([x, np.amax(np.stack([x, -x * 2], axis=0), axis=0)])
        x = quantize(x, 1, 5, 4)
    return trace(inputs, x)


def run(path, samples):
    samples.astype("<f8").tofile(FOLDER / "in.f64")
    out = tool("run", path, "--input", FOLDER / "in.f64", "--output-format", "raw")
    return np.frombuffer(out, "<f8").reshape(len(samples), -1)


def check_program(seed):
    p = program(seed)
    path = FOLDER / f"from{VERSION}-{seed}.json"
    p.save(path)
    samples = np.random.default_rng(seed).integers(-512, 512, (50, p.shape[0])) / 32.0
    expected = p.predict(samples)
    check(tool("convert", path, "-") == path.read_bytes(), f"{path} byte for byte")
    check((run(path, samples) == expected).all(), f"values of {path}")
    for version in (2, 3, 4):
        as_version = path.with_suffix(f".v{version}.json")
        as_version.write_bytes(tool("convert", path, "-", "--to", f"v{version}"))
        check((run(as_version, samples) == expected).all(), f"values of {as_version}")
        if version == VERSION or VERSION == 4:
            loaded = types.CombLogic.load(as_version)
            check((loaded.predict(samples) == expected).all(), f"{as_version} in alkaid")
            code = loaded.to_bytecode()
            code = code if isinstance(code, bytes) else np.asarray(code, "<i4").tobytes()
            if version == VERSION:
                ours = tool("convert", path, "-", "--to", "bytecode")
                check(ours == code, f"bytecode of {path}")
    np.savez(path.with_suffix(".npz"), samples=samples, expected=expected)
    return p, samples, expected


def check_pipelines(p, samples, expected, seed):
    path = FOLDER / "pipeline.json"
    for stages in (1, 2, 3):
        if VERSION == 2:
            made = [to_pipeline(p, n_stages=stages, verbose=False)]
        else:
            made = [to_pipeline(p, n_stages=stages, verbose=False, reg_inp=i, reg_out=o)
                    for i in (False, True) for o in (False, True)]
        for pipeline in made:
            save_pipeline(pipeline, path)
            if VERSION == 4:
                got = pipeline.predict(samples)["model_out"]
                check((got == expected).all(), f"alkaid's own pipeline of {seed}")
            text = path.read_bytes().replace(b",[]]", b",null]")  # no tables, in two spellings
            check(tool("convert", path, "-") == text, f"pipeline of {seed}, byte for byte")
            check((run(path, samples) == expected).all(), f"pipeline of {seed}")


def operands(row):
    """Of a row of version 2 or 4."""
    if isinstance(row[0], list):
        return row[0]
    mux = [row[3] & 0xFFFFFFFF] if row[2] == 6 else []
    return [] if row[2] == -1 else [i for i in row[:2] if i >= 0] + mux


def blocks_of(path):
    document = json.loads(path.read_text())
    return list(document["fsm"]["logic"].values()) if isinstance(document, dict) else document[0]


def slowest_stage(path):
    """The latency of the slowest path within a block."""
    slowest = 0.0
    for block in blocks_of(path):
        ready = []
        for row in block[5]:
            before = operands(row)
            took = max(0.0, row[-2] - max(block[5][i][-2] for i in before)) if before else 0.0
            ready.append(took + max((ready[i] for i in before), default=0.0))
        slowest = max([slowest, *ready])
    return slowest


def register_bits(path):
    return json.loads(tool("info", "--json", path))["register_bits"]


def save_pipeline(pipeline, path):
    if VERSION == 2:
        path.write_text(json.dumps(pipeline, cls=types.JSONEncoder, separators=(",", ":")))
    else:
        pipeline.save(path)


def predict(path, samples):
    """What alkaid itself gives for a pipeline of the tool's."""
    if VERSION == 4:
        return FSM.load(path).predict(samples)["model_out"]
    for block in blocks_of(path):
        stage = {"model": block, "meta": "ALIRModel", "spec_version": VERSION}
        samples = types.CombLogic.from_dict(stage).predict(samples)
    return samples


def check_cuts(p, samples, expected, seed):
    theirs, ours = FOLDER / "theirs.json", FOLDER / "ours.json"
    program_of = FOLDER / f"from{VERSION}-{seed}.json"
    for stages in (2, 3, 5):
        pipeline = to_pipeline(p, n_stages=stages, verbose=False)
        save_pipeline(pipeline, theirs)
        if VERSION == 2:
            check(pipeline.reg_bits == register_bits(theirs), f"counted register bits of {seed}")
        limit = slowest_stage(theirs)
        if limit == 0:
            continue
        tool("optimize", program_of, ours, "--stages", stages, "--latency-cutoff", limit)
        what = f"{stages} stages of {seed}"
        check((run(ours, samples) == expected).all(), what)
        check((predict(ours, samples) == expected).all(), what + " in alkaid")
        check(len(blocks_of(ours)) == stages, "count of " + what)
        check(slowest_stage(ours) <= limit * 1.000001, "latency of " + what)
        bits.append((register_bits(theirs), register_bits(ours)))
        check(bits[-1][0] >= bits[-1][1], f"register bits of {what}: {bits[-1]}")


FOLDER.mkdir(parents=True, exist_ok=True)
SEEDS = 60
bits = []
for seed in range(SEEDS):
    made = check_program(seed)
    check_pipelines(*made, seed)
    check_cuts(*made, seed)
others = 0
for path in sorted(FOLDER.glob("from*.v2.json")):
    if path.name.startswith(f"from{VERSION}-"):
        continue
    saved = np.load(path.with_suffix("").with_suffix(".npz"))
    got = types.CombLogic.load(path).predict(saved["samples"])
    check((got == saved["expected"]).all(), f"{path}, of another version of alkaid")
    others += 1
theirs, ours = map(sum, zip(*bits))
print(f"{len(bits)} cuts: {ours} register bits, {theirs} in alkaid's")
print(f"{SEEDS} programs and their pipelines, {others} programs of another alkaid: {failures} wrong")
sys.exit(failures != 0)
