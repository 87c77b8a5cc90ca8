#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Runs fuzz targets of a build with libFuzzer, one after the other, and appends a line to a log for each:
# day, commit, sanitizers, target, executions, seconds of processor time, executions in each of them, edges.
#
#   fuzz/measure.sh build/fuzz                                  all of them, six seconds each
#   LENGTH=600 fuzz/measure.sh build/fuzz alir_run nem_run
#   fuzz/measure.sh --table build/fuzz                          the log as the table "Executions" of README.md
#
# LOG is the log (fuzz/runs.tsv), WORK the folder for corpora, logs and crashes (build/fuzz/work). Corpora of
# earlier runs go on growing there unless FRESH=1. SEED is where mutation starts (1).

set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
log=${LOG:-$root/fuzz/runs.tsv}

# The last rate and the most edges of each target under sanitizers, and all executions with them and without.
table() {
  sort -t$'\t' -k4,4 -s "$log" | awk -F'\t' '
    function short(n) { for (unit = 1; n / unit >= 100; unit *= 10) {} return int(n / unit + 0.5) * unit }
    function row() { printf "| `%s` | %d | %d | %d | %d |\n", name, short(rate), edges, with, without }
    $4 != name { if (name != "") row(); name = $4; with = without = edges = rate = 0 }
    $3 == "none" { without += $5; next }
    { with += $5; rate = $7; if ($8 > edges) edges = $8 }
    END { if (name != "") row() }'
  awk -F'\t' '{ n[$3 == "none"] += $5 } END { printf "%d with sanitizers, %d without\n", n[0], n[1] }' "$log"
}

if [ "$1" = --table ]; then table; exit; fi
build=$(realpath "$1"); shift
work=${WORK:-$build/work}
sanitizers=$(sed -n 's/^TESSERA_FUZZ_SANITIZERS:[A-Z]*=//p' "$build/CMakeCache.txt")
commit=$(git -C "$root" rev-parse --short=8 HEAD)
TIMEFORMAT='%U %S'

# The line of one run. It fails if the target does, which leaves its input and its output in WORK.
run() {
  local name=$1 seeds=$2 dictionary=$3 here=$work/$1 used
  if [ "${FRESH:-0}" = 1 ]; then rm -rf "$here"; fi
  mkdir -p "$here/corpus"
  local arguments=(-seed="${SEED:-1}" -max_total_time="${LENGTH:-6}" -timeout=25 -rss_limit_mb=2048
                   -max_len=4096 -print_final_stats=1 -artifact_prefix="$here/")
  if [ "$dictionary" != - ]; then arguments+=("-dict=$root/$dictionary"); fi
  used=$( { time "$build/fuzz/fuzz_$name" "${arguments[@]}" "$here/corpus" "$root/$seeds" \
              > "$here/log" 2>&1; } 2>&1 ) || { echo "$name: FAILED, see $here/log" >&2; return 1; }
  awk -v start="$(date -u +%F)"$'\t'"$commit"$'\t'"${sanitizers:-none}"$'\t'"$name" -v used="$used" '
    /^stat::number_of_executed_units/ { n = $2 }
    / cov: / { for (i = 1; i < NF; ++i) if ($i == "cov:") edges = $(i + 1) }
    END {
      split(used, t, " ")
      seconds = t[1] + t[2] + 0.001
      printf "%s\t%d\t%.1f\t%d\t%d\n", start, n, seconds, n / seconds, edges
    }' "$here/log" | tee -a "$log"
}

failed=0
while read -r name seeds dictionary; do
  if [ $# != 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  run "$name" "$seeds" "$dictionary" || failed=1
done < "$build/fuzz/targets.txt"
exit $failed
