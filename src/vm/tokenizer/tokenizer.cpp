// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tokenizer.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "encoders.hpp"
#include "meter.hpp"
#include "partition.hpp"
#include "unicode.hpp"
#include "vocabulary.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {
namespace {

constexpr std::string_view lower_block = "\u2581";

void append(std::string& to, std::string_view s, meter& use) {
  if (to.capacity() - to.size() < s.size())
    use.reserve(to, std::max<std::uint64_t>(64, (to.size() + s.size()) * 2));
  to.append(s);
}

/// All occurrences of a pattern, from the left, in linear time (Knuth, Morris, Pratt). `out` is
/// another string than the text.
void replace_all(std::string_view text, std::string_view pattern, std::string_view value,
                 std::string& out, meter& use) {
  use.work(text.size() + pattern.size());
  out.clear();
  if (pattern.empty()) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = code_point_size(text[at]);
      append(out, value, use);
      append(out, text.substr(at, size), use);
      at += size;
    }
    return append(out, value, use);
  }
  // The longest beginning of the pattern that ends with each of its characters.
  std::vector<std::uint32_t> border;
  use.resize(border, pattern.size());
  for (std::size_t i = 1, k = 0; i < pattern.size(); ++i) {
    while (k > 0 && pattern[i] != pattern[k]) k = border[k - 1];
    if (pattern[i] == pattern[k]) ++k;
    border[i] = static_cast<std::uint32_t>(k);
  }
  std::size_t copied = 0;
  for (std::size_t at = 0, matched = 0; at < text.size(); ++at) {
    if (matched == 0) {
      at = text.find(pattern[0], at);
      if (at == text.npos) break;
    }
    while (matched > 0 && text[at] != pattern[matched]) matched = border[matched - 1];
    if (text[at] == pattern[matched]) ++matched;
    if (matched < pattern.size()) continue;
    append(out, text.substr(copied, at + 1 - pattern.size() - copied), use);
    append(out, value, use);
    copied = at + 1;
    matched = 0;
  }
  append(out, text.substr(copied), use);
}

/// Text of bytes; what isn't UTF-8 becomes U+FFFD, one for each longest beginning of a character.
void replace_invalid(std::string_view s, std::string& out, meter& use) {
  use.work(s.size());
  out.clear();
  const char* const end = s.data() + s.size();
  for (const char* at = s.data(); at != end;) {
    const unsigned size = utf8_length(at, end);
    if (size != 0) {
      append(out, {at, size}, use);
      at += size;
      continue;
    }
    // As many bytes as begin a character: of the second, some leads want less than 80 to BF.
    const auto byte = [at, end](std::ptrdiff_t i) -> unsigned {
      return i < end - at ? static_cast<unsigned char>(at[i]) : 0;
    };
    const unsigned lead = byte(0), second = byte(1);
    const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    std::size_t good = 1;
    if (lead >= 0xe0 && lead <= 0xf4 && second >= low && second <= high)
      good = lead >= 0xf0 && (byte(2) & 0xc0u) == 0x80u ? 3 : 2;
    append(out, "\uFFFD", use);
    at += good;
  }
}

/// The bytes of the fragments that aren't protected as printable characters.
void encode_bytes(std::string_view pieces, std::vector<fragment>& fragments, std::string& out,
                  meter& use) {
  use.work(pieces.size() * 2 + fragments.size());
  out.clear();
  for (fragment& f : fragments) {
    const std::string_view piece = pieces.substr(f.first, f.size);
    f.first = out.size();
    if (f.is_protected) {
      append(out, piece, use);
    } else {
      for (const char c : piece) {
        char printable[4];
        append(
            out,
            {printable, utf8_encode(printable_of_byte(static_cast<unsigned char>(c)), printable)},
            use);
      }
    }
    f.size = out.size() - f.first;
  }
}

/// Runs what may stop in the middle.
template <class Function>
[[nodiscard]] trouble guarded(Function&& f) {
  try {
    f();
    return {};
  } catch (trouble& t) {
    return std::move(t);
  } catch (const std::bad_alloc&) {
    return {errc::budget_memory, "no memory is left"};
  } catch (const std::length_error&) {
    return {errc::budget_memory, "no memory is left"};
  }
}

}  // namespace

std::string missing_library(bytes manifest, bool unicode, bool expressions) {
  model::manifest_reader in(manifest);
  for (model::tokenizer_instruction i; in.next(i);) {
    if (i.row == nullptr) continue;
    const model::tokenizer_op op = i.op();
    const bool of_unicode = op == model::tokenizer_op::lowercase ||
                            op == model::tokenizer_op::unicode_norm ||
                            op == model::tokenizer_op::filter_category;
    if (of_unicode && !unicode) return std::string(i.row->name) + " (needs utf8proc)";
    if (op == model::tokenizer_op::partition_rules && !expressions)
      return std::string(i.row->name) + " (needs PCRE2)";
  }
  return {};
}

std::string missing_library(bytes manifest) {
  return missing_library(manifest, has_unicode(), has_expressions());
}

struct tokenizer::parts {
  enum class joining : std::uint8_t { blocks, printable, bytes, marked, spaced };

  bytes manifest;
  tokenizer_options options;
  vocabulary words;
  merges pairs{words};
  std::vector<partition> partitions;  // one for each partition_rules
  joining joined = joining::spaced;

  [[nodiscard]] meter call() const noexcept {
    return {options.max_memory, options.max_steps, options.steps};
  }

  void make(const model::model& f, meter& use) {
    if (!f.has(model::section::proc))
      throw trouble{errc::nac_tokenizer_missing, "there is no section PROC"};
    manifest = f.manifest();
    if (const error e = model::verify_manifest(manifest, 0); e.code != errc::ok)
      throw trouble{e.code, std::string(e.message()) + ", at " + std::to_string(e.offset) +
                                " of the manifest"};
    bool wants_merges = false, printable = false;
    model::manifest_reader in(manifest);
    for (model::tokenizer_instruction i; in.next(i);) {
      use.work(1);
      switch (i.op()) {
        case model::tokenizer_op::lowercase:
        case model::tokenizer_op::unicode_norm:
        case model::tokenizer_op::filter_category:
          if (!has_unicode())
            throw trouble{errc::nac_tokenizer_unavailable,
                          std::string(i.row->name) + " needs utf8proc"};
          break;
        case model::tokenizer_op::partition_rules:
          use.hold(sizeof(partition));
          partitions.emplace_back(i, options.match_limit, use);
          break;
        case model::tokenizer_op::byte_encode: printable = true; break;
        case model::tokenizer_op::bpe_encode: wants_merges = true; break;
        case model::tokenizer_op::replace:
        case model::tokenizer_op::prepend:
        case model::tokenizer_op::wordpiece_encode:
        case model::tokenizer_op::unigram_encode:
        case model::tokenizer_op::compose: break;
      }
    }
    std::vector<tokenizer_file> files;
    for (const model::resource& r : f.resources()) use.push(files, {r.name, r.data});
    read_resources(files.empty() ? options.files : std::span<const tokenizer_file>(files),
                   wants_merges, words, pairs, use);
    options.files = {};
    const auto any = [this](auto&& is) {
      return std::any_of(words.tokens().begin(), words.tokens().end(), is);
    };
    if (any([](const token& t) { return t.text.find(lower_block) != t.text.npos; }))
      joined = joining::blocks;
    else if (wants_merges)
      joined = printable ? joining::printable : joining::bytes;
    else if (words.has_scores())
      joined = joining::blocks;
    else if (any([](const token& t) { return t.text.starts_with("##"); }))
      joined = joining::marked;
  }

  void encode(std::string_view from, std::vector<std::int32_t>& ids, meter& use) const;
  void compose(const model::tokenizer_instruction& i, std::span<const std::int32_t> ids,
               std::vector<std::int32_t>& out, meter& use) const;
  void decode(std::span<const std::int64_t> ids, std::string& text, bool keep_special,
              meter& use) const;
};

void tokenizer::parts::compose(const model::tokenizer_instruction& i,
                               std::span<const std::int32_t> ids, std::vector<std::int32_t>& out,
                               meter& use) const {
  out.clear();
  model::item_reader items(i);
  for (model::compose_item item; items.next(item);) {
    switch (item.kind) {
      case model::compose_item::ids:
        use.work(ids.size());
        for (const std::int32_t id : ids) use.push(out, id);
        break;
      case model::compose_item::token: {
        use.work(item.token_text.size());
        const token* const t = words.find(item.token_text);
        use.push(out, t != nullptr ? t->id : 2);
        break;
      }
      case model::compose_item::id: use.push(out, item.number); break;
    }
  }
}

void tokenizer::parts::encode(std::string_view from, std::vector<std::int32_t>& ids,
                              meter& use) const {
  use.work(from.size());
  std::string text, next;
  append(text, from, use);
  std::string pieces;  // the text as it was when it became fragments, which are places in it
  std::vector<fragment> fragments;
  std::vector<std::int32_t> composed;
  auto rules = partitions.begin();
  model::manifest_reader in(manifest);
  for (model::tokenizer_instruction i; in.next(i);) {
    use.work(1);
    switch (i.op()) {
      case model::tokenizer_op::lowercase:
        lowercase(text, next, use);
        text.swap(next);
        break;
      case model::tokenizer_op::unicode_norm:
        normalise(text, i.first_string(), next, use);
        text.swap(next);
        break;
      case model::tokenizer_op::replace:
        replace_all(text, i.first_string(), i.second_string(), next, use);
        text.swap(next);
        break;
      case model::tokenizer_op::filter_category: {
        category_set categories;
        model::category_reader names(i);
        for (std::string_view name; names.next(name);) categories.insert(name);
        categories.drop(text, next, use);
        text.swap(next);
        break;
      }
      case model::tokenizer_op::prepend: {
        const std::string_view front = i.first_string();
        use.work(text.size());
        if (text.starts_with(front)) break;
        next.clear();
        append(next, front, use);
        append(next, text, use);
        text.swap(next);
        break;
      }
      case model::tokenizer_op::partition_rules:
        use.work(text.size());
        pieces.clear();
        append(pieces, text, use);
        (rules++)->run(pieces, fragments, use);
        break;
      case model::tokenizer_op::byte_encode:
        encode_bytes(pieces, fragments, next, use);
        pieces.swap(next);
        break;
      case model::tokenizer_op::bpe_encode:
        ids.clear();
        encode_bpe(pieces, fragments, i.first_string(), words, pairs, ids, use);
        break;
      case model::tokenizer_op::wordpiece_encode:
        ids.clear();
        encode_wordpiece(pieces, fragments, i.first_string(), words, ids, use);
        break;
      case model::tokenizer_op::unigram_encode:
        ids.clear();
        encode_unigram(pieces, fragments, words, ids, use);
        break;
      case model::tokenizer_op::compose:
        compose(i, ids, composed, use);
        ids.swap(composed);
        break;
    }
  }
}

void tokenizer::parts::decode(std::span<const std::int64_t> ids, std::string& text,
                              bool keep_special, meter& use) const {
  use.work(ids.size());
  const bool spaces = joined == joining::marked || joined == joining::spaced;
  bool first = true;
  for (const std::int64_t id : ids) {
    const token* const t = words.of_id(id);
    if (t == nullptr) continue;
    const std::string_view s = t->text;
    const bool special = s.size() > 2 && ((s.front() == '<' && s.back() == '>') ||
                                          (s.front() == '[' && s.back() == ']'));
    if (special && !keep_special) continue;
    use.work(s.size());
    if (spaces && !first) append(text, " ", use);
    first = false;
    if (joined != joining::printable) {
      append(text, s, use);
      continue;
    }
    for (std::size_t at = 0; at < s.size();) {
      const code_point c = first_code_point(s.substr(at));
      at += c.size;
      const int byte = byte_of_printable(c.value);
      const char as_char = static_cast<char>(byte);
      if (byte >= 0) append(text, {&as_char, 1}, use);
    }
  }
  std::string next;
  const auto replace = [&](std::string_view pattern, std::string_view value) {
    replace_all(text, pattern, value, next, use);
    text.swap(next);
  };
  switch (joined) {
    case joining::blocks:
      replace(lower_block, " ");
      next = stripped(text);
      text.swap(next);
      break;
    case joining::printable:
      replace_invalid(text, next, use);
      text.swap(next);
      replace("</w>", " ");
      break;
    case joining::bytes: replace("</w>", " "); break;
    case joining::marked:
      replace(" ##", "");
      for (const std::string_view mark : {" .", " ,", " !", " ?", " \"", " '"})
        replace(mark, mark.substr(1));
      replace(" ' ", "'");
      break;
    case joining::spaced: break;
  }
}

tokenizer::tokenizer(const model::model& f, const tokenizer_options& how) {
  auto made = std::make_unique<parts>();
  made->options = how;
  made_ = guarded([&] {
    meter use = made->call();
    made->make(f, use);
  });
  if (made_) parts_ = std::move(made);
}

tokenizer::tokenizer(tokenizer&&) noexcept = default;
tokenizer& tokenizer::operator=(tokenizer&&) noexcept = default;
tokenizer::~tokenizer() = default;

trouble tokenizer::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  ids.clear();
  if (!made_) return made_;
  for (std::size_t at = 0; at < text.size();) {
    const unsigned size = utf8_length(text.data() + at, text.data() + text.size());
    if (size == 0) return {errc::nac_tokenizer_utf8, "at " + std::to_string(at) + " of the text"};
    at += size;
  }
  trouble t = guarded([&] {
    meter use = parts_->call();
    parts_->encode(text, ids, use);
  });
  if (!t) ids.clear();
  return t;
}

trouble tokenizer::decode(std::span<const std::int64_t> ids, std::string& text,
                          bool keep_special) const {
  text.clear();
  if (!made_) return made_;
  trouble t = guarded([&] {
    meter use = parts_->call();
    parts_->decode(ids, text, keep_special, use);
  });
  if (!t) text.clear();
  return t;
}

std::optional<std::int32_t> tokenizer::id_of(std::string_view text) const {
  const token* const t = made_ ? parts_->words.find(text) : nullptr;
  return t != nullptr ? std::optional(t->id) : std::nullopt;
}

std::optional<std::string_view> tokenizer::token_of(std::int64_t id) const {
  const token* const t = made_ ? parts_->words.of_id(id) : nullptr;
  return t != nullptr ? std::optional(t->text) : std::nullopt;
}

std::size_t tokenizer::size() const noexcept { return made_ ? parts_->words.size() : 0; }

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
