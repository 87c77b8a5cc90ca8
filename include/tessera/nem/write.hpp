// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The canonical text of a NEM model as a file: the same for all models that mean the same.
//
//   auto text = nem::write(model);
//   if (!text) return fail(describe(text.error(), …));
//
// It is what nem/print.hpp prints of a model. A model that was built in code, without places, may have
// names that no text can have, or constructs where the grammar has none: its text is read again, and
// refused where that fails.
//
// Lifetime:   the text owns itself.
// Errors:     of a model that was built in code: those of read; the offset counts in its text.
// Limits:     none.
// Allocation: the text; of a model that was built in code, what reading it takes.

#ifndef TESSERA_NEM_WRITE_HPP
#define TESSERA_NEM_WRITE_HPP

#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// How canonical text may differ.
struct write_options {
  /// Writes (0 - 3) for -3, which the grammar of the specification can't derive.
  bool strict_ebnf = false;
};

/// The canonical text of a model; empty for an empty one.
[[nodiscard]] result<text> write(const model& d, const write_options& options = {});

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/syntax/write.hpp"
#endif

#endif  // TESSERA_NEM_WRITE_HPP
