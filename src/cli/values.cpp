// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "io/compress.hpp"
#include "io/csv.hpp"
#include "io/random.hpp"
#include "tessera/core/float16.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// The .npy type of each element type, in the order of element_type.
constexpr io::element_kind npy_kinds[element_type_count] = {
    {'f', 8}, {'f', 4}, {'f', 2}, {'u', 2}, {'i', 8}, {'i', 4}, {'i', 2},
    {'i', 1}, {'i', 1}, {'u', 4}, {'u', 2}, {'u', 1}, {'b', 1}};

[[nodiscard]] io::failure wrong(std::string what) { return {io::fault::content, std::move(what)}; }

[[nodiscard]] std::string kind_name(io::element_kind k) {
  const char* const word = k.kind == 'f'   ? "float"
                           : k.kind == 'i' ? "int"
                           : k.kind == 'u' ? "uint"
                                           : "bool";
  return k.kind == 'b' ? word : word + std::to_string(8 * k.size);
}

}  // namespace

io::element_kind npy_kind(element_type t) noexcept {
  return npy_kinds[static_cast<std::size_t>(t)];
}

std::size_t size_of(element_type t) noexcept { return npy_kind(t).size; }

std::optional<element_type> type_of(io::element_kind k) noexcept {
  for (std::size_t i = 0; i < std::size(npy_kinds); ++i)
    if (const auto t = static_cast<element_type>(i);
        npy_kinds[i] == k && t != element_type::bf16 && t != element_type::u16)
      return t;
  return std::nullopt;
}

std::uint64_t element_shape::count() const noexcept {
  std::uint64_t out = 1;
  for (const std::uint64_t d : shape) out *= d;
  return out;
}

std::uint64_t element_shape::rows() const noexcept {
  std::uint64_t out = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) out *= shape[i];
  return out;
}

std::string text_of(const std::vector<std::uint64_t>& shape) {
  std::string out = "[";
  for (const std::uint64_t d : shape)
    out.append(out.size() == 1 ? "" : ", ").append(std::to_string(d));
  return out + ']';
}

namespace {

[[nodiscard]] std::vector<std::uint64_t> squeezed(std::vector<std::uint64_t> shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), std::uint64_t{1}), shape.end());
  return shape;
}

[[nodiscard]] io::expected<std::vector<std::byte>> decode_npy(bytes file,
                                                              const element_shape& what) {
  io::expected<io::array> a = io::read_npy_array(file);
  if (!a) return a.error();
  if (what.any_type) {
    if (a->data.size() != what.bytes())
      return wrong("expected " + std::to_string(what.bytes()) + " bytes, found " +
                   std::to_string(a->data.size()));
    return std::move(a->data);
  }
  const io::element_kind kind = npy_kind(what.type);
  if (!(a->type == kind))
    return wrong("expected elements of " + kind_name(kind) + " for " + std::string(what.name) +
                 ", found " + kind_name(a->type));
  if (what.any_shape) {
    if (a->data.size() != what.bytes())
      return wrong("expected " + std::to_string(what.count()) + " elements of " +
                   std::string(what.name) + ", found " +
                   std::to_string(a->data.size() / kind.size));
  } else if (a->shape != what.shape && squeezed(a->shape) != squeezed(what.shape)) {
    return wrong("expected shape " + text_of(what.shape) + ", found " + text_of(a->shape));
  }
  if (what.type == element_type::i4)
    for (std::size_t i = 0; i < a->data.size(); ++i)
      if (const double v = element(a->data, what.type, i); !store_element(a->data, what.type, i, v))
        return wrong("element " + std::to_string(i) + ": expected -8 to 7 for " +
                     std::string(what.name) + ", found " + std::to_string(static_cast<int>(v)));
  return std::move(a->data);
}

[[nodiscard]] io::expected<std::vector<std::byte>> decode_csv(bytes file,
                                                              const element_shape& what) {
  const std::uint64_t columns = what.shape.empty() ? 1 : what.shape.back();
  const io::expected<io::matrix> m = io::read_csv(as_text(file), columns);
  if (!m) return m.error();
  const std::uint64_t rows = what.rows();
  if (m->rows != rows)
    return wrong("expected " + std::to_string(rows) + (rows == 1 ? " row" : " rows") + " of " +
                 std::to_string(columns) + ", found " + std::to_string(m->rows));
  std::vector<std::byte> out(static_cast<std::size_t>(what.bytes()));
  for (std::size_t i = 0; i < m->values.size(); ++i)
    if (!store_element(out, what.type, i, m->values[i]))
      return wrong("row " + std::to_string(i / columns + 1) + ", column " +
                   std::to_string(i % columns + 1) + ": expected an integer in the range of " +
                   std::string(what.name));
  return out;
}

template <class Int>
[[nodiscard]] bool store_integer(std::byte* to, double value) {
  if (!(value >= static_cast<double>(std::numeric_limits<Int>::lowest()) &&
        value <= static_cast<double>(std::numeric_limits<Int>::max())) ||
      value != std::trunc(value))
    return false;
  store_le(to, static_cast<Int>(value));
  return true;
}

}  // namespace

double element(std::span<const std::byte> dense, element_type type, std::size_t i) {
  const std::byte* const from = dense.data() + i * size_of(type);
  switch (type) {
    case element_type::f64: return load_le<double>(from);
    case element_type::f32: return static_cast<double>(load_le<float>(from));
    case element_type::f16:
      return static_cast<double>(float_from_half(load_le<std::uint16_t>(from)));
    case element_type::bf16:
      return static_cast<double>(float_from_bfloat16(load_le<std::uint16_t>(from)));
    case element_type::i64: return static_cast<double>(load_le<std::int64_t>(from));
    case element_type::i32: return static_cast<double>(load_le<std::int32_t>(from));
    case element_type::i16: return static_cast<double>(load_le<std::int16_t>(from));
    case element_type::i8:
    case element_type::i4: return static_cast<double>(load_le<std::int8_t>(from));
    case element_type::u32: return static_cast<double>(load_le<std::uint32_t>(from));
    case element_type::u16: return static_cast<double>(load_le<std::uint16_t>(from));
    case element_type::u8: return static_cast<double>(load_le<std::uint8_t>(from));
    case element_type::boolean: break;
  }
  return *from != std::byte{0} ? 1 : 0;
}

bool store_element(std::span<std::byte> dense, element_type type, std::size_t i, double value) {
  std::byte* const to = dense.data() + i * size_of(type);
  switch (type) {
    case element_type::f64: store_le(to, value); return true;
    case element_type::f32: store_le(to, static_cast<float>(value)); return true;
    case element_type::f16: store_le(to, half_from_float(static_cast<float>(value))); return true;
    case element_type::bf16:
      store_le(to, bfloat16_from_float(static_cast<float>(value)));
      return true;
    case element_type::i64: {
      // 2^63 - 1 isn't a double.
      if (!(value >= -0x1p63 && value < 0x1p63) || value != std::trunc(value)) return false;
      store_le(to, static_cast<std::int64_t>(value));
      return true;
    }
    case element_type::i32: return store_integer<std::int32_t>(to, value);
    case element_type::i16: return store_integer<std::int16_t>(to, value);
    case element_type::i8: return store_integer<std::int8_t>(to, value);
    case element_type::i4:
      return value >= -8 && value <= 7 && store_integer<std::int8_t>(to, value);
    case element_type::u32: return store_integer<std::uint32_t>(to, value);
    case element_type::u16: return store_integer<std::uint16_t>(to, value);
    case element_type::u8: return store_integer<std::uint8_t>(to, value);
    case element_type::boolean: break;
  }
  if (value != 0 && value != 1) return false;
  *to = static_cast<std::byte>(value != 0 ? 1 : 0);
  return true;
}

io::expected<std::vector<std::byte>> read_elements(const std::string& path, io::array_format format,
                                                   const element_shape& what) {
  const auto named = [&path](io::expected<std::vector<std::byte>> out) {
    if (!out && out.error().path.empty()) out.error().path = path;
    return out;
  };
  const bool is_raw = format == io::array_format::raw && io::codec_of_name(path) == io::codec::none;
  const io::expected<io::content> file = is_raw ? io::read_file(path) : io::load(path);
  if (!file) return file.error();
  const bytes data = file->view();
  if (format == io::array_format::npy) return named(decode_npy(data, what));
  if (format == io::array_format::csv) return named(decode_csv(data, what));
  if (data.size() != what.bytes())
    return named(
        wrong("expected " + std::to_string(what.bytes()) + " bytes" +
              (what.any_type ? std::string()
                             : " of " + std::string(what.name) + ' ' + text_of(what.shape)) +
              ", found " + std::to_string(data.size())));
  return std::vector<std::byte>(data.begin(), data.end());
}

namespace {

/// An element of an integer type; an i64 may not be exact as a double.
[[nodiscard]] std::int64_t whole_element(std::span<const std::byte> dense, element_type type,
                                         std::size_t i) {
  if (type == element_type::i64) return load_le<std::int64_t>(dense.data() + i * 8);
  return static_cast<std::int64_t>(element(dense, type, i));
}

}  // namespace

text encode_elements(std::span<const std::byte> dense, io::array_format format,
                     const element_shape& what) {
  text out;
  switch (format) {
    case io::array_format::npy:
      return io::write_npy_array(
          io::array{npy_kind(what.type), what.shape, {dense.begin(), dense.end()}});
    case io::array_format::csv: {
      const std::uint64_t columns = what.shape.empty() ? 1 : what.shape.back();
      if (what.type > element_type::bf16) {
        for (std::size_t i = 0; i < what.count(); ++i)
          out << whole_element(dense, what.type, i) << ((i + 1) % columns == 0 ? '\n' : ',');
        return out;
      }
      io::matrix m{what.rows(), columns, {}};
      m.values.reserve(static_cast<std::size_t>(what.count()));
      for (std::size_t i = 0; i < what.count(); ++i)
        m.values.push_back(element(dense, what.type, i));
      return io::write_csv(m);
    }
    case io::array_format::raw: break;
  }
  out << as_text(bytes{dense.data(), dense.size()});
  return out;
}

element_summary::element_summary(std::span<const std::byte> dense, element_type type) {
  const std::size_t count = dense.size() / size_of(type);
  double sum = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double v = element(dense, type, i);
    if (!std::isfinite(v)) {
      ++(std::isnan(v) ? nans : v > 0 ? infinities : negative_infinities);
      continue;
    }
    min = finite == 0 ? v : std::min(min, v);
    max = finite == 0 ? v : std::max(max, v);
    sum += v;
    ++finite;
  }
  any = finite != 0;
  mean = any ? sum / static_cast<double>(finite) : 0;
  for (const std::byte b : dense)
    checksum = (checksum ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3u;
}

void element_summary::show(text& out, std::span<const std::byte> dense,
                           const element_shape& what) const {
  char line[160];
  out << ':';
  if (any) {
    std::snprintf(line, sizeof line, " min %.6g, max %.6g, mean %.6g", min, max, mean);
    out << line << (not_finite() != 0 ? " of the finite elements;" : "");
  }
  std::string_view between = " ";
  for (const auto& [number, name] :
       {std::pair(nans, "NaN"), {infinities, "inf"}, {negative_infinities, "-inf"}})
    if (number != 0) out << std::exchange(between, ", ") << number << ' ' << name;
  out << "\n ";
  const auto count = static_cast<std::size_t>(what.count());
  for (std::size_t i = 0; i < count && i < 8; ++i) {
    const double v = element(dense, what.type, i);
    std::snprintf(line, sizeof line, " %.6g", std::isnan(v) ? std::fabs(v) : v);  // not "-nan"
    out << line;
  }
  out << (count > 8 ? " ...\n" : "\n");
}

void element_summary::write(json::writer& w) const {
  for (const auto& [key, value] : {std::pair("min", min), {"max", max}, {"mean", mean}}) {
    w.key(key);
    if (any)
      w.number(value);
    else
      w.null();
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(checksum));
  w.key("not_finite").integer(not_finite()).key("nan").integer(nans).key("inf").integer(infinities);
  w.key("minus_inf").integer(negative_infinities).key("checksum").string(digits);
}

double random_number(std::uint64_t& state, double low, double high, bool whole) {
  const double fraction = static_cast<double>(io::next_bits(state) >> 11) * 0x1p-53;  // [0, 1)
  return whole ? low + std::floor(fraction * (high - low + 1)) : low + fraction * (high - low);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
