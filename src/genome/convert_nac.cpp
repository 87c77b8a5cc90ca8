// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>

#include "convert.hpp"
#include "convert_parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

using nac::argument;
constexpr std::size_t max_externals = genome::max_node_inputs - 3;  // lengths and condition

/// What an IF says that its CONTROL_FLOW doesn't.
struct branching {
  std::uint32_t then_size = 0, else_size = 0;  // nodes
  std::vector<std::uint32_t> externals;        // instructions, ascending
};

/// Numbers the nodes, and finds what blocks take from outside.
class layout {
 public:
  explicit layout(const nac::program& p) : code_(p.code()), first_(p.model().instructions()) {}

  [[nodiscard]] error find() {
    const auto n = static_cast<std::uint32_t>(code_.steps.size());
    nodes_.resize(n);
    ends_.resize(n);
    branches_of_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (const error e = close(i); e.code != errc::ok) return e;
      nodes_[i] = next_++;
      ends_[i] = open_.empty() ? n : branch_end(open_.back());
      if (const error e = look_at(i); e.code != errc::ok) return e;
    }
    if (const error e = close(n); e.code != errc::ok) return e;
    if (branches_.empty()) place_parameters();
    return {};
  }

  /// Instructions in the order of their nodes. Where it is empty, that is their own order.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const noexcept { return order_; }

  [[nodiscard]] std::uint32_t node_of(std::uint32_t i) const noexcept { return nodes_[i]; }
  [[nodiscard]] std::uint32_t size() const noexcept { return next_; }
  [[nodiscard]] const branching& branches(std::uint32_t i) const noexcept {
    return branches_[branches_of_[i]];
  }

 private:
  struct frame {
    std::uint32_t instruction, middle, end;
    bool in_else;
    std::uint32_t else_node;
  };
  [[nodiscard]] static bool is_parameter(const nac::step& s) noexcept {
    return s.a == nac::op_input && s.b != static_cast<std::uint8_t>(nac::input::user);
  }
  [[nodiscard]] static std::uint32_t branch_end(const frame& f) noexcept {
    return f.in_else ? f.end : f.middle;
  }
  [[nodiscard]] error fail(errc code, std::uint32_t i) const noexcept {
    return {code, first_.offset() + code_.steps[i].offset};
  }

  /// Leaves the branches that end in front of instruction `i`. One without instructions becomes an
  /// OUTPUT of nothing: blocks aren't empty.
  [[nodiscard]] error close(std::uint32_t i) {
    while (!open_.empty()) {
      frame& f = open_.back();
      branching& b = branches_[branches_of_[f.instruction]];
      if (!f.in_else) {
        if (f.middle > i) break;
        if (f.middle == f.instruction + 1) ++next_;
        b.then_size = next_ - nodes_[f.instruction] - 1;
        f.in_else = true;
        f.else_node = next_;
      }
      if (f.end > i) break;
      if (f.end == f.middle) ++next_;
      b.else_size = next_ - f.else_node;
      open_.pop_back();
      if (open_.empty()) continue;
      for (const std::uint32_t from : b.externals)
        if (const error e = take(open_.back().instruction, from); e.code != errc::ok) return e;
    }
    return {};
  }

  /// The blocks of `by` need the result of `from`.
  [[nodiscard]] error take(std::uint32_t by, std::uint32_t from) {
    if (from > by) return {};  // of the block itself
    std::vector<std::uint32_t>& all = branches_[branches_of_[by]].externals;
    const auto at = std::lower_bound(all.begin(), all.end(), from);
    if (at != all.end() && *at == from) return {};
    if (all.size() == max_externals) return fail(errc::genome_node_inputs, by);
    all.insert(at, from);
    return {};
  }

  /// Puts each parameter in front of what first takes it.
  void place_parameters() {
    const auto n = static_cast<std::uint32_t>(code_.steps.size());
    std::vector<bool> waits(n);
    for (const nac::step& s : code_.steps)
      for (const argument a : code_.arguments_of(s))
        if (!a.is_constant()) waits[a.index()] = is_parameter(code_.steps[a.index()]);
    const std::vector<bool> is_moved = waits;
    const auto place = [&](std::uint32_t i) {
      waits[i] = false;
      nodes_[i] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(i);
    };
    order_.reserve(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (is_moved[i]) continue;
      for (const argument a : code_.arguments_of(code_.steps[i]))
        if (!a.is_constant() && waits[a.index()]) place(a.index());
      place(i);
    }
  }

  [[nodiscard]] error look_at(std::uint32_t i) {
    const nac::step& s = code_.steps[i];
    if (s.a == nac::op_convergence) return fail(errc::genome_counterpart, i);
    if (!open_.empty()) {
      const bool is_input = s.a == nac::op_input && s.b == 0;
      const bool leaves = s.a == nac::op_output && (s.b != 1 || ends_[i] != i + 1);
      if (is_input || leaves) return fail(errc::genome_counterpart, i);
    }
    for (const argument a : code_.arguments_of(s)) {
      if (a.is_constant()) continue;
      const std::uint32_t from = a.index();
      // A branch's result is only available after it; results made inside it, only inside.
      const std::uint8_t what = code_.steps[from].a;
      const bool is_open = what == nac::op_control_flow && end_of(from) > i;
      if (ends_[from] <= i || is_open || what == nac::op_output)
        return fail(errc::genome_counterpart, i);
      if (open_.empty()) continue;
      if (const error e = take(open_.back().instruction, from); e.code != errc::ok) return e;
    }
    if (s.a != nac::op_control_flow) return {};
    const std::uint32_t middle = i + 1 + code_.arguments_of(s)[1].index();
    open_.push_back({i, middle, end_of(i), false, 0});
    branches_of_[i] = static_cast<std::uint32_t>(branches_.size());
    branches_.emplace_back();
    return {};
  }
  [[nodiscard]] std::uint32_t end_of(std::uint32_t control_flow) const noexcept {
    const view<argument> given = code_.arguments_of(code_.steps[control_flow]);
    return control_flow + 1 + given[1].index() + given[2].index();
  }

  const nac::code& code_;
  nac::instructions first_;
  std::uint32_t next_ = 0;            // node
  std::vector<std::uint32_t> nodes_;  // of instructions
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> ends_;         // of the innermost branch around each instruction
  std::vector<std::uint32_t> branches_of_;  // in branches_, of each CONTROL_FLOW
  std::vector<branching> branches_;
  std::vector<frame> open_;
};

class converter {
 public:
  converter(corpus& to, const nac::program& p, const layout& where, const conversion_options& how)
      : to_(to), p_(p), where_(where), how_(how) {}

  void run() {
    for (const std::uint32_t i : where_.order()) add(i, p_.code().steps[i]);
    if (!where_.order().empty()) return;
    std::uint32_t node = 0;
    for (std::uint32_t i = 0; i < p_.code().steps.size(); ++i, ++node) {
      for (; node < where_.node_of(i); ++node) nothing();
      add(i, p_.code().steps[i]);
    }
    for (; node < where_.size(); ++node) nothing();
  }

 private:
  /// The block of a branch without instructions.
  void nothing() { to_.add(to_.names().kind(name_of(genome::command::output), "", {}), {}); }

  void add(std::uint32_t i, const nac::step& s) {
    parts_.clear();
    if (s.a >= nac::first_regular_op) return operation(s);
    if (s.a == nac::op_control_flow) return control_flow(i, s);
    if (s.a == nac::op_output) {
      inputs_.clear();
      for (const argument a : p_.code().arguments_of(s))
        if (!a.is_constant()) inputs_.push_back(where_.node_of(a.index()));
      return to_.add(to_.names().kind(name_of(genome::command::output), "", {}), inputs_);
    }
    if (s.b == static_cast<std::uint8_t>(nac::input::user))
      return to_.add(to_.names().kind(name_of(genome::command::data_input), "", {}), {});
    if (how_.parameter_names) parts_.constant("", "parameter", parameter(s));
    parts_.finish();
    to_.add(to_.names().kind(name_of(genome::command::const_ref), "", parts_.constants()), {});
  }

  [[nodiscard]] std::string parameter(const nac::step& s) const {
    const std::uint16_t id = p_.code().arguments_of(s)[0].id();
    if (s.b == static_cast<std::uint8_t>(nac::input::state)) return "state." + std::to_string(id);
    if (s.b == static_cast<std::uint8_t>(nac::input::lifted_constant))
      return "constant." + std::to_string(id);
    if (p_.has_parameter(id) && !p_.parameter(id).name.empty())
      return utf8_of(p_.parameter(id).name);
    return "parameter." + std::to_string(id);
  }

  void operation(const nac::step& s) {
    const view<argument> given = p_.code().arguments_of(s);
    for (std::uint32_t k = 0; k < given.size(); ++k) {
      if (given[k].is_constant())
        constant(k, p_.constant(given[k].id()));
      else
        parts_.tensor(k, where_.node_of(given[k].index()));
    }
    parts_.finish();
    to_.add(to_.names().kind(parts_.operation(p_.model().operation_name(s.a)), parts_.variation(),
                             parts_.constants()),
            parts_.inputs());
  }

  void constant(std::uint32_t position, const nac::constant& c) {
    const auto is = [&](std::string_view type, std::string value) {
      parts_.constant(key_of(position), type, std::move(value));
    };
    switch (c.type) {
      case nac::constant_type::null: return is("NoneType", "null");
      case nac::constant_type::boolean: return is("bool", c.boolean() ? "true" : "false");
      case nac::constant_type::int64: return is("int", std::to_string(c.int64()));
      case nac::constant_type::float64: return is("float", json_of(c.float64()));
      case nac::constant_type::string: return is("str", json_of(c.string()));
      case nac::constant_type::int32_list: return is("list", json_of_integers(c.int32_list()));
      case nac::constant_type::float32_list: return is("list", json_of_reals(c.float32_list()));
    }
  }

  void control_flow(std::uint32_t i, const nac::step& s) {
    const branching& b = where_.branches(i);
    inputs_.assign(1, where_.node_of(p_.code().arguments_of(s)[0].index()));
    for (const std::uint32_t from : b.externals) inputs_.push_back(where_.node_of(from));
    to_.add(control_flow_kind(to_.names(), genome::if_else, b.then_size, b.else_size), inputs_);
  }

  corpus& to_;
  const nac::program& p_;
  const layout& where_;
  const conversion_options& how_;
  node_parts parts_;
  std::vector<std::uint32_t> inputs_;
};

}  // namespace

error add_graph(corpus& to, std::string_view name, const nac::program& from,
                const conversion_options& how) {
  layout where(from);
  if (const error e = where.find(); e.code != errc::ok) return e;
  to.begin(name);
  converter(to, from, where, how).run();
  return {};
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
