# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Writes README.md and tree.svg of this folder from what the tool finds in the committed data.

    python3 report.py --tool build/src/tessera

Needs Python only. Every figure of README.md is from these runs.
"""

import argparse
import collections
import json
import pathlib
import subprocess
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
