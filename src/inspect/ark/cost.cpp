// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/ark/cost.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

void cost::add(const cost& other) noexcept {
  flops = saturating_add(flops, other.flops);
  read = saturating_add(read, other.read);
  written = saturating_add(written, other.written);
}

namespace {

using ark::op_type;

[[nodiscard]] std::uint64_t elements(const ark::model& g, std::uint32_t tensor) noexcept {
  const ark::layout& l = layout_of(g, tensor);
  return volume(l.shape, l.rank);
}

/// The inner dimension of a product, by the first factor.
[[nodiscard]] std::uint64_t inner_dimension(const ark::model& g, const ark::op& o) noexcept {
  const ark::layout& l = layout_of(g, reads(g, o)[0]);
  bool transposed = false;
  for (const ark::argument_name name :
       {ark::argument_name::transpose_input, ark::argument_name::is_input_column_major})
    if (const ark::argument* a = find_argument(g, o, name); a != nullptr)
      transposed = a->type == ark::argument_type::boolean && a->integer != 0;
  const std::size_t rank = std::min<std::size_t>(l.rank, ark::max_rank);
  if (rank == 0) return 1;
  const std::int64_t k = transposed && rank > 1 ? l.shape[rank - 2] : l.shape[rank - 1];
  return transposed && rank == 1 ? 1 : k > 0 ? static_cast<std::uint64_t>(k) : 0;
}

[[nodiscard]] std::uint64_t flops_of(const ark::model& g, const ark::op& o) {
  const view<std::uint32_t> read = reads(g, o), written = writes(g, o);
  if (written.empty()) return 0;
  const std::uint64_t n = elements(g, written[0]);
  const std::uint64_t m = read.empty() ? 0 : elements(g, read[0]);
  const auto times = [](std::uint64_t a, std::uint64_t b) { return saturating_mul(a, b); };
  switch (o.type) {
    case op_type::add:
    case op_type::sub:
    case op_type::mul:
    case op_type::div:
    case op_type::scalar_add:
    case op_type::scalar_mul:
    case op_type::exp:
    case op_type::sqrt:
    case op_type::relu: return n;
    case op_type::rsqrt: return times(2, n);
    case op_type::rope: return times(3, n);
    case op_type::sigmoid: return times(4, n);
    case op_type::softmax: return times(5, n);
    case op_type::layer_norm: return times(7, n);
    case op_type::gelu: return times(9, n);
    case op_type::reduce_sum:
    case op_type::reduce_max: return m > n ? m - n : 0;
    case op_type::reduce_mean: return m;
    case op_type::matmul:
    case op_type::mma:
    case op_type::matmul_gelu:
    case op_type::matmul_scale:
    case op_type::matmul_add: {
      if (read.empty()) return 0;
      const std::uint64_t product = times(times(2, n), inner_dimension(g, o));
      if (o.type == op_type::matmul_gelu) return saturating_add(product, times(9, n));
      const bool plain = o.type == op_type::matmul || o.type == op_type::mma;
      return plain ? product : saturating_add(product, n);
    }
    case op_type::recv_reduce_send:
    case op_type::recv_reduce_send_packet: return times(n, written.size() - 1);
    case op_type::tensor:
    case op_type::placeholder:
    case op_type::reshape:
    case op_type::noop:
    case op_type::scalar_assign:
    case op_type::copy:
    case op_type::cast:
    case op_type::transpose:
    case op_type::embedding:
    case op_type::send:
    case op_type::send_done:
    case op_type::recv:
    case op_type::send_packet:
    case op_type::recv_packet:
    case op_type::device_sync:
    case op_type::store:
    case op_type::kv_cache_slot:
    case op_type::unknown: break;
  }
  return 0;
}

}  // namespace

cost cost_of(const ark::model& g, const ark::op& o) {
  cost c;
  if (!touches_memory(o.type) || o.type == op_type::recv) return c;
  c.flops = flops_of(g, o);
  const view<std::uint32_t> read = reads(g, o), written = writes(g, o);
  for (std::size_t i = labels(o.type); i < read.size(); ++i)
    c.read = saturating_add(c.read, data_bytes(g, read[i]));
  for (const std::uint32_t t : written) c.written = saturating_add(c.written, data_bytes(g, t));
  if (o.type == op_type::embedding && read.size() == 2 && written.size() == 1) {
    c.read = saturating_add(data_bytes(g, read[0]), data_bytes(g, written[0]));
  } else if (o.type == op_type::kv_cache_slot && read.size() == 2 && written.size() == 3) {
    c.written = saturating_add(saturating_mul(2, data_bytes(g, read[0])), data_bytes(g, read[1]));
  }
  return c;
}

namespace {

/// What the views of one storage with the same Strides have in it.
struct family {
  std::uint64_t shape = 0, padded = 0;
  std::array<std::int64_t, ark::max_rank> low{}, high{}, padded_high{};
  bool is_new = true;
};

[[nodiscard]] std::uint64_t span_of(const std::array<std::int64_t, ark::max_rank>& low,
                                    const std::array<std::int64_t, ark::max_rank>& high) {
  std::uint64_t out = 1;
  for (std::size_t d = 0; d < ark::max_rank; ++d)
    out = saturating_mul(out, high[d] > low[d] ? static_cast<std::uint64_t>(high[d]) -
                                                     static_cast<std::uint64_t>(low[d])
                                               : 0);
  return out;
}

[[nodiscard]] std::int64_t end_of(std::int64_t offset, std::int64_t size) noexcept {
  std::int64_t out = 0;
  return checked_add(offset, size, out) ? out : INT64_MAX;
}

void find_waste(const ark::model& g, const flow& f, memory_use& m) {
  using dims = std::array<std::int64_t, ark::max_rank>;
  using family_key = std::pair<std::uint64_t, dims>;  // bytes of an element, Strides
  using box_key = std::array<std::int64_t, 3 * ark::max_rank>;
  struct found {
    std::map<family_key, family> families;
    std::map<std::pair<family_key, box_key>, bool> seen;
  };
  std::vector<found> storages(f.storages().size());
  for (std::uint32_t t = 0; t < g.tensors.size(); ++t) {
    const std::uint32_t s = f.storage_of_tensor(t);
    if (!f.storages()[s].is_local) continue;
    const ark::layout& l = layout_of(g, t);
    family_key key{ark::info(g.tensors[t].type).bytes, {}};
    box_key place{};
    for (std::size_t d = 0; d < ark::max_rank; ++d) {
      key.second[d] = l.strides[d];
      place[d] = l.offsets[d];
      place[ark::max_rank + d] = l.shape[d];
      place[2 * ark::max_rank + d] = l.padded_shape[d];
    }
    if (!storages[s].seen.try_emplace({key, place}, true).second) continue;
    family& of = storages[s].families[key];
    of.shape = saturating_add(of.shape, data_bytes(g, t));
    of.padded =
        saturating_add(of.padded, saturating_mul(volume(l.padded_shape, l.rank), key.first));
    for (std::size_t d = 0; d < ark::max_rank; ++d) {
      const std::int64_t low = l.offsets[d];
      of.low[d] = of.is_new ? low : std::min(of.low[d], low);
      of.high[d] = std::max(of.is_new ? 0 : of.high[d], end_of(low, l.shape[d]));
      of.padded_high[d] =
          std::max(of.is_new ? 0 : of.padded_high[d], end_of(low, l.padded_shape[d]));
    }
    of.is_new = false;
  }
  for (std::size_t s = 0; s < storages.size(); ++s) {
    std::uint64_t shape = 0, padded = 0;
    for (const auto& [key, of] : storages[s].families) {
      shape =
          std::max(shape, std::min(of.shape, saturating_mul(span_of(of.low, of.high), key.first)));
      padded = std::max(
          padded, std::min(of.padded, saturating_mul(span_of(of.low, of.padded_high), key.first)));
    }
    const std::uint64_t bytes = f.storages()[s].is_local ? f.storages()[s].bytes : 0;
    shape = std::min(shape, bytes);
    padded = std::min(std::max(padded, shape), bytes);
    m.padding = saturating_add(m.padding, padded - shape);
    m.unused = saturating_add(m.unused, bytes - padded);
  }
}

void find_peak(const ark::model& g, const flow& f, memory_use& m) {
  const std::size_t count = f.storages().size(), steps = f.order().size();
  constexpr std::size_t never = SIZE_MAX;
  std::vector<std::size_t> first(count, never), last(count, 0);
  for (std::size_t i = 0; i < steps; ++i) {
    const ark::op& o = g.ops[f.order()[i]];
    if (!touches_memory(o.type)) continue;
    const view<std::uint32_t> read = reads(g, o), written = writes(g, o);
    const auto use = [&](std::uint32_t tensor) {
      const std::uint32_t s = f.storage_of_tensor(tensor);
      if (first[s] == never) first[s] = i;
      last[s] = i;
    };
    for (std::size_t k = labels(o.type); k < read.size(); ++k) use(read[k]);
    for (const std::uint32_t t : written) use(t);
  }
  std::uint64_t throughout = 0;
  std::vector<char> always(count, 0);
  for (const auto* list : {&f.inputs(), &f.outputs()})
    for (const std::uint32_t t : *list) always[f.storage_of_tensor(t)] = 1;
  std::vector<std::uint64_t> begins(steps + 1, 0), ends(steps + 1, 0);
  for (std::size_t s = 0; s < count; ++s) {
    const storage& of = f.storages()[s];
    if (!of.is_local) {
      ++m.remote;
      continue;
    }
    ++m.buffers;
    m.bytes = saturating_add(m.bytes, of.bytes);
    if (always[s] != 0 || of.is_external || of.filled_by_peers) {
      throughout = saturating_add(throughout, of.bytes);
    } else if (first[s] != never) {
      begins[first[s]] = saturating_add(begins[first[s]], of.bytes);
      ends[last[s]] = saturating_add(ends[last[s]], of.bytes);
    }
  }
  std::uint64_t live = throughout;
  m.peak = throughout;
  if (m.bytes == UINT64_MAX) {  // saturated
    m.peak = UINT64_MAX;
    return;
  }
  for (std::size_t i = 0; i < steps; ++i) {
    live += begins[i];
    if (live > m.peak || (m.peak_op == ark::none && live == m.peak && live != 0)) {
      m.peak = live;
      m.peak_op = f.order()[i];
    }
    live -= ends[i];
  }
}

[[nodiscard]] bool sends(op_type type) noexcept {
  return type == op_type::send || type == op_type::send_packet ||
         type == op_type::recv_reduce_send || type == op_type::recv_reduce_send_packet;
}

}  // namespace

summary summarise(const ark::model& g, const flow& f) {
  summary out;
  std::map<std::string_view, type_cost> types;
  std::map<std::int32_t, traffic> peers;
  for (const ark::op& o : g.ops) {
    const cost c = cost_of(g, o);
    out.total.add(c);
    type_cost& of = types[type_name(g, o)];
    ++of.count;
    of.total.add(c);
    if (!sends(o.type)) continue;
    for (const std::uint32_t t : writes(g, o)) {
      const ark::buffer& to = buffer_of(g, t);
      if (is_local(g, to)) continue;
      traffic& way = peers[to.rank];
      way.from = g.rank;
      way.to = to.rank;
      ++way.transfers;
      way.bytes = saturating_add(way.bytes, data_bytes(g, t));
    }
  }
  for (auto& [name, of] : types) {
    of.type = name;
    out.types.push_back(std::move(of));
  }
  std::stable_sort(out.types.begin(), out.types.end(), [](const type_cost& a, const type_cost& b) {
    const auto bytes = [](const cost& c) { return saturating_add(c.read, c.written); };
    return std::pair(a.total.flops, bytes(a.total)) > std::pair(b.total.flops, bytes(b.total));
  });
  for (const auto& [rank, way] : peers) out.transfers.push_back(way);
  find_waste(g, f, out.memory);
  find_peak(g, f, out.memory);
  return out;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
