// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Where files go piece by piece, so that writing them needs no memory of their size.
//
//   nac::sink to{&file, [](void* context, bytes piece) {
//     return std::fwrite(piece.data(), 1, piece.size(), *static_cast<FILE**>(context)) == piece.size();
//   }};
//   if (error e = nac::write(parts, to); e.code != errc::ok) return fail(e);
//
// Lifetime:   borrows its context.
// Errors:     `put` says so by false.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NAC_SINK_HPP
#define TESSERA_NAC_SINK_HPP

#include "../core/bytes.hpp"
#include "parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// Takes a file piece by piece, in order. Pieces are valid during the call.
struct sink {
  void* context = nullptr;
  /// False: stop; no call follows.
  bool (*put)(void* context, bytes piece) = nullptr;
};

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/sink.hpp"
#endif

#endif  // TESSERA_NAC_SINK_HPP
