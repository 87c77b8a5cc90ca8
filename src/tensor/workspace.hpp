// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Memory that a kernel works in, taken once and used by one call after another.
//
//   class matmul_workspace : public workspace<1 << 20> {};
//
// Lifetime:   as long as the object. It serves one call at a time.
// Errors:     std::bad_alloc, when it is made.
// Limits:     none.
// Allocation: one. Pages that no call touches cost nothing.

#ifndef TESSERA_TENSOR_WORKSPACE_HPP
#define TESSERA_TENSOR_WORKSPACE_HPP

#include <cstddef>
#include <memory>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

template <std::size_t Bytes>
class workspace {
 public:
  /// The memory of one, whatever the sizes of the operands.
  static constexpr std::size_t bytes = Bytes;

  workspace() : memory_(std::make_unique_for_overwrite<line[]>(bytes / sizeof(line))) {}

  [[nodiscard]] void* data() noexcept { return memory_.get(); }

 private:
  struct alignas(64) line {
    unsigned char bytes[64];
  };
  static_assert(Bytes % sizeof(line) == 0);
  std::unique_ptr<line[]> memory_;
};

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_WORKSPACE_HPP
