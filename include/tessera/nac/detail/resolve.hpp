// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/verify.hpp: one plain path, and two that look at several arguments at a time, after
// all instructions were decoded: so none waits for the length of the one before.

#ifndef TESSERA_NAC_DETAIL_RESOLVE_HPP
#define TESSERA_NAC_DETAIL_RESOLVE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

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
template <class Ids>
[[nodiscard, gnu::always_inline]] inline std::uint64_t resolve_four(
    std::uint64_t of, std::uint32_t id, const Ids& ids, std::uint32_t index, const std::byte* d,
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

/// What arguments are resolved from, and to. Ids: const id_set&, or id_range where the constants' ids
/// are one.
template <class Ids>
struct resolve_parts {
  Ids ids;
  const std::byte* start;  ///< the first instruction
  const step* steps;       ///< of all instructions
  argument* arguments;     ///< with room for eight more
};

/// Whether each argument of an instruction, if any, is a reference or a constant, or all are ids of
/// anything but constants.
[[nodiscard, gnu::always_inline]] inline bool is_regular(const step& s) noexcept {
  constexpr std::uint32_t others = first_regular_op - op_output;
  return (s.a - std::uint32_t{op_output} >= others || s.arguments == 0) &&
         (s.a | s.b << 8) != (op_input | static_cast<int>(input::lifted_constant) << 8);
}
/// 1: its argument is the id of anything but a constant.
[[nodiscard, gnu::always_inline]] inline std::uint32_t id_of(const step& s) noexcept {
  return s.arguments & ((std::uint32_t{s.a} ^ op_input) - 1) >> 31;  // without a branch
}
/// How many words C has: they are from offset `c`, which is after a prefix, up to `d`. None where that
/// is before it, as there is no prefix. Without a branch.
[[nodiscard, gnu::always_inline]] inline std::uint32_t words_between(std::uint32_t c,
                                                                     std::uint32_t d) noexcept {
  const auto words = static_cast<std::int32_t>(d - c) >> 1;
  return static_cast<std::uint32_t>(words & ~(words >> 31));
}

/// Resolves the arguments of instructions up to index `stop`, or up to one that isn't regular; false:
/// one of them is wrong. 32 bytes are readable after each.
template <class Ids>
[[nodiscard]] bool resolve_run(const resolve_parts<Ids>& of, std::uint32_t stop,
                               std::uint32_t& now) noexcept {
  const auto [ids, start, steps, arguments] = of;
  std::uint64_t wrong = 0;
  const step *s = steps + now, *const end = steps + stop;
  for (std::uint32_t index = now; s != end && is_regular(*s); ++s, ++index) {
    const std::uint32_t n = s->arguments, id = id_of(*s);
    const std::uint32_t c_offset = s->offset + 4, d_offset = s[1].offset - 2 * n;
    const std::byte *const c = start + c_offset, *const d = start + d_offset;
    argument* const to = arguments + s->first;
    std::uint32_t taken = 0;
    wrong |= resolve_four(signs_of[n < 4 ? n : 4] & (std::uint64_t{id} - 1), id, ids, index, d, c,
                          to, taken);
    for (std::uint32_t k = 4; k < n; k += 4)
      wrong |= resolve_four(signs_of[n - k < 4 ? n - k : 4], 0, ids, index, d + 2 * k,
                            c + 2 * taken, to + k, taken);
    wrong |= taken ^ (words_between(c_offset, d_offset) + id);
  }
  now = static_cast<std::uint32_t>(s - steps);
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

/// Nonzero: the set lacks one of `count` ids from `c` on. With one branch, which is rare.
[[nodiscard, gnu::always_inline]] inline std::uint32_t lacks_any(const id_set& ids,
                                                                 const std::byte* c,
                                                                 std::uint32_t count) noexcept {
  const auto first = load_le<std::uint16_t>(c), second = load_le<std::uint16_t>(c + 2);
  std::uint32_t lacks = (ids.lacks(first) | ids.lacks(second) << 1) & ((1u << count) - 1);
  if (count > 2) [[unlikely]]
    for (std::uint32_t k = 2; k < count; ++k) lacks |= ids.lacks(load_le<std::uint16_t>(c + 2 * k));
  return lacks;
}

/// resolve_run for instructions of at most eight arguments, all at a time. `now` and `stop` are on
/// one side of 0x8000.
template <class Ids>
[[nodiscard]] TESSERA_NAC_AVX2 bool resolve_run_avx2(const resolve_parts<Ids>& of,
                                                     std::uint32_t stop,
                                                     std::uint32_t& now) noexcept {
  constexpr bool one_range = std::is_same_v<Ids, id_range>;
  const auto [ids, start, steps, arguments] = of;
  // The least D: it leads to the first instruction, or as far back as any.
  const auto first_least =
      static_cast<std::int16_t>(now < 0x8000 ? -static_cast<std::int32_t>(now) : -0x8000);
  const std::int16_t one = now < 0x8000 ? 1 : 0;
  const eight_words least_step = eight_words{} + one;
  const eight_ids first_ids = eight_ids{} + ids.first();
  eight_words least = eight_words{} + first_least, largest = {}, wrong_words = {};
  eight_ids most_after = {};
  eight_arguments indices = eight_arguments{} + static_cast<std::int32_t>(now);
  std::uint32_t wrong = 0;
  const step *s = steps + now, *const end = steps + stop;
  for (; s != end; ++s) {
    const std::uint32_t n = s->arguments, id = id_of(*s);
    if (n > 8 || !is_regular(*s)) [[unlikely]]
      break;
    const std::uint32_t c = s->offset + 4, d = s[1].offset - 2 * n;
    const eight_words lanes = eight_at(first_words + 8 - n);
    const eight_words references = eight_at(first_words + 8 - n + id);  // ids look like a 0
    const eight_words words = eight_at(start + d) & references;
    const eight_words constant = (words == 0) & lanes;
    largest = words > largest ? words : largest;
    wrong_words |= least > words;
    const std::uint32_t bits = sign_bits(constant);
    const auto given = std::bit_cast<eight_ids>(
        __builtin_ia32_pshufb128(std::bit_cast<sixteen_chars>(eight_at(start + c)),
                                 std::bit_cast<sixteen_chars>(eight_at(places_of.bytes[bits]))));
    const eight_arguments results = widened(words) + indices;
    const eight_arguments are_constants = widened(constant);
    const eight_arguments all = are_constants < 0 ? widened(given) | are_constants << 31 : results;
    std::memcpy(static_cast<void*>(arguments + s->first), &all, sizeof all);
    indices += 1;
    least -= least_step;
    const auto zeros = static_cast<std::uint32_t>(__builtin_popcount(bits));
    wrong |= words_between(c, d) + id - zeros;
    if constexpr (one_range) {
      const eight_ids after = (given - first_ids) & std::bit_cast<eight_ids>(constant & references);
      most_after = after > most_after ? after : most_after;
    } else {
      wrong |= lacks_any(ids, start + c, zeros & (id - 1));
    }
  }
  now = static_cast<std::uint32_t>(s - steps);
  wrong_words |= largest > 0;
  if constexpr (one_range)
    wrong_words |= std::bit_cast<eight_words>(most_after > ids.last_after_first());
  return wrong == 0 && sign_bits(wrong_words) == 0;
}

[[nodiscard]] inline bool has_avx2() noexcept {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

#endif

/// resolve_fast with the ids of constants as they are best looked at, too.
template <class Ids>
[[nodiscard]] bool resolve_steps(const model& f, const instructions& list, const id_set& all_ids,
                                 Ids ids, [[maybe_unused]] resolve_path path, code& out) {
  const step* const steps = out.steps.data();
  const std::uint32_t count = list.size();
  const std::size_t total = std::size_t{steps[count - 1].first} + steps[count - 1].arguments;
  const resolve_parts<Ids> parts{ids, list.cursor().data(), steps,
                                 out.arguments.prepare(total + 8)};
  out.arguments.advance(total);
  auto* run = resolve_run<Ids>;
#ifdef TESSERA_HAS_NAC_AVX2_PATH
  if (path != resolve_path::portable && has_avx2()) run = resolve_run_avx2<Ids>;
#endif
  // How many have readable bytes after them, and the next one's step.
  std::uint32_t fast = count - 1;
  while (fast != 0 && steps[fast].offset >= readable_end(list.cursor())) --fast;
  code one;  // instruction of another kind
  argument_resolver each(all_ids, list.offset(), count, one);
  for (std::uint32_t now = 0; now != count;) {
    if (now < fast) {
      const std::uint32_t stop = now < 0x8000 && fast > 0x8000 ? 0x8000 : fast;
      if (!run(parts, stop, now)) return false;
      if (now == stop) continue;
    }
    cursor at = list.cursor();
    (void)at.take_bytes(steps[now].offset);
    instruction i;
    i.index = now;
    one.steps.clear();
    one.arguments.clear();
    if (parse_instruction(f, at, i).code != errc::ok || each.take(i).code != errc::ok) return false;
    argument* to = parts.arguments + steps[now++].first;
    for (const argument a : one.arguments) *to++ = a;
  }
  return true;
}

/// The same as an argument_resolver for each instruction, several times as fast; false: something
/// is wrong.
[[nodiscard]] inline bool resolve_fast(const model& f, const instructions& list, const id_set& ids,
                                       resolve_path path, code& out) {
  if (list.empty()) return true;
  if (list_decoder(f, list, out.steps.prepare(list.size())).run().code != errc::ok) return false;
  out.steps.advance(list.size());
  return ids.is_range() ? resolve_steps<id_range>(f, list, ids, ids.range(), path, out)
                        : resolve_steps<const id_set&>(f, list, ids, ids, path, out);
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
