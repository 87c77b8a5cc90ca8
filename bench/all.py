#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Runs every benchmark of a build, and writes bench/results.md and bench/results.svg.

    cmake --build build/bench --target bench_all
    python3 bench/all.py build/bench                           the same, ten minutes
    python3 bench/all.py build/bench --only matmul convolution only these, into the build folder
    python3 bench/all.py build/bench --again                   tables and picture of the last run's JSON

The JSON of each program is kept in build/bench/results. TESSERA_LEVEL holds for all of them that know it.
"""

import argparse
import html
import json
import math
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OURS = "tessera"
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

# The programs, in the order of the tables.
SUBJECTS = {
    "json_read": "Reading ALIR",
    "json_read_ark": "Reading ARK",
    "load_alir": "Loading ALIR",
    "json_write": "Writing ALIR",
    "json_write_ark": "Writing ARK",
    "nem_read": "Reading NEM",
    "nac_decode": "Decoding NAC",
    "nac_index": "Tensors of NAC by index",
    "genome_mine": "Genes of NAC 1.2",
    "vm_alir": "Running ALIR",
    "alir_cpp": "ALIR as C++",
    "matmul": "Products of floats",
    "matmul_int8": "Products of bytes",
    "convolution": "Convolutions",
    "elementwise": "Element-wise kernels",
    "vm_ark": "Running ARK",
    "nem_run": "Running NEM",
    "nac_run": "NAC's instructions without their kernels",
    "nac_networks": "Networks of NAC",
    "lower": "Lowering to NEM",
}


@dataclass
class Case:
    """Medians of the contenders of one case, in nanoseconds."""

    name: str
    times: dict[str, float]

    def ratio(self, contender: str) -> float:
        return self.times[contender] / self.times[OURS]


@dataclass
class Subject:
    program: str
    title: str
    context: dict[str, str]
    cases: list[Case]
    text: str  # what a program that measures no time prints

    def contenders(self) -> list[str]:
        return list(dict.fromkeys(c for case in self.cases for c in case.times if c != OURS))

    def label(self, contender: str) -> str:
        """With the versions that the program was built with."""
        for peer, version in self.peers().items():
            contender = contender.replace(peer, f" {version} ")
        return " ".join(contender.replace("_", " ").split())

    def peers(self) -> dict[str, str]:
        return {k[5:]: v for k, v in self.context.items() if k.startswith("peer ")}

    def is_peer(self, contender: str) -> bool:
        return contender in PEERS or any(p in contender for p in self.peers())


# Contenders that are others' work or hardware's limit; the rest are other ways of ours.
PEERS = {"memcpy", "to_chars", "libm", "counting", "baseline", "kernel", "mapped"}


def run(programs: dict[str, Path], results: Path, repetitions: int) -> None:
    results.mkdir(parents=True, exist_ok=True)
    for name, program in programs.items():
        started = time.monotonic()
        out = results / f"{name}.json"
        command = [str(program)]
        if name != "lower":  # which counts cycles
            command += [f"--benchmark_out={out}", "--benchmark_out_format=json", "--benchmark_min_time=0.05",
                        f"--benchmark_repetitions={repetitions}"]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"{name}: ended with {ran.returncode}\n{ran.stderr}")
        (results / f"{name}.txt").write_text(ran.stdout)
        print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)


def read(name: str, results: Path) -> Subject:
    subject = Subject(name, SUBJECTS[name], {}, [], "")
    out = results / f"{name}.json"
    if not out.exists():
        subject.text = (results / f"{name}.txt").read_text()
        return subject
    report = json.loads(out.read_text())
    subject.context = report["context"]
    cases: dict[str, dict[str, float]] = {}
    for of in sorted(report["benchmarks"], key=lambda of: of["family_index"]):
        if of.get("aggregate_name") != "median":
            continue
        parts = of["run_name"].split("/")
        waited = "real_time" in parts
        *name, contender = (p for p in parts if p != "real_time" and ":" not in p)
        cases.setdefault("/".join(name), {})[contender] = of["real_time" if waited else "cpu_time"] * UNITS[of["time_unit"]]
    subject.cases = [Case(n, times) for n, times in cases.items() if OURS in times]
    return subject


def digits(x: float) -> str:
    return f"{x:.0f}" if x >= 10 else f"{x:.1f}" if x >= 1 else f"{x:.2f}"


def duration(ns: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{digits(ns / size)} {unit}"
    return f"{digits(ns)} ns"


def mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def by_size(subject: Subject) -> list[str]:
    """Cases NAME/SIZE in a row for each name; nothing where they aren't such."""
    if any("/" not in case.name for case in subject.cases):
        return []
    names = list(dict.fromkeys(case.name.rpartition("/")[0] for case in subject.cases))
    ratios = {(*case.name.rpartition("/")[::2], c): case.ratio(c)
              for case in subject.cases for c in case.times if c != OURS}
    columns = list(dict.fromkeys((size, c) for _, size, c in ratios))
    if len(columns) > 8 or len(names) < 3:
        return []
    lines = [row(["case", *(f"{size}: {subject.label(c)}" for size, c in columns)]), "|---" * (len(columns) + 1) + "|"]
    for name in names:
        of = [ratios.get((name, *column)) for column in columns]
        lines.append(row([f"`{name}`", *("" if r is None else digits(r) for r in of)]))
    return [*lines, row(["geometric mean", *(digits(mean([r for (_, *at), r in ratios.items() if tuple(at) == column]))
                                             for column in columns)])]


def table(subject: Subject) -> list[str]:
    if subject.text:
        return ["```", *subject.text.rstrip().splitlines(), "```"]
    if sizes := by_size(subject):
        return sizes
    contenders = subject.contenders()
    lines = [row(["case", "ours", *map(subject.label, contenders)]), "|---" * (len(contenders) + 2) + "|"]
    for case in subject.cases:
        lines.append(row([f"`{case.name}`", duration(case.times[OURS]),
                          *(digits(case.ratio(c)) if c in case.times else "" for c in contenders)]))
    if contenders and len(subject.cases) > 2:
        means = [digits(mean([case.ratio(c) for case in subject.cases if c in case.times])) for c in contenders]
        lines.append(row(["geometric mean", "", *means]))
    return lines


def processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return "an unknown processor"
    model = re.search(r"model name\s*: (.*)", text)
    flags = re.search(r"flags\s*: (.*)", text)
    words = flags.group(1).split() if flags else []
    has = [n for f, n in (("avx2", "AVX2"), ("avx512f", "AVX-512"), ("avx512_vnni", "VNNI")) if f in words]
    return f"{model.group(1) if model else 'a processor'} ({', '.join(has) or 'SSE2'})"


def document(subjects: list[Subject], seconds: str) -> str:
    first = next(s.context for s in subjects if s.context)
    load = first.get("load_avg", [])
    compiler = first.get("compiler", "")
    level = os.environ.get("TESSERA_LEVEL")
    lines = [
        "# Results", "",
        "Written by `bench_all`. The time of ours, and how many times as fast it is as each contender: above 1, ours is",
        "faster. Medians of CPU time (of wall time, where threads or reads of a file count), contenders interleaved at random.",
        "", f"{first['date'][:10]}, {processor()}, {first['num_cpus']} processors"
        + (f", load {load[0]:.0f} at the start" if load else "") + f"; {'' if 'lang' in compiler else 'GCC '}{compiler}"
        + (f"; at most {level}" if level else "") + f"{seconds}.", "",
        "![The ratios, by subject](results.svg)", ""]
    for s in subjects:
        lines += [f"## {s.title}", "", f"`bench_{s.program}`, [what it compares](README.md)", "", *table(s), ""]
    return "\n".join(lines)


# ---- the picture: a row for each subject and peer, a dot for each case, on a logarithmic axis

COLOURS = ["#2563a8", "#b4531f", "#3f7d3a", "#7a4aa0"]


def picture(subjects: list[Subject]) -> str:
    rows = [(s, c, [case.ratio(c) for case in s.cases if c in case.times])
            for s in subjects for c in s.contenders() if s.is_peer(c)]
    low, high, left, width, step = 0.02, 200.0, 330, 560, 22

    def x(ratio: float) -> float:
        clipped = min(max(ratio, low), high)
        return left + width * math.log(clipped / low) / math.log(high / low)

    height = 60 + step * len(rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" height="{height}" '
           f'viewBox="0 0 {left + width + 30} {height}" font-family="sans-serif" font-size="12">',
           "<!-- SPDX-FileCopyrightText: The Tessera authors --><!-- SPDX-License-Identifier: MIT -->",
           "<title>How many times as fast Tessera is as each contender</title>",
           f'<rect width="100%" height="100%" fill="#ffffff"/>']
    for tick in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200):
        colour, stroke = ("#333333", 1.5) if tick == 1 else ("#dddddd", 1)
        out.append(f'<path d="M{x(tick):.1f} 30V{height - 22}" stroke="{colour}" stroke-width="{stroke}"/>')
        out.append(f'<text x="{x(tick):.1f}" y="{height - 6}" text-anchor="middle" fill="#333333">{tick:g}</text>')
    out.append(f'<text x="{x(1) - 8:.1f}" y="20" text-anchor="end" fill="#333333">← slower</text>')
    out.append(f'<text x="{x(1) + 8:.1f}" y="20" fill="#333333">ours is faster →</text>')
    before = ""
    colour = 0
    for i, (subject, contender, ratios) in enumerate(rows):
        y = 44 + step * i
        colour = colour + 1 if subject.title == before else 0
        shown = subject.title if subject.title != before else ""
        before = subject.title
        out.append(f'<text x="8" y="{y + 4}" fill="#111111">{html.escape(shown)}</text>')
        out.append(f'<text x="{left - 14}" y="{y + 4}" text-anchor="end" fill="#555555">{html.escape(subject.label(contender))}</text>')
        for ratio in ratios:
            out.append(f'<circle cx="{x(ratio):.1f}" cy="{y}" r="4" fill="{COLOURS[colour % len(COLOURS)]}" fill-opacity="0.55"/>')
    return "\n".join([*out, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="a build of cmake/presets/bench.cmake")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="programs, without bench_")
    parser.add_argument("--again", action="store_true", help="don't run, read the JSON of the last run")
    parser.add_argument("--repetitions", type=int, default=3, metavar="N", help="of each case (default 3)")
    options = parser.parse_args()
    built = {n: options.build / "bench" / f"bench_{n}" for n in SUBJECTS}
    for name in options.only or []:
        if name not in SUBJECTS:
            parser.error(f"no benchmark {name}; there are {', '.join(SUBJECTS)}")
    programs = {n: p for n, p in built.items() if n in (options.only or SUBJECTS)}
    for name in [n for n, p in programs.items() if not p.exists()]:
        print(f"{name}: not built, for a package is missing")
        del programs[name]
    if not programs:
        parser.error(f"{options.build}: there are no benchmarks here")
    results = options.build / "results"
    started = time.monotonic()
    if not options.again:
        run(programs, results, options.repetitions)
    seconds = "" if options.again else f"; {time.monotonic() - started:.0f} s"
    subjects = [read(n, results) for n in programs if (results / f"{n}.txt").exists()]
    to = results if options.only else ROOT / "bench"
    (to / "results.md").write_text(document(subjects, seconds))
    (to / "results.svg").write_text(picture(subjects))
    print(f"{to / 'results.md'}, {to / 'results.svg'}")


if __name__ == "__main__":
    main()
