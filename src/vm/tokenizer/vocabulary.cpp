// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "vocabulary.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tessera/core/bytes.hpp>
#include <utility>

#include "tessera/core/json.hpp"
#include "tessera/core/keyed_hash.hpp"
#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

const std::uint64_t text_hash::secret = 0x10000 + keyed_hash(0) % 0x7ff00000u;

// ---- vocabulary

void vocabulary::reserve(std::uint64_t count, meter& use) {
  use.reserve(tokens_, count);
  use.reserve(of_id_, count);
  by_text_.reserve(count, use);
  by_id_.reserve(count, use);
}

bool vocabulary::add(const token& t, meter& use) {
  use.work(t.text.size() + 1);
  const text_hash hash(t.text);
  if (find(hash, t.text.size(), [&](std::string_view s) { return s == t.text; }) != nullptr)
    return false;
  const auto index = static_cast<std::uint32_t>(tokens_.size());
  if (tokens_.size() == tokens_.capacity())
    reserve(std::max<std::uint64_t>(64, std::uint64_t{index} * 2), use);
  tokens_.push_back(t);
  by_text_.insert(hash.value(), index);
  prefer(&tokens_.back());
  longest_ = std::max(longest_, t.text.size());
  has_scores_ = has_scores_ || t.score != 0;
  return true;
}

void vocabulary::prefer(const token* t) {
  const auto index = static_cast<std::uint32_t>(t - tokens_.data());
  const std::uint32_t row =
      by_id_.find(id_hash(t->id), [&](std::uint32_t k) { return tokens_[of_id_[k]].id == t->id; });
  if (row != index_table::none) {
    of_id_[row] = index;
  } else {
    by_id_.insert(id_hash(t->id), static_cast<std::uint32_t>(of_id_.size()));
    of_id_.push_back(index);
  }
}

const token* vocabulary::of_id(std::int64_t id) const {
  if (id < 0 || id > INT32_MAX) return nullptr;
  const auto number = static_cast<std::int32_t>(id);
  const std::uint32_t row = by_id_.find(
      id_hash(number), [&](std::uint32_t k) { return tokens_[of_id_[k]].id == number; });
  return row == index_table::none ? nullptr : &tokens_[of_id_[row]];
}

std::string_view vocabulary::keep(std::string_view s, meter& use) {
  use.hold(sizeof(std::string) + s.size());
  return kept_.emplace_back(s);
}

// ---- merges

void merges::reserve(std::uint64_t count, meter& use) {
  use.reserve(pairs_, count);
  by_pair_.reserve(count, use);
}

std::uint32_t merges::add_symbol(text_hash hash, std::string_view text, meter& use) {
  const auto index = static_cast<std::uint32_t>(others_.size());
  if (others_.size() == others_.capacity()) {
    use.reserve(others_, std::max<std::uint64_t>(64, others_.size() * 2));
    by_text_.reserve(others_.capacity(), use);
  }
  others_.push_back(text);
  by_text_.insert(hash.value(), index);
  return static_cast<std::uint32_t>(v_.size()) + index;
}

void merges::add(std::string_view a, std::string_view b, meter& use) {
  use.work(a.size() + b.size() * 2 + 1);
  const std::uint32_t rank = ranks_++;
  if (a.empty() || b.empty()) return;  // no symbol is empty: it merges nothing
  text_hash hash(a);
  const text_hash hash_b(b);
  pair p;
  p.a = symbol(hash, a, {});
  if (p.a == none) p.a = add_symbol(hash, a, use);
  p.b = symbol(hash_b, b, {});
  if (p.b == none) p.b = add_symbol(hash_b, b, use);
  hash.add(b);
  p.merged = symbol(hash, a, b);
  if (p.merged == none) p.merged = add_symbol(hash, keep(std::string(a).append(b), use), use);
  p.rank = rank;
  if (const pair* const known = find(p.a, p.b)) {
    pairs_[static_cast<std::size_t>(known - pairs_.data())].rank = rank;
    return;
  }
  if (pairs_.size() == pairs_.capacity())
    reserve(std::max<std::uint64_t>(64, pairs_.size() * 2), use);
  by_pair_.insert(pair_hash(p.a, p.b), static_cast<std::uint32_t>(pairs_.size()));
  pairs_.push_back(p);
}

std::string_view merges::keep(std::string_view s, meter& use) {
  use.hold(sizeof(std::string) + s.size());
  return kept_.emplace_back(s);
}

// ---- files

namespace {

class resource_reader {
 public:
  resource_reader(std::span<const tokenizer_file> files, vocabulary& v, merges& m, meter& use)
      : files_(files), v_(v), m_(m), use_(use) {}

  void vocabulary_files() {
    if (open("vocab.b")) {
      packed_vocabulary();
      const bytes data = data_;
      if (open("vidx.b")) packed_ids(data);
    } else if (open("tokenizer.json")) {
      find_json();
      if (json_vocabulary_.empty()) refuse("model.vocab is missing", 0);
      json_vocabulary();
      json_added();
    } else if (open("vocab.json")) {
      json_vocabulary_ = as_text(data_);
      json_vocabulary();
    } else {
      throw trouble{errc::nac_tokenizer_resource,
                    "no vocabulary; expected vocab.b, tokenizer.json or vocab.json"};
    }
  }

  void merge_files() {
    if (open("merges.b")) return packed_merges();
    if (open("tokenizer.json")) {
      find_json();
      if (!json_merges_.empty()) return json_merges();
    }
    if (open("merges.txt")) return text_merges();
    throw trouble{errc::nac_tokenizer_resource,
                  "no merges; expected merges.b, merges.txt, or model.merges in tokenizer.json"};
  }

 private:
  [[noreturn]] void refuse(std::string_view what, std::uint64_t offset) const {
    throw trouble{errc::nac_tokenizer_resource,
                  std::string(name_) + " at " + std::to_string(offset) + ": " + std::string(what)};
  }
  /// The last file with a name.
  bool open(std::string_view name) {
    bool is = false;
    for (const tokenizer_file& f : files_)
      if (f.name == name) {
        name_ = f.name;
        data_ = f.data;
        is = true;
      }
    return is;
  }
  void check_text(std::string_view s, std::uint64_t offset) {
    use_.work(s.size());
    if (!is_utf8(s)) refuse("invalid UTF-8", offset);
  }
  void add(const token& t, std::uint64_t offset) {
    if (t.id < 0) refuse("negative id; expected at least 0", offset);
    if (!std::isfinite(t.score)) refuse("the score is not finite", offset);
    if (!v_.add(t, use_)) refuse("duplicate token", offset);
  }

  // ---- packed files

  template <class T>
  [[nodiscard]] T number(std::uint64_t at) const {
    if (data_.size() < sizeof(T) || at > data_.size() - sizeof(T))
      refuse("truncated number", std::min<std::uint64_t>(at, data_.size()));
    return load_le<T>(data_.data() + at);
  }
  [[nodiscard]] std::string_view string(std::uint64_t at) const {
    const auto size = number<std::uint16_t>(at);
    if (data_.size() - (at + 2) < size) refuse("truncated text", at);
    return as_text(data_.subspan(static_cast<std::size_t>(at) + 2, size));
  }
  /// Reads a count that precedes as many numbers of 4 bytes; returns the end of these.
  [[nodiscard]] std::uint64_t table(std::uint32_t& count) const {
    count = number<std::uint32_t>(0);
    if ((data_.size() - 4) / 4 < count)
      refuse("the count is " + std::to_string(count) + "; the file holds at most " +
                 std::to_string((data_.size() - 4) / 4),
             0);
    return 4 + std::uint64_t{count} * 4;
  }

  void packed_vocabulary() {
    std::uint32_t count = 0;
    const std::uint64_t first = table(count);
    // A record has 10 bytes at least.
    if ((data_.size() - first) / 10 < count)
      refuse("the count is " + std::to_string(count) + "; the file holds at most " +
                 std::to_string((data_.size() - first) / 10),
             0);
    v_.reserve(count, use_);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t at = first + number<std::uint32_t>(4 + std::uint64_t{i} * 4);
      token t;
      t.text = string(at);
      check_text(t.text, at);
      t.id = number<std::int32_t>(at + 2 + t.text.size());
      t.score = double{number<float>(at + 6 + t.text.size())};
      add(t, at);
    }
  }

  void packed_ids(bytes tokens) {
    std::uint32_t count = 0;
    if (table(count) != data_.size())
      refuse("trailing bytes after the last place", 4 + std::uint64_t{count} * 4);
    use_.work(count);
    const std::uint64_t first = 4 + std::uint64_t{load_le<std::uint32_t>(tokens.data())} * 4;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t entry = 4 + std::uint64_t{i} * 4;
      const std::uint64_t at = first + number<std::uint32_t>(entry);
      if (at > tokens.size() || tokens.size() - at < 10) {
        if (at == first) continue;  // of an empty vocabulary
        refuse("the offset leaves no token before the end of vocab.b, " +
                   std::to_string(tokens.size()) + " bytes",
               entry);
      }
      const auto size = load_le<std::uint16_t>(tokens.data() + at);
      if (tokens.size() - at - 10 < size) refuse("no token of vocab.b begins at the offset", entry);
      const auto id = load_le<std::int32_t>(tokens.data() + at + 2 + size);
      if (id < 0 || static_cast<std::uint32_t>(id) != i) {
        if (at == first) continue;
        refuse("the token at the offset in vocab.b has another id", entry);
      }
      use_.work(size);
      const token* const t =
          v_.find(as_text(tokens.subspan(static_cast<std::size_t>(at) + 2, size)));
      if (t == nullptr || t->id != id) refuse("no token of vocab.b begins at the offset", entry);
      v_.prefer(t);
    }
  }

  void packed_merges() {
    const auto count = number<std::uint32_t>(0);
    // A pair has 4 bytes at least. The count may be of lines, of which not all were pairs.
    m_.reserve(std::min<std::uint64_t>(count, data_.size() / 4), use_);
    std::uint64_t at = 4;
    for (std::uint32_t i = 0; i < count && at < data_.size(); ++i) {
      const std::string_view a = string(at);
      check_text(a, at);
      const std::uint64_t next = at + 2 + a.size();
      const std::string_view b = string(next);
      check_text(b, next);
      m_.add(a, b, use_);
      at = next + 2 + b.size();
    }
    if (at != data_.size()) refuse("trailing bytes after the last merge", at);
  }

  // ---- texts

  /// Reads a part of the file as JSON, by `f`.
  template <class Function>
  void with_json(std::string_view part, Function&& f) {
    const auto base = static_cast<std::uint64_t>(part.data() - as_text(data_).data());
    use_.work(part.size());
    // A key takes 24 bytes of the reader, and as much again while that grows; with its value it
    // takes 5 of the text.
    meter scratch = use_;
    scratch.hold(part.size() * 10);
    json::reader in(part);
    f(in, base);
    if (const error e = in.finish(); e.code != errc::ok) refuse(e.message(), base + e.offset);
  }
  /// A text of JSON that stays: in the file, unless it had escapes.
  template <class Owner>
  [[nodiscard]] std::string_view kept(std::string_view s, Owner& owner) {
    const std::string_view file = as_text(data_);
    const bool stays = !std::less<>()(s.data(), file.data()) &&
                       !std::less<>()(file.data() + file.size(), s.data() + s.size());
    return stays ? s : owner.keep(s, use_);
  }

  void find_json() {
    json_vocabulary_ = json_merges_ = json_added_ = {};
    with_json(as_text(data_), [this](json::reader& in, std::uint64_t) {
      std::string_view key;
      for (in.object(); in.key(key);) {
        if (key == "added_tokens") {
          json_added_ = in.skip();
        } else if (key == "model" && in.peek() == json::kind::object) {
          for (in.object(); in.key(key);) {
            std::string_view* const part = key == "vocab"    ? &json_vocabulary_
                                           : key == "merges" ? &json_merges_
                                                             : nullptr;
            const std::string_view value = in.skip();
            if (part != nullptr && value != "null") *part = value;
          }
        } else {
          in.skip();
        }
      }
    });
  }

  void json_vocabulary() {
    with_json(json_vocabulary_, [this](json::reader& in, std::uint64_t base) {
      token t;
      if (in.peek() == json::kind::array) {
        for (in.array(); in.element(); ++t.id) {
          const std::uint64_t at = base + in.offset();
          in.array();
          in.require_element();
          t.text = kept(in.string(), v_);
          in.require_element();
          t.score = in.number().value;
          in.end_array();
          if (!in.failed()) add(t, at);
        }
      } else {
        std::string_view key;
        for (in.object(); in.key(key);) {
          t.text = kept(key, v_);
          const std::uint64_t at = base + in.offset();
          t.id = in.int32();
          if (!in.failed()) add(t, at);
        }
      }
    });
  }

  void json_added() {
    if (json_added_.empty() || json_added_ == "null") return;
    with_json(json_added_, [this](json::reader& in, std::uint64_t base) {
      for (in.array(); in.element();) {
        const std::uint64_t at = base + in.offset();
        token t;
        std::optional<std::string_view> content;
        bool has_id = false;
        std::string_view key;
        for (in.object(); in.key(key);) {
          if (key == "id") {
            t.id = in.int32();
            has_id = true;
          } else if (key == "content") {
            content = kept(in.string(), v_);
          } else {
            in.skip();
          }
        }
        if (in.failed()) return;
        if (!has_id || !content) refuse("an added token lacks content or id; expected both", at);
        t.text = *content;
        if (v_.find(t.text) == nullptr) add(t, at);
      }
    });
  }

  void json_merges() {
    with_json(json_merges_, [this](json::reader& in, std::uint64_t base) {
      for (in.array(); in.element();) {
        const std::uint64_t at = base + in.offset();
        if (in.peek() == json::kind::string) {
          const std::string_view both = kept(in.string(), m_);
          if (!in.failed()) merge(both, at);
          continue;
        }
        in.array();
        in.require_element();
        const std::string_view a = kept(in.string(), m_);
        in.require_element();
        const std::string_view b = kept(in.string(), m_);
        in.end_array();
        if (!in.failed()) m_.add(a, b, use_);
      }
    });
  }

  void merge(std::string_view both, std::uint64_t at) {
    const std::size_t space = both.find(' ');
    if (space == both.npos || both.find(' ', space + 1) != both.npos || space == 0 ||
        space + 1 == both.size())
      refuse("expected a merge of two texts separated by a space", at);
    m_.add(both.substr(0, space), both.substr(space + 1), use_);
  }

  void text_merges() {
    const std::string_view all = as_text(data_);
    check_text(all, 0);
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = std::min(all.find('\n', at), all.size());
      std::string_view line = all.substr(at, end - at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.empty() && !line.starts_with('#')) merge(line, at);
      at = end + 1;
    }
  }

  std::span<const tokenizer_file> files_;
  vocabulary& v_;
  merges& m_;
  meter& use_;
  std::string_view name_;
  bytes data_;
  std::string_view json_vocabulary_, json_merges_, json_added_;  // parts of tokenizer.json
};

}  // namespace

void read_resources(std::span<const tokenizer_file> files, bool wants_merges, vocabulary& v,
                    merges& m, meter& use) {
  resource_reader in(files, v, m, use);
  in.vocabulary_files();
  if (wants_merges) in.merge_files();
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
