#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Lines and branches of include/ and src/ that no unit test runs, counted by Clang.

    python3 tests/checks/coverage.py                   builds and runs in build/coverage, lists what is missing
    python3 tests/checks/coverage.py --tests '[nac]'   only these tests
    python3 tests/checks/coverage.py --report          counts again, without building or running

A line or a branch of a template counts where any instantiation runs it. The two ways of a condition are
two branches. Not counted are conditions that the compiler decides, consteval functions, which it runs, and
lines that no input reaches: they say so, by `// unreachable: <reason>` or __builtin_unreachable(). After an
opening brace, the reason is that of the block. Lines of nothing but closing brackets aren't counted either.

The list, in build/coverage/missing.txt: `file:line` for lines, `file:line:column never true` for branches.
Needs Clang with llvm-profdata and llvm-cov.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Percent of lines and of branches that tests must run.
GOALS = {"include": (100.0, 90.0), "src": (95.0, 85.0)}
NOT_COUNTED = re.compile(r"// unreachable: \S|__builtin_unreachable\(\)|^\s*[]});,]+\s*(//.*)?$")
NOT_COUNTED_BLOCK = re.compile(r"^[^/]*\bconsteval\b|\{\s*// unreachable: \S")
DECIDED_BY_COMPILER = re.compile(r"\bif constexpr\b|is_constant_evaluated\b|\bstatic_assert\b|\brequires\b|sizeof\b")


@dataclass
class Counts:
    lines: dict[int, int] = field(default_factory=dict)
    branches: dict[tuple[int, int, int, int], list[int]] = field(default_factory=dict)  # true, false


def build(work: Path, jobs: int) -> None:
    flags = "-O0 -g0 -fprofile-instr-generate -fcoverage-mapping"
    options = ["-DCMAKE_CXX_COMPILER=clang++", "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_CXX_FLAGS={flags}", "-DTESSERA_DEV=ON",
               "-DTESSERA_UNITY=OFF", "-DTESSERA_BUILD_FUZZERS=OFF", "-DTESSERA_BUILD_BENCHMARKS=OFF",
               "-DTESSERA_TEST_SINGLE_HEADERS=OFF"]
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(work), "-G", "Ninja", *options], check=True, stdout=subprocess.DEVNULL)
    listed = subprocess.run(["ninja", "-C", str(work), "-t", "targets", "all"], check=True, capture_output=True, text=True)
    inline = set(re.findall(r"\b(tessera_tests_\w+_inline): phony", listed.stdout))
    subprocess.run(["cmake", "--build", str(work), "-j", str(jobs), "--target", "tessera_tests", *sorted(inline)], check=True)


def programs(work: Path) -> list[Path]:
    inline = (p for p in work.glob("tests/**/tessera_tests_*_inline") if p.is_file())
    return [work / "tests/tessera_tests", work / "src/tessera", *sorted(inline)]


def run(work: Path, tests: str) -> None:
    """The tool runs as a child of its tests and counts in the same files."""
    counters = work / "counters"
    shutil.rmtree(counters, ignore_errors=True)
    counters.mkdir()
    environment = {**os.environ, "LLVM_PROFILE_FILE": str(counters / "%2m.profraw")}
    for program in programs(work):
        if program.name != "tessera":
            subprocess.run([program, tests], cwd=work, env=environment, stdout=sys.stderr)
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", work / "counters.profdata", *counters.glob("*.profraw")], check=True)


def export(work: Path, form: str) -> str:
    first, *others = programs(work)
    command = ["llvm-cov", "export", f"-format={form}", f"-instr-profile={work / 'counters.profdata'}", str(first)]
    command += [f"-object={o}" for o in others] + ["-ignore-filename-regex=(^|/)(tests|usr|opt)/"]
    if form == "text":
        command.append("-skip-functions")
    return subprocess.run(command, check=True, cwd=work, capture_output=True, text=True).stdout


def ours(work: Path, name: str) -> str | None:
    """Relative to the root; names are relative to the build where ccache made them so."""
    file = os.path.relpath(os.path.normpath(work / name), ROOT)
    return file if file.startswith(("include/tessera/", "src/")) else None


def counts_of(work: Path) -> dict[str, Counts]:
    found: dict[str, Counts] = defaultdict(Counts)
    file: str | None = None
    for line in export(work, "lcov").splitlines():
        if line.startswith("SF:"):
            file = ours(work, line[3:])
        elif file and line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            lines = found[file].lines
            lines[int(number)] = lines.get(int(number), 0) + int(count)
    for entry in json.loads(export(work, "text"))["data"][0]["files"]:
        name = ours(work, entry["filename"])
        if not name:
            continue
        branches = found[name].branches
        for first, column, last, end, is_true, is_false, *_ in entry["branches"]:
            both = branches.setdefault((first, column, last, end), [0, 0])
            both[0] += is_true
            both[1] += is_false
    for name, counts in found.items():
        leave_out(name, counts)
    return dict(sorted(found.items()))


def blocks(lines: list[str], beginning: re.Pattern) -> set[int]:
    """The numbers of lines that begin so, each up to the brace below its first letter."""
    found: set[int] = set()
    for first, text in enumerate(lines):
        if not beginning.search(text):
            continue
        end = text[: len(text) - len(text.lstrip())] + "}"
        last = first
        while (last == first or not lines[last].startswith(end)) and not text.endswith("}") and last + 1 < len(lines):
            last += 1
        found.update(range(first + 1, last + 2))
    return found


def leave_out(name: str, counts: Counts) -> None:
    """What no input reaches, and what the compiler decides or runs."""
    lines = (ROOT / name).read_text().splitlines()
    inside = blocks(lines, NOT_COUNTED_BLOCK)
    for number, text in enumerate(lines, 1):
        left_out = number in inside or NOT_COUNTED.search(text)
        if left_out:
            counts.lines.pop(number, None)
        if left_out or DECIDED_BY_COMPILER.search(text):
            for place in [p for p in counts.branches if p[0] == number]:
                del counts.branches[place]


def missing(name: str, counts: Counts) -> list[str]:
    never = sorted(n for n, count in counts.lines.items() if count == 0)
    out = [f"{name}:{n}" for n in never]
    for (line, column, _, _), (is_true, is_false) in sorted(counts.branches.items()):
        if counts.lines.get(line, 1) == 0:
            continue
        if is_true == 0 or is_false == 0:
            which = "reached" if is_true == is_false else "true" if is_true == 0 else "false"
            out.append(f"{name}:{line}:{column} never {which}")
    return out


def percent(hit: int, of: int) -> float:
    return 100 * hit / of if of else 100.0


def report(work: Path) -> bool:
    found = counts_of(work)
    folders: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    listed: list[str] = []
    for name, counts in found.items():
        listed += missing(name, counts)
        parts = name.split("/")
        for folder in (parts[0], "/".join(parts[: 3 if parts[0] == "include" and len(parts) > 3 else 2])):
            sums = folders[folder]
            sums[0] += sum(c > 0 for c in counts.lines.values())
            sums[1] += len(counts.lines)
            sums[2] += sum((b[0] > 0) + (b[1] > 0) for b in counts.branches.values())
            sums[3] += 2 * len(counts.branches)
    (work / "missing.txt").write_text("\n".join(listed) + "\n")
    print(f"{'':28} {'lines':>7} {'missing':>8} {'branches':>9} {'missing':>8}")
    good = True
    for folder, (lines, all_lines, branches, all_branches) in sorted(folders.items()):
        by_line, by_branch = percent(lines, all_lines), percent(branches, all_branches)
        print(f"{folder:28} {by_line:6.2f}% {all_lines - lines:8} {by_branch:8.2f}% {all_branches - branches:8}")
        if folder in GOALS:
            good = good and by_line >= GOALS[folder][0] and by_branch >= GOALS[folder][1]
    print(f"\n{work / 'missing.txt'} lists them")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "build/coverage")
    parser.add_argument("--tests", default="~[.]", help="what to run, as Catch2 selects tests")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    if not arguments.report:
        build(work, arguments.jobs)
        run(work, arguments.tests)
    return 0 if report(work) else 1


if __name__ == "__main__":
    sys.exit(main())
