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
#include "decode.hpp"
#include "file.hpp"
#include "format.hpp"
#include "records.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

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
  /// 1 or 0.
  [[nodiscard]] std::uint32_t lacks(std::uint16_t id) const noexcept {
    return static_cast<std::uint32_t>(~words_[id >> 6] >> (id & 63) & 1);
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

/// Instructions from which on making a length_table takes less time than it saves.
inline constexpr std::uint32_t worth_a_table = 64;

// Four words of D as one integer, the first one below: 0x8000 is the sign of each.
inline constexpr std::uint64_t signs = 0x8000'8000'8000'8000;
inline constexpr std::uint64_t signs_of[] = {0, 0x8000, 0x8000'8000, 0x8000'8000'8000, signs};

/// Where the zeros of four words stand, by the four bits that say so. Behind the last one stand
/// places that the next arguments are written to.
struct zeros {
  std::uint8_t place[4];
  std::uint8_t count;
};
inline constexpr zeros zeros_of[16] = {
    {{4, 4, 4, 4}, 0}, {{0, 4, 4, 4}, 1}, {{1, 4, 4, 4}, 1}, {{0, 1, 4, 4}, 2},
    {{2, 4, 4, 4}, 1}, {{0, 2, 4, 4}, 2}, {{1, 2, 4, 4}, 2}, {{0, 1, 2, 4}, 3},
    {{3, 4, 4, 4}, 1}, {{0, 3, 4, 4}, 2}, {{1, 3, 4, 4}, 2}, {{0, 1, 3, 4}, 3},
    {{2, 3, 4, 4}, 2}, {{0, 2, 3, 4}, 3}, {{1, 2, 3, 4}, 3}, {{0, 1, 2, 3}, 4},
};

/// Four arguments with one branch, which is rare. `d` and `c` are their words in D and C, `of` the
/// signs of those that are references, 0 for an id. Nonzero: something is wrong.
[[nodiscard, gnu::always_inline]] inline std::uint64_t resolve_four(
    std::uint64_t of, std::uint32_t id, const id_set& ids, std::uint32_t index, const std::byte* d,
    const std::byte* c, argument* to, std::uint32_t& taken) noexcept {
  const auto four = load_le<std::uint64_t>(d);
  const std::uint64_t rest = four & ~signs;
  const std::uint64_t nonzero = four | (rest + ~signs);
  // 0x8000 + D of a negative D, plus the index: the sign is set where that isn't before 0.
  const std::uint64_t reaches = (index < 0x8000 ? index : 0x8000) * 0x0001'0001'0001'0001 + rest;
  std::uint64_t wrong = nonzero & ~(four & reaches) & of;
  to[0].bits = index + static_cast<std::uint32_t>(load_le<std::int16_t>(d));
  to[1].bits = index + static_cast<std::uint32_t>(load_le<std::int16_t>(d + 2));
  to[2].bits = index + static_cast<std::uint32_t>(load_le<std::int16_t>(d + 4));
  to[3].bits = index + static_cast<std::uint32_t>(load_le<std::int16_t>(d + 6));

  const std::uint64_t zero = ((~nonzero & of) >> 15) | id;
  const zeros& z = zeros_of[zero * 0x0001'0002'0004'0008 >> 48 & 15];
  const std::uint32_t count = z.count;
  const auto first = load_le<std::uint16_t>(c), second = load_le<std::uint16_t>(c + 2);
  to[z.place[0]].bits = argument::constant_bit | first;
  to[z.place[1]].bits = argument::constant_bit | second;
  wrong |= (ids.lacks(first) | ids.lacks(second) << 1) & ((1u << count) - 1) & (id - 1);
  if (count > 2) [[unlikely]]
    for (std::uint32_t k = 2; k < count; ++k) {
      const auto next = load_le<std::uint16_t>(c + 2 * k);
      to[z.place[k]].bits = argument::constant_bit | next;
      wrong |= ids.lacks(next);
    }
  taken += count;
  return wrong;
}

/// The arguments of `count` steps, the first of which has number `index`; false: one of them is
/// wrong. The steps hold hints of decode_run, which are taken out.
[[nodiscard]] inline bool resolve_run(const id_set& ids, const std::byte* start,
                                      std::uint32_t index, step* s, std::size_t count,
                                      argument* to) noexcept {
  std::uint64_t wrong = 0;
  for (step* const last = s + count; s != last; ++s, ++index) {
    const std::uint32_t n = s->arguments, given = s->operation, id = s->reserved & 1u;
    const std::byte* const c = start + s->offset + 4;
    const std::byte* const d = c - 4 + (s->reserved - id);
    s->operation = s->reserved = 0;
    std::uint32_t taken = 0;
    wrong |= resolve_four(signs_of[n < 4 ? n : 4] & (std::uint64_t{id} - 1), id, ids, index, d, c,
                          to, taken);
    for (std::uint32_t k = 4; k < n; k += 4)
      wrong |= resolve_four(signs_of[n - k < 4 ? n - k : 4], 0, ids, index, d + 2 * k,
                            c + 2 * taken, to + k, taken);
    wrong |= taken ^ given;
    to += n;
  }
  return wrong == 0;
}

/// The same as an argument_resolver for each instruction, several times as fast; false: something
/// is wrong.
[[nodiscard]] inline bool resolve_fast(const file& f, const instructions& list, const id_set& ids,
                                       code& out) {
  constexpr std::uint32_t part = 256;  // instructions between looks at what was found
  const length_table table(f);
  const cursor first = list.cursor();
  const std::byte* const start = first.data();
  const std::uint64_t size = first.left() < 0xffff'ffff ? first.left() : 0xffff'ffff;
  argument_resolver each(ids, list.offset(), list.size(), out);
  decoded now{start, 0, 0};
  while (now.index != list.size()) {
    const std::uint32_t before = now.index;
    const std::uint32_t stop = list.size() - before < part ? list.size() : before + part;
    step* const steps = out.steps.prepare(part);
    argument* const arguments = out.arguments.prepare(part * table.most_arguments() + 8);
    decode_run<true>(table, start, start + size, stop, steps, now);
    if (!resolve_run(ids, start, before, steps, now.index - before, arguments)) return false;
    out.steps.advance(now.index - before);
    out.arguments.advance(now.first - out.arguments.size());
    if (now.index == stop) continue;
    cursor at = first;
    (void)at.take_bytes(static_cast<std::uint64_t>(now.at - start));
    instruction i;
    i.index = now.index;
    if (parse_instruction(f, at, i).code != errc::ok || each.take(i).code != errc::ok) return false;
    now = {at.data(), now.index + 1, static_cast<std::uint32_t>(out.arguments.size())};
  }
  return true;
}

}  // namespace detail

/// How `resolve` goes about it. The results are the same.
enum class resolve_path : std::uint8_t { plain, best };

/// The arguments of `list`, which is f.instructions() or f.training().
[[nodiscard]] inline result<code> resolve(const file& f, const instructions& list,
                                          const limits& limit = {},
                                          resolve_path path = resolve_path::best) {
  if (const error e = detail::fits_steps(list, limit); e.code != errc::ok) return e;
  const detail::id_set ids = detail::constant_ids(f);
  code out;
  out.steps.reserve(list.size());
  if (path == resolve_path::best && list.size() >= detail::worth_a_table) {
    if (detail::resolve_fast(f, list, ids, out)) return out;
    out.steps.clear();  // something is wrong: what and where, the plain path finds
    out.arguments.clear();
  }
  detail::argument_resolver each(ids, list.offset(), list.size(), out);
  for (const instruction& i : list)
    if (const error e = each.take(i); e.code != errc::ok) return e;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_RESOLVE_HPP
