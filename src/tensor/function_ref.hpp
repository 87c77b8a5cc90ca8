// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A reference to something that can be called, as std::function_ref of C++26: loops that take one are
// compiled once for all callers.
//
//   void each(std::size_t n, function_ref<void(std::size_t)> f);
//   each(4, [&](std::size_t i) { sum += x[i]; });
//
// Lifetime:   borrows what is called.
// Errors:     those of what is called.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TENSOR_FUNCTION_REF_HPP
#define TESSERA_TENSOR_FUNCTION_REF_HPP

#include <concepts>
#include <memory>
#include <type_traits>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

template <class Signature>
class function_ref;

template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  /// Must not be called.
  function_ref() noexcept = default;
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, function_ref>)
  function_ref(F&& f)
  noexcept
      : called_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* called, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(called))(
              static_cast<Arguments&&>(arguments)...);
        }) {}
  Result operator()(Arguments... arguments) const {
    return call_(called_, static_cast<Arguments&&>(arguments)...);
  }

 private:
  void* called_ = nullptr;
  Result (*call_)(void*, Arguments...) = nullptr;
};

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_FUNCTION_REF_HPP
