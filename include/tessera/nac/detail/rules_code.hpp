// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC verification of OPS and TRNG: operations and their arguments, prefixes, branches, uses.
//
//   detail::code_rules rules{file, options, found, constants, forms, constant_of};
//   const bool resolved = rules.resolve_and_check(file.instructions(), code, used, true);
//
// One pass over the instructions; what is asked of an id is found out once.
//
// Lifetime:   for the time of a call.
// Errors:     findings of nac_operation_reserved … nac_saved_result, nac_branch_nesting, nac_branch_result
//             and nac_prefix, and those of `resolve`.
// Limits:     none of its own.
// Allocation: 12 bytes for an instruction, 16 more for an INPUT.

#ifndef TESSERA_NAC_DETAIL_RULES_CODE_HPP
#define TESSERA_NAC_DETAIL_RULES_CODE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../diagnostic.hpp"
#include "../model.hpp"
#include "../operations.hpp"
#include "../program.hpp"
#include "../resolve.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// Who uses the results of instructions.
struct uses {
  pool<std::uint32_t> first;  ///< the first one that takes the result, or none
  pool<std::uint32_t> last;   ///< the last one; the instruction itself where there is none
};

/// An INPUT, or an OUTPUT of variant 3, which asks for a parameter too.
struct incoming {
  std::uint64_t offset = 0;
  std::uint32_t index = 0;
  std::uint16_t id = 0;
  std::uint8_t a = 0, b = 0;

  [[nodiscard]] bool is(input i) const noexcept {
    return a == op_input && b == static_cast<std::uint8_t>(i);
  }
  [[nodiscard]] bool asks_for_parameter() const noexcept {
    return a == op_output || is(input::parameter);
  }
  /// Where the id stands.
  [[nodiscard]] std::uint64_t id_offset() const noexcept { return offset + 4; }
};

/// Which branches instructions stand in: a stack of where they end.
class branches {
 public:
  explicit branches(std::uint32_t size) : size_(size) {}
  /// Goes on to instruction `i`.
  void enter(std::uint32_t i) {
    while (!ends_.empty() && ends_.back() <= i) ends_.pop_back();
  }
  /// Where the innermost branch ends.
  [[nodiscard]] std::uint32_t end() const noexcept { return ends_.empty() ? size_ : ends_.back(); }
  [[nodiscard]] bool inside() const noexcept { return !ends_.empty(); }
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
  pool<incoming> sources = {};  // of the list that was checked last
  bool has_output = false;      // and whether it has an OUTPUT of variant 0

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
      const auto stands = static_cast<std::uint16_t>(i.prefix);
      usual = stands == i.c.size() || stands == static_cast<std::uint16_t>(i.c.size() + 1);
    }
    if (usual) return;
    if (options.strict_prefixes)
      found.error(errc::nac_prefix, i.offset + 2, i.index);
    else
      found.warning(errc::nac_prefix, i.offset + 2, i.index);
  }

  /// What an operation is with these arguments, which it has to take.
  [[nodiscard]] operation arguments(const instruction& i, view<argument> given, operation o) {
    argument_form kinds[256];
    for (std::size_t k = 0; k < given.size(); ++k)
      kinds[k] = given[k].is_constant() ? forms[constant_of[given[k].id()]] : argument_form::result;
    if (o == operation::view) o = view_or_squeeze(f.operation_name(i.a), {kinds, given.size()});
    binding unused;
    const match m = bind(pattern(o), {kinds, given.size()}, unused);
    if (m.what == match::kind::count) found.error(errc::nac_argument_count, i.offset + 1, i.index);
    if (m.what == match::kind::form)
      found.error(errc::nac_argument_type, word(i, m.argument), i.index);
    return o;
  }

  /// What an instruction is; `model`: of OPS.
  void what(const instruction& i, bool model) {
    if (i.a >= first_regular_op) {
      if (f.operation_name(i.a).empty())
        found.error(errc::nac_operation_unknown, i.offset, i.index);
      else if (model && operation_of(i.a) == operation::unknown)
        found.warning(errc::nac_operation_unsupported, i.offset, i.index);  // valid; doesn't run
    } else if (i.a == op_input) {
      if (model && i.b > static_cast<std::uint8_t>(input::lifted_constant))
        found.error(errc::nac_input_place, i.offset + 1, i.index);
      if (!model && i.b == static_cast<std::uint8_t>(input::saved_result) &&
          i.c[0] >= f.instructions().size())
        found.error(errc::nac_saved_result, i.c_offset(0), i.index);
    } else if (i.a == op_output) {
      if (i.b == static_cast<std::uint8_t>(output::reserved) ||
          (model && i.b > static_cast<std::uint8_t>(output::reserved)))
        found.error(errc::nac_output_place, i.offset + 1, i.index);
    } else if (i.a == op_convergence) {
      if (i.b > 100) found.error(errc::nac_convergence_threshold, i.offset + 1, i.index);
    } else if (i.a != op_control_flow) {
      found.error(errc::nac_operation_reserved, i.offset, i.index);
    }
    prefix(i);
  }

  /// The branches that begin behind an instruction end inside the one around it.
  void open(const instruction& i, view<argument> given, branches& around) {
    if (i.a == op_control_flow) {
      const std::uint32_t middle = i.index + 1 + given[1].index(), end = middle + given[2].index();
      if (end > around.end()) return found.error(errc::nac_branch_nesting, i.c_offset(1), i.index);
      around.open(end);
      around.open(middle);
    } else if (i.a == op_convergence && given.size() > 2) {
      if (given[1].index() > around.end())
        return found.error(errc::nac_branch_nesting, i.d_offset(0), i.index);
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
      if (i.a >= first_regular_op) {
        operation o = operation_of(i.a);
        if (model && o != operation::unknown) o = arguments(i, given, o);
        s.operation = static_cast<std::uint16_t>(o);
      }
      around.enter(i.index);
      branch_end[i.index] = around.end();
      used.first[i.index] = no_index;
      used.last[i.index] = i.index;
      for (std::size_t k = 0; k < operands(i, given); ++k) {
        if (given[k].is_constant()) continue;
        const std::uint32_t from = given[k].index();
        if (used.first[from] == no_index) used.first[from] = i.index;
        used.last[from] = i.index;
        if (branch_end[from] <= i.index)
          found.warning(errc::nac_branch_result, word(i, k), i.index);
      }
      open(i, given, around);
    }
  }

  /// Resolves a list and checks it; where resolving fails, what can be checked without.
  [[nodiscard]] bool resolve_and_check(const instructions& list, code& out, uses& used,
                                       bool model) {
    result<code> resolved = resolve(f, list, options.limit);
    if (resolved)
      out = *std::move(resolved);
    else
      found.error(resolved.error(), index_at(list, resolved.error().offset));
    check(list, resolved ? &out : nullptr, used, model);
    return static_cast<bool>(resolved);
  }

  /// The instruction that an offset lies in.
  [[nodiscard]] static std::uint32_t index_at(const instructions& list,
                                              std::uint64_t offset) noexcept {
    std::uint32_t index = diagnostic::no_index;
    for (const instruction& i : list) {
      if (i.offset > offset) break;
      index = i.index;
    }
    return index;
  }
};

/// The most results that are needed at once.
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
