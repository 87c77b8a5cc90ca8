// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tokenizers of Hugging Face as manifests: the ids that its library gives, and what is refused where.

#include "vm/tokenizer/tokenizer.hpp"

#include <sstream>
#include <string>
#include <vector>

#include "io/compress.hpp"
#include "support/catch.hpp"
#include "tessera/core/json_read.hpp"
#include "tessera/nac/all.hpp"
#include "tessera/transform/tokenizer.hpp"
#include "vm/tokenizer/expression.hpp"
#include "vm/tokenizer/unicode.hpp"

namespace {

using namespace tessera;
namespace vmn = vm::nac;

constexpr const char* names[] = {"wordpiece_uncased", "wordpiece_cased", "wordpiece_words",
                                 "bpe_bytes",         "bpe_prefixed",    "bpe_split",
                                 "bpe_words",         "bpe_suffix",      "bpe_blocks",
                                 "unigram",           "unigram_first"};

[[nodiscard]] std::string file(const std::string& name) {
  auto loaded = io::load(TESSERA_TESTS_DATA_DIR "/nac/tokenizers/" + name);
  REQUIRE(loaded);
  return std::string(as_text(loaded->view()));
}
[[nodiscard]] std::vector<std::string> texts() {
  std::vector<std::string> out;
  const std::string source = file("texts.json");
  json::reader in(source);
  for (in.array(); in.element();) out.emplace_back(in.string());
  REQUIRE(in.finish().code == errc::ok);
  return out;
}

/// A container with nothing but the tokenizer of a file.
struct imported_tokenizer {
  explicit imported_tokenizer(const std::string& json) {
    nac::parts parts;
    report found;
    const error e = transform::import_tokenizer(json, parts, &found);
    for (const diagnostic& d : found.diagnostics) UNSCOPED_INFO(std::string(found.text_of(d.text)));
    REQUIRE(e.code == errc::ok);
    auto written = nac::write(parts);
    REQUIRE(written);
    container = *std::move(written);
    auto read = nac::read(bytes(container.data(), container.size()));
    REQUIRE(read);
    model.emplace(std::move(*read));
    t.emplace(*model);
    INFO(t->made().text);
    REQUIRE(t->made().code == errc::ok);
  }
  [[nodiscard]] std::string ids(std::string_view text) const {
    std::vector<std::int32_t> ids;
    const vmn::trouble done = t->encode(text, ids);
    INFO(done.text);
    CHECK(done.code == errc::ok);
    std::string out;
    for (const std::int32_t id : ids) out += (out.empty() ? "" : " ") + std::to_string(id);
    return out;
  }
  pool<std::byte> container;
  std::optional<nac::model> model;
  std::optional<vmn::tokenizer> t;
};

}  // namespace

TEST_CASE("import/tokenizer: ids are those of Hugging Face's library", "[import]") {
  if (!vmn::has_expressions() || !vmn::has_unicode()) {
    WARN("without PCRE2 or utf8proc");
    return;
  }
  const std::vector<std::string> all = texts();
  REQUIRE(all.size() == 200);
  const std::string recorded = file("ids.tsv");
  for (const std::string name : names) {
    INFO(name);
    const imported_tokenizer made(file(name + ".json"));
    std::size_t count = 0;
    std::istringstream lines(recorded);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t a = line.find('\t'), b = line.find('\t', a + 1);
      if (line.substr(0, a) != name) continue;
      const std::string& text = all[std::stoul(line.substr(a + 1, b - a - 1))];
      INFO(text);
      CHECK(made.ids(text) == line.substr(b + 1));
      ++count;
    }
    CHECK(count == all.size());
  }
}

TEST_CASE("import/tokenizer: what a manifest has no form for is refused at its value", "[import]") {
  struct change {
    const char *name, *from, *to, *at;  ///< `at`: the place of the error, after a ^
    errc code = errc::nac_tokenizer_import;
  };
  constexpr errc wrong = errc::nac_tokenizer_json;
  const change changes[] = {
      {"bpe_bytes", R"("truncation":null)", R"("truncation":{"max_length":9})",
       R"("truncation":^{)"},
      {"bpe_bytes", R"("padding":null)", R"("padding":{"pad_id":0})", R"("padding":^{)"},
      {"bpe_bytes", R"("type":"BPE")", R"("type":"WordLevel")", R"("type":^"WordLevel")"},
      {"bpe_bytes", R"("dropout":null)", R"("dropout":0.1)", R"("dropout":^0.1)"},
      {"bpe_bytes", R"("fuse_unk":false)", R"("fuse_unk":true)", R"("fuse_unk":^true)"},
      {"bpe_bytes", R"("byte_fallback":false)", R"("byte_fallback":true)",
       R"("byte_fallback":^true)"},
      {"bpe_bytes", R"("ignore_merges":false)", R"("ignore_merges":true)",
       R"("ignore_merges":^true)"},
      {"bpe_bytes", R"("continuing_subword_prefix":null)", R"("continuing_subword_prefix":"##")",
       R"("continuing_subword_prefix":^"##")"},
      {"bpe_bytes", R"("unk_token":null)", R"("unk_token":"none")", R"("unk_token":^"none")",
       wrong},
      {"bpe_bytes", R"("!":1,)", R"("!!":1,)", R"("vocab":^{)"},
      {"bpe_bytes", R"("merges":[[")", R"("merges":[["unmade","a"],[")", R"("merges":[^["unmade")"},
      {"bpe_bytes", R"("merges":[[")", R"("merges":["ab",[")", R"("merges":[^"ab")", wrong},
      {"bpe_bytes", R"("single_word":false)", R"("single_word":true)", R"("single_word":^true)"},
      {"bpe_bytes", R"("id":420,)", R"("id":-1,)", R"("id":^-1)", wrong},
      {"bpe_bytes", R"("id":420,)", R"("id":16777216,)", R"("id":^16777216)", wrong},
      {"bpe_bytes", R"("content":"<tool>")", R"("content":"")", R"(},^{"id":420)", wrong},
      {"bpe_bytes", R"("content":"<tool>")", R"("content":">x<")", R"([^{"id":0,)"},
      {"bpe_bytes", R"("content":"<tool>")", R"("content":"<|endoftext|>")", R"(},^{"id":420)",
       wrong},
      {"bpe_bytes", R"("content":"<tool>")", R"("content":"!")", R"(},^{"id":420)", wrong},
      {"bpe_bytes", R"("content":"<tool>")", R"("content":"a\nb")", R"(},^{"id":420)"},
      {"bpe_bytes", R"("type":"ByteLevel")", R"("type":"UnicodeScripts")",
       R"("type":^"UnicodeScripts")"},
      {"bpe_bytes", R"("model":{)", R"("models":{)", "^{", wrong},
      {"bpe_bytes", R"("vocab":{)", R"("vocab":[],"old":{)", R"("model":^{)", wrong},
      {"bpe_bytes", R"("add_prefix_space":false)", R"("add_prefix_space":1)",
       R"("add_prefix_space":^1)", wrong},
      {"bpe_prefixed", R"("type":"NFC")", R"("type":"Nmt")", R"("type":^"Nmt")"},
      {"bpe_prefixed", R"("type":"NFC")",
       R"("type":"Replace","pattern":{"Regex":"a"},"content":"")", R"("pattern":^{)"},
      {"bpe_prefixed", R"("lstrip":true,"rstrip":false,"normalized":false)",
       R"("lstrip":true,"rstrip":true,"normalized":false)", R"("rstrip":^true)"},
      {"bpe_prefixed", R"("type":"RobertaProcessing")", R"("type":"Other")", R"("type":^"Other")"},
      {"bpe_prefixed", R"("sep":["</s>",2])", R"("sep":["</s>"])", R"("post_processor":^{)", wrong},
      {"bpe_split", R"("behavior":"Isolated")", R"("behavior":"MergedWithNext")",
       R"("behavior":^"MergedWithNext")"},
      {"bpe_split", R"((?i:'s)", R"(^(?i:'s)", R"("Regex":^")"},
      {"bpe_split", R"("use_regex":false)", R"("use_regex":true)", R"("use_regex":^true)"},
      {"bpe_split", R"("add_prefix_space":false)", R"("add_prefix_space":true)",
       R"("add_prefix_space":^true)"},
      {"bpe_words", R"("behavior":"Isolated")", R"("behavior":"Removed")",
       R"("behavior":^"Removed")"},
      {"bpe_words", R"({"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"</s>")",
       R"({"Sequence":{"id":"B","type_id":0}},{"SpecialToken":{"id":"</s>")",
       R"("Sequence":^{"id":"B")"},
      {"bpe_words", R"("ids":[1])", R"("ids":1)", R"("single":[^{"SpecialToken")", wrong},
      {"bpe_suffix", R"("normalized":false)", R"("normalized":true)", ""},
      {"bpe_suffix",
       R"("content":"<unk>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false)",
       R"("content":"<UNK>","single_word":false,"lstrip":false,"rstrip":false,"normalized":true)",
       R"("normalized":^true)"},
      {"bpe_suffix", R"("type":"Whitespace")",
       R"("type":"Sequence","pretokenizers":[{"type":"Whitespace"},{"type":"Digits"}])",
       R"(,^{"type":"Digits")"},
      {"bpe_blocks", R"("type":"Metaspace")",
       R"("type":"Sequence","pretokenizers":[{"type":"Metaspace"}],"more":0)",
       R"("pretokenizers":[^{)"},
      {"bpe_blocks", R"("replacement":"▁")", R"("replacement":"_")", R"("replacement":^"_")"},
      {"unigram", R"("unk_id":2)", R"("unk_id":null)", R"("model":^{)"},
      {"unigram", R"("unk_id":2)", R"("unk_id":-2)", R"("unk_id":^-2)"},
      {"unigram", R"(["..",)", R"([".._",)", R"(,^[".._",)"},
      {"unigram", R"(["..",)", R"(["..",0],["....",)", R"(,^["..",0])"},
      {"unigram", R"(["s",-2)", R"(["'",-2)", R"(,^["'",-2.49)", wrong},
      {"unigram", R"(["s",-2)", R"(["",-2)", R"(,^["",-2)", wrong},
      {"unigram", R"("lstrip":false)", R"("lstrip":true)", R"("lstrip":^true)"},
      {"wordpiece_cased", R"("unk_token":"[UNK]")", R"("unk_token":"[PAD]")",
       R"("unk_token":^"[PAD]")"},
      {"wordpiece_cased", R"("max_input_chars_per_word":100)", R"("max_input_chars_per_word":0)",
       R"("max_input_chars_per_word":^0)"},
      {"wordpiece_cased", R"("!":5,)", R"("!€":5,)", R"("!€":^5)"},
      {"wordpiece_cased", R"("BertPreTokenizer")", R"("Punctuation")",
       R"("handle_chinese_chars":^true)"},
      {"wordpiece_words", R"("type":"Whitespace")",
       R"("type":"Split","pattern":{"String":" "},"behavior":"Removed","invert":false)",
       R"("String":^" ")"},
  };
  for (const change& c : changes) {
    std::string json = file(std::string(c.name) + ".json");
    INFO(c.name << ": " << c.from << " -> " << c.to);
    std::size_t found = json.find(c.from);
    REQUIRE(found != json.npos);
    json.replace(found, std::string_view(c.from).size(), c.to);
    nac::parts parts;
    report refused;
    const error e = transform::import_tokenizer(json, parts, &refused);
    std::string at = c.at;
    if (at.empty()) {  // what isn't changed by the normalizer can be found after it
      CHECK(e.code == errc::ok);
      continue;
    }
    const std::size_t caret = at.find('^', c.to[0] == '^' ? 1 : 0);
    at.erase(caret, 1);
    CHECK(std::string(e.name()) == std::string(error(c.code).name()));
    CHECK(e.offset == json.find(at) + caret);
    CHECK_FALSE(parts.has_manifest);
    CHECK(parts.resources.empty());
  }
  nac::parts parts;
  CHECK(transform::import_tokenizer("[]", parts) == error(wrong, 0));
  CHECK(transform::import_tokenizer("{", parts).code == errc::json_unexpected_end);
}

TEST_CASE("import/tokenizer: added tokens are decoded as themselves", "[import]") {
  if (!vmn::has_expressions() || !vmn::has_unicode()) {
    WARN("without PCRE2 or utf8proc");
    return;
  }
  const auto decoded = [](const std::string& name, const std::vector<std::int64_t>& ids) {
    const imported_tokenizer made(file(name + ".json"));
    std::string out;
    CHECK(made.t->decode(ids, out, true).code == errc::ok);
    return out;
  };
  CHECK(decoded("wordpiece_cased", {2, 3}) == "[CLS] [SEP]");
  CHECK(decoded("bpe_bytes", {0, 420}) == "<|endoftext|><tool>");
  CHECK(decoded("unigram", {1}) == "</s>");
}
