// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC verification of OPS and TRNG: operations and their arguments, prefixes, branches, uses.
//
//   detail::code_rules rules{file, options, found, constants, forms, constant_of};
//   const bool resolved = rules.resolve_and_check(file.instructions(), code, used, true);
//
// One pass over the instructions, and one more where an argument can't be resolved; each operation
// is looked up once.
//
// Lifetime:   for the time of a call.
// Errors:     findings of nac_operation_reserved … nac_saved_result, nac_branch_nesting, nac_branch_result
//             and nac_prefix, and those of `resolve`.
// Limits:     none of its own.
// Allocation: 13 bytes for an instruction, 16 more for an INPUT.

#ifndef TESSERA_NAC_DETAIL_RULES_CODE_HPP
#define TESSERA_NAC_DETAIL_RULES_CODE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/pool.hpp"
#include "../model.hpp"
#include "../operations.hpp"
#include "../verify.hpp"
#include "places.hpp"
#include "rules_report.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// Who uses the results of instructions.
struct uses {
  pool<std::uint32_t> first;  ///< the first one that takes the result, or none
  pool<std::uint32_t> last;   ///< the last one; the instruction itself where there is none
};

/// An INPUT, or an OUTPUT of variant 3, which uses a parameter too.
struct incoming {
  std::uint64_t offset = 0;
  std::uint32_t index = 0;
  std::uint16_t id = 0;
  std::uint8_t a = 0, b = 0;

  [[nodiscard]] bool is(input i) const noexcept {
    return a == op_input && b == static_cast<std::uint8_t>(i);
  }
  [[nodiscard]] bool uses_parameter() const noexcept {
    return a == op_output || is(input::parameter);
  }
  /// Where the id is.
  [[nodiscard]] std::uint64_t id_offset() const noexcept { return offset + 4; }
};

/// The branches that an instruction is in: a stack of their ends.
class branches {
 public:
  explicit branches(std::uint32_t size) : size_(size) {}
  /// Goes on to instruction `i`.
  void enter(std::uint32_t i) {
    while (!ends_.empty() && ends_.back() <= i) ends_.pop_back();
  }
  /// Where the innermost branch ends.
  [[nodiscard]] std::uint32_t end() const noexcept { return ends_.empty() ? size_ : ends_.back(); }
  void open(std::uint32_t end) { ends_.push_back(end); }

 private:
  pool<std::uint32_t> ends_;
  std::uint32_t size_;
};

struct code_rules {
  const model& f;
  const verify_options& options;
  findings& found;
  const pool<constant>& constants;
  const pool<argument_form>& forms;
  const id_table& constant_of;

  operation operations[256] = {};
  bool operation_known[256] = {};
  pool<incoming> sources = {};     // of the list that was checked last
  bool has_output = false;         // and whether it has an OUTPUT of variant 0
  bool training = false;           // whether it is that of TRNG
  pool<std::uint8_t> broken = {};  // by instruction: its arguments can't be resolved

  [[gnu::cold]] void put_path(findings::writer to, const instruction& i,
                              std::uint64_t offset) const {
    put_instruction(to.path(), f, i, offset, training);
  }

  [[nodiscard]] operation operation_of(std::uint8_t a) {
    if (!operation_known[a]) operations[a] = find_operation(f.operation_name(a));
    operation_known[a] = true;
    return operations[a];
  }

  /// The word that gives argument `k`.
  [[nodiscard]] static std::uint64_t word(const instruction& i, std::size_t k) noexcept {
    if (i.a == op_convergence) return i.c_offset(0);
    if (i.a < first_regular_op || i.d[k] != 0) return i.d_offset(k);
    std::size_t constants_before = 0;
    for (std::size_t before = 0; before < k; ++before)
      constants_before += i.d[before] == 0 ? 1u : 0u;
    return i.c_offset(constants_before);
  }

  // ---- one instruction

  void prefix(const instruction& i) {
    if (!i.has_prefix || i.a == op_convergence) return;
    bool usual = i.prefix >= 0;
    if (i.a < first_regular_op) {
      const auto given = static_cast<std::uint16_t>(i.prefix);
      usual = given == i.c.size() || given == static_cast<std::uint16_t>(i.c.size() + 1);
    }
    if (usual) return;
    const std::uint64_t at = i.offset + 2;
    auto to = options.strict_prefixes ? found.error(errc::nac_prefix, {.offset = at})
                                      : found.warning(errc::nac_prefix, {.offset = at});
    to << "prefix " << i.prefix << "; expected ";
    if (i.a < first_regular_op)
      to << i.c.size() << ", or " << i.c.size() + 1 << " where it counts itself";
    else
      to << "the number of constants, 0 or more";
    put_path(to, i, at);
  }

  /// What an operation is with these arguments, which it has to take.
  [[nodiscard]] operation arguments(const instruction& i, view<argument> given, operation o) {
    argument_form kinds[256];
    for (std::size_t k = 0; k < given.size(); ++k)
      kinds[k] = given[k].is_constant() ? forms[constant_of[given[k].id()]] : argument_form::result;
    if (o == operation::view) o = view_or_squeeze(f.operation_name(i.a), {kinds, given.size()});
    binding unused;
    const match m = bind(pattern(o), {kinds, given.size()}, unused);
    if (m.what == match::kind::count) {
      auto to = found.error(errc::nac_argument_count, {.offset = i.offset + 1});
      to << 'v' << i.index << " = " << f.operation_name(i.a) << ": ";
      put_count(to, given.size(), "argument");
      const argument_counts n = counts_of(pattern(o));
      if (given.size() >= n.min && (n.is_unbounded || given.size() <= n.max))
        to << "; argument " << m.argument << " is unexpected";
      else if (n.is_unbounded)
        to << "; expected at least " << n.min;
      else if (n.min == n.max)
        to << "; expected " << n.min;
      else
        to << "; expected " << n.min << (n.max == n.min + 1 ? " or " : " to ") << n.max;
      put_path(to, i, i.offset + 1);
    }
    if (m.what == match::kind::form) {
      const std::uint64_t at = word(i, m.argument);
      auto to = found.error(errc::nac_argument_type, {.offset = at});
      to << 'v' << i.index << " = " << f.operation_name(i.a) << ": argument " << m.argument
         << " is " << name_of(kinds[m.argument]) << "; expected ";
      put_expected_forms(to, pattern(o), kinds, m.argument);
      put_path(to, i, at);
    }
    return o;
  }

  /// What an instruction is; `model`: of OPS.
  void what(const instruction& i, bool model) {
    if (i.a >= first_regular_op) {
      if (f.operation_name(i.a).empty()) {
        auto to = found.error(errc::nac_operation_unknown, {.offset = i.offset});
        to << "operation " << unsigned{i.a} << " has no name: CMAP doesn't have it, and version "
           << unsigned{f.version()} << " predefines none";
        put_path(to, i, i.offset);
      } else if (model && operation_of(i.a) == operation::unknown) {  // valid, but doesn't run
        auto to = found.warning(errc::nac_operation_unsupported, {.offset = i.offset});
        to << "unsupported operation \"" << f.operation_name(i.a) << "\": the program can't run";
        put_path(to, i, i.offset);
      }
    } else if (i.a == op_input) {
      if (model && i.b > static_cast<std::uint8_t>(input::lifted_constant)) {
        auto to = found.error(errc::nac_input_place, {.offset = i.offset + 1});
        to << "INPUT of variant " << unsigned{i.b} << " in OPS; variants 4 and 5 belong in TRNG";
        put_path(to, i, i.offset + 1);
      }
      if (!model && i.b == static_cast<std::uint8_t>(input::saved_result) &&
          i.c[0] >= f.instructions().size()) {
        auto to = found.error(errc::nac_saved_result, {.offset = i.c_offset(0)});
        to << "INPUT of variant 4 names instruction " << i.c[0] << "; OPS has ";
        put_count(to, f.instructions().size(), "instruction");
        put_path(to, i, i.c_offset(0));
      }
    } else if (i.a == op_output) {
      if (i.b == static_cast<std::uint8_t>(output::reserved) ||
          (model && i.b > static_cast<std::uint8_t>(output::reserved))) {
        auto to = found.error(errc::nac_output_place, {.offset = i.offset + 1});
        to << "OUTPUT of variant " << unsigned{i.b} << " in " << (model ? "OPS" : "TRNG")
           << "; variant 2 is reserved, and 3 and 4 belong in TRNG";
        put_path(to, i, i.offset + 1);
      }
    } else if (i.a == op_convergence) {
      if (i.b > 100) {
        auto to = found.error(errc::nac_convergence_threshold, {.offset = i.offset + 1});
        to << "threshold " << unsigned{i.b} << "; expected 0 to 100";
        put_path(to, i, i.offset + 1);
      }
    } else if (i.a != op_control_flow) {
      auto to = found.error(errc::nac_operation_reserved, {.offset = i.offset});
      to << "operation " << unsigned{i.a} << " is reserved and can't run";
      put_path(to, i, i.offset);
    }
    prefix(i);
  }

  [[gnu::cold]] void nesting(const instruction& i, std::uint64_t at, std::uint32_t end,
                             std::uint32_t around) {
    auto to = found.error(errc::nac_branch_nesting, {.offset = at});
    to << "the branches end before instruction " << end << ", the branch around them before "
       << around;
    put_path(to, i, at);
  }
  /// The branches that follow an instruction have to end inside the one around it.
  void open(const instruction& i, view<argument> given, branches& around) {
    if (i.a == op_control_flow) {
      const std::uint32_t middle = i.index + 1 + given[1].index(), end = middle + given[2].index();
      if (end > around.end()) return nesting(i, i.c_offset(1), end, around.end());
      around.open(end);
      around.open(middle);
    } else if (i.a == op_convergence && given.size() > 2) {
      if (given[1].index() > around.end())
        return nesting(i, i.d_offset(0), given[1].index(), around.end());
      around.open(given[1].index());
      for (std::size_t k = given.size() - 1; k > 2; --k) around.open(given[k].index());
    }
  }

  /// How many of an instruction's arguments may be results.
  [[nodiscard]] static std::size_t operands(const instruction& i, view<argument> given) noexcept {
    if (i.a == op_convergence || i.a == op_control_flow) return 1;
    return i.a == op_output && i.b == static_cast<std::uint8_t>(output::end) ? 0 : given.size();
  }

  /// All instructions of a list; without `resolved`, what needs no arguments.
  void check(const instructions& list, code* resolved, uses& used, bool model) {
    const std::uint32_t n = resolved != nullptr ? list.size() : 0;
    branches around(n);
    pool<std::uint32_t> branch_end;
    used.first.resize(n);
    used.last.resize(n);
    branch_end.resize(n);
    sources.clear();
    has_output = false;
    for (const instruction& i : list) {
      what(i, model);
      has_output = has_output || (i.a == op_output && i.b == 0);
      if (i.a == op_input || (i.a == op_output && i.b == static_cast<std::uint8_t>(output::step)))
        sources.push_back({i.offset, i.index, i.c.empty() ? std::uint16_t{0} : i.c[0], i.a, i.b});
      if (resolved == nullptr) continue;
      step& s = resolved->steps[i.index];
      const view<argument> given = resolved->arguments_of(s);
      const bool is_whole = broken.empty() || broken[i.index] == 0;
      if (is_whole && i.a >= first_regular_op) {
        operation o = operation_of(i.a);
        if (model && o != operation::unknown) o = arguments(i, given, o);
        s.operation = static_cast<std::uint16_t>(o);
      }
      around.enter(i.index);
      branch_end[i.index] = around.end();
      used.first[i.index] = no_index;
      used.last[i.index] = i.index;
      if (!is_whole) continue;
      for (std::size_t k = 0; k < operands(i, given); ++k) {
        if (given[k].is_constant()) continue;
        const std::uint32_t from = given[k].index();
        if (used.first[from] == no_index) used.first[from] = i.index;
        used.last[from] = i.index;
        if (branch_end[from] <= i.index) {
          auto to = found.warning(errc::nac_branch_result, {.offset = word(i, k)});
          to << "the result of instruction " << from
             << " is used outside its branch: it is absent if that branch doesn't run";
          put_path(to, i, word(i, k));
        }
      }
      open(i, given, around);
    }
  }

  /// An instruction whose arguments can't be resolved.
  [[gnu::cold]] void unresolved(const instruction& i, const error& e, std::uint32_t count) {
    auto to = found.error(e.code, {.offset = e.offset});
    const auto number = [&] { return load_le<std::int16_t>(f.source().data() + e.offset); };
    const std::uint32_t left = count - i.index;  // with this one
    switch (e.code) {
      case errc::nac_reference:
        to << "offset " << number() << " leads to instruction " << std::int64_t{i.index} + number()
           << "; expected an earlier one, from 0 on";
        break;
      case errc::nac_reference_zero:
        to << "offset 0 leads to the instruction itself; expected an earlier one";
        break;
      case errc::nac_constant_count: {
        std::uint32_t zeros = 0;
        for (std::uint32_t k = 0; k < i.d.size(); ++k) zeros += i.d[k] == 0 ? 1u : 0u;
        put_count(to, i.c.size(), "constant");
        to << "; expected " << zeros << ", as many as D has zeros";
        break;
      }
      case errc::nac_constant_id:
        to << "no constant in CNST has the id "
           << load_le<std::uint16_t>(f.source().data() + e.offset);
        break;
      case errc::nac_branch_length: {
        const bool first = e.offset == i.c_offset(0);
        to << (first ? "the true branch has " : "the false branch has ");
        put_count(to, i.c[first ? 0 : 1], "instruction");
        to << "; only " << left - 1 - (first ? 0u : i.c[0]) << " follow";
        break;
      }
      case errc::nac_convergence_input:
        put_count(to, i.c.size(), "word");
        to << " in C; expected 1, the offset of the input";
        break;
      case errc::nac_convergence_end: to << "end " << number() << "; expected 0 to " << left; break;
      case errc::nac_convergence_count:
        to << number() << " branches; expected at least 1 where the end isn't 0";
        break;
      case errc::nac_convergence_branch:
        to << "a branch begins at offset " << number()
           << "; expected ascending offsets of at least 1 that are less than the end, " << i.d[0];
        break;
      default: break;  // unreachable: no other faults
    }
    put_path(to, i, e.offset);
  }

  /// Resolves a list and checks it. Where an argument can't be resolved, so is every other
  /// instruction.
  [[nodiscard]] bool resolve_and_check(const instructions& list, code& out, uses& used,
                                       bool model) {
    training = !model;
    broken.clear();
    result<code> resolved = resolve(f, list, {.limit = options.limit});
    if (resolved) {
      out = *std::move(resolved);
      check(list, &out, used, model);
      return true;
    }
    if (const error e = resolved.error();
        e.code == errc::too_many_items || e.code == errc::input_too_large) {
      found.error(e);
      check(list, nullptr, used, model);
      return false;
    }
    const id_set ids = constant_ids(f);
    argument_resolver each(ids, list.offset(), list.size(), out);
    broken.resize(list.size());
    for (const instruction& i : list)
      if (const error e = each.take(i); e.code != errc::ok) {
        broken[i.index] = 1;
        unresolved(i, e, list.size());
        if (e.code == errc::input_too_large) break;
      }
    const bool is_whole = out.steps.size() == list.size();
    check(list, is_whole ? &out : nullptr, used, model);
    return false;
  }
};

/// The largest number of results that are needed at once.
[[nodiscard]] inline std::uint32_t peak_of(const pool<std::uint32_t>& last_use) {
  pool<std::uint32_t> ending;
  ending.resize(last_use.size());
  for (const std::uint32_t last : last_use) ++ending[last];
  std::uint32_t now = 0, peak = 0;
  for (const std::uint32_t count : ending) {
    if (++now > peak) peak = now;
    now -= count;
  }
  return peak;
}

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_CODE_HPP
