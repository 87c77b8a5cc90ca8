// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR as C++: what is the same in all headers is text at the top of this file, tables are data, and
// instructions become statements of functions ("parts"), each a loop over the samples of a block.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tessera/transform/emit.hpp"
#include "transform/alir_values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using vm::alir::instruction;

/// Operands that the statements of a part have. Larger ones keep more values in registers, and take
/// compilers more than linear time.
constexpr std::size_t max_part_operands = 160;
/// Bytes of a row in a block, and those of all rows.
/// A short row keeps all of them in the first cache, and small batches from being filled up.
constexpr std::uint64_t row_bytes = 64, max_block_bytes = std::uint64_t{256} << 10;

constexpr std::string_view helpers = R"(
/// To the right with the sign.
[[nodiscard]] constexpr lane shift_right(lane v, int by) noexcept {
  return static_cast<lane>(static_cast<signed_lane>(v) >> by);
}
[[nodiscard]] constexpr lane positive(lane v) noexcept {
  return static_cast<signed_lane>(v) < 0 ? static_cast<lane>(0) : v;
}
/// Whether all bits of a mask are set.
[[nodiscard]] constexpr lane all_of(lane v, lane mask) noexcept {
  return static_cast<lane>((v & mask) == mask);
}

/// The values of a block that are kept between its parts.
template <std::size_t N>
struct memory {
  alignas(64) lane row[rows][N];
};
)";

constexpr std::string_view input_functions = R"(
struct input_row {
  std::uint32_t index, row;
  double factor[factors];
  std::uint64_t mask, sign;  // of the type that values are wrapped to
};

/// floor(v * 2^n) wrapped; of what has no int64 (not a number, too large), the least one.
[[nodiscard]] constexpr lane converted(const input_row& x, double v) noexcept {
  for (const double f : x.factor) v *= f;
  std::int64_t whole = INT64_MIN;
  if (v >= -9223372036854775808.0 && v < 9223372036854775808.0) {
    whole = static_cast<std::int64_t>(v);
    if (static_cast<double>(whole) > v) --whole;
  }
  return static_cast<lane>(((static_cast<std::uint64_t>(whole) & x.mask) ^ x.sign) - x.sign);
}

/// The values of one input, in all samples of a block.
template <std::size_t N>
constexpr void convert(const input_row& x, const double (&column)[N], lane (&row)[N]) noexcept {
  // |v| < 2^51: after adding 2^52 + 2^51 the low bits of v's significand are those of v rounded to
  // an integer.
  constexpr double magic = 0x1.8p52;
  constexpr auto magic_bits = std::bit_cast<std::uint64_t>(magic);
  std::uint64_t large = FLT_EVAL_METHOD == 0 ? 0 : std::uint64_t{1} << 63;
  for (std::size_t s = 0; s < N; ++s) {
    double v = column[s];
    for (const double f : x.factor) v *= f;
    large |= std::bit_cast<std::uint64_t>(0x1p51) - 1 -
             (std::bit_cast<std::uint64_t>(v) & (UINT64_MAX >> 1));
    const double whole = v + magic;
    const std::uint64_t low = std::bit_cast<std::uint64_t>(whole) - magic_bits -
                              (whole - magic > v ? std::uint64_t{1} : std::uint64_t{0});
    row[s] = static_cast<lane>(((low & x.mask) ^ x.sign) - x.sign);
  }
  if ((large >> 63) == 0) return;
  for (std::size_t s = 0; s < N; ++s) row[s] = converted(x, column[s]);
}
)";

constexpr std::string_view read_function = R"(
/// Samples are rows of a matrix that is needed by columns: eight of them at a time.
template <std::size_t N>
constexpr void read(const double* in, std::size_t samples, memory<N>& m) noexcept {
  constexpr std::size_t count = sizeof input_rows / sizeof input_rows[0];
  if constexpr (N == 1) {
    for (const input_row& x : input_rows) m.row[x.row][0] = converted(x, in[x.index]);
  } else {
    double tile[8][N] = {};
    for (std::size_t first = 0; first < count; first += 8) {
      const std::size_t width = count - first < 8 ? count - first : 8;
      for (std::size_t s = 0; s < samples; ++s)
        for (std::size_t j = 0; j < width; ++j)
          tile[j][s] = in[s * inputs + input_rows[first + j].index];
      for (std::size_t j = 0; j < width; ++j)
        convert(input_rows[first + j], tile[j], m.row[input_rows[first + j].row]);
    }
  }
}
)";

constexpr std::string_view output_functions = R"(
struct output_row {
  std::uint32_t row;
  bool negative, zero;
  double factor[factors];
};

template <std::size_t N>
constexpr void convert(const output_row& x, const lane (&row)[N], double (&column)[N]) noexcept {
  const auto flip = static_cast<lane>(x.negative ? -1 : 0);
  for (std::size_t s = 0; s < N; ++s) {
    const auto v = static_cast<lane>(static_cast<lane>(row[s] ^ flip) - flip);
    column[s] = static_cast<double>(static_cast<signed_lane>(v));
    for (const double f : x.factor) column[s] *= f;
  }
}
)";

constexpr std::string_view write_function = R"(
template <std::size_t N>
constexpr void write(const memory<N>& m, double* out, std::size_t samples) noexcept {
  constexpr std::size_t width = N == 1 ? 1 : 8;
  double tile[width][N] = {};
  for (std::size_t first = 0; first < outputs; first += width) {
    const std::size_t count = outputs - first < width ? outputs - first : width;
    for (std::size_t j = 0; j < count; ++j) {
      if (output_rows[first + j].zero)
        for (double& v : tile[j]) v = 0.0;
      else
        convert(output_rows[first + j], m.row[output_rows[first + j].row], tile[j]);
    }
    for (std::size_t s = 0; s < samples; ++s)
      for (std::size_t j = 0; j < count; ++j) out[s * outputs + first + j] = tile[j][s];
  }
}
)";

constexpr std::string_view run_functions = R"(
/// One sample. False: a lookup left its table, and nothing was written.
constexpr bool run([[maybe_unused]] const double* in, [[maybe_unused]] double* out) noexcept {
  return inner::block<1>(in, out, 1) == 1;
}

/// `samples` rows of `inputs` doubles to as many rows of `outputs` doubles. Returns how many ran: all,
/// or those before the first one for which a lookup left its table.
constexpr std::size_t run(const double* in, double* out, std::size_t samples) noexcept {
  std::size_t done = 0;
  while (done < samples) {
    const std::size_t left = samples - done;
    const std::size_t n = left <= inner::few ? 1 : left < inner::lanes ? left : inner::lanes;
    const double* const from = in + done * inputs;
    double* const to = out + done * outputs;
    const std::size_t ran =
        n == 1 ? inner::block<1>(from, to, n) : inner::block<inner::lanes>(from, to, n);
    done += ran;
    if (ran < n) break;
  }
  return done;
}
)";

/// Writes one header.
class cpp_writer {
 public:
  cpp_writer(alir_values&& values, std::string name)
      : v_(std::move(values)), name_(std::move(name)), bits_(v_.code.lane_bits) {}

  [[nodiscard]] text write() {
    make_parts();
    place_values();
    is_loaded_.resize(v_.list.size());
    head();
    tables();
    interface_rows();
    for (std::size_t k = 0; k < parts_.size(); ++k) write_part(k);
    tail();
    return std::move(out_);
  }

 private:
  using id = std::uint32_t;
  using kind = instruction::kind;
  static constexpr std::uint32_t no_row = UINT32_MAX;

  struct part {
    id first = 0, last = 0;
    bool may_trap = false;
  };

  // Parts and rows -------------------------------------------------------------------------------

  /// Constants have no statement, unless they are outputs.
  [[nodiscard]] bool has_statement(id x) const noexcept {
    return v_.is_constant(x) ? v_[x].is_output : v_.is_needed(x);
  }

  /// A lookup that may trap has a part of its own, so that it keeps no other loop from being
  /// vectorised.
  void make_parts() {
    part_of_.assign(v_.list.size(), 0);
    std::size_t operands = 0;
    for (auto x = static_cast<id>(v_.code.inputs.size()); x < v_.list.size(); ++x) {
      const alir_values::value& now = v_[x];
      const bool traps = now.how.what == kind::lookup;
      const bool begin = parts_.empty() || traps || parts_.back().may_trap ||
                         operands + now.count > max_part_operands;
      if (begin && has_statement(x)) {
        parts_.push_back({x, x, traps});
        operands = 0;
      } else if (parts_.empty()) {
        continue;  // constants at the start
      }
      operands += now.count + 1;
      parts_.back().last = x;
      part_of_[x] = static_cast<std::uint32_t>(parts_.size());
    }
  }

  /// Whether a value is kept in a row: one that is an input, an output, or read by another part.
  [[nodiscard]] bool is_kept(id x) const noexcept {
    if (!has_statement(x)) return false;
    const alir_values::value& now = v_[x];
    return now.is_output || now.input != alir_values::none ||
           (now.last_reader != alir_values::none && part_of_[now.last_reader] != part_of_[x]);
  }

  /// Rows are free again after the part with the last reader; a part reads before it writes.
  void place_values() {
    rows_.assign(v_.list.size(), no_row);
    std::vector<std::vector<std::uint32_t>> dying(parts_.size() + 1);
    std::vector<std::uint32_t> free;
    const auto place = [&](id x) {
      if (!is_kept(x)) return;
      if (free.empty()) free.push_back(row_count_++);
      rows_[x] = free.back();
      free.pop_back();
      if (!v_[x].is_output && v_[x].last_reader != alir_values::none)
        dying[part_of_[v_[x].last_reader]].push_back(rows_[x]);
    };
    id x = 0;
    for (; x < v_.code.inputs.size(); ++x) {
      place(x);
      reads_inputs_ = reads_inputs_ || rows_[x] != no_row;
    }
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      free.insert(free.end(), dying[k + 1].begin(), dying[k + 1].end());
      for (x = parts_[k].first; x <= parts_[k].last; ++x) place(x);
    }
    has_rows_ = row_count_ != 0;
    row_count_ = std::max(row_count_, 1u);
  }

  // What comes before and after the parts --------------------------------------------------------

  [[nodiscard]] std::uint64_t lane_bytes() const noexcept {
    return static_cast<std::uint64_t>(bits_) / 8;
  }
  /// Samples of a block: fewer where so many values are alive that a block would be too large.
  [[nodiscard]] std::uint64_t lanes() const noexcept {
    std::uint64_t n = row_bytes / lane_bytes();
    while (n > 2 && n * lane_bytes() * row_count_ > max_block_bytes) n /= 2;
    return n;
  }

  void head() {
    const std::uint64_t n = lanes();
    out_ << "// Made by tessera convert from an ALIR program. C++20, no dependencies.\n//\n"
         << "//   " << name_ << "::run(in, out);            // one sample; constexpr\n"
         << "//   " << name_ << "::run(in, out, samples);   // row-major [samples][n]\n//\n"
         << "// " << v_.code.n_inputs << (v_.code.n_inputs == 1 ? " input, " : " inputs, ")
         << v_.code.outputs.size() << (v_.code.outputs.size() == 1 ? " output, " : " outputs, ")
         << v_.code.operations << " operations, integers of " << bits_ << " bits that wrap around. "
         << "A block of " << n << " samples\n// takes " << n * lane_bytes() * row_count_
         << " bytes of stack, one sample " << lane_bytes() * row_count_
         << ". Safe to call from several threads.\n\n"
         << "#ifndef TESSERA_ALIR_" << name_ << "_HPP\n#define TESSERA_ALIR_" << name_
         << "_HPP\n\n#ifdef __FAST_MATH__\n"
         << "#error \"results are exact only without -ffast-math and -Ofast\"\n#endif\n\n"
         << "#include <bit>\n#include <cfloat>\n#include <cstddef>\n#include <cstdint>\n"
         << "#include <limits>\n\nnamespace " << name_ << " {\n\n"
         << "static_assert(std::numeric_limits<double>::is_iec559);\n\n"
         << "inline constexpr std::size_t inputs = " << v_.code.n_inputs
         << ", outputs = " << v_.code.outputs.size() << ", operations = " << v_.code.operations
         << ";\n/// Whether a lookup may leave its table.\ninline constexpr bool can_trap = "
         << (v_.code.can_trap ? "true" : "false") << ";\n\nnamespace inner {\n\n"
         << "using lane = std::uint" << bits_ << "_t;\nusing signed_lane = std::int" << bits_
         << "_t;\n"
         << "inline constexpr std::size_t rows = " << row_count_ << ", lanes = " << n
         << ", few = " << std::min<std::uint64_t>(n - 1, n / 16) << ", factors = " << factor_count()
         << ";\n"
         << helpers;
  }

  void tables() {
    std::vector<bool> used(v_.code.tables.size());
    for (const alir_values::value& x : v_.list)
      if (x.how.what == kind::lookup || x.how.what == kind::safe_lookup) used[x.how.b] = true;
    for (std::size_t t = 0; t < used.size(); ++t) {
      if (!used[t]) continue;
      // Of 32 bits even where less would do: processors gather no shorter ones.
      out_ << "\ninline constexpr std::int32_t table_" << t << "[] = {";
      const vm::alir::table& where = v_.code.tables[t];
      for (std::uint64_t k = 0; k < where.count; ++k) {
        out_ << (k % 16 == 0 ? "\n    " : " ");
        const std::int32_t entry = v_.code.table_data[static_cast<std::size_t>(where.first + k)];
        if (entry == INT32_MIN)
          out_ << "INT32_MIN,";
        else
          out_ << entry << ',';
      }
      out_ << "};\n";
    }
  }

  /// The powers of two whose product scales a number, so that what is rounded is rounded once:
  /// each but the last changes nothing but the exponent, or what comes out is 0 or infinite anyway.
  static std::vector<int> factors_of(int exponent) {
    std::vector<int> out;
    for (; exponent > 1023; exponent -= 1023) out.push_back(1023);
    for (; exponent < -2044; exponent += 1022) out.push_back(-1022);
    if (exponent < -1022) out.push_back(exponent + 1022), exponent = -1022;
    out.push_back(exponent);
    return out;
  }
  [[nodiscard]] std::size_t factor_count() const {
    std::size_t most = 1;
    for (const vm::alir::input& x : v_.code.inputs)
      most = std::max(most, factors_of(x.to_grid.exponent).size());
    for (const vm::alir::output& x : v_.code.outputs)
      if (!x.zero) most = std::max(most, factors_of(x.to_double.exponent).size());
    return most;
  }
  void factors(int exponent, std::size_t count) {
    std::vector<int> list = factors_of(exponent);
    list.insert(list.begin(), count - list.size(), 0);
    out_ << '{';
    for (std::size_t k = 0; k < count; ++k) out_ << (k == 0 ? "0x1p" : ", 0x1p") << list[k];
    out_ << '}';
  }

  void interface_rows() {
    const std::size_t count = factor_count();
    if (reads_inputs_) {
      out_ << input_functions << "\ninline constexpr input_row input_rows[] = {\n";
      for (id k = 0; k < v_.code.inputs.size(); ++k) {
        if (rows_[k] == no_row) continue;
        const vm::alir::input& x = v_.code.inputs[k];
        out_ << "    {" << x.index << ", " << rows_[k] << ", ";
        factors(x.to_grid.exponent, count);
        out_ << ", " << x.mask << "u, " << x.sign << "u},\n";
      }
      out_ << "};\n" << read_function;
    }
    if (v_.outputs.empty()) return;
    out_ << output_functions << "\ninline constexpr output_row output_rows[] = {\n";
    for (std::size_t j = 0; j < v_.outputs.size(); ++j) {
      const vm::alir::output& x = v_.code.outputs[j];
      out_ << "    {" << (x.zero ? 0 : rows_[v_.outputs[j]]) << ", "
           << (x.negative != 0 ? "true, " : "false, ") << (x.zero ? "true, " : "false, ");
      factors(x.zero ? 0 : x.to_double.exponent, count);
      out_ << "},\n";
    }
    out_ << "};\n" << write_function;
  }

  void tail() {
    out_ << "\n/// `samples` of them, at most N. Returns how many ran.\ntemplate <std::size_t N>\n"
         << "constexpr std::size_t block([[maybe_unused]] const double* in, "
         << "[[maybe_unused]] double* out,\n                            std::size_t samples) "
         << "noexcept {\n";
    if (reads_inputs_ || !parts_.empty() || !v_.outputs.empty())
      out_ << (has_rows_ ? "  memory<N> m;\n" : "  memory<N> m = {};\n");
    if (reads_inputs_) out_ << "  read(in, samples, m);\n";
    if (v_.code.can_trap) out_ << "  std::size_t first_trap = N;\n";
    for (std::size_t k = 0; k < parts_.size(); ++k)
      out_ << "  part_" << k << (parts_[k].may_trap ? "(m, first_trap);\n" : "(m);\n");
    if (v_.code.can_trap) out_ << "  if (first_trap < samples) samples = first_trap;\n";
    if (!v_.outputs.empty()) out_ << "  write(m, out, samples);\n";
    out_ << "  return samples;\n}\n\n}  // namespace inner\n"
         << run_functions << "\n}  // namespace " << name_ << "\n\n#endif  // TESSERA_ALIR_"
         << name_ << "_HPP\n";
  }

  // Statements -----------------------------------------------------------------------------------

  void write_part(std::size_t k) {
    const part& now = parts_[k];
    out_ << "\ntemplate <std::size_t N>\n[[gnu::noinline]] constexpr void part_" << k
         << "(memory<N>& m" << (now.may_trap ? ", std::size_t& first_trap" : "")
         << ") noexcept {\n  for (std::size_t s = 0; s < N; ++s) {\n";
    loaded_.clear();
    for (id x = now.first; x <= now.last; ++x)
      if (has_statement(x)) statement(x);
    for (id x = now.first; x <= now.last; ++x)
      if (rows_[x] != no_row) out_ << "    m.row[" << rows_[x] << "][s] = v" << x << ";\n";
    out_ << "  }\n}\n";
    for (const id x : loaded_) is_loaded_[x] = false;
  }

  /// Makes an operand of another part a local, once; likewise a constant.
  void load(id x, id reader) {
    if (has_statement(x) && part_of_[x] == part_of_[reader]) return;
    if (is_loaded_[x]) return;
    is_loaded_[x] = true;
    loaded_.push_back(x);
    out_ << "    const lane v" << x << " = ";
    if (v_.is_constant(x))
      out_ << number(static_cast<std::uint64_t>(v_[x].how.constant)) << ";\n";
    else
      out_ << "m.row[" << rows_[x] << "][s];\n";
  }

  /// A number modulo 2^lane bits. Lanes of 16 bits are computed with as int.
  std::string number(std::uint64_t c) const {
    if (bits_ < 64) c &= (std::uint64_t{1} << bits_) - 1;
    return joined(c, bits_ > 16 ? "u" : "");
  }
  /// An expression of integers brought to a lane, where that isn't its type already.
  std::string cast(const std::string& expression) const {
    return joined(bits_ == 16 ? "static_cast<lane>(" : "(", expression, ")");
  }
  static std::string name(id x) { return joined("v", x); }
  std::string shifted_left(const std::string& x, int by) const {
    return by == 0 ? x : cast(joined(x, " << ", by));
  }
  static std::string shifted_right(const std::string& x, int by) {
    return by == 0 ? x : joined("shift_right(", x, ", ", by, ")");
  }
  std::string wrapped(const std::string& x, const instruction& i) const {
    const std::uint64_t all = bits_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_) - 1;
    if ((i.mask() & all) == all) return x;
    const std::string kept = joined(x, " & ", number(i.mask()));
    if (i.sign() == 0) return cast(kept);
    return cast(joined("((", kept, ") ^ ", number(i.sign()), ") - ", number(i.sign())));
  }

  std::string sum(const alir_values::value& x) const {
    const auto c = static_cast<std::uint64_t>(x.how.constant);
    std::string out;
    for (const alir_values::operand& o : v_.operands_of(x)) {
      if (out.empty())
        out = o.negative ? number(0) + " - " : std::string();
      else
        out += o.negative ? " - " : " + ";
      out += shifted_left(name(o.value), o.left);
    }
    if (out.empty()) return cast(number(c));
    if (c == 0) return cast(out);
    return cast(c >> 63 != 0 ? joined(out, " - ", number(0 - c)) : joined(out, " + ", number(c)));
  }

  /// What a lookup indexes its table with.
  std::string index_of(const alir_values::value& x) const {
    const std::string from = name(v_.operands_of(x)[0].value);
    const auto base = static_cast<std::uint64_t>(x.how.constant);
    return base == 0 ? from : cast(joined(from, " - ", number(base)));
  }
  /// One that may trap, by the index that check_index declares.
  std::string lookup(const alir_values::value& x) const {
    const std::uint64_t count = v_.code.tables[x.how.b].count;
    return joined(
        "static_cast<lane>(table_", x.how.b, "[",
        x.how.what == kind::safe_lookup ? index_of(x) : joined("index < ", count, "u ? index : 0"),
        "])");
  }
  void check_index(const alir_values::value& x) {
    out_ << "    const auto index =\n        static_cast<std::uint64_t>(std::int64_t{"
         << "static_cast<signed_lane>(" << index_of(x)
         << ")});\n    if (index >= " << v_.code.tables[x.how.b].count
         << "u && s < first_trap) first_trap = s;\n";
  }

  std::string mux(const alir_values::value& x) const {
    const auto operands = v_.operands_of(x);
    return wrapped(
        cast(joined("((", name(operands[2].value), " >> ", x.how.bit, ") & 1u) ",
                    x.how.bit_value ? "!=" : "==", " 0u ? ", name(operands[0].value), " : ",
                    shifted_left(shifted_right(name(operands[1].value), x.how.right), x.how.left))),
        x.how);
  }
  std::string bits_of(const alir_values::value& x) const {
    const std::string from = name(v_.operands_of(x)[0].value);
    if (x.how.what == kind::invert) return wrapped(cast("~" + from), x.how);
    if (x.how.what == kind::any) return joined("static_cast<lane>(", from, " != 0)");
    return joined("all_of(", from, ", ", number(x.how.mask()), ")");
  }
  std::string binary(const alir_values::value& x, std::string_view sign) const {
    const auto operands = v_.operands_of(x);
    return cast(
        joined(name(operands[0].value), sign, shifted_left(name(operands[1].value), x.how.left)));
  }

  std::string expression(const alir_values::value& x) const {
    switch (x.how.what) {
      case kind::sum: return sum(x);
      case kind::quantize: return wrapped(shifted_right(sum(x), x.how.right), x.how);
      case kind::relu:
        return wrapped(
            shifted_left(shifted_right("positive(" + sum(x) + ")", x.how.right), x.how.left),
            x.how);
      case kind::mux: return mux(x);
      // Products of 16 bits don't fit int.
      case kind::multiply: return binary(x, bits_ == 16 ? " * 1u * " : " * ");
      case kind::lookup:
      case kind::safe_lookup: return lookup(x);
      case kind::invert:
      case kind::any:
      case kind::all: return bits_of(x);
      case kind::conjunction: return binary(x, " & ");
      case kind::disjunction: return binary(x, " | ");
      case kind::exclusive: return binary(x, " ^ ");
      case kind::input:
      case kind::end: break;
    }
    return number(0);
  }

  void statement(id x) {
    const alir_values::value& now = v_[x];
    for (const alir_values::operand& o : v_.operands_of(now)) load(o.value, x);
    if (now.how.what == kind::lookup) check_index(now);
    if (!v_.is_read(x)) return;
    out_ << "    const lane v" << x << " = " << expression(now) << ";\n";
  }

  text out_;
  alir_values v_;
  std::string name_;
  int bits_;
  std::vector<part> parts_;
  std::vector<std::uint32_t> part_of_;  ///< from 1; of inputs, 0
  std::vector<std::uint32_t> rows_;
  std::uint32_t row_count_ = 0;
  bool has_rows_ = false, reads_inputs_ = false;
  std::vector<bool> is_loaded_;
  std::vector<id> loaded_;
};

/// Words that can't be names in C++20, nor in Verilog.
constexpr std::string_view keywords =
    " alignas alignof always and and_eq asm assign auto automatic begin bitand bitor bool break "
    "buf "
    "bufif0 bufif1 case casex casez catch cell char char16_t char32_t char8_t class cmos co_await "
    "co_return co_yield compl concept config const const_cast consteval constexpr constinit "
    "continue "
    "deassign decltype default defparam delete design disable do double dynamic_cast edge else end "
    "endcase endconfig endfunction endgenerate endmodule endprimitive endspecify endtable endtask "
    "enum "
    "event explicit export extern false float for force forever fork friend function generate "
    "genvar "
    "goto highz0 highz1 if ifnone incdir include initial inline inout input instance int integer "
    "join "
    "large liblist library localparam long macromodule medium module mutable namespace nand "
    "negedge "
    "new nmos noexcept nor noshowcancelled not not_eq notif0 notif1 nullptr operator or or_eq "
    "output "
    "parameter pmos posedge primitive private protected public pull0 pull1 pulldown "
    "pullup pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg register "
    "reinterpret_cast "
    "release repeat requires return rnmos rpmos rtran rtranif0 rtranif1 scalared short "
    "showcancelled "
    "signed sizeof small specify specparam static static_assert static_cast std strong0 strong1 "
    "struct "
    "supply0 supply1 switch table task template this thread_local throw time tran tranif0 tranif1 "
    "tri "
    "tri0 tri1 triand trior trireg true try typedef typeid typename union unsigned use using "
    "vectored "
    "virtual void volatile wait wand wchar_t weak0 weak1 while wire wor xnor xor xor_eq main ";

}  // namespace

std::string identifier_of(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 200)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (letter || digit)
      out += c;
    else if (!out.empty() && out.back() != '_')  // two of them are reserved in C++
      out += '_';
  }
  while (out.ends_with('_')) out.pop_back();
  if (out.empty()) return "program";
  if (out[0] >= '0' && out[0] <= '9') out.insert(0, "p");
  if (keywords.find(' ' + out + ' ') != keywords.npos) out += '_';
  return out;
}

text to_cpp(const alir::program& p, std::string_view name) {
  // No processor gathers numbers of 16 bits.
  const int least = p.model().tables.empty() ? 16 : 32;
  return cpp_writer(alir_values(vm::alir::compile(p, {.min_lane_bits = least})),
                    identifier_of(name))
      .write();
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
