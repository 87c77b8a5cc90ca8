#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Builds the fuzz targets the way OSS-Fuzz asks for it: into $OUT, with $CXX, $CXXFLAGS and
# $LIB_FUZZING_ENGINE, each with its seeds as NAME_seed_corpus.zip and its dictionary as NAME.dict.
#
#   CXX=clang++ CXXFLAGS="-O1 -g1 -fsanitize=fuzzer-no-link,address,undefined" \
#     LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT=/tmp/out fuzz/oss-fuzz.sh
#
# json_diff is left out unless simdjson's header is found.

set -euo pipefail
cd "$(dirname "$0")/.."
: "${OUT:?the folder for the targets}"
CXX=${CXX:-clang++}
CXXFLAGS=${CXXFLAGS:-}
LIB_FUZZING_ENGINE=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
mkdir -p "$OUT"

# CXXFLAGS and LIB_FUZZING_ENGINE are lists of words.
compile() { "$CXX" $CXXFLAGS -std=c++20 -I. -Iinclude -Isrc -D_GLIBCXX_ASSERTIONS -UNDEBUG "$@"; }

for source in fuzz/*.cpp; do
  name=$(basename "$source" .cpp)
  sources=("$source")
  libraries=()
  case $name in
    driver | dictionary) continue ;;
    alir_run) sources+=(src/vm/alir/*.cpp) ;;
    nem_run) sources+=(src/vm/nem/*.cpp src/kernels/*.cpp) ;;
    json_diff)
      if ! echo '#include <simdjson.h>' | "$CXX" $CXXFLAGS -x c++ -fsyntax-only - 2> /dev/null; then
        echo "$name: left out, there is no simdjson"
        continue
      fi
      libraries+=(-lsimdjson)
      ;;
  esac
  compile "${sources[@]}" $LIB_FUZZING_ENGINE "${libraries[@]}" -o "$OUT/$name"

  seeds=fuzz/corpus/$name
  if [ ! -d "$seeds" ]; then seeds=fuzz/corpus/${name%%_*}; fi
  if command -v zip > /dev/null; then
    rm -f "$OUT/${name}_seed_corpus.zip"
    (cd "$seeds" && zip -q -X "$OUT/${name}_seed_corpus.zip" ./*)
  else
    rm -rf "$OUT/${name}_seed_corpus"
    cp -r "$seeds" "$OUT/${name}_seed_corpus"
  fi
  case $name in
    alir_*) cp fuzz/alir.dict "$OUT/$name.dict" ;;
    ark_*) cp fuzz/ark.dict "$OUT/$name.dict" ;;
    nem_*) cp fuzz/nem.dict "$OUT/$name.dict" ;;
    nac_assemble) cp fuzz/nac_assemble.dict "$OUT/$name.dict" ;;
    *) cp fuzz/json.dict "$OUT/$name.dict" ;;
  esac
  echo "$name: built"
done
