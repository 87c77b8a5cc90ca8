// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "arrays.hpp"

#include <algorithm>
#include <tessera/core/bytes.hpp>

#include "compress.hpp"
#include "csv.hpp"
#include "npy.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {
namespace {

/// Text, .npy and zip (.npz) files, which someone means to be read otherwise. (Two doubles of
/// only printable characters would have exponents that no sample has.)
[[nodiscard]] bool is_not_raw(bytes data) noexcept {
  const std::string_view s = as_text(data).substr(0, 16);
  if (s.starts_with("\x93NUMPY") || s.starts_with("PK\3\4")) return true;
  return s.size() >= 8 && std::all_of(s.begin(), s.end(), [](char c) {
           return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
         });
}

[[nodiscard]] expected<matrix> read_raw(bytes data, std::uint64_t columns, const limits& limit) {
  const auto fail = [](std::string what) { return failure{fault::content, std::move(what)}; };
  if (is_not_raw(data))
    return fail(
        "expected little-endian doubles, found text or an archive; for these use a name "
        "that ends in .csv or .npy");
  // Dividing twice instead of multiplying: a row may be larger than 64 bits can count.
  const std::uint64_t count = data.size() / 8;
  if (data.size() % 8 != 0 || (columns == 0 ? count != 0 : count % columns != 0))
    return fail("expected whole rows of " + std::to_string(columns) +
                " little-endian doubles, found " + std::to_string(data.size()) + " bytes");
  if (count > limit.max_items)
    return fail("more than the limit of " + std::to_string(limit.max_items) + " values");
  matrix out{columns == 0 ? 0 : count / columns, columns};
  out.values.resize(static_cast<std::size_t>(count));
  const std::byte* from = data.data();
  for (double& v : out.values) {
    v = load_le<double>(from);
    from += 8;
  }
  return out;
}

[[nodiscard]] text write_raw(const matrix& m) {
  text out;
  char* to = out.prepare(m.values.size() * 8);
  for (const double v : m.values) {
    store_le(to, v);
    to += 8;
  }
  out.advance(m.values.size() * 8);
  return out;
}

}  // namespace

array_format array_format_of_name(std::string_view path) noexcept {
  const std::string_view name = without_codec(path);
  if (name.ends_with(".npy")) return array_format::npy;
  if (name.ends_with(".csv")) return array_format::csv;
  return array_format::raw;
}

expected<matrix> decode_matrix(bytes data, array_format format, std::uint64_t columns,
                               const limits& limit) {
  switch (format) {
    case array_format::npy: return read_npy(data, columns, limit);
    case array_format::csv: return read_csv(as_text(data), columns, limit);
    case array_format::raw: break;
  }
  return read_raw(data, columns, limit);
}

text encode_matrix(const matrix& m, array_format format) {
  switch (format) {
    case array_format::npy: return write_npy(m);
    case array_format::csv: return write_csv(m);
    case array_format::raw: break;
  }
  return write_raw(m);
}

expected<matrix> read_matrix(const std::string& path, std::uint64_t columns, const limits& limit) {
  return read_matrix(path, array_format_of_name(path), columns, limit);
}

expected<matrix> read_matrix(const std::string& path, array_format format, std::uint64_t columns,
                             const limits& limit) {
  const bool is_raw = format == array_format::raw && codec_of_name(path) == codec::none;
  const expected<content> file = is_raw ? read_file(path, limit) : load(path, limit);
  if (!file) return file.error();
  expected<matrix> out = decode_matrix(file->view(), format, columns, limit);
  if (!out) out.error().path = path;
  return out;
}

expected<done> write_matrix(const std::string& path, const matrix& m) {
  const text encoded = encode_matrix(m, array_format_of_name(path));
  return store(path, as_bytes(encoded));
}

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI
