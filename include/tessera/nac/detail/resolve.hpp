// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/verify.hpp: one plain path, and two that look at several arguments at a time.

#ifndef TESSERA_NAC_DETAIL_RESOLVE_HPP
#define TESSERA_NAC_DETAIL_RESOLVE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../core/error.hpp"
#include "../../core/limits.hpp"
#include "../../core/pool.hpp"
#include "../../core/result.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../verify.hpp"
#include "ids.hpp"

#if defined(__x86_64__) && defined(__clang__)
#if __clang_major__ < 20 || __has_builtin(__builtin_ia32_pshufb128)  // 19 says no without -mssse3
#define TESSERA_HAS_NAC_AVX2_PATH 1
#endif
#elif defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_HAS_NAC_AVX2_PATH 1
#endif
#ifdef TESSERA_HAS_NAC_AVX2_PATH
#define TESSERA_NAC_AVX2 [[gnu::target("avx2,bmi,bmi2,popcnt")]]
#define TESSERA_NAC_AVX2_INLINE [[gnu::always_inline, gnu::target("avx2,bmi,bmi2,popcnt")]] inline
#endif

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

[[nodiscard]] inline id_set constant_ids(const model& f) noexcept {
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

  void push(std::uint32_t bits) { out_.arguments.push_back({bits}); }
  void push_id(std::uint32_t id) { push(argument::constant_bit | id); }

  /// The result of the instruction `d` further on; `d` is below 0.
  [[nodiscard]] error push_result(const instruction& i, std::int32_t d, std::uint64_t where) {
    if (d == 0) return {errc::nac_reference_zero, where};
    const std::int64_t index = std::int64_t{i.index} + d;
    if (index < 0 || d > 0) return {errc::nac_reference, where};
    push(static_cast<std::uint32_t>(index));
    return {};
  }
  [[nodiscard]] error push_d(const instruction& i, std::size_t k) {
    return push_result(i, i.d[k], i.d_offset(k));
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
          return {errc::nac_constant_id, i.c_offset(0)};
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
      if (!constants_.has(i.c[taken])) return {errc::nac_constant_id, i.c_offset(taken)};
      push_id(i.c[taken++]);
    }
    return {};
  }

  [[nodiscard]] error control_flow(const instruction& i) {
    if (const error e = push_d(i, 0); e.code != errc::ok) return e;
    std::uint32_t left = count_ - i.index - 1;
    for (std::size_t k = 0; k < 2; ++k) {
      if (i.c[k] > 0x7fff || i.c[k] > left) return {errc::nac_branch_length, i.c_offset(k)};
      left -= i.c[k];
      push_id(i.c[k]);
    }
    return {};
  }

  [[nodiscard]] error convergence(const instruction& i) {
    if (i.prefix != 1) return {errc::nac_convergence_input, prefix_offset(i)};
    const auto from = static_cast<std::int16_t>(i.c[0]);
    if (const error e = push_result(i, from, i.c_offset(0)); e.code != errc::ok) return e;
    const std::int32_t end = i.d[0];
    if (end < 0 || static_cast<std::uint32_t>(end) > count_ - i.index)
      return {errc::nac_convergence_end, i.d_offset(0)};
    push(i.index + (end == 0 ? 1 : static_cast<std::uint32_t>(end)));
    if (end == 0) return {};
    if (i.d[1] < 1) return {errc::nac_convergence_count, i.d_offset(1)};
    std::int32_t before = 0;
    for (std::size_t k = 2; k < i.d.size(); ++k) {
      const std::int32_t first = i.d[k];
      if (first <= before || first >= end) return {errc::nac_convergence_branch, i.d_offset(k)};
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

// Four words of D as one integer, the first one below: 0x8000 is the sign of each.
inline constexpr std::uint64_t signs = 0x8000'8000'8000'8000;
inline constexpr std::uint64_t signs_of[] = {0, 0x8000, 0x8000'8000, 0x8000'8000'8000, signs};

/// The indices of the zeros among four words, by their four bits. After the last one come places
/// that the next arguments are written to.
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
  const std::uint64_t reaches =
      std::uint64_t{index < 0x8000 ? index : 0x8000} * 0x0001'0001'0001'0001 + rest;
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

/// Decodes instructions up to index `stop`, or up to one that the table doesn't have, with their
/// arguments; false: one of them is wrong. `end` is the list's readable_end, `start` the first
/// instruction.
[[nodiscard]] inline bool resolve_run(const length_table& table, const id_set& ids,
                                      const std::byte* start, std::uint32_t end, std::uint32_t stop,
                                      step* to, argument* arguments, walked& now) noexcept {
  walked from = now;
  std::uint64_t wrong = 0;
  while (from.index != stop && offset_of(from.at) < end) {
    const std::byte* const at = start + offset_of(from.at);
    const length_table::row& row = table[at];
    const position next = next_position(row, at, from.at);
    if (offset_of(next) >= end) break;
    write_step(to++, from.at, load_le<std::uint16_t>(at), row);
    const std::uint32_t n = row.argument_count(), id = row.id();
    const std::byte* const c = at + 4;
    const std::byte* const d = start + offset_of(next) - 2 * std::size_t{n};
    std::uint32_t taken = 0;
    wrong |= resolve_four(signs_of[n < 4 ? n : 4] & (std::uint64_t{id} - 1), id, ids, from.index, d,
                          c, arguments, taken);
    for (std::uint32_t k = 4; k < n; k += 4)
      wrong |= resolve_four(signs_of[n - k < 4 ? n - k : 4], 0, ids, from.index, d + 2 * k,
                            c + 2 * taken, arguments + k, taken);
    wrong |= taken ^ (constants_of(row, at) + id);
    arguments += n;
    from = {next, from.index + 1};
  }
  now = from;
  return wrong == 0;
}

#ifdef TESSERA_HAS_NAC_AVX2_PATH

typedef std::int16_t eight_words __attribute__((vector_size(16)));
typedef std::uint16_t eight_ids __attribute__((vector_size(16)));
typedef char sixteen_chars __attribute__((vector_size(16)));
typedef std::int32_t eight_arguments __attribute__((vector_size(32)));

/// By eight bits, of arguments that are constants: for each argument, which two bytes of C it is.
struct constant_places {
  alignas(16) std::int8_t bytes[256][16];
  consteval constant_places() noexcept : bytes() {
    for (unsigned bits = 0; bits < 256; ++bits) {
      std::int8_t next = 0;
      for (unsigned k = 0; k < 8; ++k) {
        const bool is_constant = (bits >> k & 1) != 0;
        bytes[bits][2 * k] = is_constant ? next : std::int8_t{-1};
        bytes[bits][2 * k + 1] = is_constant ? static_cast<std::int8_t>(next + 1) : std::int8_t{-1};
        next = static_cast<std::int8_t>(next + (is_constant ? 2 : 0));
      }
    }
  }
};
inline constexpr constant_places places_of;
/// Read from 8 - n on: n words of ones, and then zeros.
inline constexpr std::int16_t first_words[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

[[nodiscard]] TESSERA_NAC_AVX2_INLINE eight_arguments widened(eight_words v) noexcept {
#ifdef __clang__
  return __builtin_convertvector(v, eight_arguments);
#else
  return __builtin_ia32_pmovsxwd256(v);
#endif
}
[[nodiscard]] TESSERA_NAC_AVX2_INLINE eight_arguments widened(eight_ids v) noexcept {
#ifdef __clang__
  return __builtin_convertvector(v, eight_arguments);
#else
  return __builtin_ia32_pmovzxwd256(std::bit_cast<eight_words>(v));
#endif
}
[[nodiscard]] TESSERA_NAC_AVX2_INLINE eight_words eight_at(const void* from) noexcept {
  eight_words v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
[[nodiscard]] TESSERA_NAC_AVX2_INLINE std::uint32_t sign_bits(eight_words v) noexcept {
  return static_cast<std::uint32_t>(
      __builtin_ia32_pmovmskb128(__builtin_ia32_packsswb128(v, eight_words{})));
}

/// resolve_run for instructions of at most eight arguments, all at a time.
[[nodiscard]] TESSERA_NAC_AVX2 inline bool resolve_run_avx2(
    const length_table& table, const id_set& ids, const std::byte* start, std::uint32_t end,
    std::uint32_t stop, step* to, argument* arguments, walked& now) noexcept {
  walked from = now;
  eight_words wrong = {};
  std::size_t wrong_constants = 0;
  while (from.index != stop && offset_of(from.at) < end) {
    const std::byte* const at = start + offset_of(from.at);
    const length_table::row& row = table[at];
    const position next = next_position(row, at, from.at);
    const std::uint32_t n = row.argument_count(), index = from.index, id = row.id();
    if (n > 8 || offset_of(next) >= end) [[unlikely]]
      break;
    write_step(to++, from.at, load_le<std::uint16_t>(at), row);
    const std::byte* const c = at + 4;
    const std::byte* const d = start + offset_of(next) - 2 * std::size_t{n};
    from = {next, index + 1};
    const eight_words lanes = eight_at(first_words + 8 - n);
    const eight_words words = eight_at(d) & static_cast<std::int16_t>(id - 1);  // ids look like a 0
    const eight_words zero = (words == 0) & lanes;
    // 0x8000 + D of a negative D, plus the index: the sign is set where that isn't before 0.
    const auto reach = static_cast<std::uint16_t>(index < 0x8000 ? index : 0x8000);
    const eight_ids reaches = std::bit_cast<eight_ids>(words & 0x7fff) + reach;
    wrong |= ~(std::bit_cast<eight_words>(reaches) & words) & lanes & ~zero;
    const std::uint32_t bits = sign_bits(zero);
    const auto given = std::bit_cast<eight_ids>(
        __builtin_ia32_pshufb128(std::bit_cast<sixteen_chars>(eight_at(c)),
                                 std::bit_cast<sixteen_chars>(eight_at(places_of.bytes[bits]))));
    const eight_arguments results = widened(words) + static_cast<std::int32_t>(index);
    const eight_arguments all =
        widened(zero) < 0 ? widened(given) | std::int32_t{-0x7fff'ffff - 1} : results;
    std::memcpy(static_cast<void*>(arguments), &all, sizeof all);
    arguments += n;
    const auto zeros = static_cast<std::uint32_t>(__builtin_popcount(bits));
    const auto first = load_le<std::uint16_t>(c), second = load_le<std::uint16_t>(c + 2);
    wrong_constants |= (ids.lacks(first) | ids.lacks(second) << 1) & ((1u << zeros) - 1) & (id - 1);
    wrong_constants |= constants_of(row, at) + id - zeros;
    if (zeros > 2) [[unlikely]]
      for (std::uint32_t k = 2; k < zeros; ++k)
        wrong_constants |= ids.lacks(load_le<std::uint16_t>(c + 2 * k));
  }
  now = from;
  return wrong_constants == 0 && sign_bits(wrong) == 0;
}

[[nodiscard]] inline bool has_avx2() noexcept {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

#endif

/// The same as an argument_resolver for each instruction, several times as fast; false: something
/// is wrong.
[[nodiscard]] inline bool resolve_fast(const model& f, const instructions& list, const id_set& ids,
                                       [[maybe_unused]] resolve_path path, code& out) {
  constexpr std::uint32_t part = 256;  // instructions between looks at what was found
  const length_table table(f);
  const cursor first = list.cursor();
  const std::byte* const start = first.data();
  const std::uint32_t end = readable_end(first);
  auto* run = resolve_run;
#ifdef TESSERA_HAS_NAC_AVX2_PATH
  if (path != resolve_path::portable && has_avx2()) run = resolve_run_avx2;
#endif
  const std::size_t needed = std::size_t{part} * table.max_arguments() + 8;
  out.arguments.reserve(std::size_t{3} * list.size() + needed);  // more than most programs have
  argument_resolver each(ids, list.offset(), list.size(), out);
  walked now{0, 0};
  while (now.index != list.size()) {
    const std::uint32_t before = now.index;
    const std::uint32_t stop = list.size() - before < part ? list.size() : before + part;
    step* const steps = out.steps.prepare(stop - before);
    argument* const arguments = out.arguments.prepare(needed);
    if (!run(table, ids, start, end, stop, steps, arguments, now)) return false;
    out.steps.advance(now.index - before);
    out.arguments.advance(arguments_before(now.at) - out.arguments.size());
    if (now.index == stop) continue;
    cursor at = first;
    (void)at.take_bytes(offset_of(now.at));
    instruction i;
    i.index = now.index;
    if (parse_instruction(f, at, i).code != errc::ok || each.take(i).code != errc::ok) return false;
    now = {
        position_of(at.offset() - first.offset(), static_cast<std::uint32_t>(out.arguments.size())),
        now.index + 1};
  }
  return true;
}

}  // namespace detail

TESSERA_INLINE result<code> resolve(const model& f, const instructions& list,
                                    const resolve_options& options) {
  if (const error e = detail::fits_steps(list, options.limit); e.code != errc::ok) return e;
  const detail::id_set ids = detail::constant_ids(f);
  code out;
  resolve_path path = options.path;
  out.steps.reserve(list.size());
  if (path == resolve_path::automatic && list.size() < detail::worth_a_table)
    path = resolve_path::plain;
  if (path != resolve_path::plain) {
    if (detail::resolve_fast(f, list, ids, path, out)) return out;
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

#undef TESSERA_HAS_NAC_AVX2_PATH
#undef TESSERA_NAC_AVX2
#undef TESSERA_NAC_AVX2_INLINE

#endif  // TESSERA_NAC_DETAIL_RESOLVE_HPP
