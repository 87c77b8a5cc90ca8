// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What shares elements with what, where a program writes in place. Whether reshape and the like give
// views depends on strides, which archives have and containers don't: those that share elements with
// something that is written become view or alias, or a copy.

#include <algorithm>
#include <numeric>

#include "import/importer.hpp"
#include "tessera/nac/operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

enum class alias_rule : std::uint8_t { none, by_strides, if_contiguous, if_same_type, always };

/// Whether an operation's results are views of its first argument.
[[nodiscard]] alias_rule alias_rule_of(std::string_view target) {
  constexpr struct {
    std::string_view name;
    alias_rule how;
  } rows[] = {
      {"aten.reshape.", alias_rule::by_strides},       {"aten.reshape_as.", alias_rule::by_strides},
      {"aten.flatten.", alias_rule::by_strides},       {"aten.ravel.", alias_rule::by_strides},
      {"aten.contiguous.", alias_rule::if_contiguous}, {"aten.to.", alias_rule::if_same_type},
      {"aten.type_as.", alias_rule::if_same_type}};
  for (const auto& row : rows)
    if (target.starts_with(row.name)) return row.how;
  for (const std::string_view name :
       {"aten.select.",       "aten.slice.",          "aten.narrow.",   "aten.view.",
        "aten.view_as.",      "aten.transpose.",      "aten.permute.",  "aten.t.",
        "aten.unsqueeze.",    "aten.squeeze.",        "aten.expand.",   "aten.expand_as.",
        "aten.alias.",        "aten.detach.",         "aten.split.",    "aten.split_with_sizes.",
        "aten.chunk.",        "aten.unbind.",         "aten.diagonal.", "aten.unflatten.",
        "aten.movedim.",      "aten.swapaxes.",       "aten.swapdims.", "aten.unfold.",
        "aten.tensor_split.", "aten.numpy_T.",        "aten.mT.",       "aten.as_strided.",
        "aten.view_as_real.", "aten.view_as_complex."})
    if (target.starts_with(name)) return alias_rule::always;
  return alias_rule::none;
}

/// Whether elements with these strides are in row-major order.
[[nodiscard]] bool is_in_row_major(view<pt2::scalar> sizes, view<pt2::scalar> strides) {
  std::int64_t expected = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d].integer != 1 && strides[d].integer != expected) return false;
    expected *= sizes[d].integer;
  }
  return true;
}
/// Whether another shape of the same elements can be a view: each of its dimensions lies within some of
/// the old ones that follow each other without a gap.
[[nodiscard]] bool can_view(view<pt2::scalar> sizes, view<pt2::scalar> strides,
                            view<pt2::scalar> to) {
  std::size_t next = to.size();
  std::int64_t old_count = 1, new_count = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    old_count *= sizes[d].integer;
    if (old_count == 0) return true;
    const bool goes_on =
        d != 0 && (sizes[d - 1].integer == 1 ||
                   strides[d - 1].integer == sizes[d].integer * strides[d].integer);
    if (goes_on) continue;
    while (next != 0 && (new_count < old_count || to[next - 1].integer == 1))
      new_count *= to[--next].integer;
    if (new_count != old_count) return false;
    old_count = new_count = 1;
  }
  return next == 0;
}
[[nodiscard]] bool is_known(view<pt2::scalar> numbers) {
  return std::none_of(numbers.begin(), numbers.end(),
                      [](const pt2::scalar& s) { return s.is_symbolic || s.integer > 0x7fffffff; });
}

}  // namespace

void importer::find_writes() {
  for (const pt2::output_spec& o : m_.outputs)
    if (o.kind == pt2::output_kind::buffer_mutation) changed_.emplace(text_of(m_, o.target));
  base_.resize(m_.values.size());
  std::iota(base_.begin(), base_.end(), 0u);
  for (const pt2::node& n : pt2::nodes(m_, m_.graphs[0])) {
    const view<pt2::argument> in = arguments(m_, n.inputs), out = arguments(m_, n.outputs);
    const std::uint32_t from = in.empty() ? none : p_.value_of(in[0]);
    if (from == none) continue;
    const bool writes = nac::is_in_place(short_target(m_, n));
    if (writes || alias_rule_of(short_target(m_, n)) != alias_rule::none)
      for (const pt2::argument& o : out) share_base(o, base_[from]);
    if (!writes) continue;
    written_.insert(base_[from]);
    const pt2::definition& of = p_.definition_of(base_[from]);
    if (of.node != none || of.position >= m_.inputs.size()) continue;
    const pt2::input_spec& s = m_.inputs[of.position];
    if (s.kind == pt2::input_kind::buffer) changed_.emplace(text_of(m_, s.target));
  }
}
void importer::share_base(const pt2::argument& o, std::uint32_t of) {
  if (const std::uint32_t v = p_.value_of(o); v != none) base_[v] = of;
  if (info(o.kind).form == pt2::argument_form::list)
    for (const pt2::argument& item : arguments(m_, o.items)) share_base(item, of);
}

bool importer::settled_alias(const pt2::node& n) {
  const view<pt2::argument> in = arguments(m_, n.inputs), out = arguments(m_, n.outputs);
  const alias_rule how = alias_rule_of(short_target(m_, n));
  const std::uint32_t from = in.empty() ? none : p_.value_of(in[0]);
  const std::uint32_t made = out.size() != 1 ? none : p_.value_of(out[0]);
  if (how == alias_rule::none || how == alias_rule::always || from == none || made == none ||
      at_[from] == none || written_.count(base_[from]) == 0)
    return false;
  const pt2::tensor_meta &old = m_.tensors[m_.values[from].meta],
                         &now = m_.tensors[m_.values[made].meta];
  const view<pt2::scalar> sizes = scalars(m_, old.sizes), strides = scalars(m_, old.strides),
                          to = scalars(m_, now.sizes);
  if (!is_known(sizes) || !is_known(strides) || !is_known(to)) return false;
  for (const pt2::argument& a : in)  // a copy that was asked for, or another order of elements
    if ((text_of(m_, a.name) == "copy" && a.boolean) ||
        (a.kind == pt2::argument_kind::memory_format && a.integer > 1))
      return false;
  std::vector<std::uint32_t> shape;
  for (const pt2::scalar& s : to) shape.push_back(static_cast<std::uint32_t>(s.integer));
  const operand x{'T', at_[from], 0};
  if (how == alias_rule::by_strides)
    at_[made] =
        call(can_view(sizes, strides, to) ? "aten.view.default" : "aten._reshape_copy.default",
             {x, list_of(shape)});
  else if (how == alias_rule::if_contiguous)
    at_[made] = call(is_in_row_major(sizes, strides) ? "aten.alias.default" : "nac.clone", {x});
  else if (old.type == now.type)
    at_[made] = call("aten.alias.default", {x});
  else
    at_[made] = call("aten._to_copy.default", {x, name_of(now.type)});
  return true;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
