// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules C: what moves between ranks, as far as one file shows.
//
//   communication_rules rules(c);
//   rules.operation(place, send, true);
//   rules.computation(place, relu);
//
//   C01  Send, SendDone, SendPacket          C05  DeviceSync
//   C02  Recv, RecvPacket                    C06  a model of one rank doesn't communicate
//   C03  sizes of what is sent; packets      C07  computations use local buffers
//   C04  RecvReduceSend, RecvReduceSendPacket
//
// A packet is payload and flag, half and half, so packet buffers are UINT8 of twice the payload.
//
// Lifetime:   borrows the context.
// Errors:     findings.
// Limits:     none.
// Allocation: 8 bytes for each tag of two lists that are compared.

#ifndef TESSERA_ARK_DETAIL_RULES_COMMUNICATION_HPP
#define TESSERA_ARK_DETAIL_RULES_COMMUNICATION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../../version.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../shapes.hpp"
#include "findings.hpp"
#include "rules_structure.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

class communication_rules {
 public:
  explicit communication_rules(context& c) : c_(c), g_(c.g) {}

  /// C07: of an operation that computes.
  [[gnu::cold]] void computation(const op_place& p, const op& o) {
    const std::uint32_t count = o.reads + o.writes;
    for (std::uint32_t u = 0; u < count; ++u)
      if (const buffer& b = buffer_of(g_, uses(g_, o)[u]); !is_local(g_, b))
        c_.error(errc::ark_c07_remote, at_use(p.node, p.index, o, u).in("Buffer"))
            << info(o.type).name << " uses buffer " << b.id << " of rank " << b.rank
            << "; expected a local buffer";
  }

  /// The others, of an operation that has as many tensors as its Type says.
  [[gnu::cold]] void operation(const op_place& p, const op& o, bool arguments_hold) {
    p_ = p;
    if (g_.world_size == 1) {
      c_.error(errc::ark_c06_single, c_.at(p))
          << info(o.type).name << ": the model has 1 rank; expected at least 2";
      return;
    }
    sound_ = true;
    for (const std::uint32_t t : uses(g_, o)) sound_ = sound_ && !c_.unsound[t];
    switch (o.type) {
      case op_type::send: send(o); break;
      case op_type::send_packet: send_packet(o); break;
      case op_type::send_done: expect(errc::ark_c01_send, o, list::reads, 0, false); break;
      case op_type::recv: recv(o); break;
      case op_type::recv_packet: recv_packet(o); break;
      case op_type::recv_reduce_send:
      case op_type::recv_reduce_send_packet: recv_reduce_send(o, arguments_hold); break;
      case op_type::device_sync:
        if (arguments_hold) device_sync(o);
        break;
      default: break;  // unreachable: no other operations communicate
    }
  }

 private:
  [[nodiscard]] std::uint32_t tensor_at(const op& o, list l, std::uint32_t i) const noexcept {
    return l == list::reads ? reads(g_, o)[i] : writes(g_, o)[i];
  }
  [[nodiscard]] const buffer& buffer_at(const op& o, list l, std::uint32_t i) const noexcept {
    return buffer_of(g_, tensor_at(o, l, i));
  }
  [[nodiscard]] location use(list l, std::uint32_t i) const noexcept { return c_.at(p_, l, i); }

  /// Whether a tensor is on this rank, or on another.
  [[gnu::cold]] bool expect(errc code, const op& o, list l, std::uint32_t i, bool local) {
    const buffer& b = buffer_at(o, l, i);
    if (is_local(g_, b) == local) return true;
    c_.error(code, use(l, i).in("Buffer").in("Rank"))
        << info(o.type).name << ": expected a " << (local ? "local" : "remote")
        << " buffer here, found one of rank " << b.rank;
    return false;
  }
  /// Whether a list has tags at all, of one rank (-1: any).
  [[nodiscard]] bool has_tag(range list, std::int32_t rank) const noexcept {
    for (const tag& t : tags(g_, list))
      if (rank < 0 || t.rank == rank) return true;
    return false;
  }
  /// Whether a stand-in's tag is one of a local buffer's for the rank of the stand-in.
  [[nodiscard, gnu::cold]] bool paired(range remote, range local, std::int32_t rank) const {
    if (remote.count == 1 || local.count == 1) {
      for (const tag& a : tags(g_, remote))
        for (const tag& b : tags(g_, local))
          if (b.rank == rank && a.number == b.number) return true;
      return false;
    }
    pool<std::int32_t> numbers[2];
    for (const tag& a : tags(g_, remote)) numbers[0].push_back(a.number);
    for (const tag& b : tags(g_, local))
      if (b.rank == rank) numbers[1].push_back(b.number);
    for (pool<std::int32_t>& n : numbers)
      sort(n.data(), n.size(), [](std::int32_t a, std::int32_t b) { return a < b; });
    for (std::size_t i = 0, j = 0; i < numbers[0].size() && j < numbers[1].size();) {
      if (numbers[0][i] == numbers[1][j]) return true;
      ++(numbers[0][i] < numbers[1][j] ? i : j);
    }
    return false;
  }

  /// C01, C03.
  [[gnu::cold]] void send(const op& o) {
    const bool from = expect(errc::ark_c01_send, o, list::reads, 0, true);
    const bool to = expect(errc::ark_c01_send, o, list::writes, 0, false);
    const buffer &data = buffer_at(o, list::reads, 0), &remote = buffer_at(o, list::writes, 0);
    if (from && to && !paired(remote.recv_tags, data.send_tags, remote.rank))
      c_.error(errc::ark_c01_send, use(list::writes, 0).in("Buffer").in("RecvTags"))
          << "RecvTags and the SendTags of buffer " << data.id << " share no tag for rank "
          << remote.rank << "; expected one";
    const std::uint32_t r = reads(g_, o)[0], w = writes(g_, o)[0];
    if (!sound_) return;
    const std::uint64_t a = elements(layout_of(g_, r)), b = elements(layout_of(g_, w));
    if (a != b || g_.tensors[r].type != g_.tensors[w].type)
      c_.warning(errc::ark_c03_packet, use(list::writes, 0))
          << a << ' ' << info(g_.tensors[r].type).name << " elements are sent; the destination has "
          << b << ' ' << info(g_.tensors[w].type).name;
  }
  void send_packet(const op& o) {
    expect(errc::ark_c01_send, o, list::reads, 0, true);
    if (expect(errc::ark_c01_send, o, list::writes, 0, false))
      tagged(errc::ark_c01_send, list::writes, 0, buffer_at(o, list::writes, 0));
    packets(o, list::writes, 0, reads(g_, o)[0], 1);
  }
  void tagged(errc code, list l, std::uint32_t i, const buffer& remote) {
    if (remote.recv_tags.count == 0)
      c_.error(code, use(l, i).in("Buffer").in("RecvTags"))
          << "buffer " << remote.id << " of rank " << remote.rank
          << " is written but has no RecvTags; expected at least one";
  }
  /// C03: a tensor of packets for `count` times a payload.
  [[gnu::cold]] void packets(const op& o, list l, std::uint32_t i, std::uint32_t payload,
                             std::uint64_t count) {
    const std::uint32_t t = tensor_at(o, l, i);
    if (g_.tensors[t].type != data_type::uint8)
      c_.error(errc::ark_c03_packet, use(l, i).in("DataType"))
          << "DataType is " << info(g_.tensors[t].type).name << "; expected UINT8 for packets";
    if (!sound_) return;
    const std::uint64_t bytes =
        elements(layout_of(g_, payload)) * info(g_.tensors[payload].type).bytes;
    const std::uint64_t found = elements(layout_of(g_, t));
    std::uint64_t wanted = 0;
    if (__builtin_mul_overflow(bytes, 2 * count, &wanted) || wanted != found)
      c_.error(errc::ark_c03_packet, use(l, i).in("Shape"))
          << "the packet buffer has " << found << " bytes; expected twice the " << count
          << (count == 1 ? " payload of " : " payloads of ") << bytes << " bytes";
  }

  /// C02.
  [[gnu::cold]] void recv(const op& o) {
    const bool from = expect(errc::ark_c02_recv, o, list::reads, 0, false);
    const bool to = expect(errc::ark_c02_recv, o, list::writes, 0, true);
    const buffer &remote = buffer_at(o, list::reads, 0), &data = buffer_at(o, list::writes, 0);
    if (from && to && !paired(remote.send_tags, data.recv_tags, remote.rank))
      c_.error(errc::ark_c02_recv, use(list::reads, 0).in("Buffer").in("SendTags"))
          << "SendTags and the RecvTags of buffer " << data.id << " share no tag for rank "
          << remote.rank << "; expected one";
  }
  [[gnu::cold]] void recv_packet(const op& o) {
    const bool from = expect(errc::ark_c02_recv, o, list::reads, 0, false);
    const bool scratch = expect(errc::ark_c02_recv, o, list::reads, 1, true);
    expect(errc::ark_c02_recv, o, list::writes, 0, true);
    const buffer &peer = buffer_at(o, list::reads, 0), &b = buffer_at(o, list::reads, 1);
    if (from && scratch && !has_tag(b.recv_tags, peer.rank))
      c_.error(errc::ark_c02_recv, use(list::reads, 1).in("Buffer").in("RecvTags"))
          << "RecvTags have no tag for rank " << peer.rank << "; expected one for its packets";
    packets(o, list::reads, 1, writes(g_, o)[0], 1);
  }

  /// C04, C03.
  [[gnu::cold]] void recv_reduce_send(const op& o, bool arguments_hold) {
    constexpr errc code = errc::ark_c04_peers;
    const bool packet = o.type == op_type::recv_reduce_send_packet;
    const std::uint32_t peers = o.writes - 1;
    expect(code, o, list::reads, 0, true);
    const bool scratch_local = expect(code, o, list::reads, 1, true);
    expect(code, o, list::writes, 0, true);
    if (arguments_hold) {
      const argument& n = *find_argument(g_, o, argument_name::n_peers);
      const argument& rank = *find_argument(g_, o, argument_name::rank);
      if (n.integer != std::int64_t{peers})
        c_.error(code, c_.at(p_, n)) << "NPeers is " << n.integer << "; expected " << peers
                                     << ", the number of WriteTensors after the first";
      own_rank(code, rank);
    }
    const buffer& scratch = buffer_at(o, list::reads, 1);
    pool<bool> tagged_ranks;  // which ranks the scratch buffer has a tag for
    if (scratch_local) {
      tagged_ranks.resize(peers + std::size_t{1});
      for (const tag& t : tags(g_, scratch.recv_tags))
        if (t.rank >= 0 && static_cast<std::uint32_t>(t.rank) <= peers)
          tagged_ranks[static_cast<std::size_t>(t.rank)] = true;
    }
    for (std::uint32_t i = 0; i < peers; ++i) {
      if (!expect(code, o, list::writes, i + 1, false)) continue;
      const buffer& b = buffer_at(o, list::writes, i + 1);
      const std::int64_t wanted = std::int64_t{i} + (std::int64_t{i} < g_.rank ? 0 : 1);
      if (b.rank != wanted)
        c_.error(code, use(list::writes, i + 1).in("Buffer").in("Rank"))
            << "peers are ordered by rank: expected rank " << wanted << ", found " << b.rank;
      else if (scratch_local && !tagged_ranks[static_cast<std::size_t>(wanted)])
        c_.error(code, use(list::reads, 1).in("Buffer").in("RecvTags"))
            << "the scratch buffer's RecvTags have no tag for rank " << wanted
            << "; expected one for each peer";
      tagged(code, list::writes, i + 1, b);
      if (packet) packets(o, list::writes, i + 1, reads(g_, o)[0], 1);
    }
    if (packet) return packets(o, list::reads, 1, reads(g_, o)[0], peers);
    if (!sound_) return;
    const std::uint32_t data = reads(g_, o)[0], s = reads(g_, o)[1];
    std::uint64_t wanted = 0;
    const std::uint64_t found = elements(layout_of(g_, s));
    if (g_.tensors[s].type != g_.tensors[data].type)
      c_.error(code, use(list::reads, 1).in("DataType"))
          << "the scratch buffer's DataType is " << info(g_.tensors[s].type).name << "; expected "
          << info(g_.tensors[data].type).name << ", that of the data";
    if (__builtin_mul_overflow(elements(layout_of(g_, data)), std::uint64_t{peers}, &wanted) ||
        wanted != found)
      c_.error(code, use(list::reads, 1).in("Shape"))
          << "the scratch buffer has " << found << " elements; expected "
          << elements(layout_of(g_, data)) << " for each of " << peers << " peers";
  }
  void own_rank(errc code, const argument& rank) {
    if (rank.integer != std::int64_t{g_.rank})
      c_.error(code, c_.at(p_, rank))
          << "Rank is " << rank.integer << "; expected " << g_.rank << ", the Rank of this file";
  }

  /// C05.
  [[gnu::cold]] void device_sync(const op& o) {
    own_rank(errc::ark_c05_sync, *find_argument(g_, o, argument_name::rank));
    const argument& peers = *find_argument(g_, o, argument_name::peer_num);
    if (peers.integer != std::int64_t{g_.world_size} - 1)
      c_.error(errc::ark_c05_sync, c_.at(p_, peers))
          << "PeerNum is " << peers.integer << "; expected " << g_.world_size - 1
          << ", WorldSize - 1";
    // The rule O09, for the one operation of this kind whose output is its input.
    const std::uint32_t r = reads(g_, o)[0], w = writes(g_, o)[0];
    if (c_.storage_of(r) != c_.storage_of(w))
      c_.error(errc::ark_o09_view_buffer, use(list::writes, 0).in("Buffer"))
          << "DeviceSync writes to buffer " << buffer_of(g_, w).id << "; expected buffer "
          << buffer_of(g_, r).id << ", that of its input, tensor " << g_.tensors[r].id;
  }

  context& c_;
  const ark::model& g_;
  op_place p_ = {};
  bool sound_ = true;  // all tensors of the operation are
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RULES_COMMUNICATION_HPP
