// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tessera/inspect/page.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

constexpr std::uint32_t none = page::none;

/// The longest run of repetitions of `period` labels: its first label, and how many.
struct repetition {
  std::size_t first = 0, length = 0, period = 0;
};

[[nodiscard]] repetition longest(const std::vector<std::uint32_t>& labels, std::size_t period) {
  repetition best{0, 0, period};
  std::size_t same = 0;
  for (std::size_t i = 0; i + period < labels.size(); ++i) {
    same = labels[i] == labels[i + period] ? same + 1 : 0;
    if (same + period > best.length && same >= period)
      best.first = i + 1 - same, best.length = same + period;
  }
  return best;
}

/// The repetition that folds most nodes; of those that fold about as many, the one with the shortest
/// period.
[[nodiscard]] repetition best_repetition(const std::vector<std::uint32_t>& labels) {
  constexpr std::size_t shortest = 4, work = std::size_t{1} << 28;
  const std::size_t longest_period =
      std::min(labels.size() / 2, work / std::max<std::size_t>(labels.size(), 1));
  repetition best;
  for (std::size_t period = shortest; period <= longest_period; ++period) {
    const repetition r = longest(labels, period);
    if (r.length > best.length + best.length / 8) best = r;
  }
  return best;
}

/// Splits a picture into one of blocks and one for each block.
class folding {
 public:
  folding(page::graph all, std::span<const block> blocks)
      : all_(std::move(all)), blocks_(blocks), of_(all_.drawn.nodes.size(), none) {
    all_.nodes.resize(all_.drawn.nodes.size());
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
      for (std::uint32_t i = 0; i < blocks[b].count; ++i) of_[blocks[b].first + i] = b;
  }

  [[nodiscard]] std::vector<page::graph> run() {
    std::vector<page::graph> out(1 + blocks_.size());
    out[0].name = all_.name;
    out[0].drawn.title = all_.drawn.title;
    place_.resize(of_.size());
    for (std::uint32_t n = 0; n < of_.size(); ++n) {
      if (of_[n] != none && n == blocks_[of_[n]].first) add_block(out[0], of_[n]);
      page::graph& to = of_[n] == none ? out[0] : out[1 + of_[n]];
      place_[n] = move_node(to, n);
    }
    for (const picture::edge& e : all_.drawn.edges) add_edge(out, e);
    return out;
  }

 private:
  void add_block(page::graph& top, std::uint32_t b) {
    picture::node n;
    n.id = "block" + std::to_string(b);
    n.fill = "#e6ecf5";
    n.border = "#55708f";
    n.is_thick = true;
    n.lines = {{blocks_[b].name, "#1a1a1a", true},
               {std::to_string(blocks_[b].count) + " operations", "#606060"}};
    block_node_.push_back(static_cast<std::uint32_t>(top.drawn.nodes.size()));
    top.drawn.nodes.push_back(std::move(n));
    page::node more;
    more.inner = 1 + b;
    more.rows = {{"folds", std::to_string(blocks_[b].count) + " operations"}};
    top.nodes.push_back(std::move(more));
  }

  std::uint32_t move_node(page::graph& to, std::uint32_t n) {
    const auto at = static_cast<std::uint32_t>(to.drawn.nodes.size());
    picture::node& from = all_.drawn.nodes[n];
    if (from.frame != picture::none) from.frame = frame_in(to, from.frame);
    to.drawn.nodes.push_back(std::move(from));
    to.nodes.push_back(std::move(all_.nodes[n]));
    return at;
  }
  /// A frame of the whole picture in a part of it, with those around it.
  std::uint32_t frame_in(page::graph& to, std::uint32_t frame) {
    const auto key = std::pair(&to, frame);
    if (const auto known = frames_.find(key); known != frames_.end()) return known->second;
    picture::frame copy = all_.drawn.frames[frame];
    if (copy.parent != picture::none) copy.parent = frame_in(to, copy.parent);
    to.drawn.frames.push_back(std::move(copy));
    return frames_[key] = static_cast<std::uint32_t>(to.drawn.frames.size() - 1);
  }

  void add_edge(std::vector<page::graph>& out, const picture::edge& e) {
    const std::uint32_t from = of_[e.from], to = of_[e.to];
    picture::edge copy = e;
    copy.from_frame = picture::none;
    if (from == to) {
      copy.from = place_[e.from];
      copy.to = place_[e.to];
      if (from == none) copy.from_frame = frame_of_edge(out[0], e);
      out[from == none ? 0 : 1 + from].drawn.edges.push_back(std::move(copy));
      return;
    }
    copy.from = from == none ? place_[e.from] : block_node_[from];
    copy.to = to == none ? place_[e.to] : block_node_[to];
    if (from != none || to != none) copy.label.clear();
    if (joined_.emplace(copy.from, copy.to).second) out[0].drawn.edges.push_back(copy);
    if (from != none) add_end(out[1 + from], e, out[0].drawn.nodes[copy.to], false);
    if (to != none) add_end(out[1 + to], e, out[0].drawn.nodes[copy.from], true);
  }
  [[nodiscard]] std::uint32_t frame_of_edge(page::graph& top, const picture::edge& e) {
    if (e.from_frame == picture::none) return picture::none;
    const auto known = frames_.find(std::pair(&top, e.from_frame));
    return known == frames_.end() ? picture::none : known->second;
  }

  /// What a block reads or is read by, as a word at its border.
  void add_end(page::graph& inside, const picture::edge& e, const picture::node& other,
               bool is_source) {
    const std::uint32_t own = is_source ? place_[e.to] : place_[e.from];
    const std::string id = (is_source ? "from_" : "to_") + other.id;
    const auto [known, is_new] =
        ends_.try_emplace({&inside, id}, static_cast<std::uint32_t>(inside.drawn.nodes.size()));
    if (is_new) {
      picture::node n;
      n.id = id;
      n.form = shape::words;
      n.is_small = true;
      n.lines = {{(is_source ? "from " : "to ") + other.lines[0].text}};
      inside.drawn.nodes.push_back(std::move(n));
      inside.nodes.emplace_back();
    }
    picture::edge thin;
    thin.from = is_source ? known->second : own;
    thin.to = is_source ? own : known->second;
    thin.is_thin = true;
    thin.colour = "#a8a8a8";
    if (end_edges_.emplace(std::pair(&inside, std::pair(thin.from, thin.to))).second)
      inside.drawn.edges.push_back(std::move(thin));
  }

  page::graph all_;
  std::span<const block> blocks_;
  std::vector<std::uint32_t> of_, place_, block_node_;
  std::map<std::pair<const page::graph*, std::uint32_t>, std::uint32_t> frames_;
  std::map<std::pair<const page::graph*, std::string>, std::uint32_t> ends_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined_;
  std::set<std::pair<const page::graph*, std::pair<std::uint32_t, std::uint32_t>>> end_edges_;
};

}  // namespace

std::vector<block> repeated_blocks(const picture& p, std::uint32_t most) {
  std::map<std::string_view, std::uint32_t> numbers;
  std::vector<std::uint32_t> labels;
  for (const picture::node& n : p.nodes)
    labels.push_back(numbers
                         .try_emplace(n.lines.empty() ? std::string_view() : n.lines[0].text,
                                      static_cast<std::uint32_t>(numbers.size()))
                         .first->second);
  std::vector<block> out;
  const auto nodes = static_cast<std::uint32_t>(labels.size());
  const repetition r = best_repetition(labels);
  if (r.length != 0 && r.length >= labels.size() / 3) {
    const auto times = static_cast<std::uint32_t>(r.length / r.period);
    const auto first = static_cast<std::uint32_t>(r.first);
    const auto period = static_cast<std::uint32_t>(r.period);
    for (std::uint32_t i = 0; i < times; ++i)
      out.push_back({"block " + std::to_string(i + 1) + " of " + std::to_string(times),
                     first + i * period, period});
  } else if (nodes > most) {
    const std::uint32_t size = std::max({most / 10, nodes / 100, 1u});
    for (std::uint32_t first = 0; first < nodes; first += size) {
      const std::uint32_t count = std::min(size, nodes - first);
      out.push_back({p.nodes[first].id + " to " + p.nodes[first + count - 1].id, first, count});
    }
  }
  return out;
}

std::vector<page::graph> fold_blocks(page::graph all, std::span<const block> blocks) {
  return folding(std::move(all), blocks).run();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
