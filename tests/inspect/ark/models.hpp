// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Models for tests: files of tests/data/ark/cli, and small ones spelled out in a line for each
// operation.

#ifndef TESSERA_TESTS_ARK_TOOLS_MODELS_HPP
#define TESSERA_TESTS_ARK_TOOLS_MODELS_HPP

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "tessera/ark.hpp"

namespace tests {

namespace ark = tessera::ark;

[[nodiscard]] inline ark::model parse(const std::string& text) {
  tessera::result<ark::model> g = ark::read(text);
  INFO(text);
  REQUIRE(g);
  return std::move(*g);
}

[[nodiscard]] inline std::string load_text(const std::string& name) {
  std::ifstream in(TESSERA_TESTS_ARK_MODELS + name, std::ios::binary);
  INFO(name);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
[[nodiscard]] inline ark::model load(const std::string& name) { return parse(load_text(name)); }

/// A model as text: tensors are named and described once, operations one after the other. Edges
/// lead from the operations that make tensors to those that read or write them.
class model {
 public:
  /// `shape` as in "4,8"; what isn't given is as in a fresh tensor. `buffer` -1: one of its own.
  model& tensor(const std::string& name, const std::string& shape, const std::string& type = "FP32",
                int buffer = -1, std::string strides = "", std::string offsets = "",
                std::string padded = "") {
    if (padded.empty()) padded = shape;
    if (strides.empty()) strides = padded;
    if (offsets.empty())
      for (const char c : shape + ',')
        if (c == ',') offsets += offsets.empty() ? "0" : ",0";
    if (buffer < 0) buffer = next_buffer_++;
    std::ostringstream out;
    out << R"(,"DataType":")" << type << R"(","Shape":[)" << shape << R"(],"Strides":[)" << strides
        << R"(],"Offsets":[)" << offsets << R"(],"PaddedShape":[)" << padded
        << R"(],"Buffer":{"Id":)" << buffer << R"(,"Rank":-1,"SendTags":[],"RecvTags":[]}})";
    tensors_[name] = {ids_++, out.str(), -1};
    return *this;
  }
  /// Tensors of lists are separated by blanks; the result is a new view of what is written.
  model& op(const std::string& type, const std::string& name, const std::string& reads,
            const std::string& writes, const std::string& result, const std::string& args = "") {
    node n;
    if (!writes.empty()) tensors_[result] = {ids_++, tensors_.at(writes).rest, -1};
    n.text = R"("Op":{"Type":")" + type + R"(","Name":")" + name +
             R"(","IsVirtual":false,"ReadTensors":[)" + list(reads, n) + R"(],"WriteTensors":[)" +
             list(writes, n) + R"(],"ResultTensors":[)" + list(result, n) + R"(],"Args":{)" + args +
             "}}";
    if (!result.empty()) tensors_[result].maker = static_cast<int>(nodes_.size());
    nodes_.push_back(n);
    return *this;
  }
  [[nodiscard]] std::string text() const {
    std::vector<std::string> consumers(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (const auto& [producer, unused] : nodes_[i].producers)
        consumers[static_cast<std::size_t>(producer)] +=
            (consumers[static_cast<std::size_t>(producer)].empty() ? "" : ",") + std::to_string(i);
    std::string out = R"({"Rank":0,"WorldSize":1,"Nodes":[)";
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      std::string producers;
      for (const auto& [producer, unused] : nodes_[i].producers)
        producers += (producers.empty() ? "" : ",") + std::to_string(producer);
      out += (i == 0 ? R"({"Id":)" : R"(,{"Id":)") + std::to_string(i) + R"(,"ProducerNodeIds":[)" +
             producers + R"(],"ConsumerNodeIds":[)" + consumers[i] + "]," + nodes_[i].text + '}';
    }
    return out + "]}";
  }
  [[nodiscard]] ark::model graph() const { return parse(text()); }

 private:
  struct entry {
    int id = 0;
    std::string rest;
    int maker = -1;
  };
  struct node {
    std::string text;
    std::map<int, bool> producers;
  };
  [[nodiscard]] std::string list(const std::string& names, node& n) {
    std::istringstream in(names);
    std::string name, out;
    while (in >> name) {
      const entry& t = tensors_.at(name);
      if (t.maker >= 0) n.producers[t.maker] = true;
      out += (out.empty() ? R"({"Id":)" : R"(,{"Id":)") + std::to_string(t.id) + t.rest;
    }
    return out;
  }
  std::map<std::string, entry> tensors_;
  std::vector<node> nodes_;
  int ids_ = 0, next_buffer_ = 0;
};

}  // namespace tests

#endif  // TESSERA_TESTS_ARK_TOOLS_MODELS_HPP
