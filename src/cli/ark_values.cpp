// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "ark_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/compress.hpp"
#include "io/csv.hpp"
#include "io/npy.hpp"
#include "tessera/core/float16.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

std::uint64_t element_shape::count() const noexcept {
  std::uint64_t out = 1;
  for (const std::uint64_t d : shape) out *= d;
  return out;
}
std::uint64_t element_shape::bytes() const noexcept { return count() * ark::info(type).bytes; }

element_shape elements_of(const ark::graph& g, std::uint32_t tensor) {
  const ark::layout& l = layout_of(g, tensor);
  element_shape out;
  out.type = g.tensors[tensor].type;
  for (std::uint32_t d = 0; d < l.rank; ++d)
    out.shape.push_back(static_cast<std::uint64_t>(l.shape[d]));
  return out;
}

namespace {

using ark::data_type;

[[nodiscard]] io::failure wrong(std::string what) { return {io::fault::content, std::move(what)}; }

/// How .npy files hold a data type.
[[nodiscard]] io::element_kind npy_kind(data_type t) noexcept {
  switch (t) {
    case data_type::fp32: return {'f', 4};
    case data_type::fp16: return {'f', 2};
    case data_type::bf16: return {'u', 2};
    case data_type::int32: return {'i', 4};
    case data_type::uint32: return {'u', 4};
    case data_type::int8: return {'i', 1};
    case data_type::uint8:
    case data_type::byte:
    case data_type::fp8_e4m3:
    case data_type::fp8_e5m2: break;
  }
  return {'u', 1};
}

[[nodiscard]] std::string text_of(io::element_kind k) {
  const char* const word = k.kind == 'f'   ? "float"
                           : k.kind == 'i' ? "int"
                           : k.kind == 'u' ? "uint"
                                           : "bool";
  return k.kind == 'b' ? word : word + std::to_string(8 * k.size);
}

[[nodiscard]] std::string text_of(const std::vector<std::uint64_t>& shape) {
  std::string out = "[";
  for (const std::uint64_t d : shape)
    out.append(out.size() == 1 ? "" : ", ").append(std::to_string(d));
  return out + ']';
}

[[nodiscard]] std::vector<std::uint64_t> squeezed(std::vector<std::uint64_t> shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), std::uint64_t{1}), shape.end());
  return shape;
}

[[nodiscard]] io::expected<std::vector<std::byte>> decode_npy(bytes file,
                                                              const element_shape& what) {
  io::expected<io::array> a = io::read_npy_array(file);
  if (!a) return a.err();
  if (what.any_type) {
    if (a->data.size() != what.bytes())
      return wrong("expected " + std::to_string(what.bytes()) + " bytes, found " +
                   std::to_string(a->data.size()));
    return std::move(a->data);
  }
  const io::element_kind kind = npy_kind(what.type);
  if (!(a->type == kind))
    return wrong("expected elements of " + text_of(kind) + ", which " +
                 std::string(ark::info(what.type).name) + " takes, found " + text_of(a->type));
  if (a->shape != what.shape && squeezed(a->shape) != squeezed(what.shape))
    return wrong("expected shape " + text_of(what.shape) + ", found " + text_of(a->shape));
  return std::move(a->data);
}

[[nodiscard]] io::expected<std::vector<std::byte>> decode_csv(bytes file,
                                                              const element_shape& what) {
  const std::uint64_t columns = what.shape.empty() ? 1 : what.shape.back();
  const io::expected<io::matrix> m = io::read_csv(as_text(file), columns);
  if (!m) return m.err();
  const std::uint64_t rows = columns == 0 ? 0 : what.count() / columns;
  if (m->rows != rows)
    return wrong("expected " + std::to_string(rows) + (rows == 1 ? " row" : " rows") + " of " +
                 std::to_string(columns) + ", found " + std::to_string(m->rows));
  std::vector<std::byte> out(static_cast<std::size_t>(what.bytes()));
  for (std::size_t i = 0; i < m->values.size(); ++i)
    if (!store_element(out, what.type, i, m->values[i]))
      return wrong("row " + std::to_string(i / columns + 1) + ", column " +
                   std::to_string(i % columns + 1) + ": expected an integer that fits " +
                   std::string(ark::info(what.type).name));
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

double element(std::span<const std::byte> dense, data_type type, std::size_t i) {
  const std::byte* const from = dense.data() + i * ark::info(type).bytes;
  switch (type) {
    case data_type::fp32: return static_cast<double>(load_le<float>(from));
    case data_type::fp16: return static_cast<double>(float_from_half(load_le<std::uint16_t>(from)));
    case data_type::bf16:
      return static_cast<double>(float_from_bfloat16(load_le<std::uint16_t>(from)));
    case data_type::int32: return static_cast<double>(load_le<std::int32_t>(from));
    case data_type::uint32: return static_cast<double>(load_le<std::uint32_t>(from));
    case data_type::int8: return static_cast<double>(load_le<std::int8_t>(from));
    case data_type::uint8:
    case data_type::byte:
    case data_type::fp8_e4m3:
    case data_type::fp8_e5m2: break;
  }
  return static_cast<double>(load_le<std::uint8_t>(from));
}

bool store_element(std::span<std::byte> dense, data_type type, std::size_t i, double value) {
  std::byte* const to = dense.data() + i * ark::info(type).bytes;
  switch (type) {
    case data_type::fp32: store_le(to, static_cast<float>(value)); return true;
    case data_type::fp16: store_le(to, half_from_float(static_cast<float>(value))); return true;
    case data_type::bf16: store_le(to, bfloat16_from_float(static_cast<float>(value))); return true;
    case data_type::int32: return store_integer<std::int32_t>(to, value);
    case data_type::uint32: return store_integer<std::uint32_t>(to, value);
    case data_type::int8: return store_integer<std::int8_t>(to, value);
    case data_type::uint8:
    case data_type::byte:
    case data_type::fp8_e4m3:
    case data_type::fp8_e5m2: break;
  }
  return store_integer<std::uint8_t>(to, value);
}

io::expected<std::vector<std::byte>> read_elements(const std::string& path, io::array_format format,
                                                   const element_shape& what) {
  const auto named = [&path](io::expected<std::vector<std::byte>> out) {
    if (!out && out.err().path.empty()) out.err().path = path;
    return out;
  };
  const bool is_raw = format == io::array_format::raw && io::codec_of_name(path) == io::codec::none;
  const io::expected<io::content> file = is_raw ? io::read_file(path) : io::load(path);
  if (!file) return file.err();
  const bytes data = file->view();
  if (format == io::array_format::npy) return named(decode_npy(data, what));
  if (format == io::array_format::csv) return named(decode_csv(data, what));
  if (data.size() != what.bytes())
    return named(wrong("expected " + std::to_string(what.bytes()) + " bytes of " +
                       std::string(ark::info(what.type).name) + ' ' + text_of(what.shape) +
                       ", found " + std::to_string(data.size())));
  return std::vector<std::byte>(data.begin(), data.end());
}

text encode_elements(std::span<const std::byte> dense, io::array_format format,
                     const element_shape& what) {
  text out;
  switch (format) {
    case io::array_format::npy:
      return io::write_npy_array(
          io::array{npy_kind(what.type), what.shape, {dense.begin(), dense.end()}});
    case io::array_format::csv: {
      const std::uint64_t columns = what.shape.empty() ? 1 : what.shape.back();
      io::matrix m{columns == 0 ? 0 : what.count() / columns, columns, {}};
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

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
