// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Files of numbers: .npy where the input begins like one, else .csv; and raw doubles. What is read
// keeps its limits and reads again as it was written, from every format that can hold it; numbers of
// text are those of std::strtod, elements of arrays those of the matrix. What isn't read is refused at
// a place inside.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/core/float16.hpp>
#include <vector>

#include "io/arrays.hpp"
#include "io/csv.hpp"
#include "io/npy.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

constexpr limits small = {.max_items = 500};

/// The number after `word` in a message; 0 where it isn't there.
[[nodiscard]] std::uint64_t number_after(const std::string& message, std::string_view word) {
  const std::size_t at = message.find(word);
  return at == std::string::npos ? 0
                                 : std::strtoull(message.c_str() + at + word.size(), nullptr, 10);
}

void check_failure(const io::failure& why, std::string_view source) {
  fuzz::require(why.kind == io::fault::content, "only the content can be wrong");
  const std::string message = why.message();
  if (message.starts_with("byte "))
    return fuzz::require(number_after(message, "byte ") <= source.size(), "a byte is inside");
  fuzz::require(message.starts_with("line "), "a failure has a place");
  const std::uint64_t line = number_after(message, "line ");
  const auto lines = static_cast<std::uint64_t>(std::count(source.begin(), source.end(), '\n'));
  fuzz::require(line >= 1 && line <= lines + 1, "a line is inside");
  for (std::uint64_t i = 1; i < line; ++i) source.remove_prefix(source.find('\n') + 1);
  const std::uint64_t column = number_after(message, "column ");
  fuzz::require(column >= 1 && column <= source.substr(0, source.find('\n')).size() + 1,
                "a column is inside");
}

/// Bit for bit; of a text, any NaN is as good as another.
[[nodiscard]] bool same(const io::matrix& a, const io::matrix& b, bool exact) {
  return a.rows == b.rows && a.columns == b.columns &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [&](double x, double y) {
                      return std::memcmp(&x, &y, sizeof x) == 0 ||
                             (!exact && std::isnan(x) && std::isnan(y));
                    });
}

void check_matrix(const io::matrix& m, fuzz::turns& turn) {
  fuzz::require(m.values.size() == m.rows * m.columns && m.values.size() <= small.max_items,
                "a matrix has its elements, within the limit");
  for (const auto format : {io::array_format::npy, io::array_format::csv, io::array_format::raw}) {
    if (!turn.one_in(8)) continue;
    const bool is_text = format == io::array_format::csv;
    if (m.columns == 0 && format != io::array_format::npy) continue;  // rows of nothing are lost
    const text written = io::encode_matrix(m, format);
    const auto again = io::decode_matrix(as_bytes(written.view()), format, m.columns, small);
    if (!again && format == io::array_format::raw) {  // doubles whose bytes are letters, or "PK"
      fuzz::require(again.error().message().ends_with(".csv or .npy"), "only what looks like text");
      continue;
    }
    fuzz::require(again && same(m, *again, !is_text), "what was written reads as what it was");
  }
}

void check_text(std::string_view source, fuzz::turns& turn) {
  const std::string_view first = source.substr(0, source.find('\n'));
  const auto columns = static_cast<std::uint64_t>(std::count(first.begin(), first.end(), ',')) + 1;
  if (turn.one_in(8))
    if (const auto wider = io::read_csv(source, columns + 1, small); !wider)
      check_failure(wider.error(), source);
  const auto m = io::read_csv(source, columns, small);
  if (!m) return check_failure(m.error(), source);
  check_matrix(*m, turn);
  if (!turn.one_in(4)) return;
  // From the end, because there may be a heading: fields that std::strtod reads the same.
  std::size_t left = m->values.size();
  std::string field;
  for (std::size_t end = source.size(); left != 0;) {
    std::size_t begin = end;
    while (begin != 0 && source[begin - 1] != ',' && source[begin - 1] != '\n') --begin;
    field.assign(source.substr(begin, end - begin));
    if (begin == 0 && field.starts_with("\xef\xbb\xbf")) field.erase(0, 3);
    char* stop = nullptr;
    const double value = std::strtod(field.c_str(), &stop);
    if (stop != field.c_str()) {
      const double found = m->values[--left];
      fuzz::require(found == value || (std::isnan(found) && std::isnan(value)),
                    "a field is the number that std::strtod reads");
    }
    fuzz::require(begin != 0 || left == 0, "a matrix has only what its text has");
    end = begin - (begin != 0);
  }
}

/// An element as a double, as the matrix has it.
[[nodiscard]] double element(const io::array& a, std::size_t i) {
  const std::byte* const at = a.data.data() + i * a.type.size;
  std::uint64_t bits = 0;
  for (std::size_t k = a.type.size; k-- > 0;)
    bits = bits << 8 | std::to_integer<std::uint64_t>(at[k]);
  if (a.type.kind == 'f') {
    if (a.type.size == 8) return load_le<double>(at);
    if (a.type.size == 4) return static_cast<double>(load_le<float>(at));
    return static_cast<double>(float_from_half(static_cast<std::uint16_t>(bits)));
  }
  const unsigned unused = 64 - 8u * a.type.size;
  if (a.type.kind == 'i')
    return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
  return static_cast<double>(bits);
}

void check_npy(bytes source, fuzz::turns& turn) {
  const auto a = io::read_npy_array(source, small);
  if (!a) check_failure(a.error(), as_text(source));
  if (a && turn.one_in(8)) {
    fuzz::require(a->data.size() <= small.max_items * 8, "an array keeps its limits");
    const text written = io::write_npy_array(*a);
    const auto again = io::read_npy_array(as_bytes(written.view()), small);
    fuzz::require(
        again && again->type == a->type && again->shape == a->shape && again->data == a->data,
        "an array reads as it was written");
  }
  const std::uint64_t columns = a && a->shape.size() == 2 ? a->shape[1] : 1;
  const auto m = io::read_npy(source, columns, small);
  if (!m) return check_failure(m.error(), as_text(source));
  check_matrix(*m, turn);
  // Where only the matrix is read, a table of no columns has more rows than an array has elements.
  fuzz::require(a || m->values.empty(), "a matrix is an array");
  for (std::size_t i = 0; i < m->values.size(); ++i) {
    const double x = element(*a, i), y = m->values[i];
    fuzz::require(x == y || (std::isnan(x) && std::isnan(y)), "a matrix has an array's elements");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  fuzz::turns turn(source);
  if (source.starts_with('\x93'))
    check_npy(as_bytes(source), turn);
  else
    check_text(source, turn);
  if (!turn.one_in(4)) return 0;
  const std::string_view name = source.substr(0, 40);
  fuzz::require((io::array_format_of_name(name) == io::array_format::npy) <=
                    (name.find(".npy") != std::string_view::npos),
                "a format is that of the ending");
  const std::uint64_t columns = 1 + fuzz::below(source, 3);
  const auto raw = io::decode_matrix(as_bytes(source), io::array_format::raw, columns, small);
  if (raw) check_matrix(*raw, turn);
  return 0;
}
