// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tokenizers: whole ones whose ids are known from other implementations, each instruction, each
// form of vocabulary, and what strangers may write.

#include "vm/tokenizer/tokenizer.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "tessera/nac/all.hpp"
#include "vm/tokenizer/expression.hpp"
#include "vm/tokenizer/partition.hpp"
#include "vm/tokenizer/unicode.hpp"
#include "vm/tokenizer/vocabulary.hpp"

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

/// Most of these tests need both; without one, its absence is tested.
bool has_packages() { return vmn::has_expressions() && vmn::has_unicode(); }

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
  REQUIRE(w.error().code == errc::ok);
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

TEST_CASE("vm/tokenizer: what a build is without is refused by name", "[vm_tokenizer]") {
  const auto code = [](auto&& write) {
    const made m(manifest(write), {{"vocab.json", "{}"}});
    const vmn::trouble t = m.t->made();
    CHECK((t.code == errc::ok || t.text.find("utf8proc") != std::string::npos ||
           t.text.find("PCRE2") != std::string::npos));
    return t.code;
  };
  const errc unicode = vmn::has_unicode() ? errc::ok : errc::nac_tokenizer_unavailable;
  const errc expressions = vmn::has_expressions() ? errc::ok : errc::nac_tokenizer_unavailable;
  CHECK(code([](nac::manifest_writer& w) { w.lowercase(); }) == unicode);
  CHECK(code([](nac::manifest_writer& w) { w.unicode_norm("NFC"); }) == unicode);
  CHECK(code([](nac::manifest_writer& w) { w.filter_category({}); }) == unicode);
  const partition_rule rule[] = {{0, 0, "a"}};
  CHECK(code([&](nac::manifest_writer& w) { w.partition_rules({rule, 1}); }) == expressions);
  CHECK(code([](nac::manifest_writer& w) {
          w.replace("a", "b");
          w.prepend("c");
          w.partition_rules({});
          w.unigram_encode();
        }) == errc::ok);

  const std::string all = manifest([&](nac::manifest_writer& w) {
    w.replace("a", "b");
    w.lowercase();
    w.partition_rules({rule, 1});
  });
  const bytes both = as_bytes(all);
  CHECK(vmn::missing_library(both, true, true).empty());
  CHECK(vmn::missing_library(both, false, false) == "lowercase (needs utf8proc)");
  CHECK(vmn::missing_library(both, true, false) == "partition_rules (needs PCRE2)");
  CHECK(vmn::missing_library({}, false, false).empty());
  CHECK(vmn::missing_library(both).empty() == (vmn::has_unicode() && vmn::has_expressions()));
}

TEST_CASE("vm/tokenizer: ids that other implementations give", "[vm_tokenizer]") {
  if (!has_packages()) return;
  SECTION("WordPiece") {
    const made m(from_hex(wordpiece_manifest), {{"vocab.b", vocab_b(wordpiece_tokens)}});
    m.well();
    CHECK(m.t->size() == 12);
    CHECK(m.t->id_of("world") == 5);
    CHECK(!m.t->id_of("word"));
    CHECK(m.t->token_of(4) == "##llo");
    CHECK(!m.t->token_of(12));
    CHECK(!m.t->token_of(-1));
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
    const made m(from_hex(std::string(bpe_front).append("2005000000043c2f773e")),
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

// ---- single instructions

namespace {

/// Ids of a text's bytes, of a tokenizer whose tokens are single bytes: what instructions make of a
/// text, as text.
class changes {
 public:
  template <class Write>
  explicit changes(Write&& write, const vmn::tokenizer_options& how = {})
      : m_(manifest([&](nac::manifest_writer& w) {
             write(w);
             w.partition_rules({});
             w.byte_encode();
             w.bpe_encode();
           }),
           {{"vocab.json", byte_vocabulary()}, {"merges.txt", "#version: 0.2\n"}}, how) {}

  [[nodiscard]] std::string operator()(std::string_view text) const {
    std::string out;
    for (const std::int32_t id : m_.well().ids(text)) out += static_cast<char>(id);
    std::string decoded;
    const ids_type ids = m_.ids(text);
    CHECK(m_.t->decode(std::vector<std::int64_t>(ids.begin(), ids.end()), decoded).code ==
          errc::ok);
    CHECK(decoded == out);
    return out;
  }
  [[nodiscard]] errc refusal(std::string_view text) const { return m_.well().refusal(text); }

 private:
  /// GPT-2's printable characters, worked out as it is defined.
  static std::string byte_vocabulary() {
    std::string s = "{";
    std::uint32_t next = 0x100;
    for (std::uint32_t b = 0; b < 256; ++b) {
      const bool itself = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
      char c[4];
      const std::string_view text(c, utf8_encode(itself ? b : next++, c));
      if (b != 0) s += ',';
      s += '"';
      if (text == "\"" || text == "\\") s += '\\';
      s.append(text).append("\":").append(std::to_string(b));
    }
    return s + "}";
  }
  made m_;
};

using writer = nac::manifest_writer;

/// Fragments as a text: protected ones in [], others in ().
std::string fragments(std::string_view text, const std::vector<partition_rule>& rules) {
  nac::manifest_writer w;
  w.partition_rules({rules.data(), rules.size()});
  nac::manifest_reader in(w.view());
  nac::tokenizer_instruction i;
  REQUIRE(in.next(i));
  vmn::meter use(1 << 24, 1 << 30);
  std::vector<vmn::fragment> list;
  const vmn::partition p(i, 100000, use);
  p.run(text, list, use);
  std::string out;
  for (const vmn::fragment& f : list) {
    out += f.is_protected ? '[' : '(';
    out += text.substr(f.first, f.size);
    out += f.is_protected ? ']' : ')';
  }
  return out;
}

constexpr auto protects = partition_rule::protects;
constexpr auto behaves = partition_rule::has_behaviour;
constexpr auto trims = partition_rule::has_trim;

}  // namespace

TEST_CASE("vm/tokenizer: lowercase", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const changes lower([](writer& w) { w.lowercase(); });
  CHECK(lower("") == "");
  CHECK(lower("AbC [Z] 123") == "abc [z] 123");
  CHECK(lower("ÀÉÎ ЖЯ ẞ") == "àéî жя ß");
  CHECK(lower("İ") == "i\u0307");
  CHECK(lower("ΟΔΟΣ ΣΟΦΟΣ Σ ΑΣ. Α.Σ ΑΣΑ ΑΣ'Α ΑΣ' Β") == "οδος σοφος σ ας. α.ς ασα ασ'α ας' β");
  CHECK(lower("\U00010400") == "\U00010428");
}

TEST_CASE("vm/tokenizer: unicode_norm", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const auto form = [](std::string_view f, std::string_view s) {
    return changes([f](writer& w) { w.unicode_norm(f); })(s);
  };
  const std::string_view s = "e\u0301\u00e9\ufb01\u212b\uac00";
  CHECK(form("NFC", s) == "\u00e9\u00e9\ufb01\u00c5\uac00");
  CHECK(form("NFD", s) == "e\u0301e\u0301\ufb01A\u030a\u1100\u1161");
  CHECK(form("NFKC", s) == "\u00e9\u00e9fi\u00c5\uac00");
  CHECK(form("NFKD", s) == "e\u0301e\u0301fiA\u030a\u1100\u1161");
  // Marks by their classes, 220 before 230, those of one class as they were; q has none composed.
  CHECK(form("NFC", "q\u0307\u0323") == "q\u0323\u0307");
  CHECK(form("NFD", "q\u0301\u0307\u0323\u0300") == "q\u0323\u0301\u0307\u0300");
  CHECK(form("NFKC", "ascii") == "ascii");
  SECTION("marks without end take no time that grows with their square") {
    std::string many = "a";
    for (int i = 0; i < 50000; ++i) many += i % 2 == 0 ? "\u0301" : "\u0323";
    std::string sorted = "a";
    for (int i = 0; i < 25000; ++i) sorted += "\u0323";
    for (int i = 0; i < 25000; ++i) sorted += "\u0301";
    CHECK(form("NFD", many) == sorted);
  }
}

TEST_CASE("vm/tokenizer: replace", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const auto replaced = [](std::string_view pattern, std::string_view value, std::string_view s) {
    return changes([&](writer& w) { w.replace(pattern, value); })(s);
  };
  CHECK(replaced(" ", "\u2581", " a b ") == "\u2581a\u2581b\u2581");
  CHECK(replaced("aa", "b", "aaaaa") == "bba");
  CHECK(replaced("aab", "-", "aaabaabab") == "a--ab");
  CHECK(replaced("abab", "x", "abaababab") == "abaxab");
  CHECK(replaced("abc", "", "ababcabc") == "ab");
  CHECK(replaced("a", "aa", "banana") == "baanaanaa");
  CHECK(replaced(".*", "!", "a.*b") == "a!b");
  CHECK(replaced("", "-", "aé") == "-a-é-");
  CHECK(replaced("", "-", "") == "-");
  CHECK(replaced("x", "y", "") == "");
}

TEST_CASE("vm/tokenizer: filter_category and prepend", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const std::string_view none[] = {"Mn", "Cc", "Sc"};
  const changes filter([&](writer& w) { w.filter_category({none, 3}); });
  CHECK(filter("a\u0301\tb$\u20ac\u0378c") == "ab\u0378c");
  const std::string_view unassigned[] = {"Cn"};
  CHECK(changes([&](writer& w) {
          w.filter_category({unassigned, 1});
        })("a\u0378\u0301") == "a\u0301");
  CHECK(changes([&](writer& w) { w.filter_category({}); })("a\u0301") == "a\u0301");
  const changes prepend([](writer& w) { w.prepend("\u2581"); });
  CHECK(prepend("a") == "\u2581a");
  CHECK(prepend("\u2581a") == "\u2581a");
  CHECK(prepend("") == "\u2581");
}

TEST_CASE("vm/tokenizer: partition_rules", "[vm_tokenizer]") {
  if (!has_packages()) return;
  CHECK(fragments("a b", {}) == "(a b)");
  CHECK(fragments("", {}) == "()");
  CHECK(fragments("", {{0, 0, "a"}}) == "");
  SECTION("gaps, matches, the rest") {
    CHECK(fragments("xxabyy", {{0, 0, "ab"}}) == "(xx)(ab)(yy)");
    CHECK(fragments("xxabyy", {{behaves, partition_rule::remove, "ab"}}) == "(xx)(yy)");
    CHECK(fragments("xxabyy", {{behaves, partition_rule::isolate, "ab"}}) == "(xx)(ab)(yy)");
    CHECK(fragments("xxabyy", {{protects, 0, "ab"}}) == "(xx)[ab](yy)");
    // A behaviour only counts with its flag, and 3 is none.
    CHECK(fragments("xab", {{0, partition_rule::remove, "ab"}}) == "(x)(ab)");
    CHECK(fragments("xab", {{behaves, 3, "ab"}}) == "(x)(ab)");
  }
  SECTION("the leftmost match, of those the first rule, not the longest") {
    CHECK(fragments("abc", {{0, 0, "a"}, {protects, 0, "abc"}}) == "(a)(bc)");
    CHECK(fragments("abc", {{protects, 0, "abc"}, {0, 0, "a"}}) == "[abc]");
    CHECK(fragments("xab", {{0, 0, "b"}, {protects, 0, "a"}}) == "(x)[a](b)");
    CHECK(fragments("xab", {{0, 0, "b"}, {0, 0, "a"}}) == "(x)(a)(b)");
    CHECK(fragments("aXbXc", {{0, 0, "X(?=c)"}, {protects, 0, "X"}}) == "(a)[X](b)(X)(c)");
    // What the first rule found further on is found again when it's its turn.
    CHECK(fragments("ababx", {{0, 0, "x"}, {protects, 0, "ab"}}) == "[ab][ab](x)");
    // A match that another one took a part of is looked for anew.
    CHECK(fragments("aabbb", {{0, 0, "b+"}, {protects, 0, "ab"}}) == "(a)[ab](bb)");
  }
  SECTION("groups and alternatives of rules stay apart") {
    CHECK(fragments("aab", {{protects, 0, "(a)\\1"}, {protects, 0, "(b)|\\1"}}) == "[aa][b]");
    CHECK(fragments("Ab", {{protects, 0, "(?i)a"}, {protects, 0, "B"}}) == "[A](b)");
    CHECK(fragments("xaby", {{protects, 0, "q|a"}, {protects, 0, "b|r"}}) == "(x)[a][b](y)");
  }
  SECTION("trim and spaces") {
    const partition_rule rule{protects | trims, 0, "</s>", "_"};
    CHECK(fragments("a_</s>b_", {rule}) == "(a)[</s>](b_)");
    CHECK(fragments("a__</s>", {rule}) == "(a_)[</s>]");
    CHECK(fragments("_</s>", {rule}) == "[</s>]");
    CHECK(fragments("a <s> b", {{protects, 0, "<s>"}}) == "(a)[<s>]( b)");
    CHECK(fragments("a x b", {{protects, 0, " x"}}) == "(a)[x]( b)");
    CHECK(fragments("a  x b", {{protects, 0, "  x"}}) == "(a)[ x]( b)");
    CHECK(fragments("a b", {{protects, 0, " "}}) == "(a)[ ](b)");
    CHECK(fragments("a x b", {{0, 0, " x"}}) == "(a)( x)( b)");
    // Only of rules that begin with < or [, and are protected.
    CHECK(fragments("a 1", {{protects, 0, "[0-9]"}}) == "(a)[1]");
    CHECK(fragments("a 1", {{0, 0, "[0-9]"}}) == "(a )(1)");
    CHECK(fragments("a [M]", {{protects, 0, "\\[M\\]"}}) == "(a )[[M]]");
  }
  SECTION("empty matches end") {
    CHECK(fragments("abc", {{0, 0, "x*"}}) == "(a)(b)(c)");
    CHECK(fragments("abc", {{protects, 0, "(?=b)"}}) == "(a)(bc)");
    CHECK(fragments("aéb", {{0, 0, ""}}) == "(a)(é)(b)");
    CHECK(fragments("baac", {{protects, 0, "a*"}}) == "(b)[aa](c)");
    CHECK(fragments("ab", {{protects, 0, "^"}, {0, 0, "a"}}) == "(a)(b)");
  }
}

TEST_CASE("vm/tokenizer: expressions are Python's", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const auto found = [](std::string_view expression, std::string_view text) {
    return fragments(text, {{behaves, partition_rule::remove, expression}});
  };
  // White space has U+0085 and no U+180E, words have marks, joiners and letters in circles.
  CHECK(found("\\s", "a\u0085b\u180ec\u3000d") == "(a)(b\u180ec)(d)");
  CHECK(found("\\S+", "a\u180e b") == "( )");
  CHECK(found("[\\s,]", "a\u180e,b c") == "(a\u180e)(b)(c)");
  CHECK(found("[^\\S]", "a b") == "(a)(b)");
  CHECK(found("\\w+", "e\u0301\u200d\u24b6_\u203f-\u00b2") == "(-\u00b2)");
  CHECK(found("\\W", "a-b\u00b2c") == "(a)(b)(c)");
  CHECK(found("[^\\W\\d_]+", "ab1_-c") == "(1_-)");
  CHECK(found("[\\W\\d]+", "ab1-c") == "(ab)(c)");
  CHECK(found("\\bb", "ab b e\u0301b") == "(ab )( e\u0301b)");
  CHECK(found("\\Bb", "ab b") == "(a)( b)");
  CHECK(found("b\\Z", "b\nb") == "(b\n)");
  CHECK(found("b$", "b\n") == "(\n)");
  CHECK(found("b\\Z", "b\n") == "(b\n)");
  CHECK(found("\\v",
              "a\n\x0b"
              "b") == "(a\n)(b)");
  CHECK(found("\\u0041\\U00000042", "xABy") == "(x)(y)");
  CHECK(found("a{,2}", "aaa") == "");
  CHECK(found("xa{,1}y", "xy xay xaay") == "( )( xaay)");
  CHECK(found("{a", "x{a") == "(x)");
  CHECK(found("\\p{Letter}+|\\p{^L}", "ab1") == "");
  CHECK(found("\\P{Lowercase_Letter}", "aBc") == "(a)(c)");
  CHECK(found("\\p{IsGreek}+|\\p{Script=Cyrillic}", "aαжb") == "(a)(b)");
  CHECK(found("[[a]", "x[a") == "(x)");
  CHECK(found("[]a]", "x]a") == "(x)");
  CHECK(found("\\s+(?!\\S)|\\s+", "a   b  ") == "(a)(b)");
  CHECK(found("(?>a+)b|a++", "aab") == "");
  CHECK(found("(?i:'S|'t)", "It'S'T") == "(It)");
  CHECK(found("(?#what)a", "xa") == "(x)");
  CHECK(found("(?P<q>['\"]).*?(?P=q)", "x'a\"'y") == "(x)(y)");

  const auto refused = [](std::string_view expression) {
    const partition_rule rules[] = {{0, 0, "a"}, {0, 0, expression}};
    const made m(manifest([&](writer& w) {
                   w.partition_rules({rules, 2});
                 }),
                 {{"vocab.json", "{}"}});
    CHECK(m.t->made().text.find("rule 1") != std::string::npos);
    return m.t->made().code;
  };
  for (const std::string_view expression : {"(",
                                            "a)|(b",
                                            "[a",
                                            "*",
                                            "a{2,1}",
                                            "\\",
                                            "\\K",
                                            "\\G",
                                            "\\C",
                                            "\\N",
                                            "\\Qa",
                                            "\\L<x>",
                                            "(*FAIL)",
                                            "(?C1)",
                                            "(?U)a",
                                            "a(?i)b",
                                            "(?<=a+)b",
                                            "a{e<=1}",
                                            "[[:alpha:]]",
                                            "\\p{Nope}",
                                            "\\p{gc=Latin}",
                                            "\\p{Alphabetic=Yes}",
                                            "\\p{InGreek}",
                                            "\\p{",
                                            "\\p",
                                            "\\u12",
                                            "\\1",
                                            "(?P<x>a)(?P<x>b)",
                                            "(?#",
                                            "(?R",
                                            "[\\X]"}) {
    INFO(expression);
    CHECK(refused(expression) == errc::nac_tokenizer_expression);
  }
}

TEST_CASE("vm/tokenizer: BPE", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const auto ids = [](const std::vector<std::string>& tokens, const pairs& merges,
                      std::string_view text, std::vector<partition_rule> rules = {},
                      std::string_view suffix = "") {
    const made m(manifest([&](writer& w) {
                   w.partition_rules({rules.data(), rules.size()});
                   w.bpe_encode(suffix);
                 }),
                 {{"vocab.b", vocab_b(tokens)}, {"merges.b", merges_b(merges)}});
    return m.well().ids(text);
  };
  // All occurrences of a pair before the pairs that come to be: (ab, a) has the lower rank, but b
  // is merged with both its neighbours first.
  CHECK(ids({"a", "b", "ab", "aba"}, {{"ab", "a"}, {"a", "b"}}, "abab") == ids_type{2, 2});
  CHECK(ids({"a", "b", "ab", "aba"}, {{"ab", "a"}, {"a", "b"}}, "aba") == ids_type{3});
  CHECK(ids({"a", "aa", "aaa"}, {{"a", "a"}, {"aa", "a"}}, "aaaaa") == ids_type{1, 2});
  CHECK(ids({"a", "aa", "aaaa"}, {{"a", "a"}, {"aa", "aa"}}, "aaaaaaa") == ids_type{2, 1, 0});
  // Of equal merges the last counts.
  CHECK(ids({"a", "b", "c", "ab", "bc"}, {{"a", "b"}, {"b", "c"}, {"a", "b"}}, "abc") ==
        ids_type{0, 4});
  CHECK(ids({"a", "b"}, {{"a", ""}, {"", "b"}}, "ab") == ids_type{0, 1});
  // A symbol that comes to be in two ways is the same one.
  CHECK(ids({"a", "b", "c", "abc", "d", "abcd"},
            {{"a", "b"}, {"b", "c"}, {"ab", "c"}, {"a", "bc"}, {"abc", "d"}},
            "abcd") == ids_type{5});
  // What no token is: <unk>, [UNK], 0. A merge to what isn't a token is unknown too.
  CHECK(ids({"a", "[UNK]", "<unk>"}, {}, "ax") == ids_type{0, 2});
  CHECK(ids({"a", "[UNK]"}, {}, "xa\u4e2d") == ids_type{1, 0, 1});
  CHECK(ids({"b", "a"}, {{"a", "b"}}, "aab") == ids_type{1, 0});
  CHECK(ids({"b"}, {}, "") == ids_type{});
  // Characters that no merge has are tokens still.
  CHECK(ids({"z", "\u4e2d"}, {}, "\u4e2dz") == ids_type{1, 0});
  // Protected: its token, that without spaces, unknown.
  const std::vector<partition_rule> rules = {{protects, 0, "\\s*<\\w>\\s*"}};
  CHECK(ids({"<s>", "<t>\u3000", "[UNK]", "a"}, {}, "a \t<s>a<t>\u3000a<u>", rules) ==
        ids_type{3, 0, 3, 1, 3, 2});
  // With a suffix the last character is different, also if it is the only one.
  CHECK(ids({"a", "a$", "b$", "ab$"}, {{"a", "b$"}}, "a", {}, "$") == ids_type{1});
  CHECK(ids({"a", "a$", "b$", "ab$"}, {{"a", "b$"}}, "ab", {}, "$") == ids_type{3});
  CHECK(ids({"a", "a$", "b$", "ab$"}, {{"a", "b$"}}, "aa", {}, "$") == ids_type{0, 1});

  SECTION("as the definition says, whatever the merges") {
    std::uint32_t seed = 7;
    const auto below = [&seed](std::uint32_t n) {
      seed = seed * 1664525 + 1013904223;
      return (seed >> 16) % n;
    };
    for (int round = 0; round < 60; ++round) {
      std::vector<std::string> symbols = {"a", "b", "c"};
      pairs list;
      for (int i = 0; i < 12; ++i) {
        const std::string a = symbols[below(static_cast<std::uint32_t>(symbols.size()))];
        const std::string b = symbols[below(static_cast<std::uint32_t>(symbols.size()))];
        if (std::find(symbols.begin(), symbols.end(), a + b) == symbols.end())
          symbols.push_back(a + b);
        list.insert(list.begin() + below(static_cast<std::uint32_t>(list.size()) + 1), {a, b});
      }
      std::string text;
      for (std::uint32_t i = 0, n = 1 + below(24); i < n; ++i)
        text += static_cast<char>('a' + below(3));
      // The definition: ranks by the last of equal merges; all of the lowest, from the left.
      std::vector<std::string> parts;
      for (const char c : text) parts.push_back({c});
      for (;;) {
        std::size_t best = list.size();
        for (std::size_t i = 0; i + 1 < parts.size(); ++i)
          for (std::size_t k = list.size(); k-- > 0;)
            if (list[k] == std::pair(parts[i], parts[i + 1])) {
              best = std::min(best, k);
              break;
            }
        if (best == list.size()) break;
        std::vector<std::string> next;
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const bool both = i + 1 < parts.size() && list[best] == std::pair(parts[i], parts[i + 1]);
          next.push_back(both ? parts[i] + parts[i + 1] : parts[i]);
          i += both ? 1 : 0;
        }
        parts = next;
      }
      ids_type expected;
      for (const std::string& p : parts)
        expected.push_back(static_cast<std::int32_t>(std::find(symbols.begin(), symbols.end(), p) -
                                                     symbols.begin()));
      CHECK(ids(symbols, list, text) == expected);
    }
  }
}

TEST_CASE("vm/tokenizer: WordPiece", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const auto ids = [](const std::vector<std::string>& tokens, std::string_view text,
                      std::string_view marker = "##") {
    const partition_rule rules[] = {{protects, 0, "<\\w>"}, {behaves, 1, "\\s+"}};
    const made m(manifest([&](writer& w) {
                   w.partition_rules({rules, 2});
                   w.wordpiece_encode(marker);
                 }),
                 {{"vocab.b", vocab_b(tokens)}});
    return m.well().ids(text);
  };
  CHECK(ids({"[UNK]", "ab", "a", "##b", "##c", "##bc"}, "abc abbc") == ids_type{1, 4, 1, 5});
  // On failure unk and one character on; a piece after it has the marker too.
  CHECK(ids({"a", "##b", "[UNK]"}, "xb\u4e2db a") == ids_type{2, 1, 2, 1, 0});
  CHECK(ids({"a"}, "xa") == ids_type{100, 100});
  CHECK(ids({"a", "b"}, "ab ba", "") == ids_type{0, 1, 1, 0});
  CHECK(ids({"##", "a", "##a", "[UNK]"}, "##a#") == ids_type{2, 3});
  CHECK(ids({"<s>", "[UNK]", "a"}, "a<s><t>") == ids_type{2, 0, 1});
  CHECK(ids({"x"}, "") == ids_type{});
}

TEST_CASE("vm/tokenizer: Unigram", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const auto ids = [](const std::vector<word>& words, std::string_view text) {
    const partition_rule rules[] = {{protects, 0, "<\\w>"}};
    const made m(manifest([&](writer& w) {
                   w.partition_rules({rules, 1});
                   w.unigram_encode();
                 }),
                 {{"vocab.b", vocab_b(words)}});
    return m.well().ids(text);
  };
  const std::vector<word> words = {{"a", 0, -1},    {"b", 1, -1},   {"ab", 2, -2},
                                   {"ba", 3, -1.5}, {"aba", 4, -9}, {"<s>", 5, 0}};
  CHECK(ids(words, "ab") == ids_type{2});      // the longer last token
  CHECK(ids(words, "aba") == ids_type{0, 3});  // -2.5 of -3, -3, -9
  CHECK(ids(words, "<s>ab<t>") == ids_type{5, 2, 2});
  // No way to the end: characters one by one, by tokens without scores too.
  CHECK(ids({{"a", 7, -1}, {"x", 8, 0}, {"ab", 9, -1}}, "abx") == ids_type{7, 2, 8});
  CHECK(ids({{"<unk>", 3, 0}, {"a", 7, -1}}, "ac") == ids_type{7, 3});
  CHECK(ids(words, "") == ids_type{});
  // 49 characters and no more.
  std::string longest;
  for (int i = 0; i < 49; ++i) longest += "\u00e9";
  CHECK(ids({{longest, 1, -1}, {"\u00e9", 2, -9}}, longest) == ids_type{1});
  CHECK(ids({{longest + "\u00e9", 1, -1}, {"\u00e9", 2, -9}}, longest + "\u00e9") ==
        ids_type(50, 2));
}

TEST_CASE("vm/tokenizer: compose", "[vm_tokenizer]") {
  if (!has_packages()) return;
  using nac::compose_item;
  const auto ids = [](const std::vector<compose_item>& items, bool encoder = true) {
    const made m(manifest([&](writer& w) {
                   w.partition_rules({});
                   if (encoder) w.wordpiece_encode("");
                   w.compose({items.data(), items.size()});
                 }),
                 {{"vocab.b", vocab_b({"a", "[UNK]", "b", "c"})}});
    return m.well().ids("bc");
  };
  const compose_item all;
  CHECK(ids({}) == ids_type{});
  CHECK(ids({all, {compose_item::id, "", -7}, all}) == ids_type{2, 3, -7, 2, 3});
  CHECK(ids({{compose_item::token, "a"}, {compose_item::token, "nobody"}}) == ids_type{0, 2});
  CHECK(ids({all, {compose_item::token, "b"}}, false) == ids_type{2});
  // Without rules there are no fragments, and without an encoder no ids.
  const made m(manifest([&](writer& w) { w.lowercase(); }), {{"vocab.json", "{}"}});
  CHECK(m.well().ids("text") == ids_type{});
}

// ---- resources

namespace {

/// A tokenizer of BPE for these resources.
made bpe_of(const files& resources, const vmn::tokenizer_options& how = {}) {
  return made(from_hex(std::string(bpe_front).append("15000000002000000000")), resources, how);
}
/// The ids 0, 1 ... of the tokens of BPE as an object; one token in escapes.
std::string bpe_object() {
  std::string s = "{";
  for (std::size_t i = 0; i < bpe_tokens.size(); ++i) {
    s.append(i == 0 ? "\"" : ", \"");
    s.append(bpe_tokens[i] == "\u0120w" ? "\\u0120w" : bpe_tokens[i]);
    s.append("\": ").append(std::to_string(i));
  }
  return s + "}";
}
std::string bpe_list(std::string_view before, std::string_view between, std::string_view after) {
  std::string s = "[";
  for (const auto& [a, b] : bpe_merges)
    s.append(s.size() > 1 ? ", " : "")
        .append(before)
        .append(a)
        .append(between)
        .append(b)
        .append(after);
  return s + "]";
}
std::string bpe_lines() {
  std::string s = "#version: 0.2\n";
  for (const auto& [a, b] : bpe_merges) s.append(a).append(" ").append(b).append("\r\n");
  return s + "\n# #\n";
}

vmn::trouble trouble_of(const files& resources) { return bpe_of(resources).t->made(); }

}  // namespace

TEST_CASE("vm/tokenizer: every form of vocabulary and merges", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const std::string object = bpe_object();
  const std::string strings = bpe_list("\"", " ", "\""), lists = bpe_list("[\"", "\", \"", "\"]");
  const auto json = [](const std::string& vocab, const std::string& merges,
                       const std::string& added = "null") {
    return "{\"version\": \"1.0\", \"added_tokens\": " + added +
           ", \"model\": {\"type\": \"BPE\", \"merges\": " + merges + ", \"vocab\": " + vocab +
           ", \"unk_token\": null}}";
  };
  for (const files& resources :
       {files{{"vocab.b", vocab_b(bpe_tokens)}, {"merges.b", merges_b(bpe_merges)}},
        files{{"vocab.b", vocab_b(bpe_tokens)}, {"merges.b", merges_b(bpe_merges, 100)}},
        files{{"vocab.json", object}, {"merges.txt", bpe_lines()}},
        files{{"tokenizer.json", json(object, strings)}},
        files{{"tokenizer.json", json(object, lists)}},
        files{{"tokenizer.json", json(object, "null")}, {"merges.txt", bpe_lines()}},
        files{{"vocab.b", vocab_b(bpe_tokens)}, {"tokenizer.json", json("{}", strings)}},
        files{{"tokenizer.json", "{}"},
              {"vocab.b", vocab_b(bpe_tokens)},
              {"merges.txt", bpe_lines()}},
        // Of files with one name the last, and names are whole names.
        files{{"vocab.json", "7"}, {"vocab.json", object}, {"merges.txt", bpe_lines()}},
        files{{"a/vocab.b", "x"}, {"vocab.json", object}, {"merges.txt", bpe_lines()}}}) {
    const made m = bpe_of(resources);
    CHECK(m.well().ids("hello world<s>") == ids_type{8, 14, 17, 15});
    CHECK(m.t->size() == bpe_tokens.size());
  }
  SECTION("added tokens that the model lacks") {
    const made m =
        bpe_of({{"tokenizer.json", json("{\"h\": 4}", "[]",
                                        "[{\"id\": 9, \"content\": \"<s>\", \"special\": true}, "
                                        "{\"content\": \"h\", \"id\": 3}]")}});
    CHECK(m.well().ids("h<s>") == ids_type{4, 9});
  }
  SECTION("files beside the container, if it has none") {
    const std::string merges = merges_b(bpe_merges), vocab = vocab_b(bpe_tokens);
    const vmn::tokenizer_file beside[] = {{"vocab.b", as_bytes(vocab)},
                                          {"merges.b", as_bytes(merges)}};
    vmn::tokenizer_options how;
    how.files = beside;
    const made m = bpe_of({}, how);
    CHECK(m.well().ids("hello world") == ids_type{8, 14, 17});
    CHECK(bpe_of({{"README", ""}}, how).t->made().code == errc::nac_tokenizer_resource);
  }
  SECTION("Unigram as a list with scores") {
    const made m(from_hex(unigram_manifest),
                 {{"tokenizer.json",
                   "{\"model\": {\"vocab\": [[\"<pad>\", 0.0], [\"</s>\", 0], [\"<unk>\", 0], "
                   "[\"\u2581\", -2], [\"\\u2581he\", -3.0], [\"llo\", -3.5], "
                   "[\"\u2581hello\", -7]]}}"}});
    CHECK(m.well().ids("hello") == ids_type{4, 5, 1});
  }
  SECTION("vidx.b says which of the tokens an id means") {
    const std::string vocab = vocab_b(std::vector<word>{{"a", 1, 0}, {"b", 1, 0}, {"c", 3, 0}});
    const auto text = [&](const files& resources) {
      const made m(manifest([](writer& w) { w.lowercase(); }), resources);
      return m.well().text({1, 3});
    };
    CHECK(text({{"vocab.b", vocab}}) == "b c");
    std::string index;
    for (const std::uint32_t n : {4u, 0u, 0u, 0u, 22u}) put(index, n);
    CHECK(text({{"vocab.b", vocab}, {"vidx.b", index}}) == "a c");
  }
  SECTION("the packed files of the format's description") {
    const std::string vocab = from_hex(
        "02000000000000000b0000000100610000000000"
        "00c0bf0100620100000000000000");
    const std::string index = from_hex("02000000000000000b000000");
    const std::string merges = from_hex("020000000100680100650200686501006c");
    vmn::vocabulary v;
    vmn::merges list(v);
    vmn::meter use(1 << 20, 1 << 20);
    const vmn::tokenizer_file all[] = {
        {"vocab.b", as_bytes(vocab)}, {"vidx.b", as_bytes(index)}, {"merges.b", as_bytes(merges)}};
    vmn::read_resources(all, true, v, list, use);
    REQUIRE(v.size() == 2);
    CHECK(v.find("a")->score == -1.5);
    CHECK(v.of_id(1)->text == "b");
    CHECK(v.of_id(2) == nullptr);
    CHECK(list.size() == 2);
    CHECK(list.find(list.symbol("he"), list.symbol("l"))->rank == 1);
  }
}

TEST_CASE("vm/tokenizer: resources that aren't whole", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const std::string vocab = vocab_b(bpe_tokens), merges = merges_b(bpe_merges);
  const auto refused = [](const files& resources, std::string_view what) {
    const vmn::trouble t = trouble_of(resources);
    INFO(t.text);
    CHECK(t.code == errc::nac_tokenizer_resource);
    CHECK(t.text.find(what) != std::string::npos);
  };
  refused({}, "vocab.b");
  refused({{"vocab.b", vocab}}, "merges");
  refused({{"vocab.b", vocab}, {"tokenizer.json", "{\"model\": {}}"}}, "merges");
  refused({{"tokenizer.json", "{\"model\": {\"merges\": []}}"}}, "model.vocab");
  // Every cut of the packed files; merges may end between two pairs.
  for (std::size_t size = 0; size < vocab.size(); ++size)
    CHECK(trouble_of({{"vocab.b", vocab.substr(0, size)}, {"merges.b", merges}}).code ==
          errc::nac_tokenizer_resource);
  std::size_t whole = 0;
  for (std::size_t size = 0; size < merges.size(); ++size) {
    const errc code = trouble_of({{"vocab.b", vocab}, {"merges.b", merges.substr(0, size)}}).code;
    if (code == errc::ok)
      ++whole;
    else
      CHECK(code == errc::nac_tokenizer_resource);
  }
  CHECK(whole == bpe_merges.size());
  refused({{"vocab.b", vocab}, {"merges.b", merges + "x"}}, "merges.b at");
  const auto packed = [&](std::vector<word> words) {
    return files{{"vocab.b", vocab_b(std::move(words))}, {"merges.b", merges}};
  };
  refused(packed({{"a", 1, 0}, {"a", 2, 0}}), "duplicate token");
  refused(packed({{"a", -1, 0}}), "negative id");
  refused(packed({{"a", 1, std::numeric_limits<float>::quiet_NaN()}}), "score");
  refused(packed({{"\xff", 1, 0}}), "UTF-8");
  std::string far = vocab;
  far[4] = '\xff', far[5] = '\xff', far[6] = '\xff', far[7] = '\xff';
  refused({{"vocab.b", far}, {"merges.b", merges}}, "vocab.b at");
  std::string many = vocab;
  many[3] = '\xff';
  refused({{"vocab.b", many}, {"merges.b", merges}}, "the file holds at most");
  // A record has 10 bytes at least, and its place 4.
  const std::string least = vocab_b(std::vector<word>{{"", 0, 0}});
  CHECK(least.size() == 4 + 4 + 10);
  CHECK(trouble_of({{"vocab.b", least}, {"merges.b", merges}}).code == errc::ok);
  std::string two = vocab_b(std::vector<word>{{"", 0, 0}, {"", 1, 0}});
  refused({{"vocab.b", two}, {"merges.b", merges}}, "duplicate token");
  two.pop_back();
  refused({{"vocab.b", two}, {"merges.b", merges}}, "the count is 2; the file holds at most 1");
  std::string places;
  for (const std::uint32_t n : {2u, 0u}) put(places, n);
  refused({{"vocab.b", places}, {"merges.b", merges}}, "the count is 2; the file holds at most 1");
  // vidx.b: the last 10 bytes are a token, the last 9 none.
  const std::string last = from_hex(
      "02000000000000000b0000000100610000000000000000"
      "00000100000000000000");
  for (const std::uint32_t place : {11u, 12u}) {
    std::string index;
    for (const std::uint32_t n : {std::uint32_t{2}, std::uint32_t{0}, place}) put(index, n);
    const files all = {{"vocab.b", last}, {"vidx.b", index}, {"merges.b", merges}};
    if (place == 11)
      CHECK(trouble_of(all).code == errc::ok);
    else
      refused(all, "the offset leaves no token");
  }
  for (const std::vector<std::uint32_t>& index : std::vector<std::vector<std::uint32_t>>{
           {}, {1}, {0xffffffff, 0}, {1, 1}, {1, 0x10000}, {1, 0, 0}, {2, 0, 2}}) {
    std::string s;
    for (const std::uint32_t n : index) put(s, n);
    refused({{"vocab.b", vocab}, {"vidx.b", s}, {"merges.b", merges}}, "vidx.b at");
  }
  for (const std::string_view object :
       {"", "[", "[1]", "{\"a\": -1}", "{\"a\": 1.5}", "{\"a\": 2147483648}",
        "{\"a\": 1, \"a\": 2}", "{\"a\": \"b\"}", "{\"\xff\": 1}", "[[\"a\"]]", "[[\"a\", 1, 2]]",
        "[[\"a\", 1], [\"a\", 2]]", "{} x", "[[\"a\", 1e999]]"})
    refused({{"vocab.json", std::string(object)}, {"merges.b", merges}}, "vocab.json at");
  for (const std::string_view list : {"[\"a\"]", "[\"a b c\"]", "[\" a\"]", "[\"a \"]", "[[\"a\"]]",
                                      "[[\"a\", \"b\", \"c\"]]", "[7]", "{}", "7"})
    refused({{"vocab.b", vocab},
             {"tokenizer.json", "{\"model\": {\"merges\": " + std::string(list) + "}}"}},
            "tokenizer.json at");
  for (const std::string_view added : {"[7]", "[{\"id\": 1}]", "[{\"content\": \"x\"}]",
                                       "[{\"id\": -1, \"content\": \"x\"}]", "{}"})
    refused({{"tokenizer.json", "{\"model\": {\"vocab\": {}, \"merges\": []}, \"added_tokens\": " +
                                    std::string(added) + "}"}},
            "tokenizer.json at");
  for (const std::string_view lines : {"a b\nab\n", "a b c", "a  b", " a", "\xff \xff"})
    refused({{"vocab.b", vocab}, {"merges.txt", std::string(lines)}}, "merges.txt at");
}

TEST_CASE("vm/tokenizer: decoding", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const auto text = [](const std::vector<word>& words, const std::vector<std::int64_t>& ids,
                       bool special = false) {
    const made m(manifest([](writer& w) { w.lowercase(); }), {{"vocab.b", vocab_b(words)}});
    return m.well().text(ids, special);
  };
  const std::vector<word> blocks = {{"\u2581a", 0, 0}, {"b", 1, 0},  {"<s>", 2, 0},
                                    {"\u2581", 3, 0},  {"[]", 4, 0}, {"<>", 5, 0}};
  CHECK(text(blocks, {3, 0, 1, 2, 0, 3}) == "ab a");
  CHECK(text(blocks, {3, 0, 1, 2, 0, 3}, true) == "ab<s> a");
  CHECK(text(blocks, {0, 4, 5, 99, -1, INT64_MIN, INT64_MAX, std::int64_t{1} << 32}) == "a[]<>");
  CHECK(text(blocks, {}) == "");
  // Scores without blocks.
  CHECK(text({{"a", 0, -1}, {" b ", 1, 0}}, {1, 0, 1}) == "b a b");
  const std::vector<word> marked = {{"he", 0, 0}, {"##l", 1, 0}, {".", 2, 0},  {"'", 3, 0},
                                    {"s", 4, 0},  {"[X]", 5, 0}, {"\"", 6, 0}, {"?", 7, 0}};
  CHECK(text(marked, {0, 1, 1, 3, 4, 5, 2, 77, 6, 0, 6, 7}) == "hell' s.\" he\"?");
  CHECK(text({{"a", 0, 0}, {".", 1, 0}}, {0, 1, 0}) == "a . a");

  SECTION("bytes, and what isn't UTF-8") {
    std::string vocabulary = "{\"\u4e2d\": 256, \"\u0143\": 173";
    for (int b = 0x21; b < 0x7f; ++b)
      if (b != '"' && b != '\\')
        vocabulary.append(", \"")
            .append(1, static_cast<char>(b))
            .append("\": ")
            .append(std::to_string(b));
    // A1 to AC and AE to FF are themselves; 7F to A0 are U+0121 and so on.
    for (int b = 0xa1; b < 0x100; ++b) {
      if (b == 0xad) continue;
      vocabulary.append(", \"\xc3", 4);
      vocabulary.back() = static_cast<char>(b < 0xc0 ? 0xc2 : 0xc3);
      vocabulary += static_cast<char>(b < 0xc0 ? b : b - 0x40);
      vocabulary.append("\": ").append(std::to_string(b));
    }
    for (int b = 0x7f; b < 0xa1; ++b) {
      char c[4];
      vocabulary.append(", \"");
      vocabulary.append(c, utf8_encode(static_cast<std::uint32_t>(0x121 + b - 0x7f), c));
      vocabulary.append("\": ").append(std::to_string(b));
    }
    const made m = bpe_of({{"vocab.json", vocabulary + "}"}, {"merges.txt", ""}});
    const auto of = [&](std::string_view s) {
      std::vector<std::int64_t> ids;
      for (const char c : s) ids.push_back(static_cast<unsigned char>(c));
      return m.well().text(ids);
    };
    CHECK(of("a\u00e9\u4e2d\U0001f600") == "a\u00e9\u4e2d\U0001f600");
    CHECK(of("~\x7f\u0080\u00a0\u00a1") ==
          "~\x7f\u0080\u00a0\u00a1");  // where the three ranges meet
    CHECK(m.text({'a', 256, 'b'}) == "ab");
    CHECK(of("a</w>b</w>") == "a b ");
    // As Python's errors="replace" has them.
    CHECK(of("\xff\xfe"
             "a") ==
          "\ufffd\ufffd"
          "a");
    CHECK(of("\xe4\xb8") == "\ufffd");
    CHECK(of("\xe4\xb8"
             "a") ==
          "\ufffd"
          "a");
    CHECK(of("\xf0\x9f\x98"
             "a\xf0\x9f"
             "b\xf0") ==
          "\ufffd"
          "a\ufffd"
          "b\ufffd");
    CHECK(of("\xe0\x80\x80") == "\ufffd\ufffd\ufffd");
    CHECK(of("\xed\xa0\x80") == "\ufffd\ufffd\ufffd");
    CHECK(of("\xf4\x90\x80\x80") == "\ufffd\ufffd\ufffd\ufffd");
    CHECK(of("\xc0\x80\xc3") == "\ufffd\ufffd\ufffd");
    CHECK(of("\xf0\x90\xc3\xa9") == "\ufffd\u00e9");
  }
}

TEST_CASE("vm/tokenizer: refusals", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const files resources = {{"vocab.b", vocab_b(wordpiece_tokens)}};
  const auto code = [&](std::optional<std::string> m) {
    const made t(std::move(m), resources);
    CHECK(t.t->size() == 0);
    CHECK(!t.t->id_of("he"));
    std::string text = "before";
    CHECK(t.t->decode({}, text).code == t.t->made().code);
    CHECK(t.refusal("he") == t.t->made().code);
    return t.t->made().code;
  };
  CHECK(code(std::nullopt) == errc::nac_tokenizer_missing);
  CHECK(code("TISX\1") == errc::nac_tisa_magic);
  CHECK(code(manifest([](writer& w) { w.raw(0x55, bytes()); })) == errc::nac_tisa_opcode);
  CHECK(code(manifest([](writer& w) { w.unigram_encode(); })) == errc::nac_tisa_partition);
  const made m(from_hex(wordpiece_manifest), resources);
  CHECK(m.well().refusal("a\xff") == errc::nac_tokenizer_utf8);
  CHECK(m.refusal("\xed\xa0\x80") == errc::nac_tokenizer_utf8);
}

TEST_CASE("vm/tokenizer: strangers' manifests end in bounded time", "[vm_tokenizer]") {
  if (!has_packages()) return;
  const auto with_rule = [](std::string_view expression, const vmn::tokenizer_options& how = {}) {
    const partition_rule rules[] = {{0, 0, expression}};
    return made(manifest([&](writer& w) {
                  w.partition_rules({rules, 1});
                  w.wordpiece_encode("");
                }),
                {{"vocab.b", vocab_b({"a"})}}, how);
  };
  const std::string many(4000, 'a');
  SECTION("backtracking") {
    vmn::tokenizer_options small;
    small.match_limit = 100'000;
    CHECK(with_rule("(a+)+$", small).well().refusal(many + "b") == errc::nac_tokenizer_match);
    CHECK(with_rule("(a|aa)+\\Z", small).well().refusal(many + "b") == errc::nac_tokenizer_match);
    // Recursion without end, and what takes more memory than there is for it.
    CHECK(with_rule("(?P<r>(?P>r))").t->made().code == errc::ok);
    CHECK(with_rule("(?P<r>(?P>r)|a)").well().refusal("aa") == errc::nac_tokenizer_match);
  }
  SECTION("steps") {
    vmn::tokenizer_options how;
    how.max_steps = 2'000'000;
    CHECK(with_rule("a+[bc]", how).well().refusal(std::string(100'000, 'a')) == errc::budget_steps);
    // Each of many steps goes over much of the text; one does for a long word.
    how.max_steps = 40'000'000;
    CHECK(with_rule("a*a*[bc]", how).well().refusal(std::string(1600, 'a')) == errc::budget_steps);
    std::vector<std::int32_t> ids;
    CHECK(bool(with_rule("a+", how).well().t->encode(std::string(100'000, 'a'), ids)));
    CHECK(with_rule("a", how).well().ids(std::string(100, 'a')).size() == 100);
  }
  SECTION("texts that grow without end") {
    vmn::tokenizer_options how;
    how.max_memory = 1 << 20;
    const std::string twice = manifest([](writer& w) {
      for (int i = 0; i < 60; ++i) w.replace("a", "aa");
      w.partition_rules({});
    });
    CHECK(made(twice, {{"vocab.json", "{}"}}, how).well().refusal("a") == errc::budget_memory);
    const std::string ids = manifest([](writer& w) {
      const nac::compose_item all[255] = {};
      w.partition_rules({});
      w.wordpiece_encode("");
      for (int i = 0; i < 8; ++i) w.compose({all, 255});
    });
    CHECK(made(ids, {{"vocab.json", "{}"}}, how).well().refusal("ab") == errc::budget_memory);
    std::vector<std::int64_t> of(1000, 0);
    const made long_token(twice, {{"vocab.b", vocab_b({std::string(60000, 'x')})}}, how);
    std::string text;
    CHECK(long_token.well().t->decode(of, text).code == errc::budget_memory);
    CHECK(text.empty());
  }
  SECTION("a vocabulary that needs more than there is") {
    vmn::tokenizer_options how;
    how.max_memory = 256;
    CHECK(made(manifest([](writer&) {}), {{"vocab.b", vocab_b(bpe_tokens)}}, how).t->made().code ==
          errc::budget_memory);
    how = {};
    how.max_steps = 10;
    CHECK(made(manifest([](writer&) {}), {{"vocab.b", vocab_b(bpe_tokens)}}, how).t->made().code ==
          errc::budget_steps);
  }
  SECTION("thousands of rules") {
    std::vector<std::string> texts;
    std::vector<partition_rule> rules;
    for (int i = 0; i < 3000; ++i) texts.push_back("<t" + std::to_string(i) + ">");
    for (const std::string& t : texts) rules.push_back({protects, 0, t});
    CHECK(fragments("a<t2999> <t0>b<t30000>", rules) == "(a)[<t2999>][<t0>](b<t30000>)");
    CHECK(fragments("x", std::vector<partition_rule>(2000, {0, 0, "(a)"})) == "(x)");
  }
  SECTION("one long fragment") {
    // Fibonacci words need many merges of each rank.
    std::string a = "b", b = "a";
    while (b.size() < 50'000) {
      std::swap(a, b);
      b = a + b;
    }
    std::vector<std::string> tokens = {"a", "b"};
    pairs list;
    std::string x = "b", y = "a";
    for (int i = 0; i < 12; ++i) {
      list.push_back({y, x});
      tokens.push_back(y + x);
      const std::string next = y + x;
      x = y;
      y = next;
    }
    const made m(manifest([](writer& w) {
                   w.partition_rules({});
                   w.bpe_encode();
                 }),
                 {{"vocab.b", vocab_b(tokens)}, {"merges.b", merges_b(list)}});
    const ids_type ids = m.well().ids(b);
    CHECK(ids.size() < b.size() / 50);
    CHECK(m.text(std::vector<std::int64_t>(ids.begin(), ids.end())) == b);
  }
}

TEST_CASE("vm/tokenizer: elements of one hash are distinguished", "[vm_tokenizer]") {
  vmn::meter use(1 << 20, 1 << 20);
  vmn::index_table t;
  t.reserve(3, use);
  for (const std::uint32_t i : {0u, 1u, 2u}) t.insert(7, i);
  for (const std::uint32_t i : {0u, 1u, 2u})
    CHECK(t.find(7, [i](std::uint32_t k) { return k == i; }) == i);
  CHECK(t.find(7, [](std::uint32_t) { return false; }) == vmn::index_table::none);
  CHECK(t.find(8, [](std::uint32_t) { return true; }) == vmn::index_table::none);
}

TEST_CASE("vm/tokenizer: code points of each length, from the first to the last",
          "[vm_tokenizer]") {
  for (const auto& [text, value, size] : {std::tuple("\x7f", 0x7fu, 1u),
                                          {"\xc2\x80", 0x80u, 2u},
                                          {"\xdf\xbf", 0x7ffu, 2u},
                                          {"\xe0\xa0\x80", 0x800u, 3u},
                                          {"\xef\xbf\xbf", 0xffffu, 3u},
                                          {"\xf0\x90\x80\x80", 0x10000u, 4u},
                                          {"\xf4\x8f\xbf\xbf", 0x10ffffu, 4u}}) {
    CHECK(vmn::first_code_point(text).value == value);
    CHECK(vmn::first_code_point(text).size == size);
    CHECK(vmn::code_point_size(text[0]) == size);
  }
}
