// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whether the indices of a model are in range, and its lists and graphs are trees.

#ifndef TESSERA_PT2_DETAIL_CHECK_HPP
#define TESSERA_PT2_DETAIL_CHECK_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/error.hpp"
#include "../verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

class index_checker {
 public:
  explicit index_checker(const model& m) noexcept : m_(m) {}

  [[nodiscard]] bool run() {
    archive();
    if (ok_) argument_rows();
    if (ok_) graph_rows();
    if (ok_) signature_rows();
    return ok_;
  }

 private:
  template <class T>
  void in(range r, const pool<T>& of) noexcept {
    ok_ = ok_ && r.first <= of.size() && r.count <= of.size() - r.first;
  }
  template <class T>
  void in(std::uint32_t index, const pool<T>& of) noexcept {
    ok_ = ok_ && index < of.size();
  }
  void in(string s) noexcept {
    ok_ = ok_ && s.first <= m_.characters.size() && s.size <= m_.characters.size() - s.first;
  }

  void archive() {
    for (const string s :
         {m_.root, m_.name, m_.torch_version, m_.opset_json, m_.metadata_json, m_.namedtuples_json})
      in(s);
    for (const member& of : m_.members) {
      in(of.name);
      const bool is_owned = of.owned != member::no_data;
      const std::uint64_t first = is_owned ? of.owned : of.data_offset;
      const std::uint64_t all = is_owned ? m_.contents.size() : m_.source.size();
      const std::uint64_t size = is_owned ? of.size : of.stored_size;
      ok_ = ok_ && first <= all && size <= all - first;
    }
    for (const stored_tensor& t : m_.stored) {
      in(t.name);
      in(t.path);
      in(t.member, m_.members);
      if (t.meta != none) in(t.meta, m_.tensors);
    }
    in(m_.weights, m_.stored);
    in(m_.constants, m_.stored);
    ok_ = ok_ && m_.members_by_name.size() <= m_.members.size();
    for (const std::uint32_t i : m_.members_by_name) in(i, m_.members);
  }

  /// Elements of a list come before it, and belong to no other list.
  void argument_rows() {
    pool<bool> owned;
    owned.resize(m_.arguments.size());
    for (std::uint32_t i = 0; i < m_.arguments.size() && ok_; ++i) {
      const argument& a = m_.arguments[i];
      in(a.name);
      in(a.text);
      in(a.class_name);
      const argument_form form = info(a.kind).form;
      if (form == argument_form::integers) in(a.items, m_.integers);
      if (form == argument_form::reals || form == argument_form::complex) in(a.items, m_.reals);
      if (form == argument_form::complex) ok_ = ok_ && a.items.count == 2;
      if (form != argument_form::list && form != argument_form::named) continue;
      in(a.items, m_.arguments);
      ok_ = ok_ && a.items.first + a.items.count <= i;
      for (std::uint32_t k = 0; k < a.items.count && ok_; ++k) {
        bool& taken = owned[a.items.first + k];
        ok_ = !taken && (form == argument_form::named ||
                         m_.arguments[a.items.first + k].kind == info(a.kind).element);
        taken = true;
      }
    }
  }

  /// A body's graph follows the one whose node has it, and belongs to one argument.
  void graph_rows() {
    pool<bool> owned;
    owned.resize(m_.graphs.size());
    ok_ = ok_ && !m_.graphs.empty();
    for (std::uint32_t i = 0; i < m_.graphs.size() && ok_; ++i) {
      const graph& g = m_.graphs[i];
      in(g.inputs, m_.arguments);
      in(g.outputs, m_.arguments);
      in(g.nodes, m_.nodes);
      for (const range r : {g.tensors, g.sym_ints, g.sym_bools, g.sym_floats, g.objects})
        in(r, m_.values);
      for (std::uint32_t k = 0; k < g.nodes.count && ok_; ++k)
        node_row(m_.nodes[g.nodes.first + k], i, owned);
    }
    for (const node& n : m_.nodes) in_node(n);
    for (const value& v : m_.values) {
      in(v.name);
      in(v.class_name);
      if (v.kind == value_kind::tensor)
        in(v.meta, m_.tensors);
      else if (v.kind != value_kind::custom_object)
        in(v.meta, m_.scalars);
    }
    for (const tensor_meta& t : m_.tensors) {
      in(t.device);
      in(t.sizes, m_.scalars);
      in(t.strides, m_.scalars);
      in(t.storage_offset, m_.scalars);
    }
    for (const scalar& s : m_.scalars) in(s.expression);
    for (const text_entry& e : m_.metadata) in(e.key), in(e.value);
  }
  void in_node(const node& n) {
    in(n.target);
    in(n.name);
    in(n.inputs, m_.arguments);
    in(n.outputs, m_.arguments);
    in(n.metadata, m_.metadata);
  }
  void node_row(const node& n, std::uint32_t graph, pool<bool>& owned) {
    in(n.inputs, m_.arguments);
    if (!ok_) return;
    for (const argument& a : arguments(m_, n.inputs)) {
      if (a.kind != argument_kind::graph) continue;
      ok_ = ok_ && a.integer > std::int64_t{graph} &&
            a.integer < static_cast<std::int64_t>(m_.graphs.size()) &&
            !owned[static_cast<std::size_t>(a.integer)];
      if (ok_) owned[static_cast<std::size_t>(a.integer)] = true;
    }
  }

  void signature_rows() {
    for (const input_spec& s : m_.inputs) in(s.argument, m_.arguments), in(s.target);
    for (const output_spec& s : m_.outputs) in(s.argument, m_.arguments), in(s.target);
    for (const module_call& c : m_.calls) {
      in(c.path);
      in(c.in_spec);
      in(c.out_spec);
      in(c.inputs, m_.arguments);
      in(c.outputs, m_.arguments);
      in(c.argument_names, m_.strings);
    }
    for (const range_constraint& c : m_.constraints) in(c.symbol);
    for (const string s : m_.strings) in(s);
    in(m_.verifiers, m_.strings);
    in(m_.guards, m_.strings);
  }

  const model& m_;
  bool ok_ = true;
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE error check(const model& m) {
  return detail::index_checker(m).run() ? error() : error(errc::pt2_index, 0, error_index::whole);
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_CHECK_HPP
