// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>

#include "tessera/core/float16.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view magic = "\x93NUMPY"sv;

[[nodiscard]] failure wrong(std::uint64_t offset, const std::string& what) {
  return {fault::content, "byte " + std::to_string(offset) + ": " + what};
}

struct element_type {
  char kind = 0;  // 'f', 'i', 'u' or 'b'
  std::uint64_t size = 0;
  bool is_big_endian = false;
};

struct header {
  element_type type;
  bool is_fortran = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t shape_offset = 0;
  std::uint64_t data_offset = 0;
};

/// The ranks that a caller takes.
struct ranks {
  std::uint64_t min_rank, max_rank;
  std::string_view description;
};
constexpr ranks of_matrix{1, 2, "rank 1 or 2"};
constexpr ranks of_array{0, max_npy_rank, "at most rank 32"};

/// Reads the dictionary of the header, a Python literal. The first error is kept.
class header_reader {
 public:
  header_reader(std::string_view file, std::uint64_t start, std::uint64_t end, ranks allowed)
      : file_(file.substr(0, static_cast<std::size_t>(end))),
        offset_(static_cast<std::size_t>(start)),
        allowed_(allowed) {}

  [[nodiscard]] expected<header> read() {
    header out;
    out.data_offset = file_.size();
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!error_ && !take('}')) {
      skip_blanks();
      const std::uint64_t key_offset = offset_;
      const std::string_view key = string("a key in quotes");
      expect(':');
      bool* const seen = key == "descr"           ? &has_type
                         : key == "fortran_order" ? &has_order
                         : key == "shape"         ? &has_shape
                                                  : nullptr;
      if (seen == nullptr || *seen) {
        fail(key_offset, "expected 'descr', 'fortran_order' and 'shape', each once");
        break;
      }
      *seen = true;
      if (seen == &has_type)
        out.type = type();
      else if (seen == &has_order)
        out.is_fortran = boolean();
      else
        shape(out);
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (offset_ != file_.size()) fail(offset_, "expected only blanks after the header");
    if (!has_type || !has_order || !has_shape)
      fail(offset_, "expected 'descr', 'fortran_order' and 'shape', each once");
    if (error_) return *error_;
    return out;
  }

 private:
  void fail(std::uint64_t offset, const std::string& what) {
    if (!error_) error_ = wrong(offset, what);
  }
  [[nodiscard]] bool at(std::string_view set) const noexcept {
    return offset_ < file_.size() && set.find(file_[offset_]) != std::string_view::npos;
  }
  void skip_blanks() noexcept {
    while (at(" \t\r\n")) ++offset_;
  }
  [[nodiscard]] bool take(char c) noexcept {
    skip_blanks();
    if (!at({&c, 1})) return false;
    ++offset_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(offset_, std::string("expected '") + c + "' in the header");
  }

  [[nodiscard]] std::string_view string(std::string_view what) {
    skip_blanks();
    if (at("'\"")) {
      const std::size_t close = file_.find(file_[offset_], offset_ + 1);
      if (close != std::string_view::npos) {
        const std::string_view out = file_.substr(offset_ + 1, close - offset_ - 1);
        offset_ = close + 1;
        return out;
      }
    }
    fail(offset_, "expected " + std::string(what));
    return {};
  }

  [[nodiscard]] element_type type() {
    constexpr std::string_view what =
        "a dtype of f2, f4, f8, i1 to i8, u1 to u8 or b1, with its byte order";
    skip_blanks();
    const std::uint64_t start = offset_;
    const std::string_view name = string(what);
    constexpr std::string_view known[] = {"f2", "f4", "f8", "i1", "i2", "i4",
                                          "i8", "u1", "u2", "u4", "u8", "b1"};
    for (const std::string_view k : known) {
      if (name.size() != 3 || name.substr(1) != k) continue;
      const bool is_byte = k[1] == '1';  // has no byte order, and may say so
      if (name[0] == '<' || name[0] == '>' || (name[0] == '|' && is_byte))
        return {k[0], static_cast<std::uint64_t>(k[1] - '0'), name[0] == '>'};
    }
    fail(start, "expected " + std::string(what));
    return {};
  }

  [[nodiscard]] bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True"sv, "False"sv}) {
      if (!file_.substr(offset_).starts_with(word)) continue;
      offset_ += word.size();
      return word == "True";
    }
    fail(offset_, "expected True or False");
    return false;
  }

  void shape(header& out) {
    skip_blanks();
    out.shape_offset = offset_;
    expect('(');
    bool comma = true;
    std::uint64_t rank = 0;
    while (!error_ && !take(')')) {
      if (!comma) return fail(offset_, "expected ',' or ')' in the shape");
      skip_blanks();
      if (!at("0123456789")) return fail(offset_, "expected an extent");
      const std::uint64_t start = offset_;
      std::uint64_t extent = 0;
      for (; at("0123456789"); ++offset_)
        if (!checked_mul<std::uint64_t>(extent, 10, extent) ||
            !checked_add<std::uint64_t>(extent, static_cast<std::uint64_t>(file_[offset_] - '0'),
                                        extent))
          return fail(start, "the extent doesn't fit 64 bits");
      if (rank++ < allowed_.max_rank) out.shape.push_back(extent);
      comma = take(',');
    }
    if (rank < allowed_.min_rank || rank > allowed_.max_rank)
      fail(out.shape_offset, "expected an array of " + std::string(allowed_.description) +
                                 ", found rank " + std::to_string(rank));
    else if (rank == 1 && !comma)
      fail(out.shape_offset, "expected a tuple such as (3,): a single extent is followed by ','");
  }

  std::string_view file_;
  std::size_t offset_;
  ranks allowed_;
  std::optional<failure> error_;
};

[[nodiscard]] expected<header> read_header(bytes data, ranks allowed) {
  const std::string_view file = as_text(data);
  if (!file.starts_with(magic)) return wrong(0, "expected \\x93NUMPY, the start of a .npy file");
  if (file.size() < 10)
    return wrong(file.size(), "the file ends inside its header: " + std::to_string(file.size()) +
                                  " bytes; expected at least 10");
  const int major = std::to_integer<int>(data[6]), minor = std::to_integer<int>(data[7]);
  if (major < 1 || major > 3 || minor != 0)
    return wrong(6, "expected .npy version 1.0, 2.0 or 3.0, found " + std::to_string(major) + "." +
                        std::to_string(minor));
  const std::uint64_t start = major == 1 ? 10 : 12;
  if (file.size() < start)
    return wrong(file.size(), "the file ends inside its header: " + std::to_string(file.size()) +
                                  " bytes; expected at least 12");
  const std::uint64_t size = major == 1 ? load_le<std::uint16_t>(data.data() + 8)
                                        : load_le<std::uint32_t>(data.data() + 8);
  if (size > file.size() - start)
    return wrong(8, "the header has " + std::to_string(size) + " bytes but only " +
                        std::to_string(file.size() - start) + " are left");
  return header_reader(file, start, start + size, allowed).read();
}

template <class T>
[[nodiscard]] T load(const std::byte* from, bool is_big_endian) noexcept {
  if (!is_big_endian) return load_le<T>(from);
  std::array<std::byte, sizeof(T)> reversed;
  for (std::size_t i = 0; i < sizeof(T); ++i) reversed[i] = from[sizeof(T) - 1 - i];
  return load_le<T>(reversed.data());
}

/// Whether a double has room for the bits between the highest and the lowest that is set.
[[nodiscard]] constexpr bool is_exact(std::uint64_t magnitude) noexcept {
  return magnitude == 0 || 64 - std::countl_zero(magnitude) - std::countr_zero(magnitude) <= 53;
}

/// Loads every element through `convert(from, to)`, which says whether it could.
template <class Convert>
[[nodiscard]] std::optional<failure> fill(matrix& m, const header& h, bytes data, const char* what,
                                          Convert&& convert) {
  const std::byte* from = data.data() + h.data_offset;
  // A rank-1 array has one order only. In Fortran's the file holds column after column.
  const bool by_column = h.is_fortran && h.shape.size() == 2;
  const std::uint64_t outer = by_column ? m.columns : m.rows;
  const std::uint64_t inner = by_column ? m.rows : m.columns;
  const std::uint64_t inner_step = by_column ? m.columns : 1;
  const std::uint64_t outer_step = by_column ? 1 : m.columns;
  for (std::uint64_t i = 0; i < outer; ++i) {
    double* to = m.values.data() + i * outer_step;
    for (std::uint64_t j = 0; j < inner; ++j, from += h.type.size)
      if (!convert(from, to[j * inner_step]))
        return wrong(static_cast<std::uint64_t>(from - data.data()), what);
  }
  return std::nullopt;
}

template <class Float>
[[nodiscard]] std::optional<failure> fill_floats(matrix& m, const header& h, bytes data) {
  return fill(m, h, data, "", [big = h.type.is_big_endian](const std::byte* from, double& to) {
    to = static_cast<double>(load<Float>(from, big));
    return true;
  });
}

template <class Int>
[[nodiscard]] std::optional<failure> fill_integers(matrix& m, const header& h, bytes data) {
  return fill(m, h, data, "a double can't represent this integer exactly",
              [big = h.type.is_big_endian](const std::byte* from, double& to) {
                const Int value = load<Int>(from, big);
                const auto bits = static_cast<std::uint64_t>(value);
                to = static_cast<double>(value);
                return is_exact(value < 0 ? 0 - bits : bits);
              });
}

[[nodiscard]] std::optional<failure> fill_values(matrix& m, const header& h, bytes data) {
  const bool is_signed = h.type.kind == 'i';
  switch (h.type.kind) {
    case 'b':
      return fill(m, h, data, "expected a boolean of 0 or 1",
                  [](const std::byte* from, double& to) {
                    to = std::to_integer<int>(*from);
                    return to <= 1;
                  });
    case 'f':
      if (h.type.size == 8) return fill_floats<double>(m, h, data);
      if (h.type.size == 4) return fill_floats<float>(m, h, data);
      return fill(m, h, data, "", [big = h.type.is_big_endian](const std::byte* from, double& to) {
        to = static_cast<double>(float_from_half(load<std::uint16_t>(from, big)));
        return true;
      });
    default: break;
  }
  switch (h.type.size) {
    case 1:
      return is_signed ? fill_integers<std::int8_t>(m, h, data)
                       : fill_integers<std::uint8_t>(m, h, data);
    case 2:
      return is_signed ? fill_integers<std::int16_t>(m, h, data)
                       : fill_integers<std::uint16_t>(m, h, data);
    case 4:
      return is_signed ? fill_integers<std::int32_t>(m, h, data)
                       : fill_integers<std::uint32_t>(m, h, data);
    default:
      return is_signed ? fill_integers<std::int64_t>(m, h, data)
                       : fill_integers<std::uint64_t>(m, h, data);
  }
}

}  // namespace

expected<matrix> read_npy(bytes data, std::uint64_t columns, const limits& limit) {
  const expected<header> read = read_header(data, of_matrix);
  if (!read) return read.error();
  const header& h = *read;
  const bool is_table = h.shape.size() == 2;
  const std::uint64_t left = data.size() - h.data_offset;
  std::uint64_t count = h.shape[0], size = 0;
  if (is_table && h.shape[1] != columns)
    return wrong(h.shape_offset, "expected " + std::to_string(columns) + " columns, found " +
                                     std::to_string(h.shape[1]));
  if ((is_table && !checked_mul(count, columns, count)) || !checked_mul(count, h.type.size, size) ||
      size > left)
    return wrong(data.size(), "the file ends after " + std::to_string(left) +
                                  " bytes of elements; the shape needs more");
  if (size < left)
    return wrong(h.data_offset + size,
                 "expected the end of the file after the last element, found bytes: " +
                     std::to_string(left - size));
  if (!is_table && (columns == 0 ? count != 0 : count % columns != 0))
    return wrong(h.shape_offset, "expected a multiple of " + std::to_string(columns) +
                                     " elements, found " + std::to_string(count));
  matrix m{is_table ? h.shape[0] : columns == 0 ? 0 : count / columns, columns};
  if (count > limit.max_items || m.rows > limit.max_items)
    return wrong(h.shape_offset,
                 "more than the limit of " + std::to_string(limit.max_items) + " elements");
  m.values.resize(static_cast<std::size_t>(count));
  if (count == 0) return m;
  if (std::optional<failure> why = fill_values(m, h, data)) return *std::move(why);
  return m;
}

namespace {

/// The start of a file up to its data, as NumPy writes it.
void append_header(text& out, std::string_view type, std::span<const std::uint64_t> shape) {
  text dictionary;
  dictionary << "{'descr': '" << type << "', 'fortran_order': False, 'shape': (";
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d != 0) dictionary << ", ";
    dictionary << shape[d];
  }
  if (shape.size() == 1) dictionary << ',';
  dictionary << "), }";
  // Room for the first extent to grow in place to 21 digits, then at least one blank up to a
  // multiple of 64: what NumPy itself does.
  std::size_t blanks = 0;
  if (!shape.empty()) {
    text digits;
    digits << shape[0];
    blanks = 21 - digits.size();
  }
  const std::size_t unpadded = 10 + dictionary.size() + blanks + 1;
  blanks += 64 - unpadded % 64;
  for (; blanks > 0; --blanks) dictionary << ' ';
  dictionary << '\n';
  char prefix[4] = {1, 0};
  store_le(prefix + 2, static_cast<std::uint16_t>(dictionary.size()));
  out << magic << std::string_view(prefix, sizeof prefix) << dictionary.view();
}

}  // namespace

text write_npy(const matrix& m) {
  text out;
  const std::uint64_t shape[] = {m.rows, m.columns};
  append_header(out, "<f8", shape);
  char* to = out.prepare(m.values.size() * 8);
  for (const double v : m.values) {
    store_le(to, v);
    to += 8;
  }
  out.advance(m.values.size() * 8);
  return out;
}

expected<array> read_npy_array(bytes data, const limits& limit) {
  const expected<header> read = read_header(data, of_array);
  if (!read) return read.error();
  const header& h = *read;
  const std::uint64_t left = data.size() - h.data_offset;
  // An extent of 0 makes the array empty, whatever the others are.
  const bool is_empty = std::count(h.shape.begin(), h.shape.end(), std::uint64_t{0}) != 0;
  std::uint64_t count = is_empty ? 0 : 1, size = 0;
  bool fits = true;
  for (std::size_t d = 0; d < h.shape.size() && !is_empty; ++d)
    fits = fits && checked_mul(count, h.shape[d], count);
  if (!fits || !checked_mul(count, h.type.size, size) || size > left)
    return wrong(data.size(), "the file ends after " + std::to_string(left) +
                                  " bytes of elements; the shape needs more");
  if (size < left)
    return wrong(h.data_offset + size,
                 "expected the end of the file after the last element, found bytes: " +
                     std::to_string(left - size));
  if (count > limit.max_items)
    return wrong(h.shape_offset,
                 "more than the limit of " + std::to_string(limit.max_items) + " elements");

  array out;
  out.type = {h.type.kind, static_cast<std::uint8_t>(h.type.size)};
  out.shape = h.shape;
  const std::byte* const from = data.data() + h.data_offset;
  out.data.assign(from, from + size);
  const auto width = static_cast<std::size_t>(h.type.size);
  if (h.is_fortran && h.shape.size() > 1) {  // the file's first dimension runs fastest
    std::vector<std::uint64_t> steps(h.shape.size(), 1), at(h.shape.size(), 0);
    for (std::size_t d = 1; d < steps.size(); ++d) steps[d] = steps[d - 1] * h.shape[d - 1];
    std::uint64_t element = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::copy_n(from + element * width, width, out.data.data() + i * width);
      for (std::size_t d = h.shape.size(); d-- > 0;) {
        element += steps[d];
        if (++at[d] < h.shape[d]) break;
        element -= steps[d] * h.shape[d];
        at[d] = 0;
      }
    }
  }
  if (h.type.is_big_endian && width > 1)
    for (std::size_t i = 0; i < out.data.size(); i += width)
      std::reverse(out.data.begin() + static_cast<std::ptrdiff_t>(i),
                   out.data.begin() + static_cast<std::ptrdiff_t>(i + width));
  return out;
}

text write_npy_array(const array& a) {
  const char type[] = {a.type.size == 1 ? '|' : '<', a.type.kind,
                       static_cast<char>('0' + a.type.size)};
  text out;
  append_header(out, {type, sizeof type}, a.shape);
  out << as_text(bytes{a.data.data(), a.data.size()});
  return out;
}

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI
