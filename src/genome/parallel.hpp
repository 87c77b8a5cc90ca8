// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Work that is split over threads: parts by number, each done once, by whichever thread is free.
//
//   parallel(threads, parts, [&](unsigned thread, std::size_t part) { ... });
//
// Lifetime:   returns when all parts are done.
// Errors:     the first exception of a part, by time; what isn't begun then stays undone. Where the
//             system has no more threads, or no memory for them, fewer do the work.
// Limits:     none.
// Allocation: the threads.

#ifndef TESSERA_GENOME_PARALLEL_HPP
#define TESSERA_GENOME_PARALLEL_HPP

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// 0: as many as the machine has.
[[nodiscard]] inline unsigned thread_count(unsigned wanted) {
  const unsigned max_threads = 256,
                 found = wanted != 0 ? wanted : std::thread::hardware_concurrency();
  return found == 0 ? 1 : found < max_threads ? found : max_threads;
}

template <class Work>
void parallel(unsigned threads, std::size_t parts, Work work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failed;
  std::mutex guard;
  const auto run = [&](unsigned thread) {
    try {
      for (std::size_t i = next++; i < parts; i = next++) work(thread, i);
    } catch (...) {
      next = parts;
      const std::lock_guard<std::mutex> lock(guard);
      if (!failed) failed = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  if (parts < threads) threads = static_cast<unsigned>(parts);
  try {
    others.reserve(threads);
    for (unsigned t = 1; t < threads; ++t) others.emplace_back(run, t);
  } catch (const std::system_error&) {  // those that there are do it
  } catch (const std::bad_alloc&) {}
  run(0);
  for (std::thread& t : others) t.join();
  if (failed) std::rethrow_exception(failed);
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_PARALLEL_HPP
