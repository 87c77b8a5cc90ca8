// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// while_loop, where the archive proves how often the body runs: because its condition is computed of
// constants and of counters that begin with one.

#include "import/importer.hpp"
#include "tessera/core/load_store.hpp"
#include "tessera/nac/operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using pt2::argument_kind;
using whole_or_none = std::optional<std::int64_t>;

/// Integers of rank 0 that are the same in every run.
class known_integers {
 public:
  explicit known_integers(const pt2::program& p) : p_(p), m_(p.model()) {
    for (const pt2::node& n : m_.nodes) {
      const view<pt2::argument> in = arguments(m_, n.inputs);
      const std::string_view target = short_target(m_, n);
      if (!in.empty() && nac::is_in_place(target) && !target.starts_with("aten.detach_."))
        written_.insert(p_.value_of(in[0]));
    }
  }

  /// Forgets all and knows the inputs of a body.
  void begin(const pt2::graph& g, const std::vector<whole_or_none>& inputs) {
    values_.clear();
    const view<pt2::argument> in = arguments(m_, g.inputs);
    for (std::size_t i = 0; i < in.size(); ++i)
      if (const std::uint32_t v = p_.value_of(in[i]); v != pt2::none)
        values_[v] = i < inputs.size() ? inputs[i] : whole_or_none();
  }
  [[nodiscard]] whole_or_none of(const pt2::argument& a, std::size_t depth = 0) {
    if (a.kind == argument_kind::boolean) return a.boolean ? 1 : 0;
    if (a.kind == argument_kind::integer || (a.kind == argument_kind::sym_int && !a.is_named))
      return a.integer;
    const std::uint32_t v = p_.value_of(a);
    if (v == pt2::none || depth == most_depth) return {};
    if (const auto at = values_.find(v); at != values_.end()) return at->second;
    const pt2::definition& d = p_.definition_of(v);
    if (d.graph == pt2::none) return {};
    const whole_or_none made = d.node == pt2::none ? stored(d) : computed(m_.nodes[d.node], depth);
    values_.emplace(v, made);
    return made;
  }

 private:
  static constexpr std::size_t most_depth = 64;

  [[nodiscard]] whole_or_none stored(const pt2::definition& d) const {
    const std::uint32_t index = d.graph == 0 ? p_.stored_of(d.position) : pt2::none;
    if (index == pt2::none || m_.inputs[d.position].kind != pt2::input_kind::tensor_constant)
      return {};
    const pt2::stored_tensor& s = m_.stored[index];
    const pt2::tensor_meta& meta = m_.tensors[s.meta];
    if (meta.type != pt2::element_type::int64 || !scalars(m_, meta.sizes).empty()) return {};
    const auto first = static_cast<std::size_t>(m_.scalars[meta.storage_offset].integer);
    return load_le<std::int64_t>(payload(m_, s).data() + first * sizeof(std::int64_t));
  }
  [[nodiscard]] whole_or_none computed(const pt2::node& n, std::size_t depth) {
    const view<pt2::argument> in = arguments(m_, n.inputs), out = arguments(m_, n.outputs);
    if (in.empty() || out.size() != 1 || written_.count(p_.value_of(out[0])) != 0) return {};
    std::string_view name = short_target(m_, n);
    name.remove_prefix(std::min(name.size(), name.find('.') + 1));
    name = name.substr(0, name.find('.'));
    const whole_or_none a = of(in[0], depth + 1);
    if (!a) return {};
    for (const std::string_view same :
         {"lift_fresh_copy", "clone", "detach", "detach_", "alias", "item", "scalar_tensor"})
      if (name == same) return a;
    if (name == "logical_not") return *a == 0 ? 1 : 0;
    if (in.size() != 2) return {};
    const whole_or_none b = of(in[1], depth + 1);
    return b ? of_two(name, *a, *b) : whole_or_none();
  }
  [[nodiscard]] static whole_or_none of_two(std::string_view name, std::int64_t a, std::int64_t b) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (name == "lt") return a < b ? 1 : 0;
    if (name == "le") return a <= b ? 1 : 0;
    if (name == "gt") return a > b ? 1 : 0;
    if (name == "ge") return a >= b ? 1 : 0;
    if (name == "eq") return a == b ? 1 : 0;
    if (name == "ne") return a != b ? 1 : 0;
    if (name == "logical_and") return a != 0 && b != 0 ? 1 : 0;
    if (name == "logical_or") return a != 0 || b != 0 ? 1 : 0;
    if (a < -most || a > most || b < -most || b > most) return {};
    if (name == "add") return a + b;
    if (name == "sub") return a - b;
    if (name == "mul") return a * b;
    return {};
  }
  const pt2::program& p_;
  const pt2::model& m_;
  std::set<std::uint32_t> written_;  // by forms in place
  std::map<std::uint32_t, whole_or_none> values_;
};

}  // namespace

void importer::repeated(const pt2::node& n) {
  const view<pt2::argument> in = arguments(m_, n.inputs);
  if (!expect_kinds(n,
                    {argument_kind::graph, argument_kind::graph, argument_kind::tensors,
                     argument_kind::tensors},
                    "a condition, a body and two lists of tensors"))
    return;
  const pt2::graph &condition = body(in[0]), &again = body(in[1]);
  const view<pt2::argument> goes_on = arguments(m_, condition.outputs);
  known_integers known(p_);
  std::vector<whole_or_none> counters;
  for (const pt2::argument& list : {in[2], in[3]})
    for (const pt2::argument& a : arguments(m_, list.items)) counters.push_back(known.of(a));
  instructions carried, same;
  if (!results_of(n, in[2], carried) || !results_of(n, in[3], same)) return bind_all(n, 0);
  while (!has_refused_count_) {
    known.begin(condition, counters);
    const whole_or_none once_more = goes_on.size() == 1 ? known.of(goes_on[0]) : whole_or_none();
    if (!once_more) {
      refuse(errc::pt2_import_control, n)
          << "the number of steps isn't known: the condition depends on more than constants and "
             "counters";
      return bind_all(n, 0);
    }
    if (*once_more == 0) break;
    count_step(condition.nodes.count + again.nodes.count);
    known.begin(again, counters);
    const view<pt2::argument> results = arguments(m_, again.outputs);
    for (std::size_t i = 0; i < carried.size() && i < counters.size(); ++i)
      counters[i] = i < results.size() ? known.of(results[i]) : whole_or_none();
    instructions given = carried;
    given.insert(given.end(), same.begin(), same.end());
    if (!run_body(n, again, given, carried)) return bind_all(n, 0);
  }
  bind(n, carried);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
