// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the machine works out once: its code, and when results are dropped.

#include <algorithm>
#include <new>
#include <numeric>
#include <string>

#include "interpreter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::genome {

using model::command;

interpreter::interpreter(const model::program& p, const interpreter_options& how)
    : program_(p),
      library_(p.library()),
      own_(how.max_memory),
      arena_(how.arena != nullptr ? *how.arena : own_),
      how_(how),
      compiler_(arena_, library_) {
  try {
    compile();
  } catch (nac::fault& f) {
    made_.code = f.code;
    made_.text = std::move(f.text);
  } catch (const std::bad_alloc&) {
    made_.code = errc::budget_memory;
  }
  if (made_.code == errc::genome_run_operation) {  // not only the first one
    unsupported_operations all;
    all.add(program_);
    made_.text.clear();
    for (const std::string& name : all.names())
      made_.text.append(made_.text.empty() ? "" : ", ").append(name);
  }
  if (!made_) set_place(made_);
  how_.results = {};
}

interpreter::~interpreter() = default;

void interpreter::compile() {
  const model::stream& s = program_.stream();
  std::uint64_t size = 0;
  for (const model::node& n : s.nodes)
    size += n.what() == command::pattern ? library_.flat_size(library_.find_pattern(n.pattern_id()))
                                         : 1;
  if (size > how_.max_nodes || size > INT32_MAX || size * sizeof(nac::value) > arena_.limit())
    nac::fail(errc::budget_memory, "the expansion has ", size, " nodes; expected at most ",
              std::min(std::uint64_t{how_.max_nodes}, arena_.limit() / sizeof(nac::value)));
  call_of_.resize(library_.registry().patterns.size());
  shapes_.resize(call_of_.size());
  chosen_.resize(call_of_.size());
  for (const model::pattern_result& r : how_.results) {
    const std::uint32_t at = library_.find_pattern(r.pattern_id);
    if (at == model::library::none || r.node >= library_.flat_size(at))
      nac::fail(errc::genome_pattern_result,
                at == model::library::none
                    ? "the registry has no pattern " + std::to_string(r.pattern_id)
                    : "pattern " + std::to_string(r.pattern_id) + " has no node " +
                          std::to_string(r.node) + "; expected 0 to " +
                          std::to_string(library_.flat_size(at) - 1));
    chosen_[at] = r.node + 1;
  }
  compile_code(s, true);
  for (std::size_t i = 0; i < calls_.size(); ++i) {  // grows
    called& c = calls_[i];
    const std::uint32_t pattern = c.pattern;
    caller_ = c.caller;
    c.first = static_cast<std::uint32_t>(code_.size());
    c.end = c.first + library_.registry().patterns[pattern].count;
    compile_code(library_.registry().nodes_of(library_.registry().patterns[pattern]), false);
  }
  results_.resize(static_cast<std::size_t>(size));
  is_loop_.resize(static_cast<std::size_t>(size));
  at_ = outcome::none;
  find_drops();
}

/// Where patterns have their values, and which are nothing but others: follows each to the pattern
/// that it ends in, as far as that wasn't done before.
void interpreter::compile_pattern(std::uint32_t pattern) {
  const model::registry& r = library_.registry();
  std::vector<std::uint32_t> path, at;
  std::uint32_t value = 0, same_as = pattern;
  for (std::uint32_t p = pattern;;) {
    if (shapes_[p].known) {
      value = shapes_[p].value;
      same_as = shapes_[p].same_as;
      break;
    }
    const model::stream_view nodes = r.nodes_of(r.patterns[p]);
    std::size_t last = 0, top = 0;
    std::uint32_t slot = 0, value_at = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const model::node& n = nodes.nodes[i];
      if (i == top) {
        last = i;
        value_at = slot;
        ++top;
        if (n.what() == command::control_flow)
          for (std::size_t k = 0; k < 2; ++k)
            top += static_cast<std::size_t>(nodes.inputs_of(i)[k]);
      }
      slot += n.what() == command::pattern
                  ? library_.flat_size(library_.find_pattern(n.pattern_id()))
                  : 1;
    }
    path.push_back(p);
    at.push_back(value_at);
    if (nodes.nodes[last].what() != command::pattern) break;
    p = library_.find_pattern(nodes.nodes[last].pattern_id());
  }
  for (std::size_t k = path.size(); k-- > 0;) {
    value += at[k];
    const model::stream_view nodes = r.nodes_of(r.patterns[path[k]]);
    if (nodes.size() != 1 || nodes.nodes[0].what() != command::pattern) same_as = path[k];
    shapes_[path[k]] = {value, same_as, true};
  }
}

/// Where a pattern's value is, counted from its first slot.
std::uint32_t interpreter::value_of_pattern(std::uint32_t pattern) {
  if (!shapes_[pattern].known) compile_pattern(pattern);
  return chosen_[pattern] != 0 ? chosen_[pattern] - 1 : shapes_[pattern].value;
}

std::uint32_t interpreter::compile_call_of(std::uint32_t pattern) {
  const std::uint32_t code = shapes_[pattern].same_as;
  std::uint32_t& at = call_of_[code];
  if (at == 0) {
    calls_.push_back({code, 0, 0, caller_});
    at = static_cast<std::uint32_t>(calls_.size());
  }
  return at - 1;
}

std::uint32_t interpreter::place_of_parameter(std::uint32_t id) {
  if (id >= parameter_at_.size()) parameter_at_.resize(std::size_t{id} + 1);
  std::uint32_t& at = parameter_at_[id];
  if (at == 0) {
    parameters_.emplace_back();
    parameter_ids_.push_back(id);
    at = static_cast<std::uint32_t>(parameter_ids_.size());
  }
  return at - 1;
}

/// Appends the nodes of the stream or of a pattern.
void interpreter::compile_code(const model::stream_view& code, bool is_stream) {
  const auto n = static_cast<std::uint32_t>(code.size());
  const auto first = static_cast<std::uint32_t>(code_.size());
  slots_.resize(n);
  values_.resize(n);
  for (std::uint32_t i = 0, slot = 0; i < n; ++i) {
    if (is_stream) caller_ = i;
    at_ = first + i;
    slots_[i] = values_[i] = slot;
    if (code.nodes[i].what() == command::pattern) {
      const std::uint32_t pattern = library_.find_pattern(code.nodes[i].pattern_id());
      values_[i] += value_of_pattern(pattern);
      slot += library_.flat_size(pattern);
    } else {
      ++slot;
    }
  }

  /// A block around the node being compiled.
  struct block {
    std::uint32_t opener, end;
    std::uint32_t last = 0;    // its last node so far, but for those of blocks inside
    std::uint32_t inputs = 0;  // DATA_INPUTs so far
    bool second = false;
  };
  std::vector<block> blocks;
  for (std::uint32_t i = 0; i < n; ++i) {
    at_ = first + i;
    if (is_stream) caller_ = i;
    const model::node& node = code.nodes[i];
    compiled_node to;
    to.slot = slots_[i];
    to.result = values_[i];
    to.next = at_ + 1;
    to.first = static_cast<std::uint32_t>(operands_.size());
    compile_node(code, i, to, !blocks.empty());
    if (!blocks.empty()) blocks.back().last = i;
    if (to.what == kind::input && !blocks.empty()) {
      block& in = blocks.back();
      const compiled_node& opener = code_[first + in.opener];
      to.what = opener.what == kind::if_else ? kind::external : kind::variable;
      to.extra = in.inputs + (to.what == kind::external ? opener.first + 1 : 0);
      in.inputs += node.what() == command::copy ? static_cast<std::uint32_t>(node.c) : 1;
    }
    to.count = static_cast<std::uint32_t>(operands_.size()) - to.first;
    if (to.what == kind::if_else || to.what == kind::while_loop) {
      const view<std::int32_t> d = code.inputs_of(i);
      const std::uint32_t middle = i + 1 + static_cast<std::uint32_t>(d[0]);
      to.next = first + middle + static_cast<std::uint32_t>(d[1]);
      to.extra = static_cast<std::uint32_t>(controls_.size());
      controls_.push_back({first + middle, {}});
      blocks.push_back({i, middle});
    }
    code_.push_back(to);
    while (!blocks.empty() && blocks.back().end == i + 1) {
      block& done = blocks.back();
      const compiled_node& opener = code_[first + done.opener];
      controls_[opener.extra].results[done.second ? 1 : 0] = values_[done.last];
      take_last(code, first, done.last);
      if (done.second) {
        blocks.pop_back();
        continue;
      }
      done.second = true;
      done.inputs = 0;
      done.end = opener.next - first;
    }
  }
}

/// A COPY of inputs that ends a block is what the last of them is: nothing else can use it.
void interpreter::take_last(const model::stream_view& code, std::uint32_t first, std::uint32_t i) {
  compiled_node& p = code_[first + i];
  if (code.nodes[i].what() == command::copy &&
      (p.what == kind::external || p.what == kind::variable))
    p.extra += static_cast<std::uint32_t>(code.nodes[i].c) - 1;
}

void interpreter::compile_node(const model::stream_view& code, std::uint32_t i, compiled_node& to,
                               bool in_block) {
  const model::node& node = code.nodes[i];
  const bool is_stream = at_ == i;
  model::node n = node;
  const bool copies = node.what() == command::copy;
  if (copies) {
    n = {node.b, static_cast<std::uint8_t>(code.inputs_of(i)[0]),
         static_cast<std::int16_t>(code.inputs_of(i)[1]), 0, 0};
  }
  const auto references = copies ? view<std::int32_t>() : code.references(i);
  const auto count = copies ? static_cast<std::uint32_t>(node.c) : 1;
  const auto slot = [&](std::int32_t d) {
    if (!is_stream) return static_cast<std::int32_t>(to.slot) + d;
    const std::int64_t at = d < 0 ? std::int64_t{i} + d : d;
    return static_cast<std::int32_t>(values_[static_cast<std::size_t>(at)]);
  };
  switch (n.what()) {
    case command::data_input:
      to.what = kind::input;                                  // in a block compile_code knows which
      if (is_stream && !in_block) add_given(inputs_, count);  // until patterns are counted as well
      break;
    case command::param_input: to.what = kind::unnamed_parameter; break;
    case command::const_ref:
      to.what = kind::parameter;
      to.extra = place_of_parameter(static_cast<std::uint16_t>(n.c));
      break;
    case command::output: to.what = in_block ? kind::block_output : kind::output; break;
    case command::pattern:
      to.what = kind::call;
      to.extra = compile_call_of(library_.find_pattern(n.pattern_id()));
      return;  // its nodes list the operands
    case command::control_flow:
      to.what = n.b == model::if_else ? kind::if_else : kind::while_loop;
      break;
    case command::operation: {
      const compiled_call& call =
          compiler_.compile(n, static_cast<std::uint32_t>(references.size()));
      to.what = kind::operation;
      to.operation = call.operation;
      to.binding = call.binding;
      for (const compiled_argument& a : call.arguments)
        operands_.push_back({a.constant, a.constant != nullptr ? 0 : slot(references[a.input])});
      return;
    }
    case command::none:
    case command::pad:
    case command::copy:
    case command::reserved: break;
  }
  // A COPY of inputs or PARAM_INPUTs keeps their number where its operands would be counted.
  if (to.what == kind::input || to.what == kind::unnamed_parameter) to.extra = count;
  for (const std::int32_t d : references) operands_.push_back({nullptr, slot(d)});
}

void interpreter::add_given(std::vector<nac::value>& to, std::uint32_t count) const {
  if (to.size() + std::uint64_t{count} > how_.max_nodes)
    nac::fail(errc::budget_memory, "more than ", how_.max_nodes, " inputs (max_nodes)");
  to.resize(to.size() + count);
}

/// Goes through the expansion once: a result is dropped after its last use. If that is inside of
/// an IF or WHILE and the result isn't, it is after the end of the outermost such IF or WHILE.
/// Where references of patterns lead is known only here: their target must have a value, its block
/// must not have ended, and an IF around them must list it.
class interpreter::lifetimes {
 public:
  explicit lifetimes(interpreter& of)
      : of_(of),
        stream_size_(static_cast<std::uint32_t>(of.program_.stream().size())),
        last_(of.results_.size()),
        is_taken_(of.results_.size()),
        block_of_(of.results_.size()),
        end_(stream_size_) {
    std::iota(last_.begin(), last_.end(), 0u);
  }

  void find() {
    while (true) {
      close_blocks();
      if (i_ == end_) {
        if (calls_.empty()) break;
        leave_call();
        continue;
      }
      const compiled_node& p = of_.code_[i_];
      const std::uint32_t slot = base_ + p.slot;
      if (p.what == kind::call) {
        enter_call(p, slot);
        continue;
      }
      take_operands(p, slot);
      const bool has_value =
          p.what != kind::nothing && p.what != kind::output && p.what != kind::block_output;
      if (has_value) block_of_[slot] = (scopes_.empty() ? 0 : scopes_.back().block) + 1;
      if (p.what == kind::input) add_given(p, slot, of_.inputs_, of_.inputs_at_);
      if (p.what == kind::unnamed_parameter) add_given(p, slot, of_.unnamed_, of_.unnamed_at_);
      if (p.what == kind::if_else || p.what == kind::while_loop) open_block(p, slot);
      ++i_;
    }
    keep_results();
    list_drops();
  }

 private:
  static constexpr std::uint32_t never = ~std::uint32_t{0};
  /// An IF or WHILE around the node that is looked at.
  struct scope {
    std::uint32_t slot, middle, end;    // of the opener; where the second block begins and ends
    std::uint32_t block;                // the one that the node is in
    std::size_t depth;                  // calls around it
    std::size_t guard;                  // the innermost IF around the node: its index, plus 1
    std::vector<std::uint32_t> listed;  // of an IF, its inputs: ascending slots
  };
  struct call {
    std::uint32_t next, end, base, node;
  };

  void close_blocks() {
    while (!scopes_.empty() && scopes_.back().depth == calls_.size()) {
      scope& s = scopes_.back();
      if (i_ != s.middle && i_ != s.end) return;
      open_[s.block] = false;
      if (i_ != s.end) {  // the second block begins
        s.block = static_cast<std::uint32_t>(open_.size());
        s.middle = s.end;
        open_.push_back(true);
        return;
      }
      scopes_.pop_back();
    }
  }
  void enter_call(const compiled_node& p, std::uint32_t slot) {
    calls_.push_back({p.next, end_, base_, i_});
    i_ = of_.calls_[p.extra].first;
    end_ = of_.calls_[p.extra].end;
    base_ = slot;
  }
  void leave_call() {
    const call& c = calls_.back();
    i_ = c.next;
    end_ = c.end;
    base_ = c.base;
    calls_.pop_back();
  }
  [[noreturn]] void refuse(errc code, std::uint32_t from) const {
    of_.at_ = calls_.empty() ? i_ : calls_[0].node;
    nac::fail(code, "the reference leads to node ", from, " of the expansion");
  }
  void check(std::uint32_t from, bool opener) const {
    if (block_of_[from] == 0 || !open_[block_of_[from] - 1] || opener)
      refuse(calls_.empty() ? errc::genome_pattern_result : errc::genome_pattern_order, from);
    if (scopes_.empty() || scopes_.back().guard == 0) return;
    const scope& guard = scopes_[scopes_.back().guard - 1];
    if (from < guard.slot && !std::binary_search(guard.listed.begin(), guard.listed.end(), from))
      refuse(errc::genome_reference_external, from);
  }
  void take_operands(const compiled_node& p, std::uint32_t slot) {
    for (const operand& o : of_.operands_of(p)) {
      if (o.constant != nullptr) continue;
      const auto from = static_cast<std::uint32_t>(std::int64_t{base_} + o.slot);
      const auto around =
          std::upper_bound(scopes_.begin(), scopes_.end(), from,
                           [](std::uint32_t s, const scope& other) { return s < other.slot; });
      check(from, around != scopes_.begin() && (around - 1)->slot == from);
      is_taken_[from] = true;
      last_[from] = std::max(last_[from], around == scopes_.end() ? slot : around->slot);
    }
  }
  void add_given(const compiled_node& p, std::uint32_t slot, std::vector<nac::value>& given,
                 std::vector<given_place>& places) {
    places.push_back({slot, static_cast<std::uint32_t>(given.size()), p.extra});
    of_.add_given(given, p.extra);
  }
  void open_block(const compiled_node& p, std::uint32_t slot) {
    const control& c = of_.controls_[p.extra];
    // A block's value is taken when it ends.
    for (const std::uint32_t r : c.results) last_[base_ + r] = never;
    const bool lists = p.what == kind::if_else;
    const std::size_t guard = lists             ? scopes_.size() + 1
                              : scopes_.empty() ? 0
                                                : scopes_.back().guard;
    scope s{slot,          c.middle, p.next, static_cast<std::uint32_t>(open_.size()),
            calls_.size(), guard,    {}};
    if (lists)
      for (const operand& o : of_.operands_of(p))
        s.listed.push_back(static_cast<std::uint32_t>(std::int64_t{base_} + o.slot));
    std::sort(s.listed.begin(), s.listed.end());
    scopes_.push_back(std::move(s));
    open_.push_back(true);
  }

  void keep_results() {
    // The value of a program without OUTPUT.
    std::uint32_t top = 0;
    for (std::uint32_t k = 0; k < stream_size_; k = of_.code_[k].next) top = k;
    if (stream_size_ != 0) last_[of_.code_[top].result] = never;
    // A COPY that ends a block, or the program, is what the last of its nodes is, as take_last()
    // says.
    for (std::vector<given_place>* const places : {&of_.inputs_at_, &of_.unnamed_at_})
      for (given_place& at : *places)
        if (last_[at.slot] == never && !is_taken_[at.slot]) at.index += at.count - 1;
  }
  void list_drops() {
    std::vector<std::uint32_t>& first = of_.first_drop_;
    first.resize(last_.size() + 1);
    for (const std::uint32_t at : last_)
      if (at != never) ++first[at + 1];
    for (std::size_t s = 0; s < last_.size(); ++s) first[s + 1] += first[s];
    of_.drops_.resize(first.back());
    std::vector<std::uint32_t> next(first.begin(), first.end());
    for (std::uint32_t s = 0; s < last_.size(); ++s)
      if (last_[s] != never) of_.drops_[next[last_[s]]++] = s;
  }

  interpreter& of_;
  std::uint32_t stream_size_;
  std::vector<std::uint32_t> last_;  // by slot: where it is used last
  std::vector<bool> is_taken_;       // by another node
  std::vector<scope> scopes_;
  std::vector<call> calls_;
  std::vector<bool> open_ = {true};      // by block; block 0 is the program
  std::vector<std::uint32_t> block_of_;  // by slot: of what has a value the block, plus 1
  std::uint32_t i_ = 0, end_, base_ = 0;
};

void interpreter::find_drops() {
  inputs_.clear();
  lifetimes(*this).find();
}

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI
