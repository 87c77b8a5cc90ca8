// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How many inputs of a machine's target are programs that run, and run to their end. Built with
// TESSERA_FUZZ_STATISTIC a target prints that when its process ends:
//
//   cmake ... -DCMAKE_CXX_FLAGS="-O1 -DTESSERA_FUZZ_STATISTIC" && fuzz_nac_run -runs=0 fuzz/corpus/nac_run

#ifndef TESSERA_FUZZ_STATISTIC_HPP
#define TESSERA_FUZZ_STATISTIC_HPP

#ifdef TESSERA_FUZZ_STATISTIC
#include <cstdio>
#include <cstdlib>
#endif

namespace fuzz {

/// An input that is a verified program has run; whether it ended without an error.
inline void count_run([[maybe_unused]] bool ended_well) {
#ifdef TESSERA_FUZZ_STATISTIC
  static struct { unsigned long runs = 0, ends = 0; } count;
  static const int registered = std::atexit([] {
    std::fprintf(stderr, "programs that ran: %lu, without an error: %lu\n", count.runs, count.ends);
  });
  (void)registered;
  ++count.runs;
  count.ends += ended_well;
#endif
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_STATISTIC_HPP
