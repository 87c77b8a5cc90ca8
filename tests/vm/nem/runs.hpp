// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Programs of text, verified and run, and what their runs find.

#ifndef TESSERA_TESTS_VM_NEM_RUNS_HPP
#define TESSERA_TESTS_VM_NEM_RUNS_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <utility>
#include <vector>

#include "tessera/nem.hpp"
#include "tessera/vm/nem.hpp"

namespace test {

using namespace tessera;

/// All diagnostics of a report: "RT-DIV0 at 'div.sync': text | note", one to a line.
[[nodiscard]] std::string shown(const tessera::report& r, std::string_view source);
/// Throws what was found where that isn't a program.
[[nodiscard]] nem::program verified(std::string_view source,
                                    const nem::verify_options& options = {});
/// Options with which races are left to the machine.
inline nem::verify_options without_hazards() {
  nem::verify_options o;
  o.hazard_steps = 0;
  return o;
}

/// A machine with its program, and what its last run found.
class running {
 public:
  explicit running(std::string_view source, const vm::nem::machine_options& how = {},
                   const nem::verify_options& options = {})
      : source_(source), program_(verified(source_, options)), machine(program_, how) {}
  running(const running&) = delete;
  running& operator=(const running&) = delete;

  budget limit = {};
  vm::nem::outcome run(vm::nem::timeline* when = nullptr) {
    tessera::report found;
    const vm::nem::outcome done = machine.run(&found, when, limit);
    warnings = found.warnings;
    messages = shown(found, source_);
    return done;
  }
  const vm::nem::place& at(std::string_view name) {
    const vm::nem::place* p = machine.find(name);
    if (p == nullptr) throw std::runtime_error("no place " + std::string(name));
    return *p;
  }
  template <class T>
  [[nodiscard]] bool can_bind(std::string_view name, std::vector<T> data) {
    swap_unless_little(data);
    return machine.bind(at(name), std::as_bytes(std::span(data)));
  }
  template <class T>
  void bind(std::string_view name, const std::vector<T>& data) {
    if (!can_bind(name, data)) throw std::runtime_error("too much for " + std::string(name));
  }
  template <class T>
  std::vector<T> get(std::string_view name) {
    const std::span<const std::byte> bytes = machine.bytes(at(name));
    std::vector<T> out(bytes.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
    swap_unless_little(out);
    return out;
  }

 private:
  /// Elements in memory are little-endian.
  template <class T>
  static void swap_unless_little(std::vector<T>& elements) {
    if constexpr (std::endian::native != std::endian::little)
      for (T& e : elements) {
        const std::span<std::byte> bytes = std::as_writable_bytes(std::span(&e, 1));
        std::reverse(bytes.begin(), bytes.end());
      }
  }

  std::string source_;
  nem::program program_;

 public:
  vm::nem::machine machine;
  std::string messages;
  std::uint64_t warnings = 0;
};

}  // namespace test

#endif  // TESSERA_TESTS_VM_NEM_RUNS_HPP
