// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The loop around elementwise operations, and those that choose between elements.

#include "elementwise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

constexpr std::size_t max_operands = 3;
constexpr std::size_t block_size = 512;  // elements that are converted at a time

/// The same element in all of n; `to` has room for whole words.
void fill_words(std::byte* to, const std::byte* one, std::size_t size, std::size_t n) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, one, size);
  constexpr bool little = std::endian::native == std::endian::little;
  for (std::size_t bits = 8 * size; bits < 64; bits *= 2)
    word |= little ? word << bits : word >> bits;
  for (std::size_t i = 0; i < size * n; i += sizeof word) std::memcpy(to + i, &word, sizeof word);
}

/// Elements of an operand as lanes; at most a block of them.
void convert_lanes(const source& s, const std::byte* from, std::byte* to, std::size_t n) noexcept {
  const data_type type = s.of->type;
  if (type == s.common || s.common == s.lane) return cast(type, from, s.lane, to, n);
  alignas(8) std::byte rounded[block_size * 8];
  cast(type, from, s.common, rounded, n);
  cast(s.common, rounded, s.lane, to, n);
}

/// A row of operands that aren't lanes already, or results that aren't of the wanted type.
void run_in_blocks(std::size_t count, std::span<const source> in, const std::byte* const* from,
                   const bool (&repeated)[max_operands], const bool (&direct)[max_operands],
                   std::byte* to, data_type lane, data_type type, loop f, const void* with) {
  alignas(64) std::byte staged[max_operands][block_size * 8], results[block_size * 8];
  const std::byte* at[max_operands];
  for (std::size_t k = 0; k < in.size(); ++k) {
    if (!repeated[k]) continue;
    alignas(8) std::byte one[8];
    convert_lanes(in[k], from[k], one, 1);
    fill_words(staged[k], one, model::size_of(in[k].lane), std::min(count, block_size));
    at[k] = staged[k];
  }
  const std::size_t result_size = model::size_of(type);
  for (std::size_t i = 0; i < count; i += block_size) {
    const std::size_t n = std::min(block_size, count - i);
    for (std::size_t k = 0; k < in.size(); ++k) {
      if (repeated[k]) continue;
      const std::byte* const here = from[k] + i * model::size_of(in[k].of->type);
      at[k] = direct[k] ? here : staged[k];
      if (!direct[k]) convert_lanes(in[k], here, staged[k], n);
    }
    f(at, lane == type ? to + i * result_size : results, n, with);
    if (lane != type) cast(lane, results, type, to + i * result_size, n);
  }
}

/// Elements after which an operand begins again in the result, of `size` elements: all of its own, where
/// its dimensions are the last ones of the result. 0: it is broadcast otherwise.
[[nodiscard]] std::size_t period_of(const tensor& x, const shape& out, std::size_t size) noexcept {
  const std::size_t n = x.size();
  if (n == size || n == 1) return n;
  const shape& own = x.dims;
  const std::size_t added = out.rank() - own.rank();
  std::size_t i = 0;
  while (own[i] == 1) ++i;
  for (; i < own.rank(); ++i)
    if (own[i] != out[added + i]) return 0;
  return n;
}

/// Elements of a tensor in the shape that it broadcasts to; none is empty.
template <class T>
void spread(std::byte* to, const std::byte* from, const shape& own, const shape& out) noexcept {
  const auto rows = broadcast_rows<1>(out, {&own});
  rows.each([&, step = rows.steps()[0]](const auto& first, std::int64_t n) {
    const std::byte* at = from + first[0] * std::int64_t{sizeof(T)};
    for (std::int64_t i = 0; i < n; ++i, to += sizeof(T), at += step * std::int64_t{sizeof(T)})
      std::memcpy(to, at, sizeof(T));
  });
}

constexpr std::size_t few = 64;  // elements that aren't worth a walk

/// The only element of an operand as a lane, which may be made.
[[nodiscard]] const std::byte* lane_of_one(const source& s, std::byte* made) noexcept {
  const tensor& x = *s.of;
  if (x.type == s.lane && s.common == s.lane) return x.data;
  if (x.type == data_type::float64 && s.lane == data_type::float32 && s.common == s.lane) {
    const float v = convert<float>(*x.as<double>());
    std::memcpy(made, &v, sizeof v);
  } else {
    convert_lanes(s, x.data, made, 1);
  }
  return made;
}

/// An operand of a few elements as lanes, in the shape of the result.
[[nodiscard]] const std::byte* lanes_of_few(const source& s, const shape& out, std::size_t size,
                                            std::byte* to) noexcept {
  const tensor& x = *s.of;
  const std::size_t n = x.size(), lane_size = model::size_of(s.lane);
  if (n == size) {
    if (x.type == s.lane) return x.data;
    convert_lanes(s, x.data, to, n);
    return to;
  }
  if (n == 1) {
    alignas(8) std::byte one[8];
    fill_words(to, lane_of_one(s, one), lane_size, size);
    return to;
  }
  alignas(8) std::byte own[few * 8];
  const std::byte* from = x.data;
  if (x.type != s.lane) {
    convert_lanes(s, from, own, n);
    from = own;
  }
  if (period_of(x, out, size) == n) {
    for (std::size_t i = 0; i < size; i += n) std::memcpy(to + i * lane_size, from, n * lane_size);
    return to;
  }
  tensors::with_word(lane_size, [&]<class T>(of<T>) { spread<T>(to, from, x.dims, out); });
  return to;
}

void run_few(const shape& dims, std::span<const source> in, std::size_t size, std::byte* to,
             data_type lane, data_type type, loop f, const void* with) {
  alignas(8) std::byte staged[max_operands][few * 8], results[few * 8];
  const std::byte* at[max_operands];
  for (std::size_t k = 0; k < in.size(); ++k) at[k] = lanes_of_few(in[k], dims, size, staged[k]);
  if (lane == type) return f(at, to, size, with);
  f(at, results, size, with);
  cast(lane, results, type, to, size);
}

}  // namespace

tensor elementwise(memory& arena, const shape& dims, std::span<const source> in, data_type lane,
                   data_type type, loop f, const void* with) {
  tensor out = make_tensor(arena, type, dims);
  const std::size_t size = out.size();
  if (size == 0) return out;
  if (size <= few) {
    run_few(dims, in, size, out.data, lane, type, f, with);
    return out;
  }
  std::size_t periods[max_operands] = {}, row = size;
  bool repeated[max_operands] = {}, direct[max_operands] = {}, all_direct = lane == type;
  bool in_rows = true;  // of one length
  for (std::size_t k = 0; k < in.size(); ++k) {
    const std::size_t n = periods[k] = period_of(*in[k].of, dims, size);
    in_rows = in_rows && (n == 1 || n == size || (n != 0 && (row == size || row == n)));
    if (n != 1 && n != size) row = n;
  }
  std::byte* to = out.data;
  const auto set_up = [&](std::size_t k, bool is_repeated) {
    repeated[k] = is_repeated;
    direct[k] = in[k].of->type == in[k].lane && !is_repeated;
    all_direct = all_direct && direct[k];
  };
  const auto run_row = [&](auto first, std::size_t count) {
    const std::byte* from[max_operands] = {};
    for (std::size_t k = 0; k < in.size(); ++k)
      from[k] = in[k].of->data + first(k) * model::size_of(in[k].of->type);
    if (all_direct)
      f(from, to, count, with);
    else
      run_in_blocks(count, in, from, repeated, direct, to, lane, type, f, with);
    to += count * model::size_of(type);
  };
  if (in_rows) {
    for (std::size_t k = 0; k < in.size(); ++k) set_up(k, periods[k] == 1);
    for (std::size_t i = 0; i < size; i += row)
      run_row([&](std::size_t k) { return periods[k] == size ? i : 0; }, row);
    return out;
  }
  static const shape none;
  std::array<const shape*, max_operands> shapes = {&none, &none, &none};
  for (std::size_t k = 0; k < in.size(); ++k) shapes[k] = &in[k].of->dims;
  const auto rows = broadcast_rows<max_operands>(dims, shapes);
  for (std::size_t k = 0; k < in.size(); ++k) set_up(k, rows.steps()[k] == 0);
  rows.each([&](const auto& first, std::int64_t n) {
    run_row([&](std::size_t k) { return static_cast<std::size_t>(first[k]); },
            static_cast<std::size_t>(n));
  });
  return out;
}

void fill(const tensor& out, const scalar& v) {
  std::uint64_t element = 0;  // in its first bytes
  visit(out.type, [&]<class T>(of<T>) {
    const T one = v.as<T>();
    std::memcpy(&element, &one, sizeof one);
  });
  tensors::with_word(model::size_of(out.type), [&]<class T>(of<T>) {
    T bits;
    std::memcpy(&bits, &element, sizeof bits);
    const std::size_t count = out.size();
    std::byte* const to = out.data;
    for (std::size_t i = 0; i < count; ++i) {
      const T one = bits;
      std::memcpy(to + i * sizeof one, &one, sizeof one);
    }
  });
}
tensor filled(memory& arena, data_type type, const shape& dims, const scalar& v) {
  tensor out = make_tensor(arena, type, dims);
  fill(out, v);
  return out;
}

void fits(const scalar& v, data_type type) {
  const bool taken = visit(type, [&]<class T>(of<T>) -> bool {
    if constexpr (std::is_same_v<T, bool>) {
      return true;
    } else if constexpr (is_float<T>) {
      constexpr double largest = std::is_same_v<T, half>     ? 65504
                                 : std::is_same_v<T, bfloat> ? 0x1.fep127
                                 : std::is_same_v<T, float>
                                     ? double{std::numeric_limits<float>::max()}
                                     : std::numeric_limits<double>::max();
      return !std::isfinite(v.real) || std::fabs(v.real) <= largest;
    } else {
      constexpr auto largest = std::numeric_limits<T>::max();
      constexpr std::int64_t lowest = std::is_signed_v<T>
                                          ? std::int64_t{std::numeric_limits<T>::min()}
                                          : -std::int64_t{largest};
      if (v.type != data_type::float64) return v.whole >= lowest && v.whole <= largest;
      return v.real >= static_cast<double>(std::numeric_limits<T>::min()) &&
             v.real <= static_cast<double>(largest);
    }
  });
  if (taken) return;
  const std::string number =
      v.type == data_type::float64 ? std::to_string(v.real) : std::to_string(v.whole);
  fail(errc::nac_run_argument, number, " doesn't fit the type ", type);
}

void refuse(const call& c, data_type a) { fail(errc::nac_run_type, c.operation, " of type ", a); }
void refuse(const call& c, data_type a, data_type b) {
  fail(errc::nac_run_type, c.operation, " of types ", a, " and ", b);
}

namespace {

template <class word>
void select_loop(const std::byte* const* in, std::byte* to, std::size_t n, const void*) {
  constexpr std::size_t size = sizeof(word);
  // `std::byte*` may alias anything, pointers too: these are read once.
  const bool* const which = lanes<bool>(in[0]);
  const std::byte *const yes = in[1], *const no = in[2];
  for (std::size_t i = 0; i < n; ++i) {
    word a, b;
    std::memcpy(&a, yes + i * size, size);
    std::memcpy(&b, no + i * size, size);
    // Without a branch, so that vectors can be used.
    const word all = static_cast<word>(word{0} - static_cast<word>(which[i]));
    const word y = static_cast<word>((a & all) | (b & static_cast<word>(~all)));
    std::memcpy(to + i * size, &y, size);
  }
}

/// `yes` where the mask is set, `no` elsewhere, as `type`.
[[nodiscard]] tensor choose(memory& arena, const shape& dims, const tensor& mask, const tensor& yes,
                            const tensor& no, data_type type) {
  const loop f = tensors::with_word(model::size_of(type),
                                    []<class T>(of<T>) -> loop { return select_loop<T>; });
  const source in[] = {
      {&mask, data_type::boolean, data_type::boolean}, {&yes, type, type}, {&no, type, type}};
  return elementwise(arena, dims, in, type, type, f);
}

}  // namespace

namespace operations {

value where(call& c) {
  const tensor &mask = c.tensor_at(0), &yes = c.tensor_at(1), &no = c.tensor_at(2);
  if (mask.type != data_type::boolean && mask.type != data_type::uint8) refuse(c, mask.type);
  const data_type type = promote(yes, no);
  // Floats of 16 bits have infinities for numbers that are too great, as in PyTorch.
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}})
    if (c.tensor_at(k).is_number && widened(type) == type) fits(c.number(k), type);
  return choose(c.arena, broadcast(mask.dims, broadcast(yes.dims, no.dims)), mask, yes, no, type);
}

value masked_fill(call& c) {
  const tensor &x = c.tensor_at(0), &mask = c.tensor_at(1), &v = c.tensor_at(2);
  if (mask.type != data_type::boolean) refuse(c, x.type, mask.type);
  if (v.rank() != 0) fail(errc::nac_run_shape, "value has shape ", v.dims, "; expected rank 0");
  const data_type type = type_of(x);
  fits(c.number(2), type);
  return choose(c.arena, broadcast(x.dims, mask.dims), mask, v, x, type);
}

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
