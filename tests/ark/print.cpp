// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The listing of a graph, character for character.

#include "samples.hpp"
// Keeps the line above where it is.
#include <string>

namespace {

namespace ark = tessera::ark;

std::string listing(std::string_view text) {
  const tessera::text lines = ark::print(samples::model(text));
  return std::string(lines.view());
}
/// A tensor with all its lists.
std::string tensor(int id, const char* shape, const char* strides, const char* offsets,
                   const char* padded, const std::string& buffer) {
  return R"({"Id":)" + std::to_string(id) + R"(,"DataType":"FP16","Shape":)" + shape +
         R"(,"Strides":)" + strides + R"(,"Offsets":)" + offsets + R"(,"PaddedShape":)" + padded +
         R"(,"Buffer":)" + buffer + "}";
}

}  // namespace

TEST_CASE("ark/print: plain operations", "[ark]") {
  CHECK(listing(samples::file({samples::relu(0, 0, "[]", "[1]"), samples::relu(1, 2, "[0]")})) ==
        "ark D3: rank 0 of 1, 2 nodes, 2 operations, 5 tensors, 3 buffers\n"
        "%2 = Relu(%0 FP32[4,8] @0) -> %1 FP32[4,8] @1  # node 0 \"x\" -> 1\n"
        "%4 = Relu(%2 FP32[4,8] @1) -> %3 FP32[4,8] @3  # node 1 \"x\" <- 0\n");
  CHECK(listing(R"({"Nodes":[],"Rank":2,"WorldSize":3})") ==
        "ark D3: rank 2 of 3, 0 nodes, 0 operations, 0 tensors, 0 buffers\n");
}

TEST_CASE("ark/print: layouts, buffers, tags and edges that aren't plain", "[ark]") {
  const std::string remote = R"({"Id":3,"Rank":1,"SendTags":[],"RecvTags":[[-1,-5],[-1,7]]})";
  const std::string sender = R"({"Id":1,"Rank":0,"SendTags":[[1,-5]],"RecvTags":[[1,2]]})";
  std::string text = samples::file(
      {samples::node(
           4, "[9,8]", "[5,6]",
           samples::op("Tensor", "[" + tensor(0, "[4,8]", "[4,8]", "[0,0]", "[4,8]", sender) + "]",
                       "[]", "[" + tensor(1, "[2,8]", "[4,8]", "[2,0]", "[2,8]", sender) + "]")),
       samples::node(
           5, "[]", "[]",
           samples::op("Send", "[" + tensor(1, "[2,8]", "[4,8]", "[2,0]", "[2,8]", sender) + "]",
                       "[" + tensor(2, "[2,8]", "[2,16]", "[0,0]", "[2,16]", remote) + "]",
                       "[" + tensor(3, "[2,8]", "[2,16]", "[0,0]", "[2,16]", remote) + "," +
                           tensor(9, "[]", "[]", "[]", "[]", remote) + "]"))});
  text = samples::with(text, R"("WorldSize":1)", R"("WorldSize":2)");
  CHECK(listing(text) ==
        "ark D3: rank 0 of 2, 2 nodes, 2 operations, 5 tensors, 2 buffers\n"
        "%1 FP16[2,8] of [4,8] at [2,0] @1 = Tensor(%0 FP16[4,8] @1)  # node 4 \"x\", not virtual"
        " <- 9, 8 -> 5, 6\n"
        "%3, %9 FP16[] @3:rank1 = Send(%1 FP16[2,8] of [4,8] at [2,0] @1) -> "
        "%2 FP16[2,8] of [2,16] padded [2,16] @3:rank1  # node 5 \"x\"\n"
        "@1: sends [1,-5], receives [1,2]\n"
        "@3: rank 1, receives [-1,-5] [-1,7]\n");
}

TEST_CASE("ark/print: arguments, names and unknown members", "[ark]") {
  const std::string args =
      R"({"Axis":{"INT":-1},"KeepDim":{"BOOL":true},"Odd name\n":{"UINT64":18446744073709551615},)"
      R"("f":{"FLOAT":1e-7},"n":{"NEW":[1]},"o":{"OFFSET":{"BufferId":2,"Value":64}},"q":{"OFFSET":9},)"
      R"("p":{"DIMS":[1,-2]},"t":{"TENSOR":)" +
      samples::tensor(0, 0, "[4]") + "}}";
  const std::string text = samples::file(
      {samples::node(0, "[]", "[]", samples::op("ReduceSum", "[]", "[]", "[]", args, R"(,"o":"p")"),
                     R"(,"X-Tool":[1,{"a b":2}])"),
       samples::node(1, "[]", "[]", samples::op("New Type\\\"", "[]", "[]", "[]"))},
      R"(,"version":3)");
  CHECK(listing(text) ==
        "ark D3: rank 0 of 1, 2 nodes, 2 operations, 1 tensor, 1 buffer, version=3\n"
        "ReduceSum() {Axis=-1, KeepDim=true, \"Odd name\\n\"=UINT64:18446744073709551615, "
        "f=FLOAT:1e-7, n={\"NEW\":[1]}, o=OFFSET:@2+64, q=OFFSET:9, p=DIMS:[1,-2], "
        "t=TENSOR:%0 FP32[4] @0}  # node 0 \"x\", o=\"p\", X-Tool=[1,{\"a b\":2}]\n"
        "\"New Type\\\"\"()  # node 1 \"x\"\n");
}

TEST_CASE("ark/print: operations of one node, Pads, external buffers", "[ark]") {
  const std::string external =
      R"({"Id":7,"Rank":-1,"SendTags":[],"RecvTags":[],"IsExternal":true,"DeviceId":3})";
  std::string t = tensor(0, "[4]", "[4]", "[0]", "[2]", external);
  t = samples::with(t, "PaddedShape", "Pads");
  const std::string text =
      samples::file({samples::node_of(0, "[]", "[]",
                                      "[" + samples::op("Relu", "[" + t + "]", "[]", "[]") + "," +
                                          samples::op("Noop", "[]", "[]", "[]") + "]")});
  CHECK(listing(text) ==
        "ark D1a: rank 0 of 1, 1 node, 2 operations, 1 tensor, 1 buffer\n"
        "Relu(%0 FP16[4] pads [2] @7)  # node 0.0 \"x\"\n"
        "Noop()  # node 0.1 \"x\"\n"
        "@7: external, DeviceId=3\n");
}

TEST_CASE("ark/print: a graph that isn't one", "[ark]") {
  ark::model g = samples::model(samples::file({samples::relu(0)}));
  g.uses[0] = 77;
  CHECK(ark::print(g) ==
        std::string_view(
            "ark D3: rank 0 of 1, 1 node, 1 operation, 3 tensors, 2 buffers; ark_too_large\n"));
  g.form = static_cast<ark::dialect>(99);
  const tessera::text lines = ark::print(g);
  CHECK(lines.view().substr(0, 7) == "ark ?: ");
}
