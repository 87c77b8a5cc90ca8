// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Threads that stay between runs: awake for some 50 µs, and then asleep.
//
//   workers crew(3);                        // and the caller: up to four at a time
//   auto work = [&](unsigned t) { ... };    // takes parts of it until none is left
//   crew.run(work);
//
// Lifetime:   a reference to the work is kept until run() returns. A copy has threads of its own.
// Errors:     none: where the system has no more threads, or no memory for them, fewer of them work, at
//             least the caller.
// Limits:     one run() at a time.
// Allocation: threads, at the first run.

#ifndef TESSERA_VM_WORKERS_HPP
#define TESSERA_VM_WORKERS_HPP

#include <memory>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm {

class workers {
 public:
  explicit workers(unsigned count) noexcept;
  workers(const workers& other) noexcept;
  workers& operator=(const workers& other) noexcept;
  ~workers();

  /// Calls work(0) here and work(1), work(2), … elsewhere, each at most once, and returns when all
  /// of them have. Work throws nothing.
  template <class Work>
  void run(Work& work) {
    call([](void* self, unsigned t) { (*static_cast<Work*>(self))(t); }, std::addressof(work));
  }

 private:
  struct crew;
  void call(void (*work)(void*, unsigned), void* self);

  unsigned count_;
  std::unique_ptr<crew> crew_;
};

}  // namespace vm
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_WORKERS_HPP
