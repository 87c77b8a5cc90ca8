// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Models of several ranks that add up a vector over all of them, in each way that the format has.
//
//   std::vector<rank_models::rank> all = rank_models::all_reduce(4, "FP16");
//   run::world w(rank_models::texts(all));
//   for (std::size_t r = 0; r < 4; ++r) w.write(vm, all[r].x, values, r);
//   w.read<std::byte>(vm, all[r].y, r)        // x of rank 0 + x of rank 1 + …
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: strings.

#ifndef TESSERA_TESTS_ARK_RANK_MODELS_HPP
#define TESSERA_TESTS_ARK_RANK_MODELS_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "script.hpp"

namespace rank_models {

/// One rank's file, and the Ids of its input and its output, of `part` elements for each rank.
struct rank {
  std::string text;
  int x = 0, y = 0;
};
inline constexpr int part = 6;

[[nodiscard]] inline std::vector<std::string> texts(const std::vector<rank>& all) {
  std::vector<std::string> out;
  for (const rank& r : all) out.push_back(r.text);
  return out;
}
[[nodiscard]] inline std::string tag(int rank, int number) {
  return "[" + std::to_string(rank) + "," + std::to_string(number) + "]";
}
/// [peer, number] for all ranks but one.
[[nodiscard]] inline std::string tags_of_peers(int world_size, int self, int number) {
  std::string out;
  for (int p = 0; p < world_size; ++p)
    if (p != self) out += (out.empty() ? "" : ",") + tag(p, number);
  return "[" + out + "]";
}
[[nodiscard]] inline int index_among_peers(int self, int of) { return self < of ? self : self - 1; }

/// Each rank sends x to all others, and adds what it gets from them: Send, SendDone, Recv.
[[nodiscard]] inline std::vector<rank> all_reduce(int world_size, std::string_view type) {
  std::vector<rank> all;
  const run::dims shape = {2, part * world_size / 2};
  for (int r = 0; r < world_size; ++r) {
    run::script s(r, world_size);
    std::string tags;
    for (int p = 0; p < world_size; ++p)
      if (p != r) tags += (tags.empty() ? "" : ",") + tag(p, 10 + r);
    rank out;
    // Part of a larger tensor, so that what is sent isn't in a row.
    out.x = s.tensor(type, shape, s.buffer(-1, "[" + tags + "]", "[]"),
                     {{3, shape[1] + 3}, {1, 2}, {}});
    const int sum = s.tensor(type, shape);
    int before = s.op("Copy", {out.x}, {sum});
    for (int i = 1; i < world_size; ++i) {
      const int to = (r + i) % world_size, from = (r - i + world_size) % world_size;
      const int there = s.tensor(type, shape, s.buffer(to, "[]", "[" + tag(-1, 10 + r) + "]"),
                                 {{2, shape[1] + 1}, {0, 1}, {}});
      const int sent = s.op("Send", {out.x}, {there});
      s.op("SendDone", {sent}, {}, "{}", sent);
      const int label = s.tensor(type, shape, s.buffer(from, "[" + tag(-1, 10 + from) + "]", "[]"));
      const int here = s.tensor(type, shape, s.buffer(-1, "[]", "[" + tag(from, 10 + from) + "]"),
                                {{2, shape[1] + 1}, {0, 1}, {}});
      const int received = s.op("Recv", {label}, {here});
      before = s.op("Add", {before, received}, {before});
    }
    out.y = before;
    out.text = s.text();
    all.push_back(out);
  }
  return all;
}

/// Each rank adds one part for all of them: SendPacket, RecvReduceSendPacket, RecvPacket.
[[nodiscard]] inline std::vector<rank> packets(int world_size, std::string_view type, int size) {
  std::vector<rank> all;
  const int bytes = 2 * part * size, peers = world_size - 1;
  const run::dims whole = {part * world_size};
  const std::string flag = R"("Flag":{"UINT32":7})";
  for (int r = 0; r < world_size; ++r) {
    run::script s(r, world_size);
    rank out;
    out.x = s.tensor(type, whole);
    s.op("Noop", {out.x}, {});
    const int x_buffer = 0, y_buffer = s.buffer();
    const auto part_of = [&](int buffer, int p) {
      return s.tensor(type, {part}, buffer, {whole, {p * part}, {}});
    };
    for (int p = 0; p < world_size; ++p)
      if (p != r)
        s.op("SendPacket", {part_of(x_buffer, p)},
             {s.tensor("UINT8", {bytes}, s.buffer(p, "[]", "[" + tag(-1, 20) + "]"),
                       {{peers * bytes}, {index_among_peers(r, p) * bytes}, {}})},
             "{" + flag + "}");
    const int scratch =
        s.tensor("UINT8", {peers * bytes}, s.buffer(-1, "[]", tags_of_peers(world_size, r, 20)));
    std::vector<int> writes = {part_of(y_buffer, r)};
    for (int p = 0; p < world_size; ++p)
      if (p != r)
        writes.push_back(s.tensor("UINT8", {bytes}, s.buffer(p, "[]", "[" + tag(-1, 21) + "]")));
    s.op("RecvReduceSendPacket", {part_of(x_buffer, r), scratch}, writes,
         "{" + flag + R"(,"NPeers":{"UINT32":)" + std::to_string(peers) + R"(},"Rank":{"INT":)" +
             std::to_string(r) + "}}");
    for (int p = 0; p < world_size; ++p)
      if (p != r)
        s.op("RecvPacket",
             {s.tensor(type, {part}, s.buffer(p, "[]", "[]")),
              s.tensor("UINT8", {bytes}, s.buffer(-1, "[]", "[" + tag(p, 21) + "]"))},
             {part_of(y_buffer, p)}, "{" + flag + "}");
    out.y = s.tensor(type, whole, y_buffer);
    s.op("Noop", {out.y}, {});
    out.text = s.text();
    all.push_back(out);
  }
  return all;
}

/// The same without packets, straight into y: Send, DeviceSync, RecvReduceSend. Nobody receives the
/// last messages; a DeviceSync signals that all data has arrived.
[[nodiscard]] inline std::vector<rank> synced(int world_size, std::string_view type) {
  std::vector<rank> all;
  const int peers = world_size - 1;
  const run::dims whole = {part * world_size};
  for (int r = 0; r < world_size; ++r) {
    run::script s(r, world_size);
    rank out;
    out.x = s.tensor(type, whole, s.buffer(-1, tags_of_peers(world_size, r, 30), "[]"));
    const int x_buffer = 0, y_buffer = s.buffer(-1, "[]", tags_of_peers(world_size, r, 31));
    const auto part_of = [&](int buffer, int p) {
      return s.tensor(type, {part}, buffer, {whole, {p * part}, {}});
    };
    const std::string sync = R"({"Rank":{"INT":)" + std::to_string(r) + R"(},"PeerNum":{"INT":)" +
                             std::to_string(peers) + "}}";
    for (int p = 0; p < world_size; ++p)
      if (p != r)
        s.op("Send", {part_of(x_buffer, p)},
             {s.tensor(type, {part}, s.buffer(p, "[]", "[" + tag(-1, 30) + "]"),
                       {{peers * part}, {index_among_peers(r, p) * part}, {}})});
    const int synced_x = s.op("DeviceSync", {out.x}, {out.x}, sync);
    (void)synced_x;
    const int scratch =
        s.tensor(type, {peers * part}, s.buffer(-1, "[]", tags_of_peers(world_size, r, 30)));
    std::vector<int> writes = {part_of(y_buffer, r)};
    for (int p = 0; p < world_size; ++p)
      if (p != r)
        writes.push_back(s.tensor(type, {part}, s.buffer(p, "[]", "[" + tag(-1, 31) + "]"),
                                  {whole, {r * part}, {}}));
    s.op("RecvReduceSend", {part_of(x_buffer, r), scratch}, writes,
         R"({"NPeers":{"UINT32":)" + std::to_string(peers) + R"(},"Rank":{"INT":)" +
             std::to_string(r) + "}}");
    const int y = s.tensor(type, whole, y_buffer);
    out.y = s.op("DeviceSync", {y}, {y}, sync);
    s.op("Noop", {out.y}, {});
    out.text = s.text();
    all.push_back(out);
  }
  return all;
}

}  // namespace rank_models

#endif  // TESSERA_TESTS_ARK_RANK_MODELS_HPP
