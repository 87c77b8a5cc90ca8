// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of alir/print.hpp.

#ifndef TESSERA_ALIR_DETAIL_PRINT_HPP
#define TESSERA_ALIR_DETAIL_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/shortest.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"
#include "../print.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

inline void print_count(text& out, std::int64_t n, std::string_view noun) {
  out << n << ' ' << noun << (n == 1 ? "" : "s");
}

/// Mnemonic and operands. `terms_used` is how many terms earlier sums have printed: a model that
/// shares them doesn't verify, and its listing must not grow with their product.
inline void print_operation(text& out, const model& m, const operation& o,
                            std::int64_t& terms_used) {
  if (static_cast<int>(o.code) < first_opcode || static_cast<int>(o.code) > last_opcode) {
    out << "? " << static_cast<int>(o.code);
    return;
  }
  const auto shifted = [&out](std::int64_t by) {
    if (by != 0) out << " << " << by;
  };
  if (o.code == opcode::bit_unary && o.data >= 0 && o.data <= 2) {
    constexpr std::string_view names[] = {"not", "any", "all"};
    out << names[o.data] << " %" << o.id0;
    return;
  }
  if (o.code == opcode::bit_binary && o.data >= 0 && o.data >> 24 <= 2) {
    constexpr std::string_view names[] = {"and", "or", "xor"};
    out << names[o.data >> 24] << " %" << o.id0 << ", %" << o.id1;
    return shifted(o.shift);
  }
  out << info(o.code).mnemonic << ' ';
  switch (o.code) {
    case opcode::input: out << o.id0; break;
    case opcode::add:
    case opcode::subtract:
      out << '%' << o.id0 << ", %" << o.id1;
      shifted(o.data);
      break;
    case opcode::negate:
    case opcode::relu: out << '%' << o.id0; break;
    case opcode::quantize:
      out << '%' << o.id0;
      shifted(o.shift);
      break;
    case opcode::add_constant:
      out << '%' << o.id0 << ", " << o.data;
      shifted(-std::int64_t{o.shift});
      break;
    case opcode::constant: out << o.data; break;
    case opcode::mux:
      out << '%' << o.data << " ? %" << o.id0 << " : %" << o.id1;
      shifted(o.shift);
      break;
    case opcode::multiply: out << '%' << o.id0 << ", %" << o.id1; break;
    case opcode::lookup: out << '%' << o.id0 << ", table " << o.data; break;
    case opcode::bit_unary: out << '%' << o.id0 << ", " << o.data; break;
    case opcode::bit_binary:
      out << '%' << o.id0 << ", %" << o.id1;
      shifted(o.shift);
      out << ", " << o.data;
      break;
    case opcode::sum: {
      const auto size = static_cast<std::int64_t>(m.terms.size());
      if (o.id0 < terms_used || o.id1 < 0 || o.id0 > size || o.id1 > size - o.id0) {
        out << '?';
        break;
      }
      terms_used = std::int64_t{o.id0} + o.id1;
      std::string_view between;
      for (const term& t : terms(m, o)) {
        out << between << (t.negative ? "-%" : "%") << t.id;
        shifted(t.shift);
        between = ", ";
      }
      break;
    }
  }
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE text print(const model& m, const print_options& options) {
  text out;
  out << "alir " << m.spec_version << ": ";
  detail::print_count(out, m.n_inputs, "input");
  out << ", ";
  detail::print_count(out, m.n_outputs, "output");
  out << ", ";
  detail::print_count(out, static_cast<std::int64_t>(m.ops.size()), "operation");
  out << ", ";
  detail::print_count(out, static_cast<std::int64_t>(m.tables.size()), "table");
  out << '\n';
  for (std::size_t j = 0; j < m.inp_shifts.size(); ++j)
    if (m.inp_shifts[j] != 0) out << "input " << j << " << " << m.inp_shifts[j] << '\n';
  std::int64_t terms_used = 0;
  for (std::size_t i = 0; i < m.ops.size(); ++i) {
    constexpr std::size_t type_column = 36;
    const operation& o = m.ops[i];
    const std::size_t start = out.size();
    out << '%' << i << " = ";
    detail::print_operation(out, m, o, terms_used);
    do out << ' ';
    while (out.size() - start < type_column);
    out << ": ";
    if (detail::check_interval(o.qint) == errc::ok) {
      const fixed_type t = type_of(o.qint);
      out << "fixed<" << (t.k ? 1 : 0) << ',' << t.i << ',' << t.f << "> [";
    } else {
      out << "? [";
    }
    detail::print_number(out, o.qint.min);
    out << ", ";
    detail::print_number(out, o.qint.max);
    out << "] step ";
    detail::print_number(out, o.qint.step);
    if (options.costs && (o.latency != 0.0 || o.cost != 0.0)) {
      out << "; latency ";
      detail::print_number(out, o.latency);
      out << ", cost ";
      detail::print_number(out, o.cost);
    }
    out << '\n';
  }
  for (std::size_t i = 0; i < m.tables.size(); ++i) {
    constexpr std::size_t shown = 16;
    const lookup_table& t = m.tables[i];
    out << "table " << i << ": " << t.count << (t.count == 1 ? " entry [" : " entries [");
    if (detail::holds_entries(m, i)) {
      const view<std::int32_t> values = entries(m, t);
      for (std::size_t j = 0; j < values.size() && j < shown; ++j)
        out << (j == 0 ? "" : ", ") << values[j];
      if (values.size() > shown) out << ", ...";
    } else {
      out << '?';
    }
    out << "]\n";
  }
  for (std::size_t j = 0; j < m.out_idxs.size(); ++j) {
    out << "output " << j << " = ";
    if (m.out_idxs[j] < 0) {
      out << "0\n";
      continue;
    }
    out << (j < m.out_negs.size() && m.out_negs[j] != 0 ? "-%" : "%") << m.out_idxs[j];
    if (j < m.out_shifts.size() && m.out_shifts[j] != 0) out << " << " << m.out_shifts[j];
    out << '\n';
  }
  return out;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_PRINT_HPP
