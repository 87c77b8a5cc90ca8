#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Mutation score of the unit tests: does a test fail when one token of include/ or src/ is wrong?

    python3 tests/checks/mutants/mutants.py            all of it, in build/mutants
    python3 tests/checks/mutants/mutants.py --only 17,204

A copy of the tree gets --count mutants, spread over all folders, files and kinds of mistakes:

    a < b      becomes      (tessera_mutants::is_on(17) ? (a <= b) : (a < b))

It is built once. Each unit test runs once to see which mutants it reaches. Then, for each mutant, the
tests that reach it run with TESSERA_MUTANT=17, until one of them fails, crashes, or takes much longer
than it should: the mutant is killed. Mutants that survive because they change nothing are listed
in equivalent.txt, with the reason. What survives besides them, or isn't reached, asks for a test.

The places of mutants depend on the text around them and --seed only, so that most of them stay the same
when something else changes. A mutant that doesn't compile is dropped.

Needs Clang and its Python bindings of one version (Debian: python3-clang-14).
"""

import argparse
import hashlib
import json
import math
import multiprocessing
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from places import KINDS, Finder, Place

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SOURCES_OF_A_FOLDER = 8  # of src/ that are searched for places
MAX_MUTANT = 9999
BYTES_OF_A_TEST = 8 << 30  # address space, so that an endless loop that appends ends soon


def say(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


# ---- the places


def configure(work: Path, root: Path, *options: str) -> list[dict]:
    """In <root>/b; the commands that compile the sources."""
    command = ["cmake", "-S", str(root), "-B", str(root / "b"), "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++",
               "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O0 -g0", "-DTESSERA_DEV=ON", "-DTESSERA_UNITY=OFF",
               "-DTESSERA_BUILD_FUZZERS=OFF", "-DTESSERA_BUILD_BENCHMARKS=OFF", "-DTESSERA_TEST_SINGLE_HEADERS=OFF",
               "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options]
    if shutil.which("ccache"):
        command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    with open(work / "configure.log", "w") as log:
        subprocess.run(command, stdout=log, stderr=log, check=True)
    return json.loads((root / "b/compile_commands.json").read_text())


def arguments_of(command: dict) -> list[str]:
    """What decides how a source parses."""
    words = shlex.split(command["command"])
    kept = ["-std=c++20", "-w"]
    for i, word in enumerate(words):
        if word.startswith(("-I", "-D")):
            kept.append(word)
        elif word == "-isystem":
            kept += [word, words[i + 1]]
    headers = subprocess.run(["clang", "-print-resource-dir"], capture_output=True, text=True, check=True)
    return [*kept, "-resource-dir", headers.stdout.strip()]


def places_of(job: tuple[str, list[tuple[str, list[str]]]]) -> list[Place]:
    root, sources = job
    finder = Finder(root)
    for source, arguments in sources:
        finder.parse(source, arguments)
    return finder.places


def find_places(tree: Path, commands: list[dict], jobs: int) -> list[Place]:
    """Formats first: their bodies are in headers, which others see without them."""
    layers: dict[str, list[dict]] = defaultdict(list)
    for command in commands:
        file = os.path.relpath(command["file"], tree)
        if file.startswith("src/"):
            layers[layer_of(file)].append(command)
    formats, others = [], []
    for layer, members in sorted(layers.items()):
        sources = [(c["file"], arguments_of(c)) for c in sorted(members, key=lambda c: rank(os.path.relpath(c["file"], tree)))]
        if layer == "src/formats":
            formats += sources
        else:
            others += sources[:SOURCES_OF_A_FOLDER]
    parts = [(str(tree), others[i::jobs]) for i in range(jobs)] + [(str(tree), [f]) for f in formats]
    with multiprocessing.Pool(jobs) as pool:
        found = {p for part in pool.map(places_of, parts, chunksize=1) for p in part}
    return sorted((p for p in found if p.file.startswith(("include/tessera/", "src/"))), key=lambda p: (p.file, p.at))


def rank(text: str) -> str:
    """Where something is in an order that looks random and that other things don't disturb."""
    return hashlib.sha256(text.encode()).hexdigest()


def layer_of(file: str) -> str:
    parts = file.split("/")
    if parts[0] == "include":
        if len(parts) == 3:
            return "include/tessera"
        return "/".join(parts[:3]) + ("/detail" if parts[3] == "detail" else "")
    return "/".join(parts[:3]) if parts[1] == "vm" and len(parts) > 3 else "/".join(parts[:2])


def line_of(place: Place) -> tuple[int, str]:
    text = (ROOT / place.file).read_bytes()
    start = text.rfind(b"\n", 0, place.at) + 1
    end = text.find(b"\n", place.at)
    return text.count(b"\n", 0, place.at) + 1, text[start:end].decode().strip()


def choose(places: list[Place], count: int, seed: int) -> dict[int, Place]:
    """From each layer by the root of its size; within it, one of each kind from each file, and so on."""

    def key(place: Place) -> str:
        return rank(f"{seed} {place.file} {line_of(place)[1]} {place.before}")

    groups: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for place in places:
        groups[place.file, place.kind].append(place)
    layers: dict[str, list[tuple[int, str, Place]]] = defaultdict(list)
    for group in groups.values():
        for turn, (order, place) in enumerate(sorted(((key(p), p) for p in group), key=lambda x: (x[0], x[1].at))):
            layers[layer_of(place.file)].append((turn, order, place))
    weights = {layer: math.sqrt(len(members)) for layer, members in layers.items()}
    scale = count / sum(weights.values())
    chosen: list[Place] = []
    for layer, members in sorted(layers.items()):
        chosen += apart([p for _, _, p in sorted(members, key=lambda m: m[:2])], math.ceil(weights[layer] * scale))
    return numbered(sorted(chosen, key=lambda p: (p.file, p.at)), key)


def numbered(places: list[Place], key) -> dict[int, Place]:
    """Numbers that stay when other places change, so that little is built anew."""
    numbers: dict[int, Place] = {}
    for place in places:
        number = int(key(place)[:4], 16) % MAX_MUTANT + 1
        while number in numbers:
            number = number % MAX_MUTANT + 1
        numbers[number] = place
    return dict(sorted(numbers.items(), key=lambda n: (n[1].file, n[1].at)))


def apart(places: list[Place], count: int) -> list[Place]:
    """The first ones that don't overlap."""
    taken: list[Place] = []
    for place in places:
        if len(taken) == count:
            break
        if all(t.file != place.file or t.end <= place.start or place.end <= t.start for t in taken):
            taken.append(place)
    return taken


def name_of(place: Place) -> str:
    return f"{place.file} @ {line_of(place)[1]} @ {place.before} -> {place.after}"


# ---- the mutated tree


QUIET = '#pragma clang diagnostic ignored "-Weverything"\n'


def mutated(file: str, mutants: dict[int, Place]) -> bytes:
    text = (ROOT / file).read_bytes()
    for number, place in sorted(mutants.items(), key=lambda m: -m[1].start):
        original = text[place.start : place.end]
        switched = b"(::tessera_mutants::is_on(%d) ? (%s) : (%s))" % (number, place.mutated.encode(), original)
        text = text[: place.start] + switched + text[place.end :]
    return f'#include "{HERE}/switch.hpp"\n{QUIET}#line 1\n'.encode() + text


def write_if_changed(path: Path, text: bytes) -> None:
    if path.exists() and path.read_bytes() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)


def write_tree(copy: Path, mutants: dict[int, Place]) -> None:
    """Of the files that Git knows: those that were added, as they are now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    files = [f for f in listed.stdout.decode().split("\0") if f and (ROOT / f).is_file()]
    by_file: dict[str, dict[int, Place]] = defaultdict(dict)
    for number, place in mutants.items():
        by_file[place.file][number] = place
    for file in files:
        text = mutated(file, by_file[file]) if file in by_file else (ROOT / file).read_bytes()
        if file == "tests/support/main.cpp":
            text += f'#include "{HERE}/listener.hpp"\n'.encode()
        write_if_changed(copy / file, text)
    kept = {copy / f for f in files}
    for path in copy.rglob("*"):
        if path.is_file() and path not in kept and not path.is_relative_to(copy / "b"):
            path.unlink()


def build_tree(work: Path, mutants: dict[int, Place], jobs: int) -> Path:
    """Builds the unit tests; mutants that the compiler refuses are dropped."""
    copy, switch = work / "tree", work / "switch.o"
    subprocess.run(["clang++", "-std=c++20", "-O1", "-c", str(HERE / "switch.cpp"), "-o", str(switch)], check=True)
    for _ in range(8):
        write_tree(copy, mutants)
        configure(work, copy, f"-DCMAKE_EXE_LINKER_FLAGS={switch}")
        build = copy / "b"
        command = ["cmake", "--build", str(build), "-j", str(jobs), "--target", "tessera_tests", *inline_tests(build), "--", "-k", "0"]
        with open(work / "build.log", "w") as log:
            done = subprocess.run(command, stdout=log, stderr=log)
        if done.returncode == 0:
            return build
        refused = refused_mutants((work / "build.log").read_text(), copy, mutants)
        if not refused:
            sys.exit(f"the mutated tree doesn't build: {work / 'build.log'}")
        say(f"{len(refused)} mutants don't compile")
        names = {name_of(mutants.pop(number)) for number in refused}
        kept = work / "refused.json"
        kept.write_text(json.dumps(sorted(names | set(json.loads(kept.read_text()) if kept.exists() else []))))
    sys.exit("too many mutants don't compile")


def inline_tests(build: Path) -> list[str]:
    listed = subprocess.run(["ninja", "-C", str(build), "-t", "targets", "all"], capture_output=True, text=True, check=True)
    return sorted(set(re.findall(r"\b(tessera_tests_\w+_inline): phony", listed.stdout)))


def refused_mutants(log: str, copy: Path, mutants: dict[int, Place]) -> set[int]:
    """Those in the lines that the compiler names."""
    lines = {(os.path.relpath(copy / "b" / path, copy), int(line))
             for path, line in re.findall(r"^(\S+?):(\d+):\d+: (?:fatal )?(?:error|note):", log, re.M)}
    refused = set()
    for number, place in mutants.items():
        text = (ROOT / place.file).read_bytes()
        first, last = (text.count(b"\n", 0, at) + 1 for at in (place.start, place.end))
        if any((place.file, line) in lines for line in range(first, last + 1)):
            refused.add(number)
    return refused


# ---- running tests


class Unit:
    """A test case of a program, or one case of the tool."""

    def __init__(self, program: str, test: str, section: str):
        self.program, self.test, self.section = program, test, section
        self.seconds = 0.0
        self.reached: set[int] = set()


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES_OF_A_TEST, BYTES_OF_A_TEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(arguments: list[str], scratch: Path, seconds: float, **environment: str) -> tuple[str, str]:
    """pass, fail, crash or timeout, and the output. What is read past an end isn't zero by chance."""
    process = subprocess.Popen(arguments, cwd=scratch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limit_memory,
                               env={**os.environ, "TMPDIR": str(scratch), "MALLOC_PERTURB_": "165", **environment})
    try:
        output = process.communicate(timeout=seconds)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return "timeout", ""
    if process.returncode == 0:
        return "pass", output
    return ("crash" if process.returncode < 0 or "fatal error" in output else "fail"), output


def programs(build: Path) -> list[str]:
    return [str(build / "tests/tessera_tests"), *(str(p) for p in sorted(build.glob("tests/**/tessera_tests_*_inline")) if p.is_file())]


def reach(work: Path, build: Path, jobs: int) -> list[Unit]:
    """Runs all tests once, without a mutant."""
    parts = []
    for program in programs(build):
        listed = subprocess.run([program, "--list-test-names-only", "~[.]"], capture_output=True, text=True)
        names = [line for line in listed.stdout.splitlines() if line]
        parts += [(program, part) for part in (names[i::jobs] for i in range(jobs)) if part]
    with ThreadPoolExecutor(jobs) as pool:
        runs = pool.map(lambda k: reached_by(work / f"reach{k}", *parts[k]), range(len(parts)))
        return [unit for units in runs for unit in units]


def reached_by(scratch: Path, program: str, tests: list[str]) -> list[Unit]:
    scratch.mkdir(exist_ok=True)
    bitmap, listed = scratch / "reached", scratch / "reaches"
    bitmap.write_bytes(bytes(MAX_MUTANT + 1))
    listed.unlink(missing_ok=True)
    arguments = [program, "--input-file", list_of_tests(scratch, tests)]
    result, output = run(arguments, scratch, 3600, TESSERA_REACHED=str(bitmap), TESSERA_REACHES=str(listed))
    if result == "timeout" or not listed.exists():
        sys.exit(f"{program}: {result} without a mutant\n{output[-4000:]}")
    units: dict[str, Unit] = {}
    for line in listed.read_text().splitlines():
        test, section, seconds, numbers = line.split("\t")
        unit = units.setdefault(f"{test}\t{section}", Unit(program, test, section))
        unit.seconds += float(seconds)
        unit.reached |= {int(n) for n in numbers.split()}
    shutil.rmtree(scratch)
    if failed := sorted(set(tests) - {unit.test for unit in units.values()}):
        say(f"left out, because they fail without a mutant: {', '.join(failed)}")
    return list(units.values())


def list_of_tests(scratch: Path, tests: list[str]) -> str:
    """The file of them, for Catch2's --input-file."""
    names = scratch / "names"
    names.write_text("".join('"' + re.sub(r'([\\",])', r"\\\1", test) + '"\n' for test in tests))
    return str(names)


class Runner:
    def __init__(self, work: Path, units: list[Unit]):
        self.work = work
        self.tool = threading.Lock()  # its cases share a folder
        self.by_mutant: dict[int, list[Unit]] = defaultdict(list)
        for unit in units:
            for number in unit.reached:
                self.by_mutant[number].append(unit)

    def run_mutant(self, number: int) -> dict:
        """The fast tests first, then the others; cases of the tool last."""
        started = time.monotonic()
        scratch = self.work / f"scratch{number}"
        scratch.mkdir(exist_ok=True)
        units = sorted(self.by_mutant[number], key=lambda u: u.seconds)
        cases = [u for u in units if not u.section]
        batches = [b for part in (cases[:60], cases[60:]) for b in by_program(part)]
        result = {"result": "survived" if units else "not reached", "by": ""}
        for batch in batches + [[u] for u in units if u.section]:
            outcome, by = self.run_batch(number, batch, scratch)
            if outcome != "pass":
                result = {"result": outcome, "by": by}
                break
        shutil.rmtree(scratch, ignore_errors=True)
        result["seconds"] = round(time.monotonic() - started, 2)
        result["tests"] = len(units)
        return result

    def run_batch(self, number: int, batch: list[Unit], scratch: Path) -> tuple[str, str]:
        arguments = [batch[0].program, "--abort", "--input-file", list_of_tests(scratch, [u.test for u in batch])]
        limit = 20 + 5 * sum(u.seconds for u in batch)
        if not batch[0].section:
            outcome, output = run(arguments, scratch, limit, TESSERA_MUTANT=str(number))
        else:
            with self.tool:
                outcome, output = run([*arguments, "-c", batch[0].section], scratch, limit, TESSERA_MUTANT=str(number))
        if outcome == "pass" and f"in {len(batch)} test case" not in output:
            raise RuntimeError(f"not the tests of {scratch / 'names'}: {output}")
        return outcome, ", ".join(failing_tests(output)) or batch[0].test


def by_program(units: list[Unit]) -> list[list[Unit]]:
    parts: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        parts[unit.program].append(unit)
    return list(parts.values())


def failing_tests(output: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"^-{79}\n(.+?)\n(?:  (?:.+)\n)?-{79}$", output, re.M)))


# ---- the report


def equivalents() -> set[str]:
    """The names in equivalent.txt. A line that begins with spaces is a reason."""
    lines = (HERE / "equivalent.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith(("#", " "))}


def describe(number: int, place: Place) -> str:
    line, text = line_of(place)
    return f"{number}\t{place.file}:{line}\t{place.before} -> {place.after}\t{text}"


def report(mutants: dict[int, Place], results: dict[int, dict]) -> bool:
    known = equivalents()
    counts: Counter = Counter()
    kinds: dict[str, Counter] = defaultdict(Counter)
    missing = []
    for number, place in mutants.items():
        if number not in results:
            continue
        result = results[number]["result"]
        if result == "survived" and name_of(place) in known:
            result = "equivalent"
        if result in ("fail", "crash", "timeout"):
            result = "killed"
        counts[result] += 1
        kinds[place.kind][result] += 1
        if result in ("survived", "not reached"):
            missing.append(f"{result}\t{describe(number, place)}")
    print("\n".join(sorted(missing)))
    for kind in KINDS:
        print(f"{kind:12} " + ", ".join(f"{n} {what}" for what, n in sorted(kinds[kind].items())))
    considered = sum(counts.values()) - counts["equivalent"]
    score = 100 * counts["killed"] / max(considered, 1)
    print(", ".join(f"{counts[w]} {w}" for w in ("killed", "survived", "not reached", "equivalent")) + f": {score:.1f} %")
    return score >= 95


def state_of_sources() -> str:
    command = "git rev-parse HEAD:include HEAD:src; git diff HEAD -- include src"
    return rank(subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def load_places(work: Path, jobs: int) -> list[Place]:
    """Kept while the sources are the same."""
    kept, state = work / "places.json", state_of_sources()
    if kept.exists():
        saved = json.loads(kept.read_text())
        if saved["state"] == state:
            return [Place(*p) for p in saved["places"]]
    write_tree(work / "tree", {})
    places = find_places(work / "tree", configure(work, work / "tree"), jobs)
    kept.write_text(json.dumps({"state": state, "places": [list(vars(p).values()) for p in places]}))
    return places


def is_body(file: str) -> bool:
    return file.endswith(".cpp") or "/detail/" in file


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "build/mutants")
    parser.add_argument("--count", type=int, default=400, help="mutants, about")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--bodies", action="store_true", help="only .cpp files and detail folders: much less to build")
    parser.add_argument("--longest", type=float, default=40, help="seconds; tests that take longer don't run for mutants")
    parser.add_argument("--only", default="", help="numbers of mutants to run")
    parser.add_argument("--missing", action="store_true", help="only those that weren't killed the last time")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)

    places = load_places(work, arguments.jobs)
    if arguments.bodies:
        places = [p for p in places if is_body(p.file)]
    refused = work / "refused.json"
    names = set(json.loads(refused.read_text())) if refused.exists() else set()
    mutants = choose([p for p in places if name_of(p) not in names], arguments.count, arguments.seed)
    say(f"{len(mutants)} of {len(places)} places, in {len({p.file for p in mutants.values()})} files")
    build = build_tree(work, mutants, arguments.jobs)
    say(f"{len(mutants)} mutants are built")
    units = reach(work, build, arguments.jobs)
    say(f"{len(units)} tests, {sum(u.seconds for u in units):.0f} s")

    results_file = work / "results.json"
    kept = json.loads(results_file.read_text()) if results_file.exists() else {}
    results = {n: kept[str(n)] for n, p in mutants.items() if kept.get(str(n), {}).get("name") == name_of(p)}
    numbers = [int(n) for n in arguments.only.split(",") if n] or list(mutants)
    if arguments.missing:
        numbers = [n for n in mutants if results.get(n, {}).get("result") in (None, "survived", "not reached")]
    runner = Runner(work, [u for u in units if u.seconds <= arguments.longest])
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for number, result in zip(numbers, pool.map(runner.run_mutant, numbers)):
            results[number] = {"name": name_of(mutants[number]), **result}
            say(f"{result['result']:11} {result['seconds']:6.1f} s {describe(number, mutants[number])}")
            results_file.write_text(json.dumps(results, indent=1))
    return 0 if report(mutants, results) else 1


if __name__ == "__main__":
    sys.exit(main())
