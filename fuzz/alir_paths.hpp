// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// That the ways of alir::read_json through a file's rows (json::row_path) differ in nothing.

#ifndef TESSERA_FUZZ_ALIR_PATHS_HPP
#define TESSERA_FUZZ_ALIR_PATHS_HPP

#include <cstddef>
#include <cstring>
#include <string_view>
#include <tessera/alir.hpp>

namespace fuzz {

/// Equal bytes, for types without padding.
template <class T>
[[nodiscard]] inline bool same_bytes(const tessera::pool<T>& a, const tessera::pool<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Equal in every bit of every number, in every place, or in the error.
[[nodiscard]] inline bool same_reading(const tessera::result<tessera::alir::model>& a,
                                       const tessera::result<tessera::alir::model>& b) {
  using tessera::alir::operation;
  if (!a || !b) return a.error() == b.error();
  const auto& x = a->source;
  const auto& y = b->source;
  if (!(*a == *b) || a->spec_version != b->spec_version || x.shape != y.shape ||
      x.inp_shifts != y.inp_shifts || x.out_idxs != y.out_idxs || x.out_shifts != y.out_shifts ||
      x.out_negs != y.out_negs)
    return false;
  for (std::size_t i = 0; i < a->ops.size(); ++i) {  // == takes 0.0 for -0.0
    const operation &o = a->ops[i], &p = b->ops[i];
    if (std::memcmp(&o.qint, &p.qint, sizeof o.qint) != 0 ||
        std::memcmp(&o.latency, &p.latency, sizeof o.latency) != 0 ||
        std::memcmp(&o.cost, &p.cost, sizeof o.cost) != 0)
      return false;
  }
  return same_bytes(x.ops, y.ops) && same_bytes(x.outputs, y.outputs) &&
         same_bytes(x.tables, y.tables);
}

/// Reads by every path. True when all read as `best` does.
[[nodiscard]] inline bool paths_agree(std::string_view source, const tessera::limits& limit = {}) {
  using tessera::alir::read_json;
  using tessera::json::row_path;
  const auto best = read_json(source, limit, row_path::best);
  return same_reading(read_json(source, limit, row_path::portable), best) &&
         same_reading(read_json(source, limit, row_path::none), best);
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_ALIR_PATHS_HPP
