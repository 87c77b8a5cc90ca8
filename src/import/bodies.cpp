// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Nodes with graphs of their own. Instructions of a container run at most once, so that bodies which
// run several times are there as often: where the archive says how often that is.

#include <algorithm>

#include "import/importer.hpp"
#include "tessera/nac/operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using pt2::argument_kind;

constexpr std::size_t most_in_a_call = 200;  // a signature has at most 255 letters

}  // namespace

void importer::with_bodies(const pt2::node& n, std::string_view name) {
  if (name == "cond") return conditional(n);
  if (name == "map_impl") return mapped(n);
  if (name == "scan") return scanned(n);
  if (name == "while_loop") return repeated(n);
  if (name == "wrap_with_autocast") return autocast(n);
  if (name == "wrap_with_set_grad_enabled") return inlined(n);
  if (name == "with_effects" && is_effect_an_assertion(n)) return;
  refuse(errc::pt2_import_control, n) << "NAC has no form for this control flow; expected cond, or "
                                         "a loop of as many steps in every run";
  bind_all(n, 0);  // what follows is translated as if it gave its results
}

bool importer::is_effect_an_assertion(const pt2::node& n) const {
  constexpr std::string_view library = "torch.ops.";
  const view<pt2::argument> in = arguments(m_, n.inputs);
  if (in.size() < 2 || in[1].kind != argument_kind::operation) return false;
  const std::string_view target = text_of(m_, in[1].text);
  return target.starts_with(library) && is_assertion(target.substr(library.size()));
}

// ---- what goes in and out

bool importer::results_of(const pt2::node& n, view<pt2::argument> given, instructions& out) {
  operands all;
  for (const pt2::argument& a : given)
    if (a.kind != argument_kind::none && !append(n, a, all)) return false;
  for (const operand& o : all) out.push_back(instruction_of(o));
  return true;
}
bool importer::results_of(const pt2::node& n, const pt2::argument& list, instructions& out) {
  return results_of(n, arguments(m_, list.items), out);
}

bool importer::run_body(const pt2::node& n, const pt2::graph& g, const instructions& given,
                        instructions& out) {
  const view<pt2::argument> in = arguments(m_, g.inputs);
  for (std::size_t i = 0; i < in.size() && i < given.size(); ++i)
    if (const std::uint32_t v = p_.value_of(in[i]); v != none) at_[v] = given[i];
  nodes_of(g);
  out.clear();
  return results_of(n, arguments(m_, g.outputs), out);
}

void importer::bind(const pt2::node& n, const instructions& results) {
  std::size_t next = 0;
  const auto bind_one = [&](const pt2::argument& a) {
    if (a.kind == argument_kind::none || next == results.size()) return;
    if (const std::uint32_t v = p_.value_of(a); v != none) at_[v] = results[next];
    ++next;
  };
  for (const pt2::argument& o : arguments(m_, n.outputs)) {
    if (info(o.kind).form != pt2::argument_form::list)
      bind_one(o);
    else
      for (const pt2::argument& item : arguments(m_, o.items)) bind_one(item);
  }
}

/// The arguments of a node, if they are of these kinds; a report otherwise.
bool importer::expect_kinds(const pt2::node& n, std::initializer_list<argument_kind> kinds,
                            std::string_view expected) {
  const view<pt2::argument> in = arguments(m_, n.inputs);
  std::size_t i = 0;
  for (const argument_kind k : kinds) {
    if (i == in.size() || in[i].kind != k) {
      refuse(errc::pt2_import_control, n) << "expected " << expected;
      bind_all(n, 0);
      return false;
    }
    ++i;
  }
  return true;
}

// ---- bodies that run once

void importer::inlined(const pt2::node& n) {
  const view<pt2::argument> in = arguments(m_, n.inputs);
  std::size_t at = 0;
  while (at < in.size() && in[at].kind != argument_kind::graph) ++at;
  instructions given, made;
  if (at == in.size()) return bind_all(n, 0);
  const view<pt2::argument> rest{in.data() + at + 1, in.size() - at - 1};
  if (!results_of(n, rest, given) || !run_body(n, body(in[at]), given, made)) return bind_all(n, 0);
  bind(n, made);
}

void importer::conditional(const pt2::node& n) {
  const view<pt2::argument> in = arguments(m_, n.inputs);
  operands predicate;
  if (in.size() < 4 || in[1].kind != argument_kind::graph || in[2].kind != argument_kind::graph ||
      in[3].kind != argument_kind::tensors) {
    refuse(errc::pt2_import_control, n)
        << "expected a predicate, two bodies and a list of operands";
    return bind_all(n, 0);
  }
  const pt2::graph &yes = body(in[1]), &no = body(in[2]);
  const std::size_t results = arguments(m_, yes.outputs).size();
  if (results != arguments(m_, no.outputs).size()) {
    refuse(errc::pt2_import_control, n)
        << "the branches have " << results << " and " << arguments(m_, no.outputs).size()
        << " results; expected equally many";
    return bind_all(n, 0);
  }
  instructions given;
  if (!append(n, in[0], predicate) || predicate.size() != 1 || !results_of(n, in[3], given))
    return bind_all(n, 0);
  const std::uint16_t to_predicate = back_to(instruction_of(predicate[0]));
  const std::uint32_t at = add(nac::op_control_flow, 0, {0, 0}, {to_predicate});
  const std::uint32_t lengths = parts.instructions[at].c.first;
  const std::uint32_t first = next();
  branch(n, yes, given);
  const std::uint32_t second = next();
  branch(n, no, given);
  parts.words[lengths] = static_cast<std::uint16_t>(second - first);
  parts.words[lengths + 1] = static_cast<std::uint16_t>(next() - second);
  instructions made;
  for (std::size_t i = 0; i < results; ++i) made.push_back(results == 1 ? at : take(at, i));
  bind(n, made);
}

// Its last instruction gives the value. OUTPUT has as many operands here as at the end of the program;
// another operation gives other numbers of results.
void importer::branch(const pt2::node& n, const pt2::graph& g, const instructions& given) {
  const std::uint32_t before = next();
  instructions made;
  if (!run_body(n, g, given, made)) return;
  operands of;
  for (const std::uint32_t r : made) of.push_back({'T', r, 0});
  if (made.size() == user_outputs_ && made.size() != 1)
    output(nac::output::subgraph, made);
  else if (made.size() != 1)
    call("aten._to_cpu.default", of);
  else if (made[0] + 1 != next() || next() == before)
    call("nac.pass", of);
}

// ---- bodies that run several times

/// How long the first dimension of all tensors of a list is; none: reported.
std::optional<std::uint64_t> importer::steps_of(const pt2::node& n, const pt2::argument& list) {
  std::optional<std::uint64_t> steps;
  for (const pt2::argument& a : arguments(m_, list.items)) {
    const std::uint32_t v = p_.value_of(a);
    const view<pt2::scalar> sizes =
        v == none ? view<pt2::scalar>{} : scalars(m_, m_.tensors[m_.values[v].meta].sizes);
    if (!sizes.empty() && !sizes[0].is_symbolic && sizes[0].integer > 0)
      steps = static_cast<std::uint64_t>(sizes[0].integer);
  }
  if (!steps)
    refuse(errc::pt2_import_control, n)
        << "the number of steps isn't known; expected tensors of which the first dimension is "
           "constant and above 0";
  return steps;
}

// Steps may add no instructions, so that these aren't the limit.
void importer::count_step(std::uint64_t nodes) {
  unrolled_ += 1 + nodes;
  if (unrolled_ > most_unrolled) return refuse_count("nodes in unrolled loops", most_unrolled);
  check_counts();
}

/// Appends the elements of tensors at a place in the first dimension.
void importer::select_all(const instructions& from, std::uint64_t place, instructions& to) {
  for (const std::uint32_t t : from)
    to.push_back(
        call("aten.select.int", {{'T', t, 0}, whole(0), whole(static_cast<std::int64_t>(place))}));
}

/// Tensors along a new first dimension, or those that have it already.
std::uint32_t importer::joined(const instructions& all, bool is_stack) {
  const auto call_of = [&](std::size_t first, std::size_t count, bool stack) {
    operands of;
    for (std::size_t i = first; i < first + count; ++i) of.push_back({'T', all[i], 0});
    of.push_back(whole(0));
    return call(stack ? "aten.stack.default" : "nac.cat", of);
  };
  if (all.size() <= most_in_a_call) return call_of(0, all.size(), is_stack);
  instructions pieces;
  for (std::size_t i = 0; i < all.size(); i += most_in_a_call)
    pieces.push_back(call_of(i, std::min(most_in_a_call, all.size() - i), is_stack));
  return joined(pieces, false);
}

void importer::mapped(const pt2::node& n) {
  const view<pt2::argument> in = arguments(m_, n.inputs);
  if (!expect_kinds(n, {argument_kind::graph, argument_kind::tensors, argument_kind::tensors},
                    "a body and two lists of tensors"))
    return;
  loop(n, body(in[0]), {}, in[1], in[2]);
}
void importer::scanned(const pt2::node& n) {
  const view<pt2::argument> in = arguments(m_, n.inputs);
  instructions carried;
  if (!expect_kinds(n,
                    {argument_kind::graph, argument_kind::tensors, argument_kind::tensors,
                     argument_kind::tensors},
                    "a body and three lists of tensors"))
    return;
  if (!results_of(n, in[1], carried)) return bind_all(n, 0);
  loop(n, body(in[0]), std::move(carried), in[2], in[3]);
}

/// The body for each place in the first dimension of tensors. It takes the values that go on from step
/// to step, the elements at the place, and what is the same for all; it gives the first anew, and
/// results, which are stacked.
void importer::loop(const pt2::node& n, const pt2::graph& g, instructions carried,
                    const pt2::argument& over, const pt2::argument& same) {
  const std::optional<std::uint64_t> steps = steps_of(n, over);
  instructions elements, others;
  if (!steps || !results_of(n, over, elements) || !results_of(n, same, others))
    return bind_all(n, 0);
  std::vector<instructions> results;
  for (std::uint64_t i = 0; i < *steps && !has_refused_count_; ++i) {
    count_step(g.nodes.count);
    instructions given = carried, made;
    select_all(elements, i, given);
    given.insert(given.end(), others.begin(), others.end());
    if (!run_body(n, g, given, made) || made.size() < carried.size()) return bind_all(n, 0);
    std::copy_n(made.begin(), carried.size(), carried.begin());
    results.resize(made.size() - carried.size());
    for (std::size_t k = carried.size(); k < made.size(); ++k)
      results[k - carried.size()].push_back(made[k]);
  }
  if (has_refused_count_) return bind_all(n, 0);
  for (const instructions& all : results) carried.push_back(joined(all, true));
  bind(n, carried);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
