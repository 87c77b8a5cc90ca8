// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/build.hpp.

#ifndef TESSERA_ARK_DETAIL_BUILD_HPP
#define TESSERA_ARK_DETAIL_BUILD_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "../../core/pool.hpp"
#include "../../core/result.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../build.hpp"
#include "../check.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "build_rules.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE builder::builder(std::int32_t rank, std::int32_t world_size) {
  model_.rank = rank;
  model_.world_size = world_size;
}

TESSERA_INLINE value builder::tensor(const dims& shape, data_type type, const tensor_options& o) {
  layout l;
  if (!place(shape, o, nullptr, type, l)) return {};
  return add_tensor(l, type, add_buffer(o.rank), none);
}

TESSERA_INLINE value builder::refer(value of, const dims& shape, const tensor_options& o) {
  if (!known(of)) return {};
  const ark::tensor t = model_.tensors[of.index];
  const layout shown = model_.layouts[t.layout];
  layout l;
  if (!place(shape, o, &shown, t.type, l)) return {};
  return add_tensor(l, t.type, t.buffer, maker_[of.index]);
}

TESSERA_INLINE pool<value> builder::shard(value of, std::int32_t axis, std::int64_t size) {
  pool<value> parts;
  if (!known(of)) return parts;
  const layout l = layout_of(model_, of.index);
  if (!normalise(axis, l.rank)) return parts;
  if (size < 1 || l.shape[axis] % size != 0 || l.padded_shape[axis] != l.shape[axis])
    return fail(errc::ark_t02_dimension), parts;
  for (std::int64_t from = 0; from < l.shape[axis]; from += size) {
    layout part = l;
    part.shape[axis] = part.padded_shape[axis] = size;
    part.offsets[axis] += from;
    const ark::tensor t = model_.tensors[of.index];
    parts.push_back(add_tensor(part, t.type, t.buffer, maker_[of.index]));
  }
  return parts;
}

TESSERA_INLINE value builder::reshape(value of, const dims& shape) {
  if (!known(of)) return {};
  const ark::tensor t = model_.tensors[of.index];
  const layout from = model_.layouts[t.layout];
  layout l;
  if (!place(shape, {}, nullptr, t.type, l)) return {};
  std::int64_t before = 1, after = 1;
  bool whole = true;
  for (std::size_t d = 0; d < max_rank; ++d) {
    before *= from.strides[d];
    after *= l.shape[d];
    whole = whole && from.shape[d] == from.strides[d];
  }
  if (!whole || before != after) return fail(errc::ark_o07_shape);
  return add_tensor(l, t.type, t.buffer, maker_[of.index]);
}

TESSERA_INLINE value builder::cast(value a, data_type to, op_options o) {
  o.type = to;
  return op(op_type::cast, {a}, o);
}

TESSERA_INLINE value builder::scalar_assign(value to, float v, op_options o) {
  o.to = to;
  const setting s[] = {{.name = argument_name::value, .type = argument_type::float32, .real = v}};
  return with(op_type::scalar_assign, {}, o, s, 1);
}

TESSERA_INLINE value builder::transpose(value a, const dims& permutation, const op_options& o) {
  const setting s[] = {
      {.name = argument_name::permutation, .type = argument_type::dims, .dims = permutation}};
  return with(op_type::transpose, {&a, 1}, o, s, 1);
}

TESSERA_INLINE value builder::matmul(value a, value b, const matmul_options& o) {
  const value both[] = {a, b};
  const setting s[] = {
      boolean(argument_name::transpose_input, o.transpose_input),
      boolean(argument_name::transpose_other, o.transpose_other),
  };
  return with(op_type::matmul, {both, 2}, {.name = o.name, .to = o.to}, s, 2);
}

TESSERA_INLINE value builder::send(value data, std::int32_t to_rank, std::int32_t tag,
                                   op_options o) {
  if (!known(data) || !other_rank(to_rank)) return {};
  if (o.to.index == none)
    o.to = add_tensor(layout_of(model_, data.index), model_.tensors[data.index].type,
                      add_buffer(to_rank), none);
  else if (!known(o.to) || buffer_of(model_, o.to.index).rank != to_rank)
    return fail(errc::ark_c01_send);
  if (!is_local(model_, buffer_of(model_, data.index))) return fail(errc::ark_c01_send);
  const value sent = op(op_type::send, {data}, o);
  send_tag(data, to_rank, tag);
  recv_tag(o.to, -1, tag);
  return sent;
}

TESSERA_INLINE value builder::recv(value to, std::int32_t from_rank, std::int32_t tag,
                                   op_options o) {
  if (!known(to) || !other_rank(from_rank)) return {};
  if (!is_local(model_, buffer_of(model_, to.index))) return fail(errc::ark_c02_recv);
  const value label = add_tensor(layout_of(model_, to.index), model_.tensors[to.index].type,
                                 add_buffer(from_rank), none);
  o.to = to;
  const value received = op(op_type::recv, {label}, o);
  send_tag(label, -1, tag);
  recv_tag(to, from_rank, tag);
  return received;
}

TESSERA_INLINE value builder::device_sync(value a, op_options o) {
  if (!known(a)) return {};
  o.to = add_tensor(layout_of(model_, a.index), model_.tensors[a.index].type,
                    model_.tensors[a.index].buffer, maker_[a.index]);
  const setting s[] = {{.name = argument_name::rank, .integer = model_.rank},
                       {.name = argument_name::peer_num, .integer = model_.world_size - 1}};
  return with(op_type::device_sync, {&a, 1}, o, s, 2);
}

TESSERA_INLINE value builder::op(op_type type, view<value> reads, const op_options& o) {
  if (error_.code != errc::ok) return {};
  const op_row& row = info(type);
  if (type >= op_type::unknown || row.kind == op_kind::view) return fail(errc::ark_o01_type);
  if (row.reads >= 0 && reads.size() != static_cast<std::size_t>(row.reads))
    return fail(errc::ark_o03_arity);
  for (const value r : reads)
    if (!known(r)) return {};
  pool<value> written;
  written.append(o.writes.data(), o.writes.size());
  if (written.empty() && o.to.index != none) written.push_back(o.to);
  bool local = true;
  for (const value w : written) {
    if (!known(w)) return {};
    local = local && is_local(model_, buffer_of(model_, w.index));
  }
  for (const value r : reads) local = local && is_local(model_, buffer_of(model_, r.index));
  if (!local && row.kind != op_kind::communication) return fail(errc::ark_c07_remote);
  if (written.empty() && row.writes != 0) {
    layout fresh;
    data_type of = data_type::fp32;
    if (const errc code = detail::shape_rules(model_).derive(type, reads, o, fresh, of);
        code != errc::ok)
      return fail(code);
    if (const errc code = detail::shape_rules::check_place(fresh, of); code != errc::ok)
      return fail(code);
    written.push_back(add_tensor(fresh, of, add_buffer(-1), none));
  } else if (row.writes > 0 || row.kind != op_kind::communication) {
    if (written.size() != static_cast<std::size_t>(row.writes)) return fail(errc::ark_o03_arity);
    if (const errc code = detail::shape_rules(model_).fits(type, reads, o, written);
        code != errc::ok)
      return fail(code);
  }
  if (const errc code = detail::shape_rules(model_).arguments_complete(type, o.args);
      code != errc::ok)
    return fail(code);
  return append(type, reads, written, o);
}

TESSERA_INLINE result<model> builder::finish() {
  if (error_.code != errc::ok) return error_;
  if (names_.overflown()) return tessera::error{errc::ark_too_large, 0, error_index::whole};
  sort(tags_.data(), tags_.size(), [](const pending_tag& a, const pending_tag& b) {
    if (a.buffer != b.buffer) return a.buffer < b.buffer;
    if (a.list != b.list) return a.list < b.list;
    return a.what.rank != b.what.rank ? a.what.rank < b.what.rank : a.what.number < b.what.number;
  });
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    const pending_tag& t = tags_[i];
    range& list =
        t.list == 0 ? model_.buffers[t.buffer].send_tags : model_.buffers[t.buffer].recv_tags;
    if (list.count == 0) list.first = names_.index(model_.tags.size());
    if (list.count != 0 && model_.tags.back() == t.what) continue;
    model_.tags.push_back(t.what);
    ++list.count;
  }
  detail::set_edges(model_, edges_);
  error_ = {errc::ark_s04_nodes, model_.ops.size(), error_index::operation};
  if (const tessera::error e = check(model_); e.code != errc::ok) return e;
  return std::move(model_);
}

TESSERA_INLINE value builder::fail(errc code) {
  if (error_.code == errc::ok) error_ = {code, model_.ops.size(), error_index::operation};
  return {};
}

TESSERA_INLINE bool builder::known(value v) {
  if (error_.code == errc::ok && v.index >= model_.tensors.size()) (void)fail(errc::ark_o03_arity);
  return error_.code == errc::ok;
}

TESSERA_INLINE bool builder::other_rank(std::int32_t rank) {
  if (rank < 0 || rank >= model_.world_size || rank == model_.rank)
    (void)fail(errc::ark_b02_buffer_rank);
  return error_.code == errc::ok;
}

TESSERA_INLINE bool builder::normalise(std::int32_t& axis, std::uint32_t rank) {
  const auto dimensions = static_cast<std::int32_t>(rank);
  if (axis < 0) axis += dimensions;
  if (axis < 0 || axis >= dimensions) (void)fail(errc::ark_o10_reduction);
  return error_.code == errc::ok;
}

TESSERA_INLINE bool builder::place(const dims& shape, const tensor_options& o, const layout* shown,
                                   data_type type, layout& l) {
  if (error_.code != errc::ok) return false;
  l.rank = shape.count;
  if (l.rank == 0 || l.rank > max_rank) return (void)fail(errc::ark_t01_rank), false;
  const auto list = [&](const dims& given, const std::int64_t* otherwise, std::int64_t* out) {
    for (std::size_t d = 0; d < l.rank; ++d) out[d] = given.count != 0 ? given.at[d] : otherwise[d];
    return given.count == 0 || given.count == l.rank;
  };
  constexpr std::int64_t zeros[max_rank] = {};
  const bool same_rank = shown != nullptr && shown->rank == l.rank;
  if (!list(shape, nullptr, l.shape) || !list(o.padded_shape, l.shape, l.padded_shape) ||
      !list(o.strides, same_rank ? shown->strides : l.padded_shape, l.strides) ||
      !list(o.offsets, zeros, l.offsets))
    return (void)fail(errc::ark_t01_rank), false;
  if (const errc code = detail::shape_rules::check_place(l, type); code != errc::ok)
    return (void)fail(code), false;
  return true;
}

TESSERA_INLINE std::uint32_t builder::add_buffer(std::int32_t rank) {
  buffer b;
  b.id = static_cast<std::int64_t>(model_.buffers.size());
  b.rank = rank == model_.rank ? -1 : rank;
  model_.buffers.push_back(b);
  return names_.index(model_.buffers.size()) - 1;
}

TESSERA_INLINE value builder::add_tensor(const layout& l, data_type type, std::uint32_t buffer,
                                         std::uint32_t maker) {
  ark::tensor t;
  t.id = static_cast<std::int64_t>(model_.tensors.size());
  t.layout = names_.layout(l);
  t.buffer = buffer;
  t.type = type;
  model_.tensors.push_back(t);
  maker_.push_back(maker);
  return {names_.index(model_.tensors.size()) - 1};
}

TESSERA_INLINE value builder::with(op_type type, view<value> reads, op_options o, const setting* s,
                                   std::size_t count) {
  o.args = {s, count};
  return op(type, reads, o);
}

TESSERA_INLINE value builder::scalar(op_type type, value a, float f, const op_options& o) {
  const setting s[] = {{.name = argument_name::factor, .type = argument_type::float32, .real = f}};
  return with(type, {&a, 1}, o, s, 1);
}

TESSERA_INLINE value builder::reduce(op_type type, value a, std::int32_t axis,
                                     const reduce_options& o) {
  if (!known(a) || !normalise(axis, layout_of(model_, a.index).rank)) return {};
  const setting s[] = {{.name = argument_name::axis, .integer = axis},
                       boolean(argument_name::keep_dim, o.keep_dim)};
  return with(type, {&a, 1}, {.name = o.name, .to = o.to}, s, 2);
}

TESSERA_INLINE value builder::append(op_type type, view<value> reads, const pool<value>& written,
                                     const op_options& o) {
  const std::uint32_t number = names_.index(model_.nodes.size());
  ark::op made;
  made.type = type;
  made.name = unique_name(type, o.name);
  made.first_use = names_.index(model_.uses.size());
  made.reads = names_.index(reads.size());
  made.writes = names_.index(written.size());
  const auto use = [&](value v) {
    model_.uses.push_back(v.index);
    if (maker_[v.index] != none) edges_.push_back({maker_[v.index], number});
  };
  for (const value v : reads) use(v);
  for (const value v : written) use(v);
  value result;
  if (info(type).results != 0) {
    // The last one for KvCacheSlot, whose others are its state.
    const std::size_t which = type == op_type::kv_cache_slot ? written.size() - 1 : 0;
    const ark::tensor shown = model_.tensors[(written.empty() ? reads[0] : written[which]).index];
    const layout l = model_.layouts[shown.layout];
    result = add_tensor(l, shown.type, shown.buffer, number);
    model_.uses.push_back(result.index);
    made.results = 1;
  }
  made.arguments = {names_.index(model_.arguments.size()), names_.index(o.args.size())};
  for (const setting& s : o.args) {
    argument a;
    a.name = s.name;
    a.type = s.type;
    a.integer = s.integer;
    a.real = s.real;
    if (s.type == argument_type::dims) {
      if (s.dims.count > max_rank) return fail(errc::ark_o05_argument_form);
      a.integers = {names_.index(model_.integers.size()), s.dims.count};
      model_.integers.append(s.dims.at, s.dims.count);
    }
    model_.arguments.push_back(a);
  }
  node n;
  n.id = number;
  n.ops = {names_.index(model_.ops.size()), 1};
  model_.ops.push_back(made);
  model_.nodes.push_back(n);
  return result;
}

TESSERA_INLINE string builder::unique_name(op_type type, std::string_view given) {
  text base(given);
  for (const char c : given.empty() ? info(type).name : std::string_view()) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !base.empty()) base << '_';
    base << (upper ? static_cast<char>(c - 'A' + 'a') : c);
  }
  if (2 * (bases_used_ + 1) > bases_.size()) grow_bases();
  base_name& slot = bases_[find_base(base)];
  if (slot.uses++ == 0) {
    ++bases_used_;
    return slot.name = names_.characters(base);
  }
  base << '_' << slot.uses - 1;
  return names_.characters(base);
}

TESSERA_INLINE std::size_t builder::find_base(std::string_view base) const noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : base) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  for (std::size_t i = to_size(hash);; ++i) {
    const base_name& slot = bases_[i & (bases_.size() - 1)];
    if (slot.uses == 0 || text_of(model_, slot.name) == base) return i & (bases_.size() - 1);
  }
}

TESSERA_INLINE void builder::grow_bases() {
  const pool<base_name> old = std::move(bases_);
  bases_ = {};
  bases_.resize(old.empty() ? 64 : 2 * old.size());
  for (const base_name& b : old)
    if (b.uses != 0) bases_[find_base(text_of(model_, b.name))] = b;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_BUILD_HPP
