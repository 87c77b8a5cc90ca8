// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tokenizers: whole ones whose ids are known from other implementations, each instruction, each
// form of vocabulary, and what strangers may write.

#include "vm/nac/tokenizer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "tessera/nac.hpp"
#include "vm/nac/vocabulary.hpp"

namespace {

using namespace tessera;
namespace vmn = vm::nac;
using nac::partition_rule;
using ids_type = std::vector<std::int32_t>;

std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string s;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    s += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return s;
}

template <class T>
void put(std::string& to, T value) {
  char raw[sizeof(T)];
  store_le(raw, value);
  to.append(raw, sizeof raw);
}

struct word {
  std::string text;
  std::int32_t id = 0;
  float score = 0;
};

std::string vocab_b(std::vector<word> words) {
  std::sort(words.begin(), words.end(), [](auto& a, auto& b) { return a.text < b.text; });
  std::string table, records;
  put(table, static_cast<std::uint32_t>(words.size()));
  for (const word& w : words) {
    put(table, static_cast<std::uint32_t>(records.size()));
    put(records, static_cast<std::uint16_t>(w.text.size()));
    records += w.text;
    put(records, w.id);
    put(records, w.score);
  }
  return table + records;
}
/// Tokens with the ids 0, 1 ...
std::string vocab_b(const std::vector<std::string>& tokens) {
  std::vector<word> words;
  for (const std::string& t : tokens)
    words.push_back({t, static_cast<std::int32_t>(words.size()), 0});
  return vocab_b(words);
}

using pairs = std::vector<std::pair<std::string, std::string>>;

std::string merges_b(const pairs& list, std::uint32_t more = 0) {
  std::string s;
  put(s, static_cast<std::uint32_t>(list.size()) + more);
  for (const auto& [a, b] : list)
    for (const std::string& part : {a, b}) {
      put(s, static_cast<std::uint16_t>(part.size()));
      s += part;
    }
  return s;
}

using files = std::vector<std::pair<std::string, std::string>>;

/// A container with a manifest and resources, and the tokenizer of it.
struct made {
  nac::parts parts;
  pool<std::byte> container;
  std::unique_ptr<vmn::tokenizer> t;

  explicit made(std::optional<std::string> manifest, const files& resources,
                const vmn::tokenizer_options& how = {}) {
    if (manifest) {
      parts.has_manifest = true;
      parts.manifest = parts.keep(as_bytes(*manifest));
    }
    for (const auto& [name, data] : resources)
      parts.resources.push_back({parts.add_string(name), parts.keep(as_bytes(data))});
    auto written = nac::write(parts);
    REQUIRE(written);
    container = *std::move(written);
    const auto file = nac::read(bytes(container.data(), container.size()));
    REQUIRE(file);
    t = std::make_unique<vmn::tokenizer>(*file, how);
  }
  /// That the tokenizer could be made.
  const made& well() const {
    INFO(t->made().text);
    REQUIRE(t->made().code == errc::ok);
    return *this;
  }
  [[nodiscard]] ids_type ids(std::string_view text) const {
    ids_type out = {-1};
    const vmn::trouble done = t->encode(text, out);
    INFO(done.text);
    CHECK(done.code == errc::ok);
    return out;
  }
  [[nodiscard]] errc refusal(std::string_view text) const {
    ids_type out = {-1};
    const errc code = t->encode(text, out).code;
    CHECK(out.empty());
    return code;
  }
  [[nodiscard]] std::string text(const std::vector<std::int64_t>& of, bool special = false) const {
    std::string out = "before";
    CHECK(t->decode(of, out, special).code == errc::ok);
    return out;
  }
};

template <class Write>
std::string manifest(Write&& write) {
  nac::manifest_writer w;
  write(w);
  REQUIRE(w.err().code == errc::ok);
  return std::string(as_text(w.view()));
}

const std::vector<std::string> wordpiece_tokens = {
    "[UNK]", "[CLS]", "[SEP]", "he", "##llo", "world", "!", "##l", "##o", "h", "##e", ","};
constexpr std::string_view wordpiece_manifest =
    "544953410103060000000100090100200407000000020243630243660100000000102200000003000203005c732b01"
    "010d00283f3a203f295c5b434c535c5d0205005c707b507d0221030000000223233010000000030100055b434c535d"
    "00010102000000";
const std::vector<std::string> bpe_tokens = {
    "<unk>",  "h",       "e", "l", "o", "he",       "ll",  "hell", "hello",
    "\u0120", "\u0120w", "w", "r", "d", "\u0120wo", "<s>", "rl",   "rld"};
const pairs bpe_merges = {{"h", "e"},      {"l", "l"},       {"he", "ll"}, {"hell", "o"},
                          {"\u0120", "w"}, {"\u0120w", "o"}, {"r", "l"},   {"rl", "d"}};
constexpr std::string_view bpe_front =
    "54495341011055000000"
    "02000103003c733e004a0027737c27747c2772657c2776657c276d7c276c6c7c27647c203f5c707b4c7d2b7c203f5c"
    "70"
    "7b4e7d2b7c203f5b5e5c735c707b4c7d5c707b4e7d5d2b7c5c732b283f215c53297c5c732b";
const std::vector<word> unigram_words = {
    {"<pad>", 0, 0},     {"</s>", 1, 0},    {"<unk>", 2, 0},        {"\u2581", 3, -2},
    {"\u2581he", 4, -3}, {"llo", 5, -3.5f}, {"\u2581hello", 6, -7}, {"l", 7, -4},
    {"o", 8, -4},        {"h", 9, -5},      {"e", 10, -5}};
constexpr std::string_view unigram_manifest =
    "544953410103080000000100200300e2968107050000000300e29681100d00000001000504003c2f733e03e2968122"
    "0000000030080000000200010101000000";

}  // namespace

TEST_CASE("vm_nac/tokenizer: ids that other implementations give", "[vm_nac]") {
  SECTION("WordPiece") {
    const made m(from_hex(wordpiece_manifest), {{"vocab.b", vocab_b(wordpiece_tokens)}});
    m.well();
    CHECK(m.t->size() == 12);
    CHECK(m.t->id_of("world") == 5);
    CHECK(!m.t->id_of("word"));
    CHECK(m.ids("Hello, world!") == ids_type{1, 3, 4, 11, 5, 6, 2});
    CHECK(m.text({1, 3, 4, 11, 5, 6, 2}) == "hello, world!");
    CHECK(m.text({1, 3, 4, 11, 5, 6, 2}, true) == "[CLS] hello, world! [SEP]");
  }
  SECTION("BPE, both payloads") {
    const std::string packed = vocab_b(bpe_tokens);
    for (const std::string_view end : {"15000000002000000000", "1500000000200100000000"}) {
      const made m(from_hex(std::string(bpe_front) + std::string(end)),
                   {{"vocab.b", packed}, {"merges.b", merges_b(bpe_merges)}});
      m.well();
      CHECK(m.ids("hello world") == ids_type{8, 14, 17});
      CHECK(m.text({8, 14, 17}) == "hello world");
      CHECK(m.ids("<s>hello") == ids_type{15, 8});
    }
  }
  SECTION("BPE with a suffix") {
    auto tokens = bpe_tokens;
    tokens.insert(tokens.end(), {"x", "y", "o</w>", "hello</w>"});
    auto merges = bpe_merges;
    merges.push_back({"hell", "o</w>"});
    const made m(from_hex(std::string(bpe_front) + "2005000000043c2f773e"),
                 {{"vocab.b", vocab_b(tokens)}, {"merges.b", merges_b(merges)}});
    m.well();
    CHECK(m.ids("hello") == ids_type{21});
    CHECK(m.text({21}) == "hello ");
  }
  SECTION("Unigram") {
    const made m(from_hex(unigram_manifest), {{"vocab.b", vocab_b(unigram_words)}});
    m.well();
    CHECK(m.ids("hello") == ids_type{4, 5, 1});
    CHECK(m.text({4, 5, 1}) == "hello");
    CHECK(m.text({4, 5, 1}, true) == "hello</s>");
  }
}
