// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What verification finds, as values that tests compare and print.
//
//   findings::list all = findings::of({text});
//   CHECK(findings::rules(all) == "E G03, W G14");
//   CHECK(findings::of(two_ranks).back().path == "$.Rank");
//
// Lifetime:   values.
// Errors:     what reading refuses is a finding, too.
// Limits:     none.
// Allocation: strings.

#ifndef TESSERA_TESTS_ARK_FINDINGS_HPP
#define TESSERA_TESTS_ARK_FINDINGS_HPP

#include "ark.hpp"
// Keeps the line above where it is.
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tessera/core/describe.hpp>
#include <utility>
#include <vector>

#include "../support/catch.hpp"
#include "ark/verbs.hpp"

namespace findings {

namespace ark = tessera::ark;
using tessera::errc;

[[nodiscard]] inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) FAIL("cannot open " << path.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
[[nodiscard]] inline std::filesystem::path data() { return TESSERA_TESTS_DATA_DIR "/ark"; }
[[nodiscard]] inline std::filesystem::path shared() { return TESSERA_SAMPLES_DIR "/ark"; }
/// The rows of a tab-separated file after its first.
[[nodiscard]] inline std::vector<std::vector<std::string>> table(
    const std::filesystem::path& path) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(content_of(path));
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, '\t');) rows.back().push_back(field);
  }
  rows.erase(rows.begin());
  return rows;
}

struct finding {
  char severity;  ///< E, W or I
  std::string rule;
  std::string path;
  std::uint64_t offset;
  std::uint32_t file;
  std::string text;
  friend bool operator==(const finding&, const finding&) = default;
};
using list = std::vector<finding>;

inline void append(list& out, const tessera::report& r) {
  for (const tessera::diagnostic& d : r.diagnostics)
    out.push_back({"EWI"[static_cast<std::size_t>(d.severity)], std::string(ark::rule(d.code).id()),
                   std::string(r.text_of(d.path)), d.where.offset, d.where.file,
                   std::string(r.text_of(d.text))});
}

/// What is wrong with the files of some ranks: when all of them verify, also together. A file that
/// can't be read or verified is the last that is looked at.
[[nodiscard]] inline list of(const std::vector<std::string>& files,
                             const ark::verify_options& options = {}, bool together = true) {
  list all;
  std::deque<ark::program> programs;
  std::vector<const ark::program*> ranks;
  std::vector<std::string_view> sources(files.begin(), files.end());
  for (std::uint32_t f = 0; f < files.size(); ++f) {
    auto g = ark_test::read(files[f]);
    if (!g) {
      const tessera::text path = tessera::json::path(files[f], g.error().offset);
      all.push_back({'E', std::string(ark::rule(g.error().code).id()), std::string(path.view()),
                     g.error().offset, f, std::string(g.error().message())});
      return all;
    }
    tessera::report r;
    ark::verify_options how = options;
    how.source = files[f];
    auto p = ark_test::verify(std::move(*g), how, &r);
    const std::size_t before = all.size();
    append(all, r);
    for (std::size_t i = before; i < all.size(); ++i) all[i].file = f;
    CHECK(static_cast<bool>(p) == (r.errors == 0));
    if (!p) {
      for (const tessera::diagnostic& d : r.diagnostics)
        if (d.severity == tessera::severity::error) {
          CHECK(p.error() == tessera::error{d.code, d.where.offset});
          break;
        }
      return all;
    }
    programs.push_back(std::move(*p));
  }
  if (!together) return all;
  for (const ark::program& p : programs) ranks.push_back(&p);
  tessera::report r;
  auto w = ark_test::verify_ranks({ranks.data(), ranks.size()},
                                  {.sources = {sources.data(), sources.size()}}, &r);
  append(all, r);
  CHECK(static_cast<bool>(w) == (r.errors == 0));
  return all;
}

[[nodiscard]] inline std::string rules(const list& all) {
  std::string out;
  for (const finding& f : all)
    (out += out.empty() ? "" : ", ") += std::string(1, f.severity) + ' ' + f.rule;
  return out;
}
[[nodiscard]] inline std::string summary(const list& all) {
  std::string out;
  for (const finding& f : all)
    out += std::string(1, f.severity) + ' ' + f.rule + ' ' + std::to_string(f.file) + ' ' + f.path +
           " @" + std::to_string(f.offset) + ": " + f.text + '\n';
  return out;
}

// ---- compact models, part by part

[[nodiscard]] inline std::string numbers(const std::vector<std::int64_t>& all) {
  std::string out = "[";
  for (const std::int64_t v : all) (out += out.size() == 1 ? "" : ",") += std::to_string(v);
  return out + "]";
}
struct patch {
  std::int64_t id;
  std::int64_t buffer;
  std::vector<std::int64_t> shape = {4};
  std::vector<std::int64_t> strides = {};
  std::vector<std::int64_t> offsets = {};
  std::string type = "FP32";
  std::string tags = R"("Rank":-1,"SendTags":[],"RecvTags":[])";
};
[[nodiscard]] inline std::string tensor(const patch& p) {
  return R"({"Id":)" + std::to_string(p.id) + R"(,"DataType":")" + p.type + R"(","Shape":)" +
         numbers(p.shape) + R"(,"Strides":)" + numbers(p.strides.empty() ? p.shape : p.strides) +
         R"(,"Offsets":)" +
         numbers(p.offsets.empty() ? std::vector<std::int64_t>(p.shape.size()) : p.offsets) +
         R"(,"PaddedShape":)" + numbers(p.shape) + R"(,"Buffer":{"Id":)" +
         std::to_string(p.buffer) + "," + p.tags + "}}";
}
[[nodiscard]] inline std::string tensors(const std::vector<patch>& all) {
  std::string out = "[";
  for (const patch& p : all) (out += out.size() == 1 ? "" : ",") += tensor(p);
  return out + "]";
}
[[nodiscard]] inline std::string op(std::string_view type, const std::vector<patch>& reads,
                                    const std::vector<patch>& writes,
                                    const std::vector<patch>& results,
                                    std::string_view args = "{}") {
  return R"({"Type":")" + std::string(type) + R"(","Name":"n","IsVirtual":)" +
         (type == "Tensor" ? "true" : "false") + R"(,"ReadTensors":)" + tensors(reads) +
         R"(,"WriteTensors":)" + tensors(writes) + R"(,"ResultTensors":)" + tensors(results) +
         R"(,"Args":)" + std::string(args) + "}";
}
[[nodiscard]] inline std::string node(std::int64_t id, const std::vector<std::int64_t>& producers,
                                      const std::vector<std::int64_t>& consumers,
                                      const std::string& operation) {
  return R"({"Id":)" + std::to_string(id) + R"(,"ProducerNodeIds":)" + numbers(producers) +
         R"(,"ConsumerNodeIds":)" + numbers(consumers) + R"(,"Op":)" + operation + "}";
}
[[nodiscard]] inline std::string file(const std::vector<std::string>& nodes, int rank = 0,
                                      int world_size = 1) {
  std::string out = R"({"Rank":)" + std::to_string(rank) + R"(,"WorldSize":)" +
                    std::to_string(world_size) + R"(,"Nodes":[)";
  for (std::size_t i = 0; i < nodes.size(); ++i) (out += i == 0 ? "" : ",") += nodes[i];
  return out + "]}";
}
/// One operation.
[[nodiscard]] inline std::string single(const std::string& operation, int rank = 0,
                                        int world_size = 1) {
  return file({node(0, {}, {}, operation)}, rank, world_size);
}
/// A graph that must be readable.
[[nodiscard]] inline ark::model graph(std::string_view text) {
  auto g = ark_test::read(text);
  if (!g) FAIL(std::string(g.error().name()) << " at " << g.error().offset << " in " << text);
  return std::move(*g);
}

}  // namespace findings

#endif  // TESSERA_TESTS_ARK_FINDINGS_HPP
