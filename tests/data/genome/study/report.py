# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Writes README.md and tree.svg of this folder from what the tool finds in the committed data.

    python3 report.py --tool build/src/tessera

Needs Python only. Every figure of README.md is from these runs.
"""

import argparse
import base64
import collections
import json
import pathlib
import struct
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).parent
TREE = ["--presence", "--compositions"]
GENES = ["--connected", "--names", str(HERE / "genes.json")]
CONV = ("conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d")
NORM = ("batch_norm", "layer_norm", "group_norm", "instance_norm")
ACT = ("relu", "relu6", "hardtanh", "silu", "gelu", "hardswish", "prelu", "leaky_relu", "elu", "sigmoid",
       "tanh", "mish", "glu")


class Tool:
    def __init__(self, path):
        self.path, self.times = path, []

    def run(self, verb, *options):
        start = time.time()
        out = subprocess.run([self.path, "genome", verb, str(HERE / "signatures.json"), *options],
                             check=True, capture_output=True, text=True)
        self.times.append((verb, time.time() - start))
        return out.stdout


def short(operation):
    """aten.conv2d.default:node_args(2):kwargs() -> conv2d"""
    name = operation.split(":")[0]
    for prefix in ("aten.", "nac."):
        name = name.removeprefix(prefix)
    return name.removesuffix(".default").removesuffix(".Tensor")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows])


def named_genes(mined, families):
    """One row a name: the occurrences of its forms, and the families that have one of them."""
    rows = collections.OrderedDict()
    for g in mined["genes"]:
        if "name" in g:
            rows.setdefault(g["name"], []).append(g)
    out = []
    for name, forms in rows.items():
        models = {m["model"]: m["count"] for g in forms for m in g["by_model"]}
        of = collections.Counter(families[m] for m in models)
        out.append((name, len(forms), max(g["occurrences"] for g in forms), len(models), len(of),
                    ", ".join(sorted(of))))
    return sorted(out, key=lambda r: -r[3])


def alleles(mined, families):
    """Conv, norm and activation in a chain: which three, how often, where."""
    found = {}
    for g in mined["genes"]:
        names = [short(o) for o in g["operations"]]
        chain = sorted((a, b) for a, b, _ in g["edges"]) == [(0, 1), (1, 2)]
        if chain and names[0] in CONV and names[1] in NORM and names[2] in ACT:
            count, models = found.setdefault(tuple(names), [0, set()])
            found[tuple(names)][0] += g["occurrences"]
            models.update(m["model"] for m in g["by_model"])
    rows = [(" > ".join(k), count, len(models), ", ".join(sorted({families[m] for m in models})))
            for k, (count, models) in found.items()]
    return sorted(rows, key=lambda r: -r[1])


def across(mined, families, kinds):
    """Genes of four nodes and more in most families, each only where it says something new."""
    rows = []
    for g in mined["genes"]:
        if len(g["operations"]) < 4:
            continue
        models = [m["model"] for m in g["by_model"]]
        rows.append((len({families[m] for m in models}), len({kinds[m] for m in models}), len(models),
                     g["occurrences"], g))
    rows.sort(key=lambda r: (-r[0], -len(r[4]["operations"]), -r[3]))
    out = []
    for of, kind, models, count, g in rows[:12]:
        out.append((of, kind, models, count, g.get("name", ""),
                    ", ".join(short(o) for o in g["operations"])))
    return out


def nodes_of(text):
    """The nodes of a stream: A, B, C and D."""
    data, at, out = base64.b64decode(text), 0, []
    while at < len(data):
        a, b, c, n = struct.unpack_from(">BBhB", data, at)
        out.append((a, b, c, struct.unpack_from(f">{n}h", data, at + 5)))
        at += 5 + 2 * n
    return out


def pattern_of(node):
    return node[1] | (node[2] & 0xff00)


def lossy_macros(nodes, patterns):
    """How many macros one pass places that loses inner results: the longest pattern, left to right.
    Also how many nodes they save. `nodes` are compressed by the same patterns."""
    flat, starts = [], []
    for i, (a, b, c, d) in enumerate(nodes):
        starts.append(len(flat))
        if a == 6:
            flat.extend(patterns[pattern_of(nodes[i])])
        elif a == 7:
            flat.append((a, b, c, d))
        else:
            # An id of a macro is its last node.
            ends = [starts[e] + (len(patterns[pattern_of(nodes[e])]) - 1 if nodes[e][0] == 6 else 0)
                    for e in d]
            flat.append((a, b, c, tuple(e - len(flat) for e in ends)))
    by_first = collections.defaultdict(list)
    for p in sorted((p for p in patterns.values() if len(p) > 1), key=len, reverse=True):
        by_first[p[0]].append(p)
    macros = saved = at = 0
    while at < len(flat):
        found = next((p for p in by_first[flat[at]] if flat[at:at + len(p)] == p), None)
        macros += found is not None
        saved += len(found) - 1 if found else 0
        at += len(found) if found else 1
    return macros, saved


def compression(tool):
    """One row for each way of writing the streams: what their registry and they have."""
    rows = []
    for name, options in (("in the order of the files", []), ("`--reorder`", ["--reorder"])):
        with tempfile.TemporaryDirectory() as folder:
            registry, signatures = pathlib.Path(folder, "registry"), pathlib.Path(folder, "signatures")
            tool.run("mine", *options, "--signatures", str(signatures))
            without = sum(n[0] == 6 for v in json.loads(signatures.read_text()).values()
                          for n in nodes_of(v))
            tool.run("mine", *options, "-o", str(registry), "--signatures", str(signatures))
            size = registry.stat().st_size + signatures.stat().st_size
            patterns = {int(k): nodes_of(v)
                        for k, v in json.loads(registry.read_text())["patterns"].items()}
            streams = [nodes_of(v) for v in json.loads(signatures.read_text()).values()]
        genes = [p for p in patterns.values() if len(p) > 1]
        lossy = [sum(k) for k in zip(*(lossy_macros(s, patterns) for s in streams))]
        used = [len(patterns[pattern_of(n)]) for s in streams for n in s if n[0] == 6]
        macros, saved = sum(n > 1 for n in used), sum(n - 1 for n in used)
        rows.append((name, len(genes), without, len(patterns) - len(genes), macros,
                     f"{lossy[0]} ({100 * macros / lossy[0]:.1f} %)", saved,
                     f"{lossy[1]} ({100 * saved / lossy[1]:.1f} %)", sum(len(s) for s in streams),
                     f"{size / 1e6:.2f}"))
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default="tessera")
    tool = Tool(parser.parse_args().tool)
    families = json.loads((HERE / "families.json").read_text())
    kinds = json.loads((HERE / "kinds.json").read_text())

    tool.run("tree", *TREE, "--families", str(HERE / "families.json"), "-o", str(HERE / "tree.svg"))
    by_family = json.loads(tool.run("tree", *TREE, "--families", str(HERE / "families.json"),
                                    "--format", "json"))
    by_kind = json.loads(tool.run("tree", *TREE, "--families", str(HERE / "kinds.json"),
                                  "--format", "json"))
    counts = json.loads(tool.run("tree", "--families", str(HERE / "families.json"),
                                 "--format", "json"))
    mined = json.loads(tool.run("mine", *GENES, "--json"))
    profile = json.loads(tool.run("profile", "--json"))
    rules = json.loads(tool.run("rules", "--json"))
    distances = tool.run("compare", *TREE)

    networks = by_family["networks"]
    in_clusters = []
    for cluster in by_family["clusters"]:
        of = collections.Counter(n["family"] for n in cluster)
        in_clusters.append((len(cluster), ", ".join(f"{f} {n}" for f, n in of.most_common())))
    in_clusters.sort(key=lambda r: (-r[0], r[1]))
    demand = [(short(r["name"]), r["count"], f"{100 * r['share']:.1f} %", r["models"], r["most"])
              for r in profile["demand"][:20]]
    covered = sum(r["share"] for r in profile["demand"][:20])
    transitions = [(r["rule"].replace("`", ""), r["probability"], r["count"])
                   for r in rules["transition_rules"][:10]]
    figures = {
        "networks": networks, "families": by_family["families"], "nodes": profile["nodes"],
        "calls": profile["calls"], "operations": len(profile["operations"]),
        "transition_rules": len(rules["transition_rules"]),
        "composition_rules": len(rules["composition_rules"]),
        "structural_rules": len(rules["structural_rules"]),
        "genes": len(mined["genes"]), "named": sum("name" in g for g in mined["genes"]),
        "ari_family": round(by_family["adjusted_rand_index"], 3),
        "ari_kind": round(by_kind["adjusted_rand_index"], 3),
        "ari_counts": round(counts["adjusted_rand_index"], 3),
    }
    template = (HERE / "README.in.md").read_text()
    parts = {
        **{k: str(v) for k, v in figures.items()},
        "clusters": table(["networks", "families"], in_clusters),
        "named_genes": table(["gene", "forms", "occurrences of the most frequent", "networks",
                              "families", "which"], named_genes(mined, families)),
        "alleles": table(["allele", "occurrences", "networks", "families"],
                         alleles(mined, families)),
        "across": table(["families", "kinds", "networks", "occurrences", "name", "operations"],
                        across(mined, families, kinds)),
        "demand": table(["operation", "calls", "share", "networks", "most in one network"], demand),
        "covered": f"{100 * covered:.1f}",
        "transitions": table(["rule", "probability", "count"], transitions),
        "kinds": ", ".join(f"{k} {n}" for k, n in collections.Counter(
            kinds[n["network"]] for c in by_family["clusters"] for n in c).most_common()),
        "compression": table(["streams", "genes", "macros", "patterns of one node added",
                              "macros with them", "lossy would place (reached)", "nodes saved",
                              "lossy would save (reached)", "nodes left",
                              "MB in all"], compression(tool)),
        "distances": str(len(distances.splitlines()) - 1),
        "bytes": f"{sum((HERE / f).stat().st_size for f in ('signatures.json', 'registry.json')) / 1e6:.1f}",
    }
    for key, value in parts.items():
        template = template.replace("@" + key + "@", value)
    (HERE / "README.md").write_text(template)
    for verb, seconds in tool.times:
        print(f"{verb}: {seconds:.1f} s")
    print(f"all: {sum(s for _, s in tool.times):.1f} s")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
