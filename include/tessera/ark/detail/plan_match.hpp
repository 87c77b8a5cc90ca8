// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Compares the operations of a plan with those of its model.

#ifndef TESSERA_ARK_DETAIL_PLAN_MATCH_HPP
#define TESSERA_ARK_DETAIL_PLAN_MATCH_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../../core/report.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../plan.hpp"
#include "findings.hpp"
#include "index.hpp"
#include "plan_model.hpp"
#include "plan_verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// How buffers of two files are identified.
enum class buffer_names : std::uint8_t { ids, first_uses };

/// The operations of a model that aren't virtual, in order, and how they compare.
class op_list {
 public:
  explicit op_list(const model& g) : g_(g), buffers_(g.buffers.data(), g.buffers.size()) {
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
      for (std::uint32_t i = 0; i < g.nodes[n].ops.count; ++i) {
        const std::uint32_t index = g.nodes[n].ops.first + i;
        if (g.ops[index].is_virtual || is_virtual(g.ops[index].type)) continue;
        ops_.push_back(index);
        nodes_.push_back(static_cast<std::uint32_t>(n));
      }
    for (std::size_t a = 0; a < g.arguments.size(); ++a)
      arguments_.push_back(static_cast<std::uint32_t>(a));
    for (const std::uint32_t o : ops_)
      sort(arguments_.data() + g.ops[o].arguments.first, g.ops[o].arguments.count,
           [&g](std::uint32_t a, std::uint32_t b) {
             const int order = name(g, g.arguments[a]).compare(name(g, g.arguments[b]));
             return order != 0 ? order < 0 : a < b;
           });
    names_.resize(g.buffers.size());
  }

  [[nodiscard]] const model& of() const noexcept { return g_; }
  [[nodiscard]] std::size_t size() const noexcept { return ops_.size(); }
  [[nodiscard]] const op& operator[](std::size_t i) const noexcept { return g_.ops[ops_[i]]; }
  [[nodiscard]] std::uint32_t node(std::size_t i) const noexcept { return nodes_[i]; }
  /// The buffer that an entry describes: the first entry of its Id.
  [[nodiscard]] std::uint32_t storage(std::uint32_t buffer) const noexcept {
    return buffers_.first_of(buffer);
  }
  /// The common name of a tensor's buffer in both files.
  [[nodiscard]] std::int64_t buffer_name(std::uint32_t tensor) const noexcept {
    return names_[storage(g_.tensors[tensor].buffer)];
  }

  void use(buffer_names how) {
    for (std::size_t b = 0; b < names_.size(); ++b)
      names_[b] = how == buffer_names::ids ? g_.buffers[b].id : -1;
    std::int64_t next = 0;
    if (how == buffer_names::first_uses)
      for (const std::uint32_t o : ops_)
        for (const std::uint32_t t : uses(g_, g_.ops[o])) {
          std::int64_t& name = names_[storage(g_.tensors[t].buffer)];
          if (name < 0) name = next++;
        }
    hashes_.clear();
    for (std::size_t i = 0; i < ops_.size(); ++i) hashes_.push_back(hash(i));
  }

  /// Less than, equal to or greater than 0, as operation `i` of `a` orders before, like or after `j`
  /// of `b`, in some total order.
  [[nodiscard]] static int compare(const op_list& a, std::size_t i, const op_list& b,
                                   std::size_t j) noexcept {
    if (a.hashes_[i] != b.hashes_[j]) return a.hashes_[i] < b.hashes_[j] ? -1 : 1;
    if (const int order = compare_type(a, i, b, j); order != 0) return order;
    if (const int order = compare_arguments(a, i, b, j); order != 0) return order;
    const op &p = a[i], &q = b[j];
    if (const int order = three(p.reads, q.reads); order != 0) return order;
    if (const int order = three(p.writes, q.writes); order != 0) return order;
    if (const int order = three(p.results, q.results); order != 0) return order;
    const view<std::uint32_t> left = uses(a.g_, p), right = uses(b.g_, q);
    for (std::size_t u = 0; u < left.size(); ++u)
      if (const int order = compare_tensors(a, left[u], b, right[u]); order != 0) return order;
    return 0;
  }
  [[nodiscard]] static int compare_type(const op_list& a, std::size_t i, const op_list& b,
                                        std::size_t j) noexcept {
    return type_name(a.g_, a[i]).compare(type_name(b.g_, b[j]));
  }
  [[nodiscard]] static int compare_arguments(const op_list& a, std::size_t i, const op_list& b,
                                             std::size_t j) noexcept {
    const range left = a[i].arguments, right = b[j].arguments;
    if (const int order = three(left.count, right.count); order != 0) return order;
    for (std::uint32_t k = 0; k < left.count; ++k) {
      const argument& p = a.g_.arguments[a.arguments_[left.first + k]];
      const argument& q = b.g_.arguments[b.arguments_[right.first + k]];
      if (const int order = name(a.g_, p).compare(name(b.g_, q)); order != 0) return order;
      if (const int order = three(p.type, q.type); order != 0) return order;
      if (const int order = compare_values(a, p, b, q); order != 0) return order;
    }
    return 0;
  }
  [[nodiscard]] static int compare_tensors(const op_list& a, std::uint32_t i, const op_list& b,
                                           std::uint32_t j) noexcept {
    const tensor &p = a.g_.tensors[i], &q = b.g_.tensors[j];
    if (const int order = three(p.type, q.type); order != 0) return order;
    const layout &l = a.g_.layouts[p.layout], &m = b.g_.layouts[q.layout];
    if (const int order = three(l.rank, m.rank); order != 0) return order;
    for (std::size_t d = 0; d < max_rank; ++d) {
      if (const int order = three(l.shape[d], m.shape[d]); order != 0) return order;
      if (const int order = three(l.strides[d], m.strides[d]); order != 0) return order;
      if (const int order = three(l.offsets[d], m.offsets[d]); order != 0) return order;
      if (const int order = three(l.padded_shape[d], m.padded_shape[d]); order != 0) return order;
    }
    if (const int order = three(a.buffer_name(i), b.buffer_name(j)); order != 0) return order;
    const buffer &s = a.g_.buffers[p.buffer], &t = b.g_.buffers[q.buffer];
    if (const int order = three(owner(a.g_, s), owner(b.g_, t)); order != 0) return order;
    if (const int order = compare_tags(a.g_, s.send_tags, b.g_, t.send_tags); order != 0)
      return order;
    return compare_tags(a.g_, s.recv_tags, b.g_, t.recv_tags);
  }

 private:
  template <class T>
  [[nodiscard]] static int three(T a, T b) noexcept {
    return a < b ? -1 : b < a ? 1 : 0;
  }
  [[nodiscard]] static std::int32_t owner(const model& g, const buffer& b) noexcept {
    return is_local(g, b) ? -1 : b.rank;
  }
  [[nodiscard]] static int compare_tags(const model& g, range a, const model& h, range b) noexcept {
    if (const int order = three(a.count, b.count); order != 0) return order;
    for (std::uint32_t i = 0; i < a.count; ++i) {
      const tag &p = g.tags[a.first + i], &q = h.tags[b.first + i];
      if (const int order = three(p.rank, q.rank); order != 0) return order;
      if (const int order = three(p.number, q.number); order != 0) return order;
    }
    return 0;
  }
  /// Of two arguments of one name and TYPE.
  [[nodiscard]] static int compare_values(const op_list& a, const argument& p, const op_list& b,
                                          const argument& q) noexcept {
    switch (p.type) {
      case argument_type::int32:
      case argument_type::int64:
      case argument_type::uint32:
      case argument_type::uint64:
      case argument_type::boolean: return three(p.integer, q.integer);
      case argument_type::float32:
        return three(std::bit_cast<std::uint32_t>(p.real), std::bit_cast<std::uint32_t>(q.real));
      case argument_type::dims:
      case argument_type::offset: {
        const view<std::int64_t> left = integers(a.g_, p.integers);
        const view<std::int64_t> right = integers(b.g_, q.integers);
        if (left.size() != right.size()) return three(left.size(), right.size());
        for (std::size_t i = 0; i < left.size(); ++i)
          if (left[i] != right[i]) return three(left[i], right[i]);
        return 0;
      }
      case argument_type::tensor:
        return compare_tensors(a, static_cast<std::uint32_t>(p.integer), b,
                               static_cast<std::uint32_t>(q.integer));
      case argument_type::other: break;  // unreachable: verified models have none
    }
    return 0;  // unreachable: all types are above
  }
  /// Of what distinguishes most operations.
  [[nodiscard]] std::uint64_t hash(std::size_t i) const noexcept {
    std::uint64_t h = static_cast<std::uint64_t>((*this)[i].type);
    const auto mix = [&h](std::uint64_t v) { h = std::rotl(h ^ v, 23) * 0x9e3779b97f4a7c15u; };
    for (const std::uint32_t t : uses(g_, (*this)[i])) {
      mix(static_cast<std::uint64_t>(buffer_name(t)));
      const layout& l = layout_of(g_, t);
      for (std::size_t d = 0; d < max_rank; ++d) {
        mix(static_cast<std::uint64_t>(l.shape[d]));
        mix(static_cast<std::uint64_t>(l.offsets[d]));
      }
    }
    return h;
  }

  const ark::model& g_;
  id_index buffers_;
  pool<std::uint32_t> ops_, nodes_;
  pool<std::uint32_t> arguments_;  // indices of arguments, those of each operation by name
  pool<std::int64_t> names_;       // of the first entry of each buffer
  pool<std::uint64_t> hashes_;
};

/// Compares the operations of a plan with those of its model.
class plan_matcher {
 public:
  plan_matcher(const plan& p, const model& made, const model& model, plan_findings& found)
      : p_(p), order_(plan_order(p)), found_(found), here_(made), there_(model) {}

  void all() {
    if (p_.parts.rank != there_.of().rank)
      found_.add(errc::ark_plan_model, severity::error, found_.root(), "$.Rank")
          << "Rank is " << p_.parts.rank << "; the model has " << there_.of().rank;
    if (p_.parts.world_size != there_.of().world_size)
      found_.add(errc::ark_plan_model, severity::error, found_.root(), "$.WorldSize")
          << "WorldSize is " << p_.parts.world_size << "; the model has " << there_.of().world_size;
    exact(buffer_names::ids);
    if (matched_ < there_.size()) {
      const std::size_t by_ids = matched_;
      exact(buffer_names::first_uses);
      if (matched_ <= by_ids) exact(buffer_names::ids);
    }
    pair(true);
    pair(false);
    for (std::size_t i = 0; i < there_.size(); ++i)
      if (to_plan_[i] == none) missing(i);
    for (std::size_t j = 0; j < here_.size(); ++j)
      if (to_model_[j] == none)
        at(j, severity::warning, "")
            << "the model has no " << excerpt{type_name(here_.of(), here_[j])}
            << " with these tensors and Args";
      else if (!is_exact_[j])
        changed(j, to_model_[j]);
    order();
  }

 private:
  /// Matches operations that are alike, the first ones with the first ones.
  void exact(buffer_names how) {
    here_.use(how);
    there_.use(how);
    to_plan_.clear(), to_model_.clear(), is_exact_.clear();
    for (std::size_t i = 0; i < there_.size(); ++i) to_plan_.push_back(none);
    for (std::size_t j = 0; j < here_.size(); ++j) to_model_.push_back(none);
    is_exact_.resize(here_.size());
    const pool<std::uint32_t> left = sorted(there_), right = sorted(here_);
    matched_ = 0;
    for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
      const int order = op_list::compare(there_, left[i], here_, right[j]);
      if (order == 0) {
        to_plan_[left[i]] = right[j];
        to_model_[right[j]] = left[i];
        is_exact_[right[j]] = true;
        ++matched_, ++i, ++j;
      } else {
        ++(order < 0 ? i : j);
      }
    }
  }
  [[nodiscard]] static pool<std::uint32_t> sorted(const op_list& l) {
    pool<std::uint32_t> out;
    for (std::size_t i = 0; i < l.size(); ++i) out.push_back(static_cast<std::uint32_t>(i));
    sort(out.data(), out.size(), [&l](std::uint32_t a, std::uint32_t b) {
      const int order = op_list::compare(l, a, l, b);
      return order != 0 ? order < 0 : a < b;
    });
    return out;
  }

  /// The key for pairing unmatched operations.
  struct purpose {
    std::int64_t buffer;  // that it writes or, when it writes none, reads
    bool writes;
    std::uint32_t type;  // 0 when any will do
    std::uint32_t index;
    [[nodiscard]] static int compare(const purpose& a, const purpose& b) noexcept {
      if (a.buffer != b.buffer) return a.buffer < b.buffer ? -1 : 1;
      if (a.writes != b.writes) return a.writes ? -1 : 1;
      return a.type != b.type ? (a.type < b.type ? -1 : 1) : 0;
    }
  };
  /// Pairs unmatched operations by buffer and Type, or only by buffer.
  void pair(bool by_type) {
    const pool<purpose> left = purposes(there_, to_plan_, by_type);
    const pool<purpose> right = purposes(here_, to_model_, by_type);
    for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
      const int order = purpose::compare(left[i], right[j]);
      if (order == 0) {
        to_plan_[left[i].index] = right[j].index;
        to_model_[right[j].index] = left[i].index;
        ++i, ++j;
      } else {
        ++(order < 0 ? i : j);
      }
    }
  }
  [[nodiscard]] static pool<purpose> purposes(const op_list& l, const pool<std::uint32_t>& matched,
                                              bool by_type) {
    pool<purpose> out;
    for (std::size_t i = 0; i < l.size(); ++i) {
      if (matched[i] != none) continue;
      const op& o = l[i];
      const view<std::uint32_t> list = o.writes != 0 ? writes(l.of(), o) : reads(l.of(), o);
      if (list.empty() || (o.writes == 0 && !by_type)) continue;
      out.push_back({l.buffer_name(list[0]), o.writes != 0,
                     by_type ? 1 + static_cast<std::uint32_t>(o.type) : 0,
                     static_cast<std::uint32_t>(i)});
    }
    sort(out.data(), out.size(), [](const purpose& a, const purpose& b) {
      const int order = purpose::compare(a, b);
      return order != 0 ? order < 0 : a.index < b.index;
    });
    return out;
  }

  void missing(std::size_t i) {
    const severity how = there_[i].type == op_type::noop ? severity::warning : severity::error;
    found_.add(errc::ark_plan_model, how, found_.root(), "$.TaskInfos")
        << "the plan lacks " << shown(i) << " of the model";
  }
  void changed(std::size_t j, std::size_t i) {
    if (op_list::compare_type(there_, i, here_, j) != 0) {
      at(j, severity::warning, ".Type") << "the model has " << shown(i) << " here";
      return;
    }
    if (op_list::compare_arguments(there_, i, here_, j) != 0) {
      at(j, severity::warning, ".Args")
          << "Args differ from those of " << shown(i) << " in the model";
      return;
    }
    const op &p = there_[i], &q = here_[j];
    const struct {
      std::string_view name;
      view<std::uint32_t> model, plan;
    } lists[] = {{".ReadTensors", reads(there_.of(), p), reads(here_.of(), q)},
                 {".WriteTensors", writes(there_.of(), p), writes(here_.of(), q)},
                 {".ResultTensors", results(there_.of(), p), results(here_.of(), q)}};
    text tail;
    for (const auto& l : lists) {
      tail << l.name;
      std::size_t u = 0;
      while (u < l.model.size() && u < l.plan.size() &&
             op_list::compare_tensors(there_, l.model[u], here_, l.plan[u]) == 0)
        ++u;
      if (u < l.model.size() && u < l.plan.size()) {
        tail << '[' << u << ']';
        at(j, severity::warning, tail)
            << "the tensor differs from that of " << shown(i) << " in the model";
        return;
      }
      if (l.model.size() != l.plan.size()) {
        at(j, severity::warning, tail)
            << l.plan.size() << " tensors; " << shown(i) << " of the model has " << l.model.size();
        return;
      }
      tail.clear();
    }
  }

  /// Operations that use the same memory come in the model's order.
  void order() {
    struct access {
      std::uint32_t op = none, tensor = 0;  // in the plan: the last operation so far
    };
    pool<access> written, used;
    written.resize(here_.of().buffers.size());
    used.resize(written.size());
    for (std::size_t i = 0; i < there_.size(); ++i) {
      const std::uint32_t j = to_plan_[i];
      if (j == none) continue;
      const op& o = here_[j];
      bool reported = false;
      for (std::uint32_t u = 0; u < o.reads + o.writes; ++u) {
        const std::uint32_t t = here_.of().uses[o.first_use + u];
        const std::uint32_t b = here_.storage(here_.of().tensors[t].buffer);
        const access before = u < o.reads ? written[b] : used[b];
        if (!reported && before.op != none && before.op > j && overlap(before.tensor, t)) {
          reported = true;
          at(j, severity::error, "") << shown(to_model_[before.op])
                                     << " uses the same memory and precedes this operation in the "
                                        "model; expected the same order";
        }
      }
      for (std::uint32_t u = 0; u < o.reads + o.writes; ++u) {
        const std::uint32_t t = here_.of().uses[o.first_use + u];
        const std::uint32_t b = here_.storage(here_.of().tensors[t].buffer);
        if (used[b].op == none || used[b].op < j) used[b] = {j, t};
        if (u >= o.reads && (written[b].op == none || written[b].op < j)) written[b] = {j, t};
      }
    }
  }
  /// Whether two tensors of one buffer may share bytes.
  [[nodiscard]] bool overlap(std::uint32_t a, std::uint32_t b) const noexcept {
    const model& g = here_.of();
    const layout &l = layout_of(g, a), &m = layout_of(g, b);
    if (l.rank != m.rank || info(g.tensors[a].type).bytes != info(g.tensors[b].type).bytes)
      return true;
    for (std::size_t d = 1; d < max_rank; ++d)
      if (l.strides[d] != m.strides[d]) return true;
    for (std::size_t d = 0; d < max_rank; ++d)
      if (apart(l.offsets[d], l.padded_shape[d], m.offsets[d]) ||
          apart(m.offsets[d], m.padded_shape[d], l.offsets[d]))
        return false;
    return true;
  }
  /// Whether [first, first + count) ends before `second`.
  [[nodiscard]] static bool apart(std::int64_t first, std::int64_t count,
                                  std::int64_t second) noexcept {
    return first >= 0 && count >= 0 && second >= first && second - first >= count;
  }

  /// An operation of the model: Matmul "matmul_1".
  [[nodiscard]] verbatim shown(std::size_t i) {
    words_.clear();
    if (there_[i].type == op_type::unknown)
      words_ << quoted{type_name(there_.of(), there_[i])};
    else
      words_ << type_name(there_.of(), there_[i]);
    words_ << ' ' << quoted{name(there_.of(), there_[i])};
    return {words_};
  }
  /// At an operation of the plan.
  writer at(std::size_t j, severity how, std::string_view tail) {
    const plan_place where = order_[here_.node(j)];
    path_.clear();
    path_ << "$.TaskInfos[" << where.task << "].Ops[" << where.op << ']' << tail;
    const tessera::error e = error_in(p_.tasks, p_.tasks[where.task], errc::ok, error_index::task);
    tessera::place place{.offset = e.offset, .index = e.index};
    if (e.index == error_index::none)
      place.offset = p_.configs[p_.tasks[where.task].ops.first + where.op].offset;
    return found_.add(errc::ark_plan_model, how, place, path_);
  }

  const plan& p_;
  pool<plan_place> order_;
  plan_findings& found_;
  op_list here_, there_;                    // of the plan, of the model
  pool<std::uint32_t> to_plan_, to_model_;  // the operation that each one is matched with, or none
  pool<bool> is_exact_;                     // of the plan's
  std::size_t matched_ = 0;
  text path_, words_;
};

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_MATCH_HPP
