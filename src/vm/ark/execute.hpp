// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Runs the compiled program of one rank, step by step, until it ends, waits or traps.
//
//   runner r(compiled, rank, options, scratch);
//   r.start();
//   while (r.advance(transport, {}) != state::finished) …
//
// Lifetime:   borrows the compiled program and the workspace of products.
// Errors:     ark_division and ark_index, in done().
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_VM_ARK_EXECUTE_HPP
#define TESSERA_VM_ARK_EXECUTE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "compile.hpp"
#include "tensor/matmul.hpp"
#include "transport.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

/// The elements of a patch in a row, and back.
void gather(const patch& from, std::byte* to);
void scatter(const std::byte* from, const patch& to);

enum class state : std::uint8_t { waiting, finished, trapped };

class runner {
 public:
  runner(const compiled_program& p, std::uint32_t rank, bool fast, tensors::matmul_workspace* room)
      : program_(&p), room_(room), rank_(rank), fast_(fast) {}

  void start() noexcept {
    next_ = 0;
    syncs_ = 0;
    waits_ = begun_ = false;
    done_ = {};
    done_.rank = rank_;
  }
  /// Goes on as far as it can.
  [[nodiscard]] state advance(transport& to, const observer_ref<event>& see);
  /// How it ended, and the steps so far.
  [[nodiscard]] const outcome& done() const noexcept { return done_; }
  /// How many steps were completed; grows whenever advance() gets anywhere.
  [[nodiscard]] std::size_t progress() const noexcept { return next_; }
  /// Where a waiting rank waits, and for messages of which channels; at a DeviceSync, of none.
  [[nodiscard]] const step& waiting_step() const noexcept { return program_->steps[next_]; }
  [[nodiscard]] std::span<const std::uint32_t> waiting_channels() const noexcept;

 private:
  [[nodiscard]] errc compute(const step& s, transport& to);

  const compiled_program* program_;
  tensors::matmul_workspace* room_;
  std::size_t next_ = 0;
  std::uint64_t syncs_ = 0;
  bool begun_ = false;  // whether the observer has seen the operation of next_ begin
  outcome done_;
  std::uint32_t rank_;
  bool fast_, waits_ = false;
};

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ARK_EXECUTE_HPP
