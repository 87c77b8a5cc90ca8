// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a tokenizer may use: steps of work, and bytes of what it grows.
//
//   meter use(1 << 20, 1 << 24);            // bytes, steps
//   use.work(text.size());
//   use.reserve(out, text.size());          // of a string or a vector
//   use.push(ids, 17);
//
// Lifetime:   counts what grew by it until it ends; containers that outlive it are to be counted by
//             hold() again.
// Errors:     throws a trouble: budget_steps, budget_memory.
// Limits:     those that it was made with.
// Allocation: that of the containers; while one grows, its old elements stay beside the new ones.

#ifndef TESSERA_VM_TOKENIZER_METER_HPP
#define TESSERA_VM_TOKENIZER_METER_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "trouble.hpp"
#include "vm/meter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

class meter {
 public:
  /// `run` is charged too, where a tokenizer is a part of one.
  meter(std::uint64_t max_memory, std::uint64_t max_steps, vm::meter* run = nullptr) noexcept
      : memory_(max_memory), steps_(max_steps), run_(run) {}

  void work(std::uint64_t steps) {
    if (!steps_.charge(steps)) throw refused(steps_);
    if (run_ != nullptr && !run_->charge(steps)) throw refused(*run_);
  }
  void hold(std::uint64_t bytes) {
    if (bytes > memory_) throw trouble{errc::budget_memory, "the tokenizer's memory"};
    memory_ -= bytes;
  }
  /// Room for `count` elements in all.
  template <class Container>
  void reserve(Container& of, std::uint64_t count) {
    if (count <= of.capacity()) return;
    constexpr std::uint64_t size = sizeof(typename Container::value_type);
    if (count > memory_ / size + of.capacity()) hold(~std::uint64_t{0});
    hold((count - of.capacity()) * size);
    of.reserve(static_cast<std::size_t>(count));
  }
  template <class Vector>
  void push(Vector& to, typename Vector::value_type value) {
    if (to.size() == to.capacity()) reserve(to, to.empty() ? 16 : to.size() * 2);
    to.push_back(std::move(value));
  }
  /// Elements that aren't set yet are value-initialised.
  template <class Container>
  void resize(Container& of, std::uint64_t count) {
    reserve(of, count);
    of.resize(static_cast<std::size_t>(count));
  }

 private:
  [[nodiscard]] static trouble refused(const vm::meter& by) {
    return {errc::budget_steps, "the tokenizer: " + by.refusal()};
  }

  std::uint64_t memory_;  // that is left
  vm::meter steps_;
  vm::meter* run_;
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_TOKENIZER_METER_HPP
