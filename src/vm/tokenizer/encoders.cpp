// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "encoders.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "unicode.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {
namespace {

[[nodiscard]] std::int32_t id_or(const token* t, std::int32_t otherwise) noexcept {
  return t != nullptr ? t->id : otherwise;
}

constexpr std::uint32_t none = merges::none;

/// BPE of one fragment after another.
class bpe {
 public:
  bpe(std::string_view suffix, const vocabulary& v, const merges& m, meter& use)
      : suffix_(suffix), m_(m), use_(use) {
    const token* const t = v.find("<unk>");
    unknown_ = id_or(t != nullptr ? t : v.find("[UNK]"), 0);
    // Code points of the printable characters, which most texts consist of.
    for (std::uint32_t c = 0; c < common_.size(); ++c) {
      char text[4];
      common_[c] = m.symbol({text, utf8_encode(c, text)});
    }
  }

  [[nodiscard]] std::int32_t unknown() const noexcept { return unknown_; }

  void encode(std::string_view text, std::vector<std::int32_t>& ids) {
    if (text.empty()) return;
    split(text);
    queue_.clear();
    for (std::uint32_t i = 0; i + 1 < nodes_.size(); ++i) look(i);
    std::make_heap(queue_.begin(), queue_.end(), std::greater<>());
    building_ = false;
    while (!queue_.empty()) merge_lowest();
    building_ = true;
    for (std::uint32_t i = 0; i != none; i = nodes_[i].next) {
      const std::uint32_t symbol = nodes_[i].symbol;
      const token* const t = symbol != none ? m_.token_of(symbol) : nullptr;
      use_.push(ids, id_or(t, unknown_));
    }
  }

 private:
  struct node {
    std::uint32_t symbol = none;  // none: neither a token, nor does a merge have it
    std::uint32_t previous = none, next = none;
  };

  void split(std::string_view text) {
    // Places are numbers of 32 bits.
    if (text.size() >= none)
      throw trouble{errc::budget_memory, "a fragment of the text has 4 GiB or more"};
    use_.work(text.size() * 8);
    nodes_.clear();
    use_.reserve(nodes_, text.size());
    use_.reserve(queue_, text.size());
    std::size_t start = 0;  // of the last character
    for (std::size_t at = 0; at < text.size();) {
      start = at;
      const code_point c = first_code_point(text.substr(at));
      node n;
      n.symbol = c.value < common_.size() ? common_[c.value] : m_.symbol(text.substr(at, c.size));
      n.previous = static_cast<std::uint32_t>(nodes_.size()) - 1;  // none for the first
      n.next = static_cast<std::uint32_t>(nodes_.size()) + 1;
      nodes_.push_back(n);
      at += c.size;
    }
    node& last = nodes_.back();
    last.next = none;
    if (!suffix_.empty()) {
      last_.assign(text.substr(start));
      last_.append(suffix_);
      last.symbol = m_.symbol(last_);
    }
  }

  /// Queues the merge of a node with the next one, if there is one.
  void look(std::uint32_t i) {
    const std::uint32_t next = nodes_[i].next;
    if (next == none || nodes_[i].symbol == none || nodes_[next].symbol == none) return;
    const merges::pair* const p = m_.find(nodes_[i].symbol, nodes_[next].symbol);
    if (p == nullptr) return;
    use_.push(queue_, std::uint64_t{p->rank} << 32 | i);
    if (!building_) std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
  }

  /// Merges all pairs of the lowest rank, from the left. Pairs that come to be meanwhile wait, even
  /// those of lower rank.
  void merge_lowest() {
    const std::uint64_t rank = queue_.front() >> 32;
    batch_.clear();
    while (!queue_.empty() && queue_.front() >> 32 == rank) {
      use_.push(batch_, static_cast<std::uint32_t>(queue_.front()));
      std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
      queue_.pop_back();
    }
    use_.work(batch_.size() * 16);
    for (const std::uint32_t i : batch_) {
      node& n = nodes_[i];
      if (n.next == none || n.next == i) continue;  // the last one, or a part of the one in front
      node& next = nodes_[n.next];
      const merges::pair* const p = m_.find(n.symbol, next.symbol);
      if (p == nullptr || p->rank != rank) continue;  // it has changed
      const std::uint32_t gone = n.next;
      n.symbol = p->merged;
      n.next = next.next;
      if (n.next != none) nodes_[n.next].previous = i;
      next.next = gone;  // marks it
      if (n.previous != none) look(n.previous);
      look(i);
    }
  }

  std::string_view suffix_;
  const merges& m_;
  meter& use_;
  std::int32_t unknown_ = 0;
  std::array<std::uint32_t, 0x180> common_;
  std::vector<node> nodes_;
  std::vector<std::uint64_t> queue_;  // a heap of rank and node
  std::vector<std::uint32_t> batch_;
  std::string last_;      // the last character with the suffix
  bool building_ = true;  // the heap isn't one yet
};

}  // namespace

void encode_bpe(std::string_view text, std::span<const fragment> fragments, std::string_view suffix,
                const vocabulary& v, const merges& m, std::vector<std::int32_t>& ids, meter& use) {
  bpe encoder(suffix, v, m, use);
  use.work(fragments.size());
  for (const fragment& f : fragments) {
    const std::string_view s = text.substr(f.first, f.size);
    if (!f.is_protected) {
      encoder.encode(s, ids);
      continue;
    }
    use.work(s.size());
    const token* t = v.find(s);
    if (t == nullptr) t = v.find(stripped(s));
    use.push(ids, id_or(t, encoder.unknown()));
  }
}

void encode_wordpiece(std::string_view text, std::span<const fragment> fragments,
                      std::string_view marker, const vocabulary& v, std::vector<std::int32_t>& ids,
                      meter& use) {
  const std::int32_t unknown = id_or(v.find("[UNK]"), 100);
  const text_hash marked(marker);
  use.work(fragments.size());
  for (const fragment& f : fragments) {
    const std::string_view word = text.substr(f.first, f.size);
    if (f.is_protected) {
      use.work(word.size());
      use.push(ids, id_or(v.find(word), unknown));
      continue;
    }
    for (std::size_t at = 0; at < word.size();) {
      const std::string_view in_front = at == 0 ? std::string_view() : marker;
      const std::string_view rest = word.substr(at);
      const std::size_t longest =
          v.longest() > in_front.size() ? std::min(v.longest() - in_front.size(), rest.size()) : 0;
      text_hash hash = at == 0 ? text_hash() : marked;
      const token* best = nullptr;
      std::size_t best_size = 0;
      for (std::size_t size = 0; size < longest;) {
        const std::size_t next = size + code_point_size(rest[size]);
        hash.add(rest.substr(size, next - size));
        size = next;
        const token* const t = v.find(hash, in_front.size() + size, [&](std::string_view s) {
          return s.starts_with(in_front) && s.substr(in_front.size()) == rest.substr(0, size);
        });
        if (t == nullptr) continue;
        best = t;
        best_size = size;
      }
      use.work(longest + best_size + 1);
      use.push(ids, id_or(best, unknown));
      at += best != nullptr ? best_size : code_point_size(rest[0]);
    }
  }
}

void encode_unigram(std::string_view text, std::span<const fragment> fragments, const vocabulary& v,
                    std::vector<std::int32_t>& ids, meter& use) {
  constexpr std::size_t max_characters = 49;
  constexpr double unreachable = -std::numeric_limits<double>::infinity();
  /// How a place in the text is reached best.
  struct place {
    double score = unreachable;
    std::uint32_t from = 0;
    std::int32_t id = 0;
  };
  const std::int32_t unknown = id_or(v.find("<unk>"), 2);
  std::vector<place> places;
  std::vector<std::int32_t> backwards;
  use.work(fragments.size());
  for (const fragment& f : fragments) {
    const std::string_view s = text.substr(f.first, f.size);
    if (f.is_protected) {
      use.work(s.size());
      use.push(ids, id_or(v.find(s), unknown));
      continue;
    }
    if (s.size() >= none)
      throw trouble{errc::budget_memory, "a fragment of the text has 4 GiB or more"};
    places.clear();
    use.resize(places, s.size() + 1);
    places[0].score = 0;
    for (std::size_t at = 0; at < s.size(); at += code_point_size(s[at])) {
      if (places[at].score == unreachable) continue;
      text_hash hash;
      std::size_t end = at;
      for (std::size_t n = 0; n < max_characters && end < s.size() && end - at < v.longest(); ++n) {
        const std::size_t next = end + code_point_size(s[end]);
        hash.add(s.substr(end, next - end));
        end = next;
        const std::string_view piece = s.substr(at, end - at);
        const token* const t =
            v.find(hash, piece.size(), [piece](std::string_view other) { return other == piece; });
        if (t == nullptr || t->score == 0) continue;
        const double score = places[at].score + t->score;
        if (score > places[end].score) places[end] = {score, static_cast<std::uint32_t>(at), t->id};
      }
      use.work(2 * (end - at) + 1);
    }
    if (places[s.size()].score == unreachable) {
      for (std::size_t at = 0; at < s.size(); at += code_point_size(s[at]))
        use.push(ids, id_or(v.find(s.substr(at, code_point_size(s[at]))), unknown));
      continue;
    }
    backwards.clear();
    for (std::size_t at = s.size(); at != 0; at = places[at].from)
      use.push(backwards, places[at].id);
    std::for_each(backwards.rbegin(), backwards.rend(),
                  [&](std::int32_t id) { use.push(ids, id); });
  }
}

std::uint32_t printable_of_byte(unsigned char byte) noexcept {
  const std::uint32_t b = byte;
  if (b <= 0x20) return 0x100 + b;              // 0 to 32
  if (b >= 0x7f && b <= 0xa0) return 0xa2 + b;  // 127 to 160
  return b == 0xad ? 0x143 : b;
}

int byte_of_printable(std::uint32_t c) noexcept {
  if ((c >= 0x21 && c <= 0x7e) || (c >= 0xa1 && c <= 0xff && c != 0xad)) return static_cast<int>(c);
  if (c >= 0x100 && c <= 0x120) return static_cast<int>(c - 0x100);
  if (c >= 0x121 && c <= 0x142) return static_cast<int>(c - 0xa2);
  return c == 0x143 ? 0xad : -1;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
