// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/model.hpp.

#ifndef TESSERA_NAC_DETAIL_MODEL_HPP
#define TESSERA_NAC_DETAIL_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../format.hpp"
#include "../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct maker;

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE bytes model::section(nac::section s) const noexcept {
  const extent& e = part(s);
  return source_.subspan(static_cast<std::size_t>(e.offset), to_size(e.end - e.offset));
}

TESSERA_INLINE std::string_view model::operation_name(std::uint8_t a) const noexcept {
  return operations_.offset[a] != 0 ? characters(nac::section::cmap, operations_, a)
                                    : predefined_operation(a, version());
}

TESSERA_INLINE std::string_view model::characters(nac::section s, const short_texts& of,
                                                  std::uint8_t id) const noexcept {
  const std::uint64_t first = part(s).offset + of.offset[id];
  return as_text(source_.subspan(static_cast<std::size_t>(first), of.size[id]));
}

}  // namespace nac
namespace nac::detail {

/// How many arguments an instruction has.
[[nodiscard]] inline std::uint32_t argument_count(const instruction& i) noexcept {
  if (i.a >= first_regular_op) return i.d.size();
  switch (i.a) {
    case op_input: return i.c.size();
    case op_output:
      if (i.b == static_cast<std::uint8_t>(output::end)) return i.d[0] == 0 ? 0 : 1;
      return i.b == static_cast<std::uint8_t>(output::step) ? 3 : i.d.size();
    case op_control_flow: return 3;
    case op_convergence: return i.d.size() == 1 ? 2 : i.d.size();
    default: return 0;
  }
}

TESSERA_INLINE error parse_instruction(const model& f, cursor& in, instruction& out) noexcept {
  out.offset = in.offset();
  out.has_prefix = false;
  out.prefix = 0;
  out.c = {};
  out.d = {};
  if (!in.has(2)) return in.fail(errc::nac_truncated);
  const std::uint8_t a = out.a = load_le<std::uint8_t>(in.data());
  const std::uint8_t b = out.b = load_le<std::uint8_t>(in.data() + 1);
  // The number of words in C, without its prefix, and in D; `counted`: the prefix gives that of C.
  std::uint32_t c = 0, d = 0;
  bool has_prefix = false, counted = false;
  if (a >= first_regular_op) {
    if (b != 0 && !f.has_signature(b)) return {errc::nac_signature_unknown, in.offset() + 1};
    d = f.arguments(b);
    has_prefix = counted = f.has_constants(b);
  } else {
    if (!has_variant(a, b, f.version()))
      return {a == op_input ? errc::nac_input_variant : errc::nac_output_variant, in.offset() + 1};
    const system_words words = system_words_of(a, b, f.outputs());
    has_prefix = words.has_prefix;
    counted = a == op_convergence;
    c = words.c;
    d = words.d;
  }
  (void)in.take<std::uint16_t>();
  if (has_prefix) {
    if (!in.has(2)) return in.fail(errc::nac_truncated);
    out.has_prefix = true;
    out.prefix = load_le<std::int16_t>(in.data());
    if (counted) c = out.prefix > 0 ? static_cast<std::uint32_t>(out.prefix) : 0;
    if (!in.has(2 + 2 * std::uint64_t{c})) return in.fail(errc::nac_truncated);
    (void)in.take<std::uint16_t>();
    out.c = in.take_packed<std::uint16_t>(c);
  }
  if (!in.has(2 * std::uint64_t{d})) return in.fail(errc::nac_truncated);
  if (a == op_convergence && load_le<std::int16_t>(in.data()) != 0) {
    if (!in.has(4)) return in.fail(errc::nac_truncated);
    const auto branches = load_le<std::int16_t>(in.data() + 2);
    d = 2 + (branches > 0 ? static_cast<std::uint32_t>(branches) : 0);
    if (!in.has(2 * std::uint64_t{d})) return in.fail(errc::nac_truncated);
  }
  out.d = in.take_packed<std::int16_t>(d);
  return {};
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE instructions::iterator& instructions::iterator::operator++() noexcept {
  --left_;
  ++now_.index;
  read();
  return *this;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_MODEL_HPP
