// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Room that operations work in, kept from task to task.
//
//   workspace scratch;                                         // once
//   std::span<float> a = scratch.floats(0, count);             // until the next call for the same slot
//
// Lifetime:   spans last until their slot is asked for again.
// Errors:     std::bad_alloc.
// Limits:     `slots` of each type.
// Allocation: the largest that each slot was asked for; the kernels' own at the first product.

#ifndef TESSERA_VM_NEM_WORKSPACE_HPP
#define TESSERA_VM_NEM_WORKSPACE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensor/matmul.hpp"
#include "tensor/matmul_int8.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

class workspace {
 public:
  static constexpr std::size_t slots = 8;

  [[nodiscard]] std::span<float> floats(std::size_t slot, std::size_t n) {
    return room(floats_[slot], n);
  }
  [[nodiscard]] std::span<double> doubles(std::size_t slot, std::size_t n) {
    return room(doubles_[slot], n);
  }
  [[nodiscard]] std::span<std::int8_t> bytes(std::size_t slot, std::size_t n) {
    return room(bytes_[slot], n);
  }
  [[nodiscard]] std::span<std::int16_t> shorts(std::size_t slot, std::size_t n) {
    return room(shorts_[slot], n);
  }
  [[nodiscard]] std::span<std::int32_t> integers(std::size_t slot, std::size_t n) {
    return room(integers_[slot], n);
  }
  [[nodiscard]] std::span<std::int64_t> wide_integers(std::size_t slot, std::size_t n) {
    return room(wide_integers_[slot], n);
  }
  [[nodiscard]] std::span<std::uint64_t> wide_sums(std::size_t n) { return room(wide_sums_, n); }
  [[nodiscard]] std::span<std::uint32_t> patterns(std::size_t slot, std::size_t n) {
    return room(patterns_[slot], n);
  }
  /// Inputs that a task overwrites.
  [[nodiscard]] std::span<std::byte> copies(std::size_t n) { return room(copies_, n); }
  [[nodiscard]] tensors::matmul_workspace& products() { return made(products_); }
  [[nodiscard]] tensors::matmul_int8_workspace& int8_products() { return made(int8_products_); }

 private:
  template <class T>
  [[nodiscard]] static std::span<T> room(std::vector<T>& of, std::size_t n) {
    if (of.size() < n) of.resize(n);
    return {of.data(), n};
  }
  template <class T>
  [[nodiscard]] static T& made(std::unique_ptr<T>& of) {
    if (of == nullptr) of = std::make_unique<T>();
    return *of;
  }

  std::array<std::vector<float>, slots> floats_;
  std::array<std::vector<double>, slots> doubles_;
  std::array<std::vector<std::int8_t>, slots> bytes_;
  std::array<std::vector<std::int16_t>, slots> shorts_;
  std::array<std::vector<std::int32_t>, slots> integers_;
  std::array<std::vector<std::int64_t>, slots> wide_integers_;
  std::vector<std::uint64_t> wide_sums_;
  std::array<std::vector<std::uint32_t>, slots> patterns_;
  std::vector<std::byte> copies_;
  std::unique_ptr<tensors::matmul_workspace> products_;
  std::unique_ptr<tensors::matmul_int8_workspace> int8_products_;
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_WORKSPACE_HPP
