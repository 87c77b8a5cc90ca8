// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Parameters of the NAC machine that a thread loads while instructions run.
//
//   filling fill;
//   tensor w = prepare(arena, parameter.value, false, fill);   // memory, not set to anything
//   preloader thread(count);                                  // for keys below count
//   if (!thread.begin(key, fill)) fill();                     // no thread to be had
//   …
//   const preloader::times took = thread.finish(key);         // now w is filled
//
// The thread touches the memory that was taken for it, the bytes of the file, and nothing else. It
// loads in the order of begin(); the caller loads what it needs earlier.
//
// Lifetime:   what is filled, and what it is filled from, stay until finish() or forget(). One caller
//             at a time. A preloader that goes waits for its thread.
// Errors:     prepare throws faults: budget_memory, nac_run_rank, nac_tensor_*.
// Limits:     none.
// Allocation: prepare: the tensor; a preloader 200 bytes for each key, and a thread at the first
//             begin().

#ifndef TESSERA_VM_NAC_PRELOAD_HPP
#define TESSERA_VM_NAC_PRELOAD_HPP

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// Fills a tensor that was prepared, on any thread.
class filling {
 public:
  void operator()() const noexcept;

 private:
  friend tensor prepare(memory& arena, const model::tensor& from, bool widen, filling& fill);
  model::tensor_values values_;  // of what becomes float32
  bytes from_;                   // of the others
  std::byte* to_ = nullptr;
  std::size_t size_ = 0;  // elements
  data_type type_ = data_type::float32;
  bool values_are_floats_ = false;
};

/// Memory for the values of a tensor of DATA: float32 for those that are quantized, and with `widen`
/// for float16.
[[nodiscard]] tensor prepare(memory& arena, const model::tensor& from, bool widen, filling& fill);

class preloader {
 public:
  using clock = std::chrono::steady_clock;
  struct times {
    bool known = false;  ///< the thread loaded it
    bool ready = false;  ///< before it was needed
    clock::time_point from, to;
  };

  explicit preloader(std::size_t keys) : jobs_(keys) {}
  preloader(const preloader&) = delete;
  preloader& operator=(const preloader&) = delete;
  ~preloader();

  /// Fills, from now on. The key isn't in use. False: there is no thread, nothing was begun.
  [[nodiscard]] bool begin(std::uint32_t key, const filling& fill);
  /// Comes back when it is filled.
  times finish(std::uint32_t key);
  /// Returns when no thread fills it. True: it is filled.
  bool forget(std::uint32_t key);
  /// Nothing is filled any more but what the thread is at.
  void forget_waiting();

 private:
  enum class state : std::uint8_t { idle, waiting, filling, filled };
  struct job {
    state is = state::idle;
    filling fill;
    clock::time_point from, to;
  };
  void work();

  std::vector<job> jobs_;
  std::vector<std::uint32_t> queue_;  // from next_
  std::size_t next_ = 0;
  bool stops_ = false;
  std::mutex mutex_;
  std::condition_variable more_, filled_;
  std::thread thread_;
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_PRELOAD_HPP
