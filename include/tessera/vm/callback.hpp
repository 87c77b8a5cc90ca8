// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A function of the caller's that is called by what it is given to: a host's operation.
//
//   const auto host = [&](const vm::nem::call& c, vm::nem::verdict& v) { ... };
//   vm::nem::machine vm(program, {.host = host});  // as a callback<bool(const call&, verdict&)>
//
// Lifetime:   borrows the function; a temporary one is refused by the compiler.
// Errors:     those of the function, which throws nothing.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_VM_CALLBACK_HPP
#define TESSERA_VM_CALLBACK_HPP

#include <memory>
#include <type_traits>
#include <utility>

#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm {

/// A function of the caller's, by its signature.
template <class Signature>
class callback;

/// A function that takes `Arguments` and returns a `Result`; or none.
template <class Result, class... Arguments>
class callback<Result(Arguments...)> {
 public:
  /// None.
  callback() noexcept = default;
  /// Borrows a function or an object that can be called.
  template <class F>
    requires(!std::is_same_v<std::remove_cv_t<F>, callback>)
  callback(F& f)
  noexcept
      // The function may be constant; `call_` restores its type.
      : self_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* self, Arguments... arguments) -> Result {
          return (*static_cast<F*>(self))(std::forward<Arguments>(arguments)...);
        }) {}

  /// Whether there is one.
  [[nodiscard]] explicit operator bool() const noexcept { return call_ != nullptr; }
  /// Calls the function; there must be one.
  Result operator()(Arguments... arguments) const {
    return call_(self_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* self_ = nullptr;
  Result (*call_)(void* self, Arguments... arguments) = nullptr;
};

}  // namespace vm
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_CALLBACK_HPP
