// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR programs cut into the blocks of a pipeline, and put together again.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tessera/core/shortest.hpp"
#include "tessera/inspect/alir/ranges.hpp"
#include "tessera/transform/pipeline_alir.hpp"
#include "transform/alir_node.hpp"
#include "transform/alir_stages.hpp"
#include "transform/alir_values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using alir::opcode;
using vm::alir::range;

constexpr int double_bits = 53;

/// All numbers of a signed type with a scale.
[[nodiscard]] alir::interval interval_of(int bits, int fraction) {
  const double step = std::ldexp(1.0, -fraction), half = std::ldexp(1.0, bits - 1);
  return {-half * step, (half - 1) * step, step};
}

[[nodiscard]] text shown(double v) {
  text out;
  append_double(out, v, double_style::python);
  return out;
}

/// Copies operations of one model to another, with the tables that they need.
class model_builder {
 public:
  model_builder(const alir::model& from, alir::model& to)
      : from_(from), to_(to), table_(from.tables.size(), -1) {}

  std::int32_t append(alir_node n) {
    if (n.op.code == opcode::lookup) n.op.data = table(static_cast<std::size_t>(n.op.data));
    return n.append_to(to_);
  }

 private:
  [[nodiscard]] std::int64_t table(std::size_t i) {
    if (table_[i] >= 0) return table_[i];
    alir::lookup_table t = from_.tables[i];
    const std::uint64_t first = to_.table_data.size();
    for (const std::int32_t entry : alir::entries(from_, t)) to_.table_data.push_back(entry);
    t.first = first;
    if (t.hash_size != 0) {
      const std::string_view hash = alir::hash(from_, t);
      t.hash_first = to_.hashes.size();
      to_.hashes << hash;
    }
    to_.tables.push_back(t);
    return table_[i] = static_cast<std::int64_t>(to_.tables.size()) - 1;
  }

  const alir::model& from_;
  alir::model& to_;
  std::vector<std::int64_t> table_;
};

[[nodiscard]] alir::operation operation_of(opcode code, std::int32_t id0, const alir::interval& q) {
  alir::operation o;
  o.code = code;
  o.id0 = id0;
  o.qint = q;
  return o;
}

/// A program in the making of a pipeline.
class alir_cutter {
 public:
  alir_cutter(const alir::program& p, const alir_pipeline_options& how)
      : p_(p), how_(how), values_(vm::alir::compile(p, {.one_to_one = true})), needed_(p.size()) {
    bounds_.assign(p.size(), vm::alir::anything);
    for (const alir_values::value& v : values_.list) {
      if (v.operation == alir_values::none) continue;
      bounds_[v.operation] = v.bounds;
      needed_[v.operation] = v.how.what == vm::alir::instruction::kind::lookup;
    }
    for (const std::int32_t x : p.model().out_idxs)
      if (x >= 0) needed_[static_cast<std::size_t>(x)] = true;
    for (std::size_t i = p.size(); i-- > 0;)
      if (needed_[i])
        alir_node(p.model(), i).each_operand([this](std::int32_t& x) {
          needed_[static_cast<std::size_t>(x)] = true;
        });
    find_proven();
  }

  [[nodiscard]] alir_pipelined run() {
    const alir_timing timing(p_, needed_);
    if (out_.refusal = refusal_of(timing); !out_.refusal.empty()) return std::move(out_);
    const std::int64_t cutoff = how_.latency_cutoff > 0 ? timing.ticks(how_.latency_cutoff)
                                                        : timing.cutoff_for(how_.stages);
    stage_ = timing.earliest(cutoff);
    const std::uint32_t needed = alir_timing::count(stage_);
    stages_ = how_.stages != 0 ? how_.stages : needed;
    if (out_.refusal = refusal_of(needed); !out_.refusal.empty()) return std::move(out_);
    if (how_.retiming)
      out_.is_minimal = retime(timing, cutoff, stages_, bits(), stage_, how_.max_work);
    out_.latency = timing.latency(timing.latency_of(stage_));
    if (out_.refusal = carry(timing); !out_.refusal.empty()) return std::move(out_);
    build();
    out_.register_bits = alir::register_bits(out_.pipeline);
    return std::move(out_);
  }

 private:
  /// Which values are of their own type: by bounds that assume nothing, or because from the inputs on
  /// all keep to their intervals if those before do.
  void find_proven() {
    const inspect::alir_ranges kept(p_, inspect::alir_assumption::intervals);
    std::vector<bool> is_kept(p_.size());
    proven_.resize(p_.size());
    for (std::size_t i = 0; i < p_.size(); ++i) {
      const inspect::alir_range declared = kept.declared(i);
      is_kept[i] = p_.op(i).code == opcode::input ? bounds_[i].within({declared.low, declared.high})
                                                  : kept[i].within(declared);
      alir_node(p_.model(), i).each_operand([&](std::int32_t& x) {
        is_kept[i] = is_kept[i] && is_kept[static_cast<std::size_t>(x)];
      });
      proven_[i] = is_kept[i] || bounds_[i].within(vm::alir::values_of(p_.type(i)));
    }
  }
  [[nodiscard]] std::string refusal_of(const alir_timing& t) const {
    if (how_.latency_cutoff <= 0 && how_.stages == 0)
      return "neither a latency cutoff nor a number of stages is given";
    if (p_.model().spec_version == 2 && !(how_.input_register && how_.output_register))
      return "pipelines of version 2 have a register at the input and one at the output; write the "
             "program as version 4";
    if (!t.is_finite()) return "latencies are too large";
    if (how_.latency_cutoff <= 0 || t.slowest() <= t.ticks(how_.latency_cutoff)) return {};
    return joined("operation ", t.slowest_operation(), " has a latency of ",
                  shown(t.latency(t.slowest())), ", more than the cutoff, ",
                  shown(how_.latency_cutoff));
  }
  [[nodiscard]] std::string refusal_of(std::uint32_t needed) const {
    if (stages_ > how_.max_stages)
      return joined(stages_, " stages; there may be ", how_.max_stages);
    if (needed > stages_)
      return joined("a latency cutoff of ", shown(how_.latency_cutoff), " needs ", needed,
                    " stages, and not ", stages_);
    return {};
  }

  /// Whether a register has another interval than the operation, one that holds all its values.
  [[nodiscard]] bool is_widened(std::size_t i) const {
    return !how_.trust_intervals && !proven_[i];
  }
  [[nodiscard]] alir::interval register_interval(std::size_t i) const {
    if (!is_widened(i)) return p_.op(i).qint;
    int bits = 1;
    while (!vm::alir::fits(bounds_[i], bits)) ++bits;
    return interval_of(bits, p_.type(i).f);
  }
  [[nodiscard]] std::vector<std::uint32_t> bits() const {
    std::vector<std::uint32_t> out(p_.size());
    for (std::size_t i = 0; i < p_.size(); ++i)
      out[i] = static_cast<std::uint32_t>(
          std::max(alir::register_type(register_interval(i)).width(), 0));
    return out;
  }

  /// Finds which values go from each stage to the next.
  [[nodiscard]] std::string carry(const alir_timing& timing) {
    std::vector<std::uint32_t> last(p_.size());
    for (std::size_t i = 0; i < p_.size(); ++i) {
      if (!timing.is_placed(i)) continue;
      if (timing.is_output(i)) last[i] = stages_ - 1;
      for (const std::uint32_t o : timing.operands(i)) last[o] = std::max(last[o], stage_[i]);
    }
    members_.resize(stages_);
    carried_.resize(stages_);
    std::uint64_t registers = 0;
    for (std::size_t i = 0; i < p_.size(); ++i) {
      if (!timing.is_placed(i)) continue;
      members_[stage_[i]].push_back(i);
      if (last[i] <= stage_[i]) continue;
      registers += last[i] - stage_[i];
      if (registers > how_.max_registers)
        return joined("more than ", how_.max_registers, " values in registers");
      if (!proven_[i]) ++out_.unproven;
      const alir::fixed_type t = alir::register_type(register_interval(i));
      if (t.i + t.f > double_bits && !vm::alir::fits(bounds_[i], double_bits + 1))
        return joined("operation ", i, " has more than ", double_bits,
                      " bits, and its value is needed in a later stage: pipelines hand values on "
                      "as doubles");
      for (std::uint32_t s = stage_[i] + 1; s <= last[i]; ++s) carried_[s].push_back(i);
    }
    return {};
  }

  void build() {
    const alir::model& m = p_.model();
    alir::pipeline& to = out_.pipeline;
    to.form = m.spec_version == 2 ? alir::pipeline_form::nested : alir::pipeline_form::fsm;
    to.input_register = how_.input_register, to.output_register = how_.output_register;
    local_.resize(p_.size());
    in_block_.assign(p_.size(), alir_timing::none);
    for (std::uint32_t s = 0; s < stages_; ++s) to.blocks.push_back(block(s));
  }

  [[nodiscard]] alir::model block(std::uint32_t s) {
    const alir::model& m = p_.model();
    alir::model to;
    to.spec_version = m.spec_version == 2 ? 2 : 4;
    to.carry_size = m.carry_size, to.adder_size = m.adder_size;
    model_builder builder(m, to);
    if (s == 0) {
      to.n_inputs = m.n_inputs;
      to.inp_shifts = m.inp_shifts;
    } else {
      to.n_inputs = static_cast<std::int64_t>(carried_[s].size());
      to.inp_shifts.resize(carried_[s].size());
    }
    std::vector<std::int32_t> inputs;  // as they come out of the register
    for (const std::size_t i : carried_[s]) inputs.push_back(append_input(to, i, inputs.size()));
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::size_t i = carried_[s][k];
      set_local(s, i, is_widened(i) ? append_copy(to, inputs[k], i, p_.op(i).qint) : inputs[k]);
    }
    for (const std::size_t i : members_[s]) append_operation(builder, s, i);
    append_outputs(to, builder, s, inputs);
    return to;
  }

  void set_local(std::uint32_t s, std::size_t i, std::int32_t index) {
    local_[i] = index;
    in_block_[i] = s;
  }
  [[nodiscard]] std::int32_t append_input(alir::model& to, std::size_t i, std::size_t index) const {
    alir::operation o =
        operation_of(opcode::input, static_cast<std::int32_t>(index), register_interval(i));
    o.latency = p_.op(i).latency;
    to.ops.push_back(o);
    return static_cast<std::int32_t>(to.ops.size()) - 1;
  }
  /// The same value with another interval.
  [[nodiscard]] std::int32_t append_copy(alir::model& to, std::int32_t from, std::size_t i,
                                         const alir::interval& q) const {
    alir::operation o = operation_of(opcode::add_constant, from, q);
    o.shift = p_.type(i).f;
    o.latency = p_.op(i).latency;
    to.ops.push_back(o);
    return static_cast<std::int32_t>(to.ops.size()) - 1;
  }
  void append_operation(model_builder& builder, std::uint32_t s, std::size_t i) {
    alir_node n(p_.model(), i);
    n.each_operand([&](std::int32_t& x) { x = local(builder, s, static_cast<std::size_t>(x)); });
    set_local(s, i, builder.append(std::move(n)));
  }
  /// The index in a block of a value that is there, or of a constant.
  [[nodiscard]] std::int32_t local(model_builder& builder, std::uint32_t s, std::size_t i) {
    if (in_block_[i] != s) set_local(s, i, builder.append(alir_node(p_.model(), i)));
    return local_[i];
  }
  void append_outputs(alir::model& to, model_builder& builder, std::uint32_t s,
                      const std::vector<std::int32_t>& inputs) {
    const alir::model& m = p_.model();
    if (s + 1 == stages_) {
      to.n_outputs = m.n_outputs;
      for (const std::int32_t x : m.out_idxs)
        to.out_idxs.push_back(x < 0 ? x : local(builder, s, static_cast<std::size_t>(x)));
      to.out_shifts = m.out_shifts;
      to.out_negs = m.out_negs;
      return;
    }
    std::size_t k = 0;  // in the register before
    for (const std::size_t i : carried_[s + 1]) {
      while (k < carried_[s].size() && carried_[s][k] < i) ++k;
      std::int32_t x = local_[i];
      if (is_widened(i))
        x = k < carried_[s].size() && carried_[s][k] == i
                ? inputs[k]
                : append_copy(to, x, i, register_interval(i));
      to.out_idxs.push_back(x);
    }
    to.n_outputs = static_cast<std::int64_t>(to.out_idxs.size());
    to.out_shifts.resize(to.out_idxs.size());
    to.out_negs.resize(to.out_idxs.size());
  }

  const alir::program& p_;
  const alir_pipeline_options& how_;
  alir_values values_;
  std::vector<range> bounds_;
  std::vector<bool> needed_, proven_;
  alir_pipelined out_;
  std::uint32_t stages_ = 1;
  std::vector<std::uint32_t> stage_;
  std::vector<std::vector<std::size_t>> members_, carried_;  ///< of each stage
  std::vector<std::int32_t> local_;                          ///< index in the block
  std::vector<std::uint32_t> in_block_;                      ///< for which local_ is
};

/// A value of the block before, and how it is scaled on the way to the next.
struct handed_on {
  std::int32_t operation = -1;  ///< none: it is 0
  std::int64_t shift = 0;
};

/// Blocks, put one after the other in one model.
class alir_joiner {
 public:
  [[nodiscard]] result<alir::program> run(const alir::staged& from) {
    const alir::model& first = from.block(0).model();
    to_.spec_version = first.spec_version;
    to_.carry_size = first.carry_size, to_.adder_size = first.adder_size;
    to_.n_inputs = first.n_inputs;
    to_.inp_shifts = first.inp_shifts;
    for (std::size_t b = 0; b < from.size(); ++b) {
      const alir::model& m = from.block(b).model();
      to_.spec_version = std::max(to_.spec_version, m.spec_version);
      append(m, b == 0);
      if (b + 1 < from.size()) hand_on(m);
    }
    const alir::model& last = from.block(from.size() - 1).model();
    to_.n_outputs = last.n_outputs;
    for (const std::int32_t x : last.out_idxs)
      to_.out_idxs.push_back(x < 0 ? x : moved_[static_cast<std::size_t>(x)]);
    to_.out_shifts = last.out_shifts;
    to_.out_negs = last.out_negs;
    return alir::verify(std::move(to_));
  }

 private:
  void append(const alir::model& m, bool is_first) {
    model_builder builder(m, to_);
    moved_.clear();
    for (std::size_t i = 0; i < m.ops.size(); ++i) {
      alir_node n(m, i);
      if (n.op.code == opcode::input && !is_first) {
        const auto input = static_cast<std::size_t>(n.op.id0);
        moved_.push_back(enter(before_[input], m.inp_shifts[input], n.op));
        continue;
      }
      n.each_operand([this](std::int32_t& x) { x = moved_[static_cast<std::size_t>(x)]; });
      moved_.push_back(builder.append(std::move(n)));
    }
  }
  /// What an input operation reads.
  [[nodiscard]] std::int32_t enter(const handed_on& v, std::int32_t shift, alir::operation o) {
    o.id0 = v.operation;
    o.code = v.operation < 0 ? opcode::constant : opcode::quantize;
    // Beyond 63, verify() says so.
    if (v.operation >= 0)
      o.shift = static_cast<std::int32_t>(std::clamp<std::int64_t>(v.shift + shift, -200, 200));
    if (o.shift != 0) to_.spec_version = 4;
    to_.ops.push_back(o);
    return static_cast<std::int32_t>(to_.ops.size()) - 1;
  }
  void hand_on(const alir::model& m) {
    before_.clear();
    for (std::size_t j = 0; j < m.out_idxs.size(); ++j) {
      if (m.out_idxs[j] < 0) {
        before_.push_back({});
        continue;
      }
      std::int32_t x = moved_[static_cast<std::size_t>(m.out_idxs[j])];
      if (m.out_negs[j] != 0) {
        const alir::operation& from = to_.ops[static_cast<std::size_t>(x)];
        alir::operation o = operation_of(
            opcode::negate, x, {0.0 - from.qint.max, 0.0 - from.qint.min, from.qint.step});
        o.latency = from.latency;
        to_.ops.push_back(o);
        x = static_cast<std::int32_t>(to_.ops.size()) - 1;
      }
      before_.push_back({x, m.out_shifts[j]});
    }
  }

  alir::model to_;
  std::vector<std::int32_t> moved_;  ///< of each operation of a block
  std::vector<handed_on> before_;    ///< the outputs of the block before
};

}  // namespace

alir_pipelined to_pipeline(const alir::program& p, const alir_pipeline_options& options) {
  return alir_cutter(p, options).run();
}

double latency_of(const alir::program& p) {
  const alir_timing t(p, std::vector<bool>(p.size(), true));
  return t.is_finite() ? t.latency(t.total()) : 0;
}

result<alir::program> to_program(const alir::staged& pipeline) {
  return alir_joiner().run(pipeline);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
