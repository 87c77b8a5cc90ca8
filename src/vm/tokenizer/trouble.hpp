// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The failure of something other than a program of instructions: a code, and a text.
//
//   const trouble t = tokenizer.encode(text, ids);
//   if (!t) report(t.code, t.text);
//
// Lifetime:   owns its text.
// Errors:     any.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_VM_TOKENIZER_TROUBLE_HPP
#define TESSERA_VM_TOKENIZER_TROUBLE_HPP

#include <string>

#include "tessera/core/error.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// True when all went well.
struct trouble {
  errc code = errc::ok;
  std::string text = {};  ///< what was found, and where
  [[nodiscard]] explicit operator bool() const noexcept { return code == errc::ok; }
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_TOKENIZER_TROUBLE_HPP
