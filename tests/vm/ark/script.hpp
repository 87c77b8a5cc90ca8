// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Small models for the machine, written as a list of operations, and models that are loaded and
// verified together.
//
//   script s;
//   const int x = s.tensor("FP32", {4, 8});
//   const int y = s.op("Relu", {x}, {s.tensor("FP32", {4, 8})});
//   run::world w({s.text()});
//   machine vm(w.get());
//   w.write(vm, 0, x, bytes);
//
// Lifetime:   values; a world is neither copied nor moved.
// Errors:     a model that doesn't verify fails the test.
// Limits:     none.
// Allocation: strings and vectors.

#ifndef TESSERA_TESTS_ARK_SCRIPT_HPP
#define TESSERA_TESTS_ARK_SCRIPT_HPP

#include "ark/ark.hpp"
// Keeps the line above where it is.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "ark/verbs.hpp"
#include "support/catch.hpp"
#include "tessera/vm/ark.hpp"

namespace run {

namespace ark = tessera::ark;
using dims = std::vector<std::int64_t>;

/// How a tensor lies in its buffer; what is left out is as the format's own builder has it.
struct shaped {
  dims strides, offsets, padded;
};

/// A model of one rank.
class script {
 public:
  explicit script(int rank = 0, int world_size = 1) : rank_(rank), world_size_(world_size) {}

  int buffer() { return buffer(-1, "[]", "[]"); }
  int buffer(int rank, const std::string& send_tags, const std::string& recv_tags) {
    buffers_.push_back(R"({"Id":)" + std::to_string(buffers_.size()) + R"(,"Rank":)" +
                       std::to_string(rank) + R"(,"SendTags":)" + send_tags + R"(,"RecvTags":)" +
                       recv_tags + "}");
    return static_cast<int>(buffers_.size()) - 1;
  }
  int tensor(std::string_view type, const dims& shape) { return tensor(type, shape, buffer()); }
  int tensor(std::string_view type, const dims& shape, int buffer, const shaped& how = {}) {
    const dims padded = how.padded.empty() ? shape : how.padded;
    const dims strides = how.strides.empty() ? padded : how.strides;
    const dims offsets = how.offsets.empty() ? dims(shape.size(), 0) : how.offsets;
    tensors_.push_back({R"(,"DataType":")" + std::string(type) + R"(","Shape":)" + list(shape) +
                            R"(,"Strides":)" + list(strides) + R"(,"Offsets":)" + list(offsets) +
                            R"(,"PaddedShape":)" + list(padded),
                        buffer});
    return static_cast<int>(tensors_.size()) - 1;
  }
  /// Adds an operation with a result of its own, whose Id it returns: another name for the tensor
  /// `as` or, without it, for the first of `writes`.
  int op(std::string_view type, const std::vector<int>& reads, const std::vector<int>& writes,
         std::string_view args = "{}", int as = -1) {
    std::vector<int> results;
    if (as < 0 && !writes.empty()) as = writes.front();
    if (as >= 0) {
      tensors_.push_back(tensors_[static_cast<std::size_t>(as)]);
      results.push_back(static_cast<int>(tensors_.size()) - 1);
    }
    const bool is_virtual = type == "Tensor" || type == "Placeholder" || type == "Reshape";
    nodes_.push_back({R"("Op":{"Type":")" + std::string(type) + R"(","Name":"","IsVirtual":)" +
                          (is_virtual ? "true" : "false") + R"(,"ReadTensors":)" + uses(reads) +
                          R"(,"WriteTensors":)" + uses(writes) + R"(,"ResultTensors":)" +
                          uses(results) + R"(,"Args":)" + std::string(args) + "}",
                      {}});
    const int here = static_cast<int>(nodes_.size()) - 1;
    if (here > 0) nodes_.back().producers.insert(here - 1);
    for (const std::vector<int>* const all : {&reads, &writes})
      for (const int t : *all)
        if (const auto made = makers_.find(t); made != makers_.end())
          nodes_.back().producers.insert(made->second);
    for (const int t : results) makers_[t] = here;
    return results.empty() ? -1 : results.front();
  }
  [[nodiscard]] std::string text() const {
    std::string all = R"({"Rank":)" + std::to_string(rank_) + R"(,"WorldSize":)" +
                      std::to_string(world_size_) + R"(,"Nodes":[)";
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      dims producers(nodes_[n].producers.begin(), nodes_[n].producers.end()), consumers;
      for (std::size_t c = n + 1; c < nodes_.size(); ++c)
        if (nodes_[c].producers.count(static_cast<int>(n)) != 0)
          consumers.push_back(static_cast<std::int64_t>(c));
      all += (n == 0 ? R"({"Id":)" : R"(,{"Id":)") + std::to_string(n) + R"(,"ProducerNodeIds":)" +
             list(producers) + R"(,"ConsumerNodeIds":)" + list(consumers) + "," + nodes_[n].op +
             "}";
    }
    return all + "]}";
  }

 private:
  struct part {
    std::string description;
    int buffer;
  };
  struct one_node {
    std::string op;
    std::set<int> producers;
  };
  static std::string list(const dims& values) {
    std::string out = "[";
    for (const std::int64_t v : values) out += (out.size() == 1 ? "" : ",") + std::to_string(v);
    return out + "]";
  }
  [[nodiscard]] std::string uses(const std::vector<int>& ids) const {
    std::string out = "[";
    for (const int id : ids) {
      const part& t = tensors_[static_cast<std::size_t>(id)];
      out += (out.size() == 1 ? R"({"Id":)" : R"(,{"Id":)") + std::to_string(id) + t.description +
             R"(,"Buffer":)" + buffers_[static_cast<std::size_t>(t.buffer)] + "}";
    }
    return out + "]";
  }

  int rank_, world_size_;
  std::vector<std::string> buffers_;
  std::vector<part> tensors_;
  std::vector<one_node> nodes_;
  std::map<int, int> makers_;
};

/// Numbers, or bytes as they are, as files have them.
template <class T>
[[nodiscard]] std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> out(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i)
    if constexpr (std::is_arithmetic_v<T>)
      tessera::store_le(out.data() + i * sizeof(T), values[i]);
    else
      out[i] = values[i];
  return out;
}

/// Verified models, and tensors by Id.
class world {
 public:
  explicit world(const std::vector<std::string>& texts) {
    std::vector<const ark::program*> ranks;
    for (const std::string& text : texts) {
      auto g = ark_test::read(text);
      if (!g) FAIL(std::string(g.error().name()) << " at " << g.error().offset << " in " << text);
      tessera::report found;
      auto p = ark_test::verify(std::move(*g), {.source = text}, &found);
      if (!p) FAIL(first_error(found) << " in " << text);
      programs_.push_back(std::make_unique<ark::program>(std::move(*p)));
      ranks.push_back(programs_.back().get());
    }
    tessera::report found;
    auto w = ark_test::verify_ranks({ranks.data(), ranks.size()}, {}, &found);
    if (!w) FAIL(first_error(found) << " in " << texts[0]);
    world_.emplace(std::move(*w));
  }
  world(const world&) = delete;

  [[nodiscard]] const ark::world& get() const { return *world_; }
  /// A tensor's index by its Id.
  [[nodiscard]] std::uint32_t tensor(std::size_t rank, std::int64_t id) const {
    const ark::model& g = world_->rank(rank).model();
    for (std::size_t t = 0; t < g.tensors.size(); ++t)
      if (g.tensors[t].id == id) return static_cast<std::uint32_t>(t);
    FAIL("no tensor " << id);
    return 0;
  }
  template <class T>
  void write(tessera::vm::ark::machine& vm, std::int64_t id, const std::vector<T>& values,
             std::size_t rank = 0) const {
    REQUIRE(vm.write(rank, tensor(rank, id), bytes_of(values)));
  }
  template <class T>
  [[nodiscard]] std::vector<T> read(const tessera::vm::ark::machine& vm, std::int64_t id,
                                    std::size_t rank = 0) const {
    const std::uint32_t t = tensor(rank, id);
    const ark::model& g = world_->rank(rank).model();
    std::size_t count = 1;
    for (const std::int64_t d : layout_of(g, t).shape) count *= static_cast<std::size_t>(d);
    std::vector<T> out(count * ark::info(g.tensors[t].type).bytes / sizeof(T));
    std::vector<std::byte> bytes(out.size() * sizeof(T));
    REQUIRE(vm.read(rank, t, bytes));
    for (std::size_t i = 0; i < out.size(); ++i)
      if constexpr (std::is_arithmetic_v<T>)
        out[i] = tessera::load_le<T>(bytes.data() + i * sizeof(T));
      else
        out[i] = bytes[i];
    return out;
  }

 private:
  static std::string first_error(const tessera::report& found) {
    for (const tessera::diagnostic& d : found.diagnostics)
      if (d.severity == tessera::severity::error)
        return std::string(ark::rule(d.code).id()) + " " + std::string(found.text_of(d.path)) +
               ": " + std::string(found.text_of(d.text));
    return "refused";
  }

  std::vector<std::unique_ptr<ark::program>> programs_;
  std::optional<ark::world> world_;
};

}  // namespace run

#endif  // TESSERA_TESTS_ARK_SCRIPT_HPP
