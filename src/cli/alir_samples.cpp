// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "alir.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "io/arrays.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// The range of each input, by the intervals of the operations that read it.
[[nodiscard]] std::vector<io::interval> input_intervals(const alir::program& p) {
  const alir::model& m = p.model();
  std::vector<io::interval> out(m.inp_shifts.size(), io::interval{-1, 1});
  std::vector<bool> seen(out.size());
  for (const alir::operation& o : m.ops) {
    if (o.code != alir::opcode::input) continue;
    const auto n = static_cast<std::size_t>(o.id0);
    const int exponent = -std::max(m.inp_shifts[n], -INT32_MAX);
    const double low = std::ldexp(o.qint.min, exponent);
    const double high = std::ldexp(o.qint.max, exponent);
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    out[n] = seen[n] ? io::interval{std::min(out[n].low, low), std::max(out[n].high, high)}
                     : io::interval{low, high};
    seen[n] = true;
  }
  return out;
}

/// A NAME as an index less than `count`.
[[nodiscard]] std::optional<port> index_of(const std::string& name, std::uint64_t count) {
  std::uint64_t v = 0;
  const char* const end = name.data() + name.size();
  const auto [at, code] = std::from_chars(name.data(), end, v);
  if (at != end || code != std::errc{} || v >= count) return std::nullopt;
  return v;
}

[[nodiscard]] std::string no_such(std::string_view what, const std::string& name,
                                  std::uint64_t count) {
  std::string out = "unknown " + std::string(what) + " '" + name + "': ";
  if (count == 0) return out + "the program has none";
  out += "ALIR " + std::string(what) + "s are numbered from 0";
  return count == 1 ? out : out + " to " + std::to_string(count - 1);
}

}  // namespace

port_names alir_samples::names(std::string_view what, std::uint64_t count) {
  return {[=](const std::string& name, std::string& wrong) {
            const std::optional<port> p = index_of(name, count);
            if (!p) wrong = no_such(what, name, count);
            return p;
          },
          [=](const std::string&, std::string&) { return std::optional<port>(count); }};
}

exit_code alir_samples::bind() {
  const exit_code code =
      bind_words(verb_, options_.inputs, names("input", columns()), true, files_);
  return code == success ? check_stdin(verb_, options_, files_) : code;
}

exit_code alir_samples::set() {
  const std::uint64_t width = columns();
  std::vector<char> given(program_.model().inp_shifts.size(), 0);
  std::vector<std::pair<std::uint64_t, io::matrix>> single;
  std::optional<std::uint64_t> rows = options_.samples;
  std::string rows_from = "--samples";
  bool has_all = false;
  for (const bound_word& b : files_) {
    const bool is_all = b.of == width;
    char& seen = is_all ? all_given_ : given[static_cast<std::size_t>(b.of)];
    if (std::exchange(seen, char{1}) != 0)
      return usage(is_all ? "two files for all inputs; for one input give INDEX=FILE"
                          : "two files for input " + std::to_string(b.of));
    io::expected<io::matrix> m =
        io::read_matrix(b.word, format_of(options_.input_format, b.word), is_all ? width : 1);
    if (!m) return to_.fail(m.error());
    // --samples takes the first rows of a longer file; files must have the same number of rows.
    if (rows && (m->rows < *rows || (m->rows != *rows && rows_from != "--samples")))
      return to_.fail(io::failure{io::fault::content,
                                  "expected " + std::to_string(*rows) + " rows, as given by " +
                                      rows_from + ", found " + std::to_string(m->rows),
                                  0, b.word});
    if (!rows) {
      rows = m->rows;
      rows_from = shown_name(b.word);
    }
    m->rows = *rows;
    m->values.resize(static_cast<std::size_t>(m->rows * m->columns));
    has_all = has_all || is_all;
    if (is_all)
      inputs_ = std::move(*m);
    else
      single.emplace_back(b.of, std::move(*m));
  }
  if (!has_all) {
    if (const exit_code code = make(rows, given); code != success) return code;
  }
  for (const auto& [column, m] : single)
    for (std::size_t row = 0; row < m.rows; ++row)
      inputs_.values[row * width + column] = m.values[row];
  if (inputs_.rows == 0) show_note("the inputs have 0 samples");
  if (has_all && options_.seed) show_note("--random has no effect: a file has all inputs");
  return success;
}

/// Random values for all inputs, or zeros if files give every column.
exit_code alir_samples::make(std::optional<std::uint64_t> rows, const std::vector<char>& given) {
  if (!options_.seed)
    for (std::size_t j = 0; j < given.size(); ++j)
      if (given[j] == 0)
        return usage("no values for input " + std::to_string(j) + "; give --input FILE with " +
                     std::to_string(columns()) + " columns, --input " + std::to_string(j) +
                     "=FILE, or --random SEED");
  inputs_.rows = rows.value_or(options_.seed ? 16 : 1);
  inputs_.columns = columns();
  if (const exit_code code = check_size("inputs", columns()); code != success) return code;
  if (const exit_code code = check_size("outputs", program_.model().out_idxs.size());
      code != success)
    return code;
  if (options_.seed)
    inputs_ = io::random_matrix(inputs_.rows, input_intervals(program_), *options_.seed);
  else
    inputs_.values.resize(static_cast<std::size_t>(inputs_.rows * columns()));
  return success;
}

exit_code alir_samples::check_size(std::string_view what, std::uint64_t width) const {
  std::uint64_t values = 0;
  if (checked_mul(inputs_.rows, width, values) && values <= limits{}.max_items &&
      inputs_.rows <= limits{}.max_items)
    return success;
  return usage(std::to_string(inputs_.rows) + " samples have too many " + std::string(what) +
               "; the maximum is " + std::to_string(limits{}.max_items) + " values per run");
}

exit_code fail_run(const vm::alir::outcome& done, std::uint64_t first, const source& file,
                   const reporting& to, std::string_view block) {
  const error e{done.code};
  text where;
  if (done.operation >= 0)
    where << "at " << block << "operation " << done.operation << ", sample " << first + done.sample;
  diagnostic d = diagnose(file.name, e.name(), std::string(e.message()));
  add_place(d, where);
  const exit_code code = to.fail(d, bad_input, file.what);
  note_limit(done.code, to);
  return code;
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
