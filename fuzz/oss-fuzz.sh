#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Builds the fuzz targets the way OSS-Fuzz asks for it: into $OUT, with $CXX, $CXXFLAGS and
# $LIB_FUZZING_ENGINE, each with its seeds as NAME_seed_corpus.zip and its dictionary as NAME.dict.
#
#   CXX=clang++ CXXFLAGS="-O1 -g1 -fsanitize=fuzzer-no-link,address,undefined" \
#     LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT=/tmp/out fuzz/oss-fuzz.sh
#   ... fuzz/oss-fuzz.sh nac_read nem_read                          these targets only
#
# $WORK is where it builds (default: the build folder). What a target is made of and comes with is in
# CMakeLists.txt. Optional libraries are left out, as machines that fuzz don't have them; json_diff is
# built where simdjson is found.

set -euo pipefail
mkdir -p "${OUT:?the folder for the targets}"
OUT=$(realpath "$OUT")
cd "$(dirname "$0")/.."
build=${WORK:-build}/oss-fuzz
export CXX=${CXX:-clang++} CXXFLAGS="${CXXFLAGS:-} -D_GLIBCXX_ASSERTIONS"
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

rm -rf "$build"  # CMake would keep the flags that it met first
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=None -DTESSERA_BUILD_TOOLS=OFF -DTESSERA_BUILD_FUZZERS=ON \
  -DTESSERA_FUZZING_ENGINE="${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}" \
  -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON
if [ $# = 0 ]; then
  cmake --build "$build" --target tessera_fuzz_targets
else
  cmake --build "$build" --target "${@/#/fuzz_}"
fi

while read -r name corpus dictionary; do
  if [ $# != 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  cp "$build/fuzz/fuzz_$name" "$OUT/$name"
  rm -rf "$OUT/${name}_seed_corpus" "$OUT/${name}_seed_corpus.zip" "$OUT/$name.dict"
  if command -v zip > /dev/null; then
    (cd "$corpus" && zip -q -r -X "$OUT/${name}_seed_corpus.zip" .)
  else
    cp -r "$corpus" "$OUT/${name}_seed_corpus"
  fi
  if [ "$dictionary" != - ]; then cp "$dictionary" "$OUT/$name.dict"; fi
  echo "$name: built"
done < "$build/fuzz/targets.txt"
