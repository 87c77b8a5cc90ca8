// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the machine works out once: its code, and when results are dropped.

#include <algorithm>
#include <new>
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
  if (!made_) place(at_, made_);
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
    nac::fail(errc::budget_memory,
              "the expansion has " + std::to_string(size) + " nodes; expected at most " +
                  std::to_string(std::min(std::uint64_t{how_.max_nodes},
                                          arena_.limit() / sizeof(nac::value))));
  parameter_at_.resize(0x10000);
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
  results_.resize(size);
  is_loop_.resize(size);
  at_ = outcome::none;
  find_drops();
}

/// Where patterns have their values, and which are nothing but others: follows each to the pattern
/// that it ends in, as far as nobody did before.
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

/// A COPY of inputs that ends a block is what the last of them is: nobody else can take it.
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
    nac::fail(errc::budget_memory,
              "more than " + std::to_string(how_.max_nodes) + " inputs (max_nodes)");
  to.resize(to.size() + count);
}

/// Goes through the expansion once: a result is dropped after its last use. If that is inside of
/// an IF or WHILE and the result isn't, it is after the end of the outermost such IF or WHILE.
/// Where references of patterns lead is known only here: their target must have a value, its block
/// must not have ended, and an IF around them must list it.
void interpreter::find_drops() {
  constexpr std::uint32_t never = ~std::uint32_t{0};
  const auto size = static_cast<std::uint32_t>(results_.size());
  std::vector<std::uint32_t> last(size);
  std::vector<bool> is_taken(size);  // by another node
  for (std::uint32_t s = 0; s < size; ++s) last[s] = s;
  /// An IF or WHILE around the node that is looked at.
  struct scope {
    std::uint32_t slot, middle, end;    // of the opener; where the second block begins and ends
    std::uint32_t block;                // the one that the node is in
    std::size_t depth;                  // calls around it
    std::size_t guard;                  // the innermost IF around the node: its index, plus 1
    std::vector<std::uint32_t> listed;  // of an IF, what it takes: ascending slots
  };
  struct call {
    std::uint32_t next, end, base, node;
  };
  std::vector<scope> scopes;
  std::vector<call> calls;
  inputs_.clear();
  std::vector<bool> open = {true};            // by block; block 0 is the program
  std::vector<std::uint32_t> block_of(size);  // by slot: of what has a value the block, plus 1
  const auto stream_size = static_cast<std::uint32_t>(program_.stream().size());
  std::uint32_t i = 0, end = stream_size, base = 0;
  const auto refuse = [&](errc code, std::uint32_t from) {
    at_ = calls.empty() ? i : calls[0].node;
    nac::fail(code, "the reference leads to node " + std::to_string(from) + " of the expansion");
  };
  const auto check = [&](std::uint32_t from, bool opener) {
    if (block_of[from] == 0 || !open[block_of[from] - 1] || opener)
      refuse(calls.empty() ? errc::genome_pattern_result : errc::genome_pattern_order, from);
    if (scopes.empty() || scopes.back().guard == 0) return;
    const scope& guard = scopes[scopes.back().guard - 1];
    if (from < guard.slot && !std::binary_search(guard.listed.begin(), guard.listed.end(), from))
      refuse(errc::genome_reference_external, from);
  };
  while (true) {
    while (!scopes.empty() && scopes.back().depth == calls.size()) {
      scope& s = scopes.back();
      if (i != s.middle && i != s.end) break;
      open[s.block] = false;
      if (i == s.end) {
        scopes.pop_back();
        continue;
      }
      s.block = static_cast<std::uint32_t>(open.size());
      s.middle = s.end;
      open.push_back(true);
      break;
    }
    if (i == end) {
      if (calls.empty()) break;
      i = calls.back().next;
      end = calls.back().end;
      base = calls.back().base;
      calls.pop_back();
      continue;
    }
    const compiled_node& p = code_[i];
    const std::uint32_t slot = base + p.slot;
    if (p.what == kind::call) {
      calls.push_back({p.next, end, base, i});
      i = calls_[p.extra].first;
      end = calls_[p.extra].end;
      base = slot;
      continue;
    }
    for (const operand& o : operands_of(p)) {
      if (o.constant != nullptr) continue;
      const auto from = static_cast<std::uint32_t>(std::int64_t{base} + o.slot);
      const auto around =
          std::upper_bound(scopes.begin(), scopes.end(), from,
                           [](std::uint32_t s, const scope& other) { return s < other.slot; });
      check(from, around != scopes.begin() && (around - 1)->slot == from);
      is_taken[from] = true;
      last[from] = std::max(last[from], around == scopes.end() ? slot : around->slot);
    }
    const bool has_value =
        p.what != kind::nothing && p.what != kind::output && p.what != kind::block_output;
    if (has_value) block_of[slot] = (scopes.empty() ? 0 : scopes.back().block) + 1;
    if (p.what == kind::input || p.what == kind::unnamed_parameter) {
      const bool is_input = p.what == kind::input;
      std::vector<nac::value>& given = is_input ? inputs_ : unnamed_;
      (is_input ? inputs_at_ : unnamed_at_)
          .push_back({slot, static_cast<std::uint32_t>(given.size()), p.extra});
      add_given(given, p.extra);
    }
    if (p.what == kind::if_else || p.what == kind::while_loop) {
      // A block's value is taken when it ends.
      for (const std::uint32_t r : controls_[p.extra].results) last[base + r] = never;
      const bool lists = p.what == kind::if_else;
      const std::size_t guard = lists            ? scopes.size() + 1
                                : scopes.empty() ? 0
                                                 : scopes.back().guard;
      scopes.push_back({slot,
                        controls_[p.extra].middle,
                        p.next,
                        static_cast<std::uint32_t>(open.size()),
                        calls.size(),
                        guard,
                        {}});
      if (lists)
        for (const operand& o : operands_of(p))
          scopes.back().listed.push_back(static_cast<std::uint32_t>(std::int64_t{base} + o.slot));
      std::sort(scopes.back().listed.begin(), scopes.back().listed.end());
      open.push_back(true);
    }
    ++i;
  }
  // The value of a program without OUTPUT.
  std::uint32_t top = 0;
  for (std::uint32_t k = 0; k < stream_size; k = code_[k].next) top = k;
  if (stream_size != 0) last[code_[top].result] = never;
  // A COPY that ends a block, or the program, is what the last of its nodes is, as take_last() says.
  for (std::vector<given_place>* const places : {&inputs_at_, &unnamed_at_})
    for (given_place& at : *places)
      if (last[at.slot] == never && !is_taken[at.slot]) at.index += at.count - 1;

  first_drop_.resize(std::size_t{size} + 1);
  for (const std::uint32_t at : last)
    if (at != never) ++first_drop_[at + 1];
  for (std::uint32_t s = 0; s < size; ++s) first_drop_[s + 1] += first_drop_[s];
  drops_.resize(first_drop_[size]);
  std::vector<std::uint32_t> next(first_drop_.begin(), first_drop_.end());
  for (std::uint32_t s = 0; s < size; ++s)
    if (last[s] != never) drops_[next[last[s]]++] = s;
}

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI
