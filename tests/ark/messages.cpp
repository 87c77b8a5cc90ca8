// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What rules say of operations between ranks, of types and of shapes, and where.

#include <string>
#include <string_view>
#include <vector>

#include "findings.hpp"
#include "support/catch.hpp"

using namespace findings;

namespace {

/// Whether a file of rank 0 of three has this finding at its only operation.
[[nodiscard]] bool says(const std::string& operation, std::string_view rule, std::string_view path,
                        std::string_view text) {
  const list all = of({single(operation, 0, 3)}, {}, false);
  UNSCOPED_INFO(summary(all));
  for (const finding& f : all)
    if (f.rule == rule && f.path == "$.Nodes[0].Op" + std::string(path) && f.text == text)
      return true;
  return false;
}
[[nodiscard]] patch of_rank(patch p, int rank, std::string_view send = "[]",
                            std::string_view recv = "[]") {
  p.tags = R"("Rank":)" + std::to_string(rank) + R"(,"SendTags":)" + std::string(send) +
           R"(,"RecvTags":)" + std::string(recv);
  return p;
}
[[nodiscard]] patch of_type(patch p, std::string_view type) {
  p.type = type;
  return p;
}

}  // namespace

TEST_CASE("ark/messages: tags that a message needs", "[ark][verify]") {
  const patch data{0, 0, {4}}, packets{1, 1, {32}, {}, {}, "UINT8"};
  const std::string flag = R"({"Flag":{"UINT32":1}})";
  CHECK(says(op("SendPacket", {data}, {of_rank(packets, 1)}, {of_rank(packets, 1)}, flag), "C01",
             ".WriteTensors[0].Buffer.RecvTags",
             "buffer 1 of rank 1 is written but has no RecvTags; expected at least one"));
  CHECK(says(op("SendPacket", {data}, {of_type(of_rank(packets, 1, "[]", "[[-1,5]]"), "FP32")},
                {packets}, flag),
             "C03", ".WriteTensors[0].DataType", "DataType is FP32; expected UINT8 for packets"));
  CHECK(says(op("RecvPacket", {of_rank(data, 1, "[[-1,5]]"), of_rank(packets, -1, "[]", "[[2,5]]")},
                {{2, 2, {4}}}, {{3, 2, {4}}}, flag),
             "C02", ".ReadTensors[1].Buffer.RecvTags",
             "RecvTags have no tag for rank 1; expected one for its packets"));

  const auto send = [&](std::string_view send_tags, std::string_view recv_tags) {
    return says(
        op("Send", {of_rank(data, -1, send_tags)}, {of_rank({1, 1, {4}}, 1, "[]", recv_tags)},
           {of_rank({2, 1, {4}}, 1, "[]", recv_tags)}),
        "C01", ".WriteTensors[0].Buffer.RecvTags",
        "RecvTags and the SendTags of buffer 0 share no tag for rank 1; expected one");
  };
  CHECK(send("[[1,5],[1,6]]", "[[-1,7],[-1,8]]"));
  CHECK(send("[[1,7],[1,9]]", "[[-1,6],[-1,8]]"));
  CHECK(send("[[1,5],[2,7]]", "[[-1,7],[-1,8]]"));
  CHECK_FALSE(send("[[1,5],[1,8]]", "[[-1,7],[-1,8]]"));
  CHECK_FALSE(send("[[1,7],[1,8]]", "[[-1,5],[-1,7]]"));
}

TEST_CASE("ark/messages: the peers of a RecvReduceSend", "[ark][verify]") {
  const patch data{0, 0, {4}}, result{2, 2, {4}};
  const auto reduce = [&](const patch& scratch, int first, int second, std::string_view rank) {
    return op("RecvReduceSend", {data, scratch},
              {result, of_rank({3, 3, {4}}, first, "[]", "[[-1,5]]"),
               of_rank({4, 4, {4}}, second, "[]", "[[-1,5]]")},
              {{5, 2, {4}}}, R"({"NPeers":{"UINT32":2},"Rank":{"INT":)" + std::string(rank) + "}}");
  };
  const patch scratch = of_rank({1, 1, {8}}, -1, "[]", "[[1,5],[2,5]]");
  CHECK(rules(of({single(reduce(scratch, 1, 2, "0"), 0, 3)}, {}, false)).find('E') ==
        std::string::npos);
  CHECK(says(reduce(scratch, 2, 1, "0"), "C04", ".WriteTensors[1].Buffer.Rank",
             "peers are ordered by rank: expected rank 1, found 2"));
  CHECK(says(reduce(of_rank(scratch, -1, "[]", "[[2,5]]"), 1, 2, "0"), "C04",
             ".ReadTensors[1].Buffer.RecvTags",
             "the scratch buffer's RecvTags have no tag for rank 1; expected one for each peer"));
  CHECK(says(reduce(of_type(scratch, "FP16"), 1, 2, "0"), "C04", ".ReadTensors[1].DataType",
             "the scratch buffer's DataType is FP16; expected FP32, that of the data"));
  CHECK(says(reduce(scratch, 1, 2, "1"), "C04", ".Args.Rank",
             "Rank is 1; expected 0, the Rank of this file"));
}

TEST_CASE("ark/messages: a DeviceSync writes what it reads", "[ark][verify]") {
  CHECK(says(
      op("DeviceSync", {{0, 0}}, {{1, 1}}, {{2, 1}}, R"({"Rank":{"INT":0},"PeerNum":{"INT":2}})"),
      "O09", ".WriteTensors[0].Buffer",
      "DeviceSync writes to buffer 1; expected buffer 0, that of its input, tensor 0"));
}

TEST_CASE("ark/messages: types and shapes of an operation", "[ark][verify]") {
  const patch table{1, 1, {9, 8}};
  const auto lookup = [&](const patch& indices, const patch& rows) {
    patch result = rows;
    result.id = 3;
    return op("Embedding", {indices, table}, {rows}, {result});
  };
  CHECK(says(lookup({0, 0, {3}}, {2, 2, {3, 8}}), "O06", ".ReadTensors[0].DataType",
             "DataType is FP32; expected INT32 for this tensor of Embedding"));
  CHECK(says(lookup({0, 0, {1, 1, 1, 3}, {}, {}, "INT32"}, {2, 2, {3, 8}}), "O13",
             ".ReadTensors[0].Shape", "indices of Shape [1,1,1,3]; expected up to 3 dimensions"));
  CHECK(says(lookup({0, 0, {3}, {}, {}, "INT32"}, {2, 2, {4, 8}}), "O13", ".WriteTensors[0].Shape",
             "rows of [9,8] at indices [3] have Shape [1,1,3,8], not [4,8]"));
  CHECK(says(op("LayerNorm", {{0, 0, {4, 8}}, {1, 1, {8}}, {2, 2, {8}}}, {{3, 3, {4, 6}}},
                {{4, 3, {4, 6}}}),
             "O07", ".WriteTensors[0].Shape",
             "LayerNorm of Shape [4,8]: expected a result of the same Shape, found [4,6]"));
  CHECK(says(op("KvCacheSlot", {{0, 0, {8}}, {1, 1, {2}, {}, {}, "INT32"}},
                {{2, 2, {16, 8}}, {1, 1, {2}, {}, {}, "INT32"}, {4, 4, {8}}}, {{5, 4, {8}}}),
             "O07", ".ReadTensors[1].Shape", "a position of Shape [2]; expected one element"));
  std::string padded = op("Matmul", {{0, 0, {4, 8}}, {1, 1, {8, 6}}}, {{2, 2, {4, 6}, {4, 8}}},
                          {{3, 2, {4, 6}, {4, 8}}},
                          R"({"TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":false}})");
  for (std::size_t at = 0; (at = padded.find("\"PaddedShape\":[4,6]", at)) != std::string::npos;
       ++at)
    padded.replace(at, 19, "\"PaddedShape\":[4,8]");
  CHECK(says(padded, "O12", ".WriteTensors[0].PaddedShape",
             "PaddedShapes [4,8] and [8,6] multiply to [4,6], not to [4,8]"));
  CHECK(says(op("Softmax", {{0, 0}}, {}, {{2, 1}}), "O03", ".WriteTensors",
             "Softmax: expected 1 tensors in WriteTensors, found 0"));
  CHECK(says(op("RecvReduceSend", {{0, 0}, {1, 1}}, {}, {{2, 1}}), "O03", ".WriteTensors",
             "RecvReduceSend: expected at least 1 tensors in WriteTensors, found 0"));
}

TEST_CASE("ark/messages: a tensor or a buffer that differs from one before", "[ark][verify]") {
  const patch x{0, 0}, y{1, 1};
  const auto again = [&](const patch& second) { return op("Add", {x, second}, {y}, {{2, 1}}); };
  CHECK(says(again(of_type(x, "FP16")), "T08", ".ReadTensors[1].DataType",
             "tensor 0 has DataType FP16 here and FP32 before"));
  CHECK(says(again(of_rank({3, 0}, 1)), "B01", ".ReadTensors[1].Buffer.Rank",
             "buffer 0 has Rank 1 here and -1 before"));
  patch outside = x;
  outside.tags += R"(,"IsExternal":true)";
  CHECK(says(op("Add", {outside, {3, 0}}, {y}, {{2, 1}}), "B01", ".ReadTensors[1].Buffer",
             "buffer 0 has no IsExternal here, and has one before"));
  CHECK(says(again(of_rank({3, 3}, 1, "[[2,5]]")), "B04", ".ReadTensors[1].Buffer.SendTags[0]",
             "[2,5] has rank 2; expected -1 or 0, as the buffer is of rank 1"));
}
