// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC programs with their arguments resolved: absolute indices of instructions, and ids.
//
//   auto code = nac::resolve(*file, file->instructions());
//   if (!code) return fail(describe(code.err(), mapped));
//   for (const nac::step& s : code->steps)
//     for (const nac::argument a : code->arguments_of(s))
//       if (a.is_constant()) use_constant(a.id()); else use(results[a.index()]);
//
//   instruction            arguments
//   A ≥ 10                 one for each letter of its signature: a constant of CNST, or a result
//   INPUT 0                none
//   INPUT 1-5              its id; of a constant (3) it must stand in CNST
//   OUTPUT 0-2             the results
//   OUTPUT 3               a parameter's id, the gradient's and the rate's results
//   OUTPUT 4               one result; none where D is 0
//   CONTROL_FLOW           the predicate's result, and the lengths of both branches, marked as ids
//   CONVERGENCE            the input's result, the index of the instruction behind its branches,
//                          and of the first one of each branch
//   others                 none
//
// What holds of a program that was resolved: results come from earlier instructions; as many
// constants are given as are taken, and all stand in CNST; the true and the false branch of a
// CONTROL_FLOW, which follow it, end inside the program; so do the branches of a CONVERGENCE, which
// ascend and hold one instruction or more. A CONVERGENCE without branches, whose end is 0, ends at
// the next instruction.
//
// Lifetime:   owns.
// Errors:     nac_reference … nac_convergence_branch: the first broken instruction's, with the
//             offset of the word that is wrong; too_many_items, input_too_large.
// Limits:     max_items instructions, at most 2^31 - 1; 4 GiB of them.
// Allocation: 16 bytes for an instruction and 4 for an argument, at most twice that.

#ifndef TESSERA_NAC_RESOLVE_HPP
#define TESSERA_NAC_RESOLVE_HPP

#include <cstddef>
#include <cstdint>

#include "../core/error.hpp"
#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "file.hpp"
#include "format.hpp"
#include "records.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// An instruction: where it stands, what it is, and which arguments of `code` are its.
struct step {
  std::uint32_t offset = 0;  ///< bytes from the first instruction of the list
  std::uint8_t a = 0, b = 0;
  std::uint16_t arguments = 0;  ///< how many
  std::uint32_t first = 0;      ///< index of its first one in code::arguments
  std::uint16_t operation = 0;  ///< filled by `verify`
  std::uint16_t reserved = 0;
};
static_assert(sizeof(step) == 16);

/// The index of an instruction, or an id.
struct argument {
  static constexpr std::uint32_t constant_bit = std::uint32_t{1} << 31;
  std::uint32_t bits = 0;

  /// Whether it is an id (or a branch's length) rather than an instruction.
  [[nodiscard]] constexpr bool is_constant() const noexcept { return (bits & constant_bit) != 0; }
  [[nodiscard]] constexpr std::uint32_t index() const noexcept { return bits & ~constant_bit; }
  [[nodiscard]] constexpr std::uint16_t id() const noexcept {
    return static_cast<std::uint16_t>(bits);
  }
  friend constexpr bool operator==(argument, argument) noexcept = default;
};

/// A list of instructions with their arguments.
struct code {
  pool<step> steps;
  pool<argument> arguments;

  [[nodiscard]] view<argument> arguments_of(const step& s) const noexcept {
    return {arguments.data() + s.first, s.arguments};
  }
};

namespace detail {

/// A set of 16-bit ids.
class id_set {
 public:
  void insert(std::uint16_t id) noexcept { words_[id >> 6] |= std::uint64_t{1} << (id & 63); }
  [[nodiscard]] bool has(std::uint16_t id) const noexcept {
    return (words_[id >> 6] >> (id & 63) & 1) != 0;
  }

 private:
  std::uint64_t words_[1024] = {};
};

[[nodiscard]] inline id_set constant_ids(const file& f) noexcept {
  id_set ids;
  for (const constant& c : f.constants()) ids.insert(c.id);
  return ids;
}

/// Resolves one instruction after another.
class argument_resolver {
 public:
  argument_resolver(const id_set& constants, std::uint64_t start, std::uint32_t count,
                    code& out) noexcept
      : constants_(constants), start_(start), count_(count), out_(out) {}

  [[nodiscard]] error take(const instruction& i) {
    if (i.offset - start_ > ~std::uint32_t{0}) return {errc::input_too_large, i.offset};
    step s;
    s.offset = static_cast<std::uint32_t>(i.offset - start_);
    s.a = i.a;
    s.b = i.b;
    s.first = static_cast<std::uint32_t>(out_.arguments.size());
    const error e = arguments(i);
    s.arguments = static_cast<std::uint16_t>(out_.arguments.size() - s.first);
    out_.steps.push_back(s);
    return e;
  }

 private:
  [[nodiscard]] static std::uint64_t prefix_offset(const instruction& i) noexcept {
    return i.offset + 2;
  }
  [[nodiscard]] static std::uint64_t c_offset(const instruction& i, std::size_t k) noexcept {
    return i.offset + 4 + 2 * k;
  }
  [[nodiscard]] static std::uint64_t d_offset(const instruction& i, std::size_t k) noexcept {
    return i.offset + 2 + (i.has_prefix ? 2 : 0) + 2 * (std::uint64_t{i.c.size()} + k);
  }

  void push(std::uint32_t bits) { out_.arguments.push_back({bits}); }
  void push_id(std::uint32_t id) { push(argument::constant_bit | id); }

  /// The result that lies `d` instructions behind.
  [[nodiscard]] error push_result(const instruction& i, std::int32_t d, std::uint64_t where) {
    if (d == 0) return {errc::nac_reference_zero, where};
    const std::int64_t index = std::int64_t{i.index} + d;
    if (index < 0 || d > 0) return {errc::nac_reference, where};
    push(static_cast<std::uint32_t>(index));
    return {};
  }
  [[nodiscard]] error push_d(const instruction& i, std::size_t k) {
    return push_result(i, i.d[k], d_offset(i, k));
  }
  [[nodiscard]] error push_all_d(const instruction& i) {
    error e;
    for (std::size_t k = 0; k < i.d.size() && e.code == errc::ok; ++k) e = push_d(i, k);
    return e;
  }

  [[nodiscard]] error arguments(const instruction& i) {
    if (i.a >= first_regular_op) return regular(i);
    switch (i.a) {
      case op_input:
        if (i.b == 0) return {};
        if (i.b == static_cast<std::uint8_t>(input::lifted_constant) && !constants_.has(i.c[0]))
          return {errc::nac_constant_id, c_offset(i, 0)};
        push_id(i.c[0]);
        return {};
      case op_output:
        if (i.b == static_cast<std::uint8_t>(output::step)) push_id(i.c[0]);
        if (i.b == static_cast<std::uint8_t>(output::end) && i.d[0] == 0) return {};
        return push_all_d(i);
      case op_control_flow: return control_flow(i);
      case op_convergence: return convergence(i);
      default: return {};
    }
  }

  [[nodiscard]] error regular(const instruction& i) {
    if (!i.has_prefix) return push_all_d(i);
    std::size_t zeros = 0;
    for (std::size_t k = 0; k < i.d.size(); ++k) zeros += i.d[k] == 0 ? 1u : 0u;
    if (zeros != i.c.size()) return {errc::nac_constant_count, prefix_offset(i)};
    std::size_t taken = 0;
    for (std::size_t k = 0; k < i.d.size(); ++k) {
      if (i.d[k] != 0) {
        if (const error e = push_d(i, k); e.code != errc::ok) return e;
        continue;
      }
      if (!constants_.has(i.c[taken])) return {errc::nac_constant_id, c_offset(i, taken)};
      push_id(i.c[taken++]);
    }
    return {};
  }

  [[nodiscard]] error control_flow(const instruction& i) {
    if (const error e = push_d(i, 0); e.code != errc::ok) return e;
    std::uint32_t left = count_ - i.index - 1;
    for (std::size_t k = 0; k < 2; ++k) {
      if (i.c[k] > 0x7fff || i.c[k] > left) return {errc::nac_branch_length, c_offset(i, k)};
      left -= i.c[k];
      push_id(i.c[k]);
    }
    return {};
  }

  [[nodiscard]] error convergence(const instruction& i) {
    if (i.prefix != 1) return {errc::nac_convergence_input, prefix_offset(i)};
    const auto from = static_cast<std::int16_t>(i.c[0]);
    if (const error e = push_result(i, from, c_offset(i, 0)); e.code != errc::ok) return e;
    const std::int32_t end = i.d[0];
    if (end < 0 || static_cast<std::uint32_t>(end) > count_ - i.index)
      return {errc::nac_convergence_end, d_offset(i, 0)};
    push(i.index + (end == 0 ? 1 : static_cast<std::uint32_t>(end)));
    if (end == 0) return {};
    if (i.d[1] < 1) return {errc::nac_convergence_count, d_offset(i, 1)};
    std::int32_t before = 0;
    for (std::size_t k = 2; k < i.d.size(); ++k) {
      const std::int32_t first = i.d[k];
      if (first <= before || first >= end) return {errc::nac_convergence_branch, d_offset(i, k)};
      push(i.index + static_cast<std::uint32_t>(first));
      before = first;
    }
    return {};
  }

  const id_set& constants_;
  std::uint64_t start_;
  std::uint32_t count_;
  code& out_;
};

}  // namespace detail

/// The arguments of `list`, which is f.instructions() or f.training().
[[nodiscard]] inline result<code> resolve(const file& f, const instructions& list,
                                          const limits& limit = {}) {
  if (list.size() > limit.max_items || list.size() >= argument::constant_bit)
    return error{errc::too_many_items, list.offset()};
  const detail::id_set ids = detail::constant_ids(f);
  code out;
  out.steps.reserve(list.size());
  detail::argument_resolver each(ids, list.offset(), list.size(), out);
  for (const instruction& i : list)
    if (const error e = each.take(i); e.code != errc::ok) return e;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_RESOLVE_HPP
