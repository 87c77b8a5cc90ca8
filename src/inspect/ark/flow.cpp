// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/ark/flow.hpp"

#include <algorithm>
#include <map>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t out = 0;
  return checked_add(a, b, out) ? out : UINT64_MAX;
}

std::uint64_t saturating_mul(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t out = 0;
  return checked_mul(a, b, out) ? out : UINT64_MAX;
}

namespace {

/// A dimension as a count; a graph that wasn't verified may have negative ones.
[[nodiscard]] std::uint64_t extent(std::int64_t v) noexcept {
  return v > 0 ? static_cast<std::uint64_t>(v) : 0;
}

}  // namespace

std::uint64_t volume(const std::int64_t (&dims)[ark::max_rank], std::uint32_t rank) noexcept {
  std::uint64_t out = 1;
  for (std::size_t d = 0; d < rank && d < ark::max_rank; ++d)
    out = saturating_mul(out, extent(dims[d]));
  return out;
}

std::uint64_t data_bytes(const ark::model& g, std::uint32_t tensor) noexcept {
  const ark::layout& l = layout_of(g, tensor);
  return saturating_mul(volume(l.shape, l.rank), ark::info(g.tensors[tensor].type).bytes);
}

bool touches_memory(ark::op_type type) noexcept {
  const ark::op_kind kind = ark::info(type).kind;
  return kind != ark::op_kind::view && kind != ark::op_kind::none &&
         type != ark::op_type::send_done && type != ark::op_type::device_sync;
}

std::uint32_t labels(ark::op_type type) noexcept {
  return type == ark::op_type::recv || type == ark::op_type::recv_packet ? 1 : 0;
}

flow::flow(const ark::model& g, std::uint64_t comparisons) : graph_(&g), left_(comparisons) {
  find_storages();
  histories_.resize(storages_.size());
  node_of_.resize(g.ops.size());
  first_.resize(g.ops.size());
  last_.resize(g.ops.size());
  order_.reserve(g.ops.size());
  for (std::uint32_t n = 0; n < g.nodes.size(); ++n)
    for (std::uint32_t i = 0; i < g.nodes[n].ops.count; ++i) {
      const std::uint32_t op = g.nodes[n].ops.first + i;
      node_of_[op] = n;
      order_.push_back(op);
      first_[op] = dependencies_.size();
      visit(op);
      last_[op] = dependencies_.size();
    }

  struct output {
    std::size_t place;
    std::uint32_t tensor, writer;
  };
  std::vector<output> found;
  std::vector<std::uint32_t> places(g.ops.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) places[order_[i]] = i;
  for (std::size_t s = 0; s < storages_.size(); ++s) {
    if (!storages_[s].is_local) continue;
    for (const access& w : histories_[s].writes)
      if (!w.was_read) found.push_back({places[w.op], w.tensor, w.op});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const output& a, const output& b) { return a.place < b.place; });
  for (const output& o : found) {
    outputs_.push_back(o.tensor);
    output_writers_.push_back(o.writer);
  }
  histories_.clear();
}

void flow::find_storages() {
  const ark::model& g = *graph_;
  std::map<std::int64_t, std::uint32_t> by_id;
  for (std::uint32_t b = 0; b < g.buffers.size(); ++b) {
    const ark::buffer& buffer = g.buffers[b];
    const auto [at, is_new] =
        by_id.try_emplace(buffer.id, static_cast<std::uint32_t>(storages_.size()));
    if (is_new) {
      storage s;
      s.id = buffer.id;
      s.buffer = b;
      s.is_local = is_local(g, buffer);
      storages_.push_back(s);
    }
    storage& s = storages_[at->second];
    s.is_external = s.is_external || buffer.external == ark::external::yes;
    s.filled_by_peers = s.filled_by_peers || (s.is_local && buffer.recv_tags.count != 0);
    storage_of_.push_back(at->second);
  }
  for (std::uint32_t t = 0; t < g.tensors.size(); ++t) {
    const ark::layout& l = layout_of(g, t);
    storage& s = storages_[storage_of_tensor(t)];
    s.bytes = std::max(
        s.bytes, saturating_mul(volume(l.strides, l.rank), ark::info(g.tensors[t].type).bytes));
  }
}

flow::region flow::region_of(std::uint32_t tensor) const noexcept {
  const ark::layout& l = layout_of(*graph_, tensor);
  region r;
  r.where = &l;
  r.element_bytes = ark::info(graph_->tensors[tensor].type).bytes;
  std::uint64_t first = 0, last = 0, elements = 1;
  for (std::size_t d = 0; d < l.rank; ++d) {
    const std::uint64_t offset = extent(l.offsets[d]), size = extent(l.shape[d]);
    const std::uint64_t stride = extent(l.strides[d]);
    first = saturating_add(saturating_mul(first, stride), offset);
    last = saturating_add(saturating_mul(last, stride),
                          saturating_add(offset, size == 0 ? 0 : size - 1));
    elements = saturating_mul(elements, size);
  }
  r.first = saturating_mul(first, r.element_bytes);
  r.last = saturating_add(saturating_mul(last, r.element_bytes), r.element_bytes - 1);
  r.is_run = last >= first && last - first + 1 == elements;
  return r;
}

bool flow::same_family(const region& a, const region& b) noexcept {
  if (a.element_bytes != b.element_bytes || a.where->rank != b.where->rank) return false;
  // The first dimension of the memory has no say in where an element lies.
  for (std::size_t d = 1; d < a.where->rank; ++d)
    if (a.where->strides[d] != b.where->strides[d]) return false;
  return true;
}

bool flow::overlap(const region& a, const region& b) noexcept {
  if (a.last < b.first || b.last < a.first) return false;
  if (a.where == b.where || !same_family(a, b)) return true;
  for (std::size_t d = 0; d < a.where->rank; ++d) {
    const std::int64_t from_a = a.where->offsets[d], from_b = b.where->offsets[d];
    if (saturating_add(extent(from_a), extent(a.where->shape[d])) <= extent(from_b) ||
        saturating_add(extent(from_b), extent(b.where->shape[d])) <= extent(from_a))
      return false;
  }
  return true;
}

bool flow::covers(const region& a, const region& b) noexcept {
  if (a.where == b.where && a.element_bytes == b.element_bytes) return true;
  if (a.is_run && a.first <= b.first && b.last <= a.last) return true;
  if (!same_family(a, b)) return false;
  for (std::size_t d = 0; d < a.where->rank; ++d) {
    const std::int64_t from_a = a.where->offsets[d], from_b = b.where->offsets[d];
    if (from_b < from_a || saturating_add(extent(from_b), extent(b.where->shape[d])) >
                               saturating_add(extent(from_a), extent(a.where->shape[d])))
      return false;
  }
  return true;
}

std::size_t flow::start(std::size_t size) noexcept {
  left_ -= std::min<std::uint64_t>(left_, size);
  return left_ != 0 || size == 0 ? 0 : size - 1;
}

void flow::visit(std::uint32_t op) {
  const ark::model& g = *graph_;
  const ark::op& o = g.ops[op];
  const bool touches = touches_memory(o.type);
  const view<std::uint32_t> read = reads(g, o), written = writes(g, o), made = results(g, o);

  for (std::uint32_t i = 0; i < read.size(); ++i) {
    const std::uint32_t s = storage_of_tensor(read[i]);
    history& h = histories_[s];
    const region r = region_of(read[i]);
    const bool looks = touches && i >= labels(o.type);
    bool any = false;
    for (std::size_t w = start(h.writes.size()); w < h.writes.size(); ++w) {
      if (!overlap(h.writes[w].what, r)) continue;
      any = true;
      h.writes[w].was_read = h.writes[w].was_read || looks;
      if (h.writes[w].op != op)
        dependencies_.push_back({h.writes[w].op, i, conflict::reads_written});
    }
    if (!looks) continue;
    if (!any && storages_[s].is_local && !storages_[s].filled_by_peers) {
      bool known = false;
      for (std::size_t k = start(h.inputs.size()); k < h.inputs.size() && !known; ++k)
        known = covers(h.inputs[k], r);
      if (!known) {
        h.inputs.push_back(r);
        inputs_.push_back(read[i]);
      }
    }
    h.reads.push_back({r, op, read[i]});
  }
  if (!touches) return;
  for (std::uint32_t i = 0; i < written.size(); ++i) {
    history& h = histories_[storage_of_tensor(written[i])];
    const region r = region_of(written[i]);
    const std::uint32_t use = o.reads + i;
    const auto supersede = [&](std::vector<access>& list, conflict kind) {
      const std::size_t from = start(list.size());
      const auto gone = [&](const access& a) {
        if (!overlap(a.what, r)) return false;
        if (a.op != op) dependencies_.push_back({a.op, use, kind});
        return covers(r, a.what);
      };
      list.erase(std::remove_if(list.begin() + static_cast<std::ptrdiff_t>(from), list.end(), gone),
                 list.end());
    };
    supersede(h.reads, conflict::overwrites_read);
    supersede(h.writes, conflict::overwrites_written);
    const bool has_result =
        i < made.size() && storage_of_tensor(made[i]) == storage_of_tensor(written[i]);
    h.writes.push_back({r, op, has_result ? made[i] : written[i]});
  }
}

namespace {

template <class Tensors>
std::vector<end_point> of_ranks(const ark::world& w, Tensors&& tensors) {
  std::vector<end_point> all;
  for (std::uint32_t r = 0; r < w.size(); ++r) {
    const flow f(w.rank(r).model());
    for (const std::uint32_t t : tensors(f)) all.push_back({r, t});
  }
  return all;
}

}  // namespace

std::vector<end_point> inputs(const ark::world& w) {
  return of_ranks(w, [](const flow& f) { return f.inputs(); });
}
std::vector<end_point> outputs(const ark::world& w) {
  return of_ranks(w, [](const flow& f) { return f.outputs(); });
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
