// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Texts of models, made small by hand and found in the folder of samples, and how tests look at
// graphs.
//
//   samples::model(samples::file({samples::relu(0)}))
//   for (const samples::upstream_file& f : samples::upstream()) samples::model(f.content);
//
// Lifetime:   values; upstream() lives as long as the program.
// Errors:     a file that can't be read fails the test; upstream() is empty without the samples.
// Limits:     none.
// Allocation: strings.

#ifndef TESSERA_TESTS_ARK_SAMPLES_HPP
#define TESSERA_TESTS_ARK_SAMPLES_HPP

#include "ark.hpp"
// Keeps the line above where it is.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/catch.hpp"
#include "ark/verbs.hpp"

namespace ark_samples {

namespace ark = tessera::ark;

[[nodiscard]] inline std::string load(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) FAIL("cannot open " << path.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
[[nodiscard]] inline std::filesystem::path folder() { return TESSERA_TESTS_DATA_DIR "/ark"; }
[[nodiscard]] inline std::filesystem::path shared() { return TESSERA_SAMPLES_DIR "/ark"; }

/// A text of the format's own serializer.
struct upstream_file {
  std::string name;  ///< d8bbaebd_main-HEAD/softmax_fp16.min.json
  bool pretty;
  std::string content;
};
/// All models, by name. Plans aren't among them.
[[nodiscard]] inline const std::vector<upstream_file>& upstream() {
  static const std::vector<upstream_file> all = [] {
    std::vector<upstream_file> list;
    std::error_code absent;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(shared() / "upstream", absent)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".json") || name.ends_with(".plan.json") || name.ends_with(".io.json"))
        continue;
      list.push_back({entry.path().parent_path().filename().string() + "/" + name,
                      !name.ends_with(".min.json"), load(entry.path())});
    }
    std::sort(list.begin(), list.end(),
              [](const upstream_file& a, const upstream_file& b) { return a.name < b.name; });
    return list;
  }();
  return all;
}

/// What must be readable.
[[nodiscard]] inline ark::model model(std::string_view content) {
  auto g = ark_test::read(content);
  if (!g) FAIL(std::string(g.error().name()) << " at " << g.error().offset << " in " << content);
  return std::move(*g);
}
/// What must be writable, in its own dialect.
[[nodiscard]] inline std::string json(const ark::model& g, bool pretty = false) {
  const auto out = ark::write(g, {.to = g.form, .pretty = pretty});
  if (!out) FAIL("write: " << std::string(out.error().name()) << " at " << out.error().offset);
  return std::string(out->view());
}

/// `all`, in which the first `from` is a `to`.
[[nodiscard]] inline std::string with(std::string all, std::string_view from, std::string_view to) {
  const std::size_t at = all.find(from);
  if (at == std::string::npos) FAIL("no " << from << " in " << all);
  return all.replace(at, from.size(), to);
}

// ---- compact D3, part by part

[[nodiscard]] inline std::string buffer(int id, std::string_view more = "") {
  return R"({"Id":)" + std::to_string(id) + R"(,"Rank":-1,"SendTags":[],"RecvTags":[])" +
         std::string(more) + "}";
}
[[nodiscard]] inline std::string tensor(int id, int buffer_id, const std::string& shape = "[4,8]",
                                        std::string_view more = "") {
  const std::string zeros(shape == "[4,8]" ? "[0,0]" : "[0]");
  return R"({"Id":)" + std::to_string(id) + R"(,"DataType":"FP32","Shape":)" + shape +
         R"(,"Strides":)" + shape + R"(,"Offsets":)" + zeros + R"(,"PaddedShape":)" + shape +
         R"(,"Buffer":)" + buffer(buffer_id) + std::string(more) + "}";
}
[[nodiscard]] inline std::string list(std::initializer_list<std::string> parts) {
  std::string all = "[";
  for (const std::string& part : parts) (all += all.size() == 1 ? "" : ",") += part;
  return all + "]";
}
[[nodiscard]] inline std::string op(std::string_view type, const std::string& reads,
                                    const std::string& writes, const std::string& results,
                                    std::string_view args = "{}", std::string_view more = "") {
  return R"({"Type":")" + std::string(type) + R"(","Name":"x","IsVirtual":false,"ReadTensors":)" +
         reads + R"(,"WriteTensors":)" + writes + R"(,"ResultTensors":)" + results + R"(,"Args":)" +
         std::string(args) + std::string(more) + "}";
}
[[nodiscard]] inline std::string node(int id, const std::string& producers,
                                      const std::string& consumers, const std::string& operation,
                                      std::string_view more = "") {
  return R"({"Id":)" + std::to_string(id) + R"(,"ProducerNodeIds":)" + producers +
         R"(,"ConsumerNodeIds":)" + consumers + R"(,"Op":)" + operation + std::string(more) + "}";
}
/// The same node as D1 and D2 have it.
[[nodiscard]] inline std::string node_of(int id, const std::string& producers,
                                         const std::string& consumers,
                                         const std::string& operations) {
  return R"({"Id":)" + std::to_string(id) + R"(,"ProducerNodeIds":)" + producers +
         R"(,"ConsumerNodeIds":)" + consumers + R"(,"Ops":)" + operations + "}";
}
[[nodiscard]] inline std::string file(std::initializer_list<std::string> nodes,
                                      std::string_view more = "") {
  return R"({"Rank":0,"WorldSize":1,"Nodes":)" + list(nodes) + std::string(more) + "}";
}

/// A node that reads tensor `from`, 0 or the result of another one, and makes the next two.
[[nodiscard]] inline std::string relu(int id, int from = 0, const std::string& producers = "[]",
                                      const std::string& consumers = "[]") {
  return node(id, producers, consumers,
              op("Relu", list({tensor(from, from == 0 ? 0 : from - 1)}),
                 list({tensor(from + 1, from + 1)}), list({tensor(from + 2, from + 1)})));
}
/// A file of one operation with these arguments.
[[nodiscard]] inline std::string with_args(std::string_view args,
                                           std::string_view type = "Frobnicate") {
  return file({node(0, "[]", "[]", op(type, "[]", "[]", "[]", args))});
}

}  // namespace ark_samples

namespace samples = ark_samples;  // there is another one in the same program

#endif  // TESSERA_TESTS_ARK_SAMPLES_HPP
