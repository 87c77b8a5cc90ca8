// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Why a file could not be read or written, as text.
//
//   tessera::io::expected<tessera::io::content> file = tessera::io::read_file("model.json");
//   if (!file) return report(file.error().message());   // model.json: cannot open: No such file ...
//   use(file->view());
//
// These are not tessera::error codes: a system's failures are no property of a format.
//
// Lifetime:   values.
// Errors:     true means success; accessing the wrong side traps.
// Limits:     none.
// Allocation: strings.

#ifndef TESSERA_IO_FAILURE_HPP
#define TESSERA_IO_FAILURE_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {

/// The kind of failure; a tool's exit status depends on it.
enum class fault : std::uint8_t {
  system,   ///< the file can't be opened, read or written, or this build lacks a package
  content,  ///< the bytes were read and are wrong
};

/// What went wrong with a file.
struct failure {
  fault kind = fault::system;
  std::string what = {};  ///< what was tried, or what was expected and where
  int error_number = 0;   ///< errno, or 0
  std::string path = {};  ///< as it was given; empty when the bytes came from no file

  /// "path: what: the system's message for error_number", without the parts that are absent. A path
  /// "-" reads <stdin>; what fails on standard output has the path <stdout>.
  [[nodiscard]] std::string message() const;
};

/// A failure of kind `system` with the current errno.
[[nodiscard]] failure system_failure(std::string_view path, std::string what);

/// The value of a success that returns nothing.
using done = std::monostate;

/// A value or a failure; like tessera::result, with a text.
template <class T>
class [[nodiscard]] expected {
  static_assert(!std::is_same_v<T, bool>, "an expected<bool> would be read as its own truth value");
  static_assert(!std::is_same_v<T, failure> && !std::is_reference_v<T>);

 public:
  expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  expected(failure why) : state_(std::in_place_index<1>, std::move(why)) {}

  [[nodiscard]] explicit operator bool() const noexcept { return state_.index() == 0; }
  [[nodiscard]] T& operator*() & noexcept { return *checked<0>(state_); }
  [[nodiscard]] const T& operator*() const& noexcept { return *checked<0>(state_); }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(*checked<0>(state_)); }
  [[nodiscard]] T* operator->() noexcept { return checked<0>(state_); }
  [[nodiscard]] const T* operator->() const noexcept { return checked<0>(state_); }
  [[nodiscard]] failure& error() & noexcept { return *checked<1>(state_); }
  [[nodiscard]] const failure& error() const& noexcept { return *checked<1>(state_); }
  [[nodiscard]] failure error() && noexcept { return std::move(*checked<1>(state_)); }

 private:
  template <std::size_t Index, class Variant>
  static auto* checked(Variant& state) noexcept {
    auto* const side = std::get_if<Index>(&state);
    if (side == nullptr) __builtin_trap();
    return side;
  }

  std::variant<T, failure> state_;
};

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IO_FAILURE_HPP
