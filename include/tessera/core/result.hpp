// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A value or an error, without exceptions: `std::expected` for C++20, with one kind of
// error.
//
//   tessera::result<alir::model> m = alir::read_json(text);
//   if (!m) return report(m.error());
//   use(*m);
//
// True means success. Accessing the value of an error traps: that is a bug of the caller, and
// continuing with an invalid value is how such bugs become vulnerabilities.
//
// Lifetime:   owns its value; `*r` of a temporary moves it out.
// Errors:     error() is {ok, 0} on success.
// Limits:     none.
// Allocation: none except the value's own.

#ifndef TESSERA_CORE_RESULT_HPP
#define TESSERA_CORE_RESULT_HPP

#include <new>
#include <type_traits>
#include <utility>

#include "error.hpp"

namespace tessera::inline TESSERA_ABI {

/// A value or an error, with the interface of std::expected. Reading the value of an error traps.
template <class T>
class [[nodiscard]] result {
  static_assert(!std::is_same_v<T, bool>, "a result<bool> would be read as its own truth value");
  static_assert(!std::is_same_v<T, tessera::error> && !std::is_reference_v<T>);

 public:
  /// A value.
  result(T value) noexcept : value_(std::move(value)), has_value_(true) {}
  /// An error, whose code shouldn't be `ok`.
  result(tessera::error e) noexcept : error_(e), has_value_(false) {}

  /// Takes the value or the error.
  result(result&& other) noexcept : has_value_(other.has_value_) {
    if (has_value_)
      ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
    else
      error_ = other.error_;
  }
  result(const result&) = delete;
  result& operator=(const result&) = delete;
  /// Takes the value or the error.
  result& operator=(result&& other) noexcept {
    if (this != &other) {
      this->~result();
      ::new (static_cast<void*>(this)) result(std::move(other));
    }
    return *this;
  }
  ~result() {
    if (has_value_) value_.~T();
  }

  /// Whether there is a value.
  [[nodiscard]] explicit operator bool() const noexcept { return has_value_; }
  /// Whether there is a value.
  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  /// The value, which must exist.
  ///@{
  [[nodiscard]] T& value() & noexcept { return **this; }
  [[nodiscard]] const T& value() const& noexcept { return **this; }
  [[nodiscard]] T&& value() && noexcept { return *std::move(*this); }
  ///@}
  /// The value, or `other` if there is none.
  template <class U>
  [[nodiscard]] T value_or(U&& other) const& {
    return has_value_ ? value_ : static_cast<T>(std::forward<U>(other));
  }
  template <class U>
  [[nodiscard]] T value_or(U&& other) && {
    return has_value_ ? std::move(value_) : static_cast<T>(std::forward<U>(other));
  }
  /// The value, which must exist.
  ///@{
  [[nodiscard]] T& operator*() & noexcept { return checked(), value_; }
  [[nodiscard]] const T& operator*() const& noexcept { return checked(), value_; }
  [[nodiscard]] T&& operator*() && noexcept { return checked(), std::move(value_); }
  ///@}
  /// A member of the value, which must exist.
  ///@{
  [[nodiscard]] T* operator->() & noexcept { return checked(), &value_; }
  [[nodiscard]] const T* operator->() const& noexcept { return checked(), &value_; }
  ///@}
  T* operator->() && = delete;  // it would dangle at the end of the statement
  /// The error; its code is `ok` if there is a value.
  [[nodiscard]] tessera::error error() const noexcept {
    return has_value_ ? tessera::error{} : error_;
  }

 private:
  void checked() const noexcept {
    if (!has_value_) __builtin_trap();
  }

  union {
    T value_;
    tessera::error error_;
  };
  bool has_value_;
};

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_RESULT_HPP
