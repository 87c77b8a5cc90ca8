// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/transform/tokenizer.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/expressions.hpp"
#include "import/json_value.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/findings.hpp"
#include "tessera/core/json_write.hpp"
#include "tessera/nac/tokenizer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {
namespace {

constexpr std::string_view lower_block = "\u2581";
/// Characters of a private use area: one that marks where a prefix may be needed, then one for each
/// added token.
constexpr std::uint32_t marker_character = 0x10e000;
constexpr std::size_t most_added = 4096;

[[nodiscard]] std::string utf8(std::uint32_t c) {
  char text[4];
  return {text, utf8_encode(c, text)};
}
/// The code points of a string of JSON, which is UTF-8.
[[nodiscard]] std::vector<std::uint32_t> code_points(std::string_view s) {
  std::vector<std::uint32_t> out;
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0u) == 0x80)
      out.back() = out.back() << 6 | (byte & 0x3fu);
    else
      out.push_back(byte < 0x80   ? byte
                    : byte < 0xe0 ? byte & 0x1fu
                    : byte < 0xf0 ? byte & 0xfu
                                  : byte & 7u);
  }
  return out;
}
/// The character that a byte is to ByteLevel.
[[nodiscard]] std::uint32_t printable_of(std::uint32_t byte) noexcept {
  if (byte <= 0x20) return 0x100 + byte;
  if (byte >= 0x7f && byte <= 0xa0) return 0xa2 + byte;
  return byte == 0xad ? 0x143 : byte;
}

/// An instruction that changes the whole text.
struct text_step {
  enum kinds : std::uint8_t {
    lowercase,
    normal_form,
    replace,
    drop_nonspacing,
    drop_marks,
    drop_controls
  } kind;
  std::string a = {}, b = {};
};

/// A set of characters at which a text is split.
struct splitting_set {
  std::string set;       ///< what is between the brackets
  bool removes = false;  ///< the characters go
  bool is_run = false;   ///< several in a row are one piece
};

struct added_token {
  const json_value* from = nullptr;
  std::string content, stands_for;
  std::int32_t id = 0;
};

class tokenizer_importer {
 public:
  tokenizer_importer(std::string_view source, report* found)
      : source_(source), found_(found, 1000) {}

  [[nodiscard]] error run(nac::parts& to) {
    const result<json_value> root = read_json_value(source_);
    if (!root) {
      found_.error(root.error());
      return root.error();
    }
    if (!root->is(json::kind::object)) {
      malformed(*root, "expected an object");
    } else {
      none_of(*root, "truncation", "texts are never cut");
      none_of(*root, "padding", "ids are never padded");
      read_model((*root)["model"], *root);
      if (!found_.failed()) read_added((*root)["added_tokens"]);
      read_normalizer((*root)["normalizer"]);
      read_pre_tokenizer((*root)["pre_tokenizer"], false);
      read_post_processor((*root)["post_processor"]);
      if (!found_.failed()) check_added();
      if (!found_.failed()) emit(*root);
    }
    if (found_.failed()) return found_.first_error();
    store(to);
    return {};
  }

 private:
  // ---- findings

  void report_at(errc code, const json_value& at, std::string_view message) {
    found_.error(code, {.offset = at.offset}) << message;
  }
  void refuse(const json_value& at, std::string_view message) {
    report_at(errc::nac_tokenizer_import, at, message);
  }
  void malformed(const json_value& at, std::string_view message) {
    report_at(errc::nac_tokenizer_json, at, message);
  }
  /// A member that must be absent, null or, of a boolean, false.
  void none_of(const json_value& in, std::string_view key, std::string_view message) {
    const json_value& v = in[key];
    if (!v.is_null() && !(v.is(json::kind::boolean) && !v.boolean)) refuse(v, message);
  }
  /// A string, or "" where there is none.
  std::string text_of(const json_value& in, std::string_view key) {
    const json_value& v = in[key];
    if (!v.is_null() && !v.is(json::kind::string)) malformed(v, "expected a string");
    return v.text;
  }
  bool flag_of(const json_value& in, std::string_view key, bool otherwise) {
    const json_value& v = in[key];
    if (v.is_null()) return otherwise;
    if (!v.is(json::kind::boolean)) malformed(v, "expected true or false");
    return v.boolean;
  }
  /// An id. The table of tokens by their ids has room for all below the largest.
  std::int32_t id_of(const json_value& v) {
    constexpr std::int32_t most = 0xffffff;
    if (v.is_integer && v.number >= 0 && v.number <= most)
      return static_cast<std::int32_t>(v.number);
    malformed(v, "expected an id, at most 16777215");
    return 0;
  }

  // ---- the model

  void read_model(const json_value& model, const json_value& root) {
    if (!model.is(json::kind::object)) return malformed(root, "expected a member model");
    kind_ = text_of(model, "type");
    const json_value& vocabulary = model["vocab"];
    if (kind_ == "WordPiece" || kind_ == "BPE") {
      if (!vocabulary.is(json::kind::object)) return malformed(model, "expected an object vocab");
      for (std::size_t i = 0; i < vocabulary.keys.size(); ++i)
        ids_[vocabulary.keys[i]] = {id_of(vocabulary.elements[i]), 0, &vocabulary.elements[i]};
    }
    if (kind_ == "WordPiece")
      read_wordpiece(model);
    else if (kind_ == "BPE")
      read_bpe(model);
    else if (kind_ == "Unigram")
      read_unigram(model);
    else
      refuse(model["type"].is_null() ? model : model["type"], "expected WordPiece, BPE or Unigram");
  }
  void read_wordpiece(const json_value& model) {
    prefix_of_parts_ = text_of(model, "continuing_subword_prefix");
    const json_value& unknown = model["unk_token"];
    if (!unknown.is_text("[UNK]") || ids_.count("[UNK]") == 0)
      refuse(unknown.is_null() ? model : unknown, "expected the unknown token [UNK]");
    const json_value& longest = model["max_input_chars_per_word"];
    longest_word_ = 100;
    if (longest.is_integer && longest.number >= 1 && longest.number <= 10000)
      longest_word_ = static_cast<std::uint32_t>(longest.number);
    else if (!longest.is_null())
      refuse(longest, "expected 1 to 10000");
  }
  void read_bpe(const json_value& model) {
    const json_value& dropout = model["dropout"];
    if (!dropout.is_null() && dropout.number != 0) refuse(dropout, "ids are never random");
    none_of(model, "fuse_unk", "every unknown character is a token");
    none_of(model, "byte_fallback", "unknown characters don't become bytes");
    none_of(model, "ignore_merges", "merges always decide, for words of the vocabulary too");
    if (!text_of(model, "continuing_subword_prefix").empty())
      refuse(model["continuing_subword_prefix"], "only WordPiece has a prefix of parts");
    suffix_ = text_of(model, "end_of_word_suffix");
    if (const std::string unknown = text_of(model, "unk_token"); !unknown.empty())
      set_unknown(model["unk_token"], unknown);
    else
      knows_everything_ = &model;
    read_merges(model["merges"], model);
  }
  void read_merges(const json_value& merges, const json_value& model) {
    if (!merges.is(json::kind::array)) return malformed(model, "expected an array merges");
    std::set<std::string, std::less<>> made;
    const auto is_known = [&](std::string_view s) {
      if (made.count(s) != 0) return true;
      const std::size_t size = s.empty() ? 0 : utf8_length(s.data(), s.data() + s.size());
      return size != 0 && (s.size() == size || s.substr(size) == suffix_);
    };
    for (const json_value& m : merges.elements) {
      std::pair<std::string, std::string> pair;
      const std::size_t space = m.text.find(' ');
      if (m.is(json::kind::array) && m.elements.size() == 2)
        pair = {m.elements[0].text, m.elements[1].text};
      else if (space != m.text.npos)
        pair = {m.text.substr(0, space), m.text.substr(space + 1)};
      if (pair.first.empty() || pair.second.empty())
        return malformed(m, "expected two parts, \"a b\" or [\"a\", \"b\"]");
      if (!is_known(pair.first) || !is_known(pair.second))
        return refuse(m, "the merge comes before the one that makes its parts");
      made.insert(pair.first + pair.second);
      merges_.push_back(std::move(pair));
    }
  }
  void read_unigram(const json_value& model) {
    none_of(model, "byte_fallback", "unknown characters don't become bytes");
    const json_value& vocabulary = model["vocab"];
    if (!vocabulary.is(json::kind::array)) return malformed(model, "expected an array vocab");
    std::int32_t next = 0;
    for (const json_value& v : vocabulary.elements) {
      if (v.elements.size() != 2 || !v.elements[0].is(json::kind::string) ||
          v.elements[0].text.empty() || !v.elements[1].is(json::kind::number))
        return malformed(v, "expected a token and its score");
      constexpr std::size_t longest = 49;
      if (code_points(v.elements[0].text).size() > longest)
        refuse(v, "the token is too long; expected at most 49 characters");
      if (!ids_.try_emplace(v.elements[0].text, word{next++, v.elements[1].number, &v}).second)
        return malformed(v, "duplicate token");
    }
    const json_value& unknown = model["unk_id"];
    if (!unknown.is_integer || unknown.number < 0 || unknown.number >= next)
      return refuse(unknown.is_null() ? model : unknown, "expected the id of an unknown token");
    set_unknown(unknown,
                vocabulary.elements[static_cast<std::size_t>(unknown.number)].elements[0].text);
  }
  /// The machine's unknown token is <unk>.
  void set_unknown(const json_value& at, const std::string& token) {
    constexpr std::string_view usual = "<unk>";
    const auto found = ids_.find(token);
    if (found == ids_.end()) return malformed(at, "the vocabulary doesn't have this token");
    unknown_ = token;
    if (token == usual) return;
    if (ids_.count(usual) != 0)
      return refuse(at, "the vocabulary has another token <unk>, which is that of unknown words");
    aliases_[std::string(usual)] = found->second.id;
  }

  // ---- added tokens

  void read_added(const json_value& list) {
    if (list.is_null()) return;
    for (const json_value& v : list.elements) {
      added_token t;
      t.from = &v;
      t.content = text_of(v, "content");
      t.id = id_of(v["id"]);
      constexpr std::size_t longest = 255;
      if (t.content.empty() || t.content.size() > longest) {
        malformed(v, "expected a content of 1 to 255 bytes");
        continue;
      }
      if (t.content.find_first_of("\r\n\t") != t.content.npos)
        refuse(v, "a token with line breaks or tabs");
      none_of(v, "single_word", "tokens are found inside of words, too");
      if (!contents_of_added_.insert(t.content).second) {
        malformed(v, "duplicate added token");
        continue;
      }
      ids_.try_emplace(t.content, word{t.id, 0, &v});
      if (ids_[t.content].id != t.id) malformed(v, "the model has this token with another id");
      added_.push_back(std::move(t));
    }
    if (added_.size() > most_added) refuse(list, "more than 4096 added tokens");
    // The longest of those that begin at a place is found.
    std::stable_sort(added_.begin(), added_.end(), [](const added_token& a, const added_token& b) {
      return a.content.size() > b.content.size();
    });
    for (std::size_t i = 0; i < added_.size(); ++i) {
      added_[i].stands_for = utf8(marker_character + 1 + static_cast<std::uint32_t>(i));
      aliases_[added_[i].stands_for] = added_[i].id;
    }
  }
  [[nodiscard]] static bool is_normalized(const added_token& t) {
    const json_value& v = (*t.from)["normalized"];
    return v.is_null() ? !(*t.from)["special"].is_true() : v.boolean;
  }
  void check_added() {
    for (const added_token& a : added_) {
      if (is_normalized(a) && is_changed(a.content))
        refuse((*a.from)["normalized"], "the normalizer may change the token; expected false");
      if (!prefix_.empty() && (*a.from)["rstrip"].is_true())
        refuse((*a.from)["rstrip"], "what follows the token has a prefix");
      if (prefix_ == lower_block && (*a.from)["lstrip"].is_true())
        refuse((*a.from)["lstrip"], "white space has been replaced already");
    }
    check_overlaps();
  }
  /// Tokens are replaced one after the other, so none may end as another one begins.
  void check_overlaps() {
    std::map<std::string_view, const added_token*> beginnings;  // null of several tokens
    for (const added_token& t : added_)
      for (std::size_t n = 1; n < t.content.size(); ++n) {
        const auto [at, is_new] =
            beginnings.try_emplace(std::string_view(t.content).substr(0, n), &t);
        if (!is_new) at->second = nullptr;
      }
    for (const added_token& t : added_)
      for (std::size_t n = 1; n < t.content.size(); ++n) {
        const auto found = beginnings.find(std::string_view(t.content).substr(n));
        if (found == beginnings.end() || found->second == &t) continue;
        refuse(*t.from, "the token ends as another one begins");
        break;
      }
  }
  /// Whether a text that is normalized could be another one.
  [[nodiscard]] bool is_changed(std::string_view s) const {
    for (const text_step& step : steps_) {
      if (step.kind == text_step::replace && s.find(step.a) != s.npos) return true;
      for (const char c : s)
        if (static_cast<unsigned char>(c) >= 0x80 ||
            (step.kind == text_step::lowercase && c >= 'A' && c <= 'Z'))
          return true;
    }
    return false;
  }

  // ---- the normalizer

  void read_normalizer(const json_value& v) {
    if (v.is_null()) return;
    const std::string type = text_of(v, "type");
    if (type == "Sequence") {
      for (const json_value& n : v["normalizers"].elements) read_normalizer(n);
    } else if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
      steps_.push_back({text_step::normal_form, type});
    } else if (type == "Lowercase") {
      add_lowercase();
    } else if (type == "StripAccents") {
      steps_.push_back({text_step::drop_marks});
    } else if (type == "Replace") {
      const json_value& pattern = v["pattern"]["String"];
      if (!pattern.is(json::kind::string) || pattern.text.empty())
        return refuse(v["pattern"].is_null() ? v : v["pattern"], "expected a string to replace");
      steps_.push_back({text_step::replace, pattern.text, text_of(v, "content")});
    } else if (type == "BertNormalizer") {
      read_bert_normalizer(v);
    } else {
      refuse(v["type"].is_null() ? v : v["type"], "no instruction normalizes in this way");
    }
  }
  void read_bert_normalizer(const json_value& v) {
    if (!steps_.empty() || !cleaning_.empty())
      return refuse(v, "expected to be the first normalizer");
    if (flag_of(v, "clean_text", true)) {
      for (const char* const space :
           {"\t",     "\n",     "\r",     "\u00a0", "\u1680", "\u2000", "\u2001",
            "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
            "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"})
        cleaning_.push_back({text_step::replace, space, " "});
      cleaning_.push_back({text_step::replace, "\ufffd", ""});
      cleaning_.push_back({text_step::drop_controls});
    }
    if (flag_of(v, "handle_chinese_chars", true)) spaced_ideographs_ = &v;
    const bool lowers = flag_of(v, "lowercase", true);
    if (flag_of(v, "strip_accents", lowers)) {
      steps_.push_back({text_step::normal_form, "NFD"});
      steps_.push_back({text_step::drop_nonspacing});
    }
    if (lowers) add_lowercase();
  }
  /// Hugging Face's knows no other sigma at the end of a word.
  void add_lowercase() {
    steps_.push_back({text_step::replace, "\u03a3", "\u03c3"});
    steps_.push_back({text_step::lowercase});
  }

  // ---- the pre-tokenizer

  void read_pre_tokenizer(const json_value& v, bool is_part) {
    if (v.is_null()) return;
    const std::string type = text_of(v, "type");
    const auto is_split = [&] { return is_bytes_ || !expression_.empty() || !prefix_.empty(); };
    if (type == "Sequence") {
      for (const json_value& p : v["pretokenizers"].elements) read_pre_tokenizer(p, true);
      return;
    }
    if (is_split() && type != "ByteLevel")
      return refuse(v, "expected to be the last pre-tokenizer");
    if (type == "BertPreTokenizer") {
      sets_.push_back({std::string(white_space), true});
      sets_.push_back({std::string(punctuation)});
    } else if (type == "WhitespaceSplit") {
      sets_.push_back({std::string(white_space), true});
    } else if (type == "Whitespace") {
      sets_.push_back({std::string(white_space), true});
      add_run(v, word_characters);
    } else if (type == "Punctuation") {
      if (!v["behavior"].is_null() && !v["behavior"].is_text("Isolated"))
        return refuse(v["behavior"], "expected Isolated");
      sets_.push_back({std::string(punctuation)});
    } else if (type == "Digits") {
      if (flag_of(v, "individual_digits", false))
        sets_.push_back({std::string(numeric)});
      else
        add_run(v, numeric);
    } else if (type == "CharDelimiterSplit") {
      sets_.push_back({literal(text_of(v, "delimiter")), true});
    } else if (type == "Split") {
      read_split(v);
    } else if (type == "ByteLevel") {
      read_byte_level(v, is_part && is_split());
    } else if (type == "Metaspace") {
      read_metaspace(v, is_part);
    } else {
      refuse(v["type"].is_null() ? v : v["type"], "no expression splits in this way");
    }
  }
  void add_run(const json_value& v, std::string_view set) {
    for (const splitting_set& s : sets_)
      if (s.is_run) return refuse(v, "a second kind of runs");
    sets_.push_back({std::string(set), false, true});
  }
  void read_split(const json_value& v) {
    const json_value& pattern = v["pattern"];
    const json_value &of = pattern["Regex"], &text = pattern["String"];
    if (of.is(json::kind::string))
      expression_ = of.text;
    else if (text.is(json::kind::string))
      expression_ = literal(text.text);
    if (expression_.empty()) return malformed(v, "expected a pattern, a Regex or a String");
    expression_from_ = of.is(json::kind::string) ? &of : &text;
    const bool inverts = flag_of(v, "invert", false);
    if (v["behavior"].is_text("Isolated"))
      removal_ = removals::nothing;
    else if (v["behavior"].is_text("Removed"))
      removal_ = inverts ? removals::others : removals::matches;
    else
      refuse(v["behavior"].is_null() ? v : v["behavior"], "expected Isolated or Removed");
  }
  void read_byte_level(const json_value& v, bool is_after_others) {
    if (is_bytes_) return refuse(v, "a second ByteLevel");
    is_bytes_ = true;
    if (flag_of(v, "add_prefix_space", true)) {
      if (is_after_others || !sets_.empty())
        return refuse(v["add_prefix_space"], "every piece would have a prefix");
      prefix_ = " ";
      prefixes_all_ = true;
    }
    if (!flag_of(v, "use_regex", true)) return;
    if (is_after_others) return refuse(v["use_regex"], "a second expression");
    expression_ = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
    expression_from_ = &v;
  }
  void read_metaspace(const json_value& v, bool is_part) {
    if (is_part) return refuse(v, "every piece would have a prefix; expected to be the only one");
    if (!v["replacement"].is_text(lower_block)) return refuse(v["replacement"], "expected \u2581");
    const std::string scheme = text_of(v, "prepend_scheme");
    const bool by_default = flag_of(v, "add_prefix_space", true);
    if (scheme == "always" || scheme == "first" || (scheme.empty() && by_default))
      prefix_ = lower_block;
    prefixes_all_ = scheme != "first";
    has_blocks_ = true;
    if (!flag_of(v, "split", true)) return;
    expression_ = "\u2581[^\u2581]*|[^\u2581]+";
    expression_from_ = &v;
  }

  // ---- the post-processor

  void read_post_processor(const json_value& v) {
    if (v.is_null()) return;
    const std::string type = text_of(v, "type");
    if (type == "ByteLevel") return;
    if (type == "Sequence") {
      for (const json_value& p : v["processors"].elements) read_post_processor(p);
      return;
    }
    if (!composed_.empty()) return refuse(v, "a second template");
    if (type == "BertProcessing" || type == "RobertaProcessing") {
      const json_value &first = v["cls"], &last = v["sep"];
      if (first.elements.size() != 2 || last.elements.size() != 2)
        return malformed(v, "expected cls and sep, each a token and its id");
      composed_ = {{nac::compose_item::id, {}, id_of(first.elements[1])},
                   {nac::compose_item::ids, {}, 0},
                   {nac::compose_item::id, {}, id_of(last.elements[1])}};
    } else if (type == "TemplateProcessing") {
      for (const json_value& item : v["single"].elements) read_item(item, v["special_tokens"]);
    } else {
      refuse(v["type"].is_null() ? v : v["type"], "nothing composes in this way");
    }
  }
  void read_item(const json_value& item, const json_value& tokens) {
    const json_value &special = item["SpecialToken"], &sequence = item["Sequence"];
    if (sequence.is(json::kind::object)) {
      if (!sequence["id"].is_text("A")) return refuse(sequence, "there is only one text, A");
      composed_.push_back({nac::compose_item::ids, {}, 0});
      return;
    }
    const json_value& ids = tokens[special["id"].text]["ids"];
    if (!ids.is(json::kind::array))
      return malformed(item, "expected a sequence or a special token");
    for (const json_value& id : ids.elements)
      composed_.push_back({nac::compose_item::id, {}, id_of(id)});
  }

  // ---- the manifest

  struct word {
    std::int32_t id = 0;
    double score = 0;
    const json_value* from = nullptr;
  };
  struct splitting_rule {
    std::string expression;
    bool is_protected = false, removes = false;
  };

  /// The set of the characters that no expression may cross.
  [[nodiscard]] std::string boundaries() const {
    std::string out;
    if (added_.empty() && prefix_.empty()) return out;
    out += utf8(marker_character);
    if (!added_.empty())
      (out += '-') += utf8(marker_character + static_cast<std::uint32_t>(added_.size()));
    return out;
  }
  [[nodiscard]] std::string characters_of_added(std::string_view flag) const {
    std::string out;
    for (const added_token& t : added_)
      if (flag.empty() || (*t.from)[flag].is_true()) out += t.stands_for;
    return out;
  }
  void add_rule(const json_value& at, std::string expression, bool is_protected, bool removes) {
    constexpr std::size_t longest = 65535;
    if (expression.size() > longest) refuse(at, "an expression of more than 65535 bytes");
    rules_.push_back({std::move(expression), is_protected, removes});
  }

  void emit(const json_value& root) {
    for (const text_step& s : cleaning_) emit(s);
    replace_added(false);
    for (const text_step& s : steps_) emit(s);
    replace_added(true);
    if (has_blocks_) manifest_.replace(" ", lower_block);
    if (!prefix_.empty()) emit_prefix(root);
    if (spaced_ideographs_ != nullptr) {
      if (sets_.empty() || !sets_[0].removes)
        refuse((*spaced_ideographs_)["handle_chinese_chars"], "expected a split at white space");
      sets_.push_back({std::string(ideographs)});
    }
    emit_added_rules(root);
    if (kind_ == "WordPiece") emit_unknown_words(root["model"]);
    if (kind_ == "Unigram") emit_unknown_characters(root["model"]);
    emit_splits(root);
    emit_partition(root);
    if (is_bytes_) manifest_.byte_encode();
    if (is_bytes_ && kind_ != "BPE") refuse(root["model"], "expected BPE after ByteLevel");
    if (kind_ == "WordPiece")
      manifest_.wordpiece_encode(prefix_of_parts_);
    else if (kind_ == "BPE")
      manifest_.bpe_encode(suffix_);
    else
      manifest_.unigram_encode();
    if (!composed_.empty()) manifest_.compose({composed_.data(), composed_.size()});
    if (manifest_.error().code != errc::ok)
      refuse(root, "a string or list is too long for a manifest");
    if (knows_everything_ != nullptr) check_alphabet(*knows_everything_);
  }
  void emit(const text_step& s) {
    constexpr std::string_view marks[] = {"Mn", "Mc", "Me"}, controls[] = {"Cc", "Cf", "Co"};
    switch (s.kind) {
      case text_step::lowercase: manifest_.lowercase(); break;
      case text_step::normal_form: manifest_.unicode_norm(s.a); break;
      case text_step::replace: manifest_.replace(s.a, s.b); break;
      case text_step::drop_nonspacing: manifest_.filter_category({marks, 1}); break;
      case text_step::drop_marks: manifest_.filter_category({marks, 3}); break;
      case text_step::drop_controls: manifest_.filter_category({controls, 3}); break;
    }
  }
  void replace_added(bool normalized) {
    const std::string after = prefix_.empty() || !prefixes_all_ ? "" : utf8(marker_character);
    for (const added_token& t : added_)
      if (is_normalized(t) == normalized) manifest_.replace(t.content, t.stands_for + after);
  }
  /// A prefix where the text begins, or after an added token, unless it is there or nothing follows.
  void emit_prefix(const json_value& root) {
    const std::string marker = utf8(marker_character);
    manifest_.prepend(marker);
    manifest_.replace(marker + prefix_, prefix_);
    manifest_.replace(marker, marker + prefix_);
    const std::string tokens = characters_of_added({});
    std::string nothing = marker + prefix_ + "(?=\\Z";
    if (!tokens.empty()) nothing += "|[" + tokens + "]";
    add_rule(root, nothing + ")", false, true);
    add_rule(root, marker, false, true);
  }
  /// Brackets at the beginning of a rule that protects would take a space in front, too.
  void emit_added_rules(const json_value& root) {
    const std::string white = "[" + std::string(white_space) + "]+";
    if (const std::string tokens = characters_of_added("lstrip"); !tokens.empty())
      add_rule(root, white + "(?=[" + tokens + "])", false, true);
    if (const std::string tokens = characters_of_added("rstrip"); !tokens.empty())
      add_rule(root, "(?<=[" + tokens + "])" + white, false, true);
    if (const std::string tokens = characters_of_added({}); !tokens.empty())
      add_rule(root, "(?:[" + tokens + "])", true, false);
  }

  /// Words with a character that no token begins or continues with, which are unknown as a whole.
  void emit_unknown_words(const json_value& model) {
    if (!expression_.empty()) return refuse(*expression_from_, "WordPiece's words are runs");
    std::set<std::uint32_t> first, later;
    for (const auto& [text, w] : ids_) {
      const bool continues = !prefix_of_parts_.empty() && text.starts_with(prefix_of_parts_);
      const auto c =
          code_points(continues ? std::string_view(text).substr(prefix_of_parts_.size()) : text);
      if (c.size() == 1) (continues ? later : first).insert(c[0]);
    }
    for (const auto& [text, w] : ids_) check_part(text, w, first, later);
    std::string all = boundaries(), runs;
    for (const splitting_set& s : sets_) {
      all += s.set;
      if (s.is_run) runs = s.set;
    }
    std::string singles = boundaries();
    for (const splitting_set& s : sets_)
      if (!s.is_run) singles += s.set;
    emit_unknown_words(model, outside(all), first, later);
    if (!runs.empty())
      emit_unknown_words(model, "(?:" + not_in(singles) + "[" + runs + "])", first, later);
  }
  void emit_unknown_words(const json_value& model, const std::string& one,
                          const std::set<std::uint32_t>& first,
                          const std::set<std::uint32_t>& later) {
    const std::string start = "(?<!" + one + ")";
    add_rule(model, start + one + "{" + std::to_string(longest_word_ + 1) + ",}", true, false);
    const auto other = [&](const std::set<std::uint32_t>& known) {
      return known.empty() ? one : "(?![" + set_of(known) + "])" + one;
    };
    add_rule(model,
             start + "(?:" + other(first) + "|" + one + one + "*?" + other(later) + ")" + one + "*",
             true, false);
  }
  /// A token of more than one character, all of which are tokens: what has others is in no word.
  void check_part(const std::string& text, const word& w, const std::set<std::uint32_t>& first,
                  const std::set<std::uint32_t>& later) {
    if (contents_of_added_.count(text) != 0) return;
    const bool continues = !prefix_of_parts_.empty() && text.starts_with(prefix_of_parts_);
    const auto c =
        code_points(continues ? std::string_view(text).substr(prefix_of_parts_.size()) : text);
    for (std::size_t i = 0; i < c.size(); ++i)
      if ((continues || i != 0 ? later : first).count(c[i]) == 0)
        return refuse(*w.from, "no token is the character " + utf8(c[i]) +
                                   " alone, without which WordPiece goes on after it");
    if (c.size() > longest_word_) refuse(*w.from, "the token is longer than any word");
  }

  /// Runs of characters that aren't tokens, each of which is one unknown token.
  void emit_unknown_characters(const json_value& model) {
    std::set<std::uint32_t> known;
    for (const auto& [text, w] : ids_)
      if (const auto c = code_points(text); c.size() == 1 && w.score != 0) known.insert(c[0]);
    for (const auto& [text, w] : ids_) {
      if (contents_of_added_.count(text) != 0) continue;
      if (w.score == 0) refuse(*w.from, "a score of 0 is none");
      for (const std::uint32_t c : code_points(text))
        if (known.count(c) == 0)
          return refuse(*w.from, "no token is the character " + utf8(c) + " alone");
    }
    const std::string alphabet = set_of(known);
    unknown_character_ = "[^" + alphabet + "]";
    add_rule(model, "[^" + alphabet + boundaries() + "]+", true, false);
  }

  [[nodiscard]] static std::string not_in(const std::string& set) {
    return set.empty() ? "" : "(?![" + set + "])";
  }
  /// An expression of any other character.
  [[nodiscard]] static std::string outside(const std::string& set) {
    return set.empty() ? "(?:.|\n)" : "[^" + set + "]";
  }
  void emit_splits(const json_value& root) {
    std::string singles = boundaries(), all = singles;
    for (const splitting_set& s : sets_) {
      all += s.set;
      if (!s.is_run) singles += s.set;
    }
    for (const splitting_set& s : sets_) {
      if (s.is_run) continue;
      const bool repeats = s.removes;
      add_rule(root, "[" + s.set + "]" + (repeats ? "+" : ""), false, s.removes);
    }
    for (const splitting_set& s : sets_)
      if (s.is_run) add_rule(root, "(?:" + not_in(singles) + "[" + s.set + "])+", false, false);
    if (expression_.empty()) return;
    if (std::any_of(sets_.begin(), sets_.end(), [](const splitting_set& s) { return s.is_run; }))
      return refuse(*expression_from_, "an expression after runs");
    std::string guard = all.empty() ? "" : "[" + all + "]";
    if (!unknown_character_.empty())
      guard = guard.empty() ? unknown_character_ : unknown_character_ + "|" + guard;
    const auto guarded = guarded_expression(expression_, guard);
    if (!guarded)
      return refuse(*expression_from_, "the expression can't be kept from crossing added tokens");
    add_rule(*expression_from_, *guarded, false, removal_ == removals::matches);
    if (removal_ == removals::others) add_rule(*expression_from_, outside(all), false, true);
  }
  void emit_partition(const json_value& root) {
    std::vector<nac::partition_rule> rules;
    for (const splitting_rule& r : rules_) {
      nac::partition_rule rule;
      rule.flags = r.is_protected ? nac::partition_rule::protects : std::uint8_t{0};
      if (!r.is_protected) rule.flags |= nac::partition_rule::has_behaviour;
      rule.behaviour = r.removes ? nac::partition_rule::remove : nac::partition_rule::isolate;
      rule.expression = r.expression;
      rules.push_back(rule);
    }
    if (rules.size() > 65535) refuse(root, "too many rules");
    manifest_.partition_rules({rules.data(), rules.size()});
  }
  /// Without an unknown token, what the vocabulary lacks would disappear.
  void check_alphabet(const json_value& model) {
    if (!is_bytes_)
      return refuse(model["unk_token"].is_null() ? model : model["unk_token"],
                    "expected an unknown token: unknown characters don't disappear");
    for (unsigned byte = 0; byte < 0xf5; ++byte)
      if (byte != 0xc0 && byte != 0xc1 && ids_.count(utf8(printable_of(byte))) == 0)
        return refuse(model["vocab"], "no token is the byte " + std::to_string(byte));
  }
  // ---- resources

  struct packed {
    pool<std::byte> out;
    template <class T>
    void number(T value) {
      append_le(out, value);
    }
    void string(std::string_view s) {
      number(static_cast<std::uint16_t>(s.size()));
      out.append(as_bytes(s).data(), s.size());
    }
    [[nodiscard]] bytes view() const noexcept { return {out.data(), out.size()}; }
  };

  void store(nac::parts& to) {
    to.resources.clear();
    if (kind_ == "Unigram")
      store_scores(to);
    else
      store_ids(to);
    to.has_resources = to.has_manifest = true;
    to.manifest = to.keep(manifest_.view());
  }
  /// The vocabulary of Unigram as JSON, since packed scores would be rounded. An id means the last
  /// token that has it.
  void store_scores(nac::parts& to) {
    std::vector<std::pair<std::string_view, double>> words(ids_.size());
    for (const auto& [text, w] : ids_)
      if (w.from->elements.size() == 2) words[static_cast<std::size_t>(w.id)] = {text, w.score};
    for (const added_token& t : added_)
      if (static_cast<std::size_t>(t.id) < words.size())
        words[static_cast<std::size_t>(t.id)] = {t.stands_for, 0};
    text json;
    json::writer w(json);
    w.begin_object().key("model").begin_object().key("vocab").begin_array();
    for (const auto& [text, score] : words)
      if (!text.empty()) w.begin_array().string(text).number(score).end();
    w.end().end().key("added_tokens").begin_array();
    const auto add = [&w](std::string_view content, std::int32_t id) {
      w.begin_object().key("id").integer(id).key("content").string(content).end();
    };
    for (const auto& [text, id] : aliases_) add(text, id);
    for (const added_token& t : added_) add(t.content, t.id);
    w.end().end();
    add_resource(to, "tokenizer.json", as_bytes(json));
  }
  void store_ids(nac::parts& to) {
    std::map<std::string, std::int32_t, std::less<>> all;
    std::int32_t last = -1;
    for (const auto& [text, w] : ids_) {
      all[text] = w.id;
      last = std::max(last, w.id);
    }
    for (const auto& [text, id] : aliases_) all.try_emplace(text, id);
    packed places, records, by_id;
    std::vector<std::uint32_t> place_of_id(static_cast<std::size_t>(last) + 1);
    places.number(static_cast<std::uint32_t>(all.size()));
    for (const auto& [text, id] : all) {
      const auto place = static_cast<std::uint32_t>(records.out.size());
      if (aliases_.count(text) == 0) place_of_id[static_cast<std::size_t>(id)] = place;
      places.number(place);
      records.string(text);
      records.number(id);
      records.number(0.0f);
    }
    places.out.append(records.out.data(), records.out.size());
    by_id.number(static_cast<std::uint32_t>(place_of_id.size()));
    for (const std::uint32_t place : place_of_id) by_id.number(place);
    add_resource(to, "vocab.b", places.view());
    add_resource(to, "vidx.b", by_id.view());
    if (kind_ != "BPE") return;
    packed merges;
    merges.number(static_cast<std::uint32_t>(merges_.size()));
    for (const auto& [a, b] : merges_) merges.string(a), merges.string(b);
    add_resource(to, "merges.b", merges.view());
  }
  static void add_resource(nac::parts& to, std::string_view name, bytes data) {
    const auto payload = to.keep(data);
    to.resources.push_back({to.add_string(name), payload});
  }

  enum class removals : std::uint8_t { nothing, matches, others };

  std::string_view source_;
  detail::findings found_;
  nac::manifest_writer manifest_;

  std::string kind_, prefix_of_parts_, suffix_, unknown_;
  std::uint32_t longest_word_ = 0;
  std::map<std::string, word, std::less<>> ids_;
  std::map<std::string, std::int32_t, std::less<>> aliases_;  // other texts of tokens
  std::vector<std::pair<std::string, std::string>> merges_;
  const json_value* knows_everything_ = nullptr;  // a model without an unknown token
  std::vector<added_token> added_;
  std::set<std::string, std::less<>> contents_of_added_;

  std::vector<text_step> cleaning_, steps_;  // before and after added tokens are replaced
  const json_value* spaced_ideographs_ = nullptr;
  std::vector<splitting_set> sets_;
  std::string expression_;  // which splits what the sets leave
  const json_value* expression_from_ = nullptr;
  removals removal_ = removals::nothing;
  std::string prefix_;
  bool prefixes_all_ = false;  // what follows added tokens, too
  bool has_blocks_ = false, is_bytes_ = false;
  std::string unknown_character_;  // of Unigram, as an expression

  std::vector<splitting_rule> rules_;
  std::vector<nac::compose_item> composed_;
};

}  // namespace

error import_tokenizer(std::string_view json, nac::parts& to, report* found) {
  return tokenizer_importer(json, found).run(to);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
