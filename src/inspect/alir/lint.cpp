// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/lint.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tessera/core/findings.hpp>
#include <tessera/core/shortest.hpp>

#include "operands.hpp"
#include "tessera/inspect/alir/duplicates.hpp"
#include "tessera/inspect/alir/ranges.hpp"
#include "vm/alir/range.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using alir::opcode;

class linter {
 public:
  linter(const alir::program& p, report& found, const alir_lint_options& options)
      : p_(p),
        m_(p.model()),
        options_(options),
        found_(&found, options.max_diagnostics),
        ranges_(p, alir_assumption::intervals) {}

  void run() {
    if (!m_.source.is_bytecode) check_ranges();
    check_dead();
    check_duplicates();
    check_outputs();
    for (std::size_t i = 0; i < p_.size(); ++i) check_shifts(i);
    if (!m_.source.is_bytecode)
      for (std::size_t i = 0; i < p_.size(); ++i) check_costs(i);
  }

 private:
  using writer = tessera::detail::findings::writer;
  using part = std::uint64_t (*)(const alir::source_map::place&);

  [[nodiscard]] place place_of(std::size_t i, part distance) const {
    if (i >= m_.source.ops.size()) return {0, i, 0, error_index::operation};
    const alir::source_map::place& at = m_.source.ops[i];
    return {0, at.start + distance(at), 0, error_index::none};
  }
  [[nodiscard]] place place_of(std::size_t i) const {
    return place_of(i, [](const alir::source_map::place&) { return std::uint64_t{0}; });
  }
  [[nodiscard]] place interval_of(std::size_t i) const {
    return place_of(i, [](const alir::source_map::place& at) { return std::uint64_t{at.qint}; });
  }
  /// Bytecode has no paths that could be looked up.
  [[nodiscard]] writer warn(errc code, std::size_t i, const place& where) {
    const std::string path = m_.source.is_bytecode ? name_of(i) : std::string();
    return found_.add(code, severity::warning, where, {}, path);
  }
  [[nodiscard]] writer warn(errc code, std::size_t i) { return warn(code, i, place_of(i)); }
  [[nodiscard]] std::string name_of(std::size_t i) const {
    return "operation " + std::to_string(i) + " (" + std::string(inspect::name_of(p_.op(i))) + ")";
  }

  // Numbers ---------------------------------------------------------------------------------------

  [[nodiscard]] static std::string shown(double v) {
    text out;
    if (std::isfinite(v))
      append_double(out, v, double_style::python);
    else
      out << (v > 0 ? "inf" : v < 0 ? "-inf" : "nan");
    return std::string(out.view());
  }
  [[nodiscard]] double real(std::size_t i, std::int64_t v) const noexcept {
    return std::ldexp(static_cast<double>(v), -p_.type(i).f);
  }
  [[nodiscard]] std::string shown(std::size_t i, const alir_range& r) const {
    return "[" + shown(real(i, r.low)) + ", " + shown(real(i, r.high)) + "]";
  }

  // Ranges ----------------------------------------------------------------------------------------

  struct suspect {
    std::size_t operation;
    bool is_table;
  };

  [[nodiscard]] alir_range table_range(std::size_t i) const noexcept {
    const auto table = static_cast<std::size_t>(p_.op(i).data);
    const std::int64_t base = p_.base(i);
    return {base, base + static_cast<std::int64_t>(m_.tables[table].count) - 1, false, false};
  }
  /// What an operation hands on: its values within its interval.
  [[nodiscard]] alir_range kept(std::size_t i) const noexcept {
    const alir_range& r = ranges_[i];
    const alir_range declared = ranges_.declared(i);
    if (r.within(declared)) return r;
    const alir_range both{std::max(r.low, declared.low), std::min(r.high, declared.high), false,
                          false};
    return both.low <= both.high ? both : declared;
  }

  void check_ranges() {
    std::vector<suspect> suspects;
    std::vector<alir_search> wanted;
    const auto suspicious = [&](std::size_t i, bool is_table, std::size_t operation,
                                const alir_range& limits) {
      suspects.push_back({i, is_table});
      wanted.push_back({operation, limits.low, limits.high});
    };
    for (std::size_t i = 0; i < p_.size(); ++i) {
      const alir_range declared = ranges_.declared(i);
      if (!ranges_[i].within(declared) || ranges_[i].may_wrap) suspicious(i, false, i, declared);
      if (p_.op(i).code != opcode::lookup) continue;
      const auto operand = static_cast<std::size_t>(p_.op(i).id0);
      if (!kept(operand).within(table_range(i))) suspicious(i, true, operand, table_range(i));
    }
    // A note lists the inputs that it needs, which takes a look at all operations before.
    const std::size_t most = std::max<std::size_t>(16, (std::size_t{1} << 28) / (p_.size() + 1));
    const std::vector<alir_example> examples =
        find_examples(p_, std::span(wanted).first(std::min(wanted.size(), most)), options_.seed);
    for (std::size_t k = 0; k < suspects.size(); ++k) {
      const alir_example none;
      const alir_example& e = k < examples.size() ? examples[k] : none;
      if (suspects[k].is_table)
        report_table(suspects[k].operation, e);
      else
        report_overflow(suspects[k].operation, e);
    }
  }

  void report_overflow(std::size_t i, const alir_example& e) {
    const alir_range& r = ranges_[i];
    const alir::interval& q = p_.op(i).qint;
    if (is_masked_entry(i, e)) return;
    auto out = warn(errc::alir_overflow, i, interval_of(i));
    out << name_of(i) << (e.found || r.is_reached ? " exceeds" : " may exceed");
    const vm::alir::range type = vm::alir::values_of(p_.type(i));
    if (holds_interval(i, type))
      out << " its declared interval [" << shown(q.min) << ", " << shown(q.max) << "]";
    else
      out << " its type: " << p_.type(i).width() << " bits hold "
          << shown(i, {type.low, type.high, false, false}) << " of its declared interval ["
          << shown(q.min) << ", " << shown(q.max) << "]";
    if (r.may_wrap)
      out << ": its values may need more than 64 bits, and wrap around";
    else
      out << ": its values " << (r.is_reached ? "reach " : "lie in ") << shown(i, r);
    write_example(out, i, e);
  }
  /// Whether the type holds the declared interval, which the format's rule for widths doesn't
  /// always grant.
  [[nodiscard]] bool holds_interval(std::size_t i, const vm::alir::range& type) const noexcept {
    const alir::interval& q = p_.op(i).qint;
    return (q.min == 0 && q.max == 0) ||
           (std::round(q.max / q.step) <= static_cast<double>(type.high) &&
            std::round(q.min / q.step) >= static_cast<double>(type.low));
  }
  /// Compilers fill entries that no input reaches with 0. An interval without 0 says so, as long as
  /// no input is known that reaches one.
  [[nodiscard]] bool is_masked_entry(std::size_t i, const alir_example& e) const {
    if (p_.op(i).code != opcode::lookup || e.found || ranges_[i].is_reached) return false;
    const alir_range declared = ranges_.declared(i);
    const auto list = entries(m_, m_.tables[static_cast<std::size_t>(p_.op(i).data)]);
    return std::all_of(list.begin(), list.end(),
                       [&declared](std::int32_t v) { return v == 0 || declared.contains(v); });
  }

  void report_table(std::size_t i, const alir_example& e) {
    const auto operand = static_cast<std::size_t>(p_.op(i).id0);
    const alir_range r = kept(operand), table = table_range(i);
    auto out =
        warn(errc::alir_table_short, i,
             place_of(i, [](const alir::source_map::place& at) { return std::uint64_t{at.data}; }));
    const std::uint64_t count = m_.tables[static_cast<std::size_t>(p_.op(i).data)].count;
    out << name_of(i) << (e.found || r.is_reached ? " exceeds" : " may exceed") << " table "
        << p_.op(i).data << ": " << (count == 1 ? "the entry is for " : "the entries are for ")
        << shown(operand, table) << ", and " << name_of(operand)
        << (r.is_reached ? " reaches " : " lies in ") << shown(operand, r);
    write_example(out, operand, e);
  }

  void write_example(writer out, std::size_t operation, const alir_example& e) {
    if (!e.found) return;
    const std::string value = shown(real(operation, e.value));
    out.note() << "for example ";
    const std::vector<bool> needed = inputs_of(operation);
    std::size_t count = 0;
    for (std::size_t j = 0; j < needed.size(); ++j) {
      if (!needed[j] || ++count > max_inputs_shown) continue;
      out << (count == 1 ? "" : ", ") << "input " << j << " = " << shown(e.inputs[j]);
    }
    if (count > max_inputs_shown) out << " and " << count - max_inputs_shown << " more";
    if (count == 0)
      out << "for all inputs, where it is " << value;
    else
      out << (count == 1 ? " gives " : " give ") << value;
  }
  [[nodiscard]] std::vector<bool> inputs_of(std::size_t operation) const {
    std::vector<bool> needed(operation + 1), out(m_.inp_shifts.size());
    needed[operation] = true;
    for (std::size_t i = operation + 1; i-- > 0;) {
      if (!needed[i]) continue;
      if (p_.op(i).code == opcode::input) out[static_cast<std::size_t>(p_.op(i).id0)] = true;
      each_operand(p_, i, [&needed](std::size_t x) { needed[x] = true; });
    }
    return out;
  }

  // Structure -------------------------------------------------------------------------------------

  void check_dead() {
    std::vector<bool> needed(p_.size());
    for (const std::int32_t x : m_.out_idxs)
      if (x >= 0) needed[static_cast<std::size_t>(x)] = true;
    for (std::size_t i = p_.size(); i-- > 0;)
      if (needed[i]) each_operand(p_, i, [&needed](std::size_t x) { needed[x] = true; });
    for (std::size_t i = 0; i < p_.size(); ++i)
      if (!needed[i] && p_.op(i).code != opcode::input)
        warn(errc::alir_dead_operation, i) << "no output needs " << name_of(i);
  }

  void check_duplicates() {
    const alir_duplicates same(p_);
    for (std::size_t i = 0; i < p_.size(); ++i) {
      if (!same.is_needless(i)) continue;
      const std::size_t other = same.with_value(i);
      const auto out = warn(errc::alir_duplicate_operation, i)
                       << name_of(i) << " computes the same as operation " << other;
      place first_place = place_of(other);
      first_place.length = 1;
      out.note(first_place) << "computed here first";
    }
  }

  /// A warning where an output is computed and always the same; a note where the file says so
  /// itself.
  void check_outputs() {
    for (std::size_t j = 0; j < m_.out_idxs.size(); ++j) {
      const std::int32_t x = m_.out_idxs[j];
      double v = 0;
      bool is_computed = false;
      if (x >= 0) {
        const auto i = static_cast<std::size_t>(x);
        const alir_range r = kept(i);
        if (r.low != r.high) continue;
        is_computed = p_.op(i).code != opcode::constant;
        v = std::ldexp(real(i, r.low), m_.out_shifts[j]);
        if (m_.out_negs[j] != 0) v = 0 - v;
      }
      const bool has_place = j < m_.source.outputs.size();
      found_.add(errc::alir_constant_output, is_computed ? severity::warning : severity::note,
                 {0, has_place ? m_.source.outputs[j] : j, 0,
                  has_place ? error_index::none : error_index::output},
                 {}, m_.source.is_bytecode ? "out_idxs[" + std::to_string(j) + "]" : std::string())
          << "output " << j << " is " << shown(v) << " for all inputs";
    }
  }

  // Shifts ----------------------------------------------------------------------------------------

  void check_shifts(std::size_t i) {
    const alir::operation& o = p_.op(i);
    const alir::alignment s = p_.shifts(i);
    const auto id = [](std::int32_t x) { return static_cast<std::size_t>(x); };
    switch (o.code) {
      case opcode::add:
      case opcode::subtract:
        check_shift(i, id(o.id0), s.a + s.result, false);
        return check_shift(i, id(o.id1), s.b + s.result, false);
      case opcode::add_constant: {
        check_shift(i, id(o.id0), s.a + s.result, false);
        const std::int64_t by = s.b + s.result;
        if (o.data != 0 && by < 0 &&
            ((o.data < 0 ? ~o.data : o.data) >> std::min<std::int64_t>(-by, 63)) == 0)
          report_shift(i, by) << "the constant " << o.data;
        return;
      }
      case opcode::sum: {
        const std::int64_t common = p_.sum_fraction(i);
        for (const alir::term& t : terms(m_, o))
          check_shift(i, id(t.id), p_.term_shift(common, t) + s.result, false);
        return;
      }
      case opcode::relu:
      case opcode::quantize: return check_shift(i, id(o.id0), s.result, true);
      case opcode::mux:
        check_shift(i, id(o.id0), s.a, true);
        return check_shift(i, id(o.id1), s.b, true);
      case opcode::negate:
      case opcode::input:
      case opcode::constant:
      case opcode::multiply:
      case opcode::lookup:
      case opcode::bit_unary:
      case opcode::bit_binary: return;
    }
  }
  /// A sign may be left of what is shifted to the right by its width.
  void check_shift(std::size_t i, std::size_t operand, std::int64_t by, bool wraps) {
    const alir_range r = kept(operand);
    if (r.low == 0 && r.high == 0) return;
    const bool to_left = wraps && by > 0 && by >= p_.type(i).width();
    if (to_left || (by < 0 && -by >= p_.type(operand).width()))
      report_shift(i, by) << name_of(operand);
  }
  [[nodiscard]] writer report_shift(std::size_t i, std::int64_t by) {
    auto out = warn(errc::alir_shifted_out, i);
    out << name_of(i) << " shifts by " << std::abs(by)
        << (by < 0 ? " to the right" : " to the left") << ", by all bits of ";
    return out;
  }

  // Latency and cost ------------------------------------------------------------------------------

  void check_costs(std::size_t i) {
    const alir::operation& o = p_.op(i);
    if (o.latency < 0 || o.cost < 0)
      warn(errc::alir_negative_cost, i)
          << name_of(i) << " has " << (o.latency < 0 ? "latency " : "cost ")
          << shown(o.latency < 0 ? o.latency : o.cost) << "; expected at least 0";
    std::size_t latest = i;
    each_operand(p_, i, [&](std::size_t x) {
      if (latest == i || p_.op(x).latency > p_.op(latest).latency) latest = x;
    });
    // Sums of a compiler may differ in their last bits.
    const double at = p_.op(latest).latency;
    if (latest != i && o.latency < at - 1e-9 * std::abs(at))
      warn(errc::alir_latency_order, i)
          << name_of(i) << " has latency " << shown(o.latency) << "; expected at least "
          << shown(at) << ", that of " << name_of(latest);
  }

  const alir::program& p_;
  const alir::model& m_;
  alir_lint_options options_;
  tessera::detail::findings found_;
  alir_ranges ranges_;

  static constexpr std::size_t max_inputs_shown = 32;
};

}  // namespace

void lint(const alir::program& p, report& found, const alir_lint_options& options) {
  linter(p, found, options).run();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
