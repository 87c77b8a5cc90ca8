// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/ark/dot.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/inspect/ark/describe.hpp"
#include "tessera/inspect/ark/flow.hpp"
#include "tessera/inspect/ark/fold.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using ark::none;
using ark::op_type;

struct paint {
  std::string_view fill, line;
};
[[nodiscard]] paint paint_of(op_type type) noexcept {
  switch (ark::info(type).kind) {
    case ark::op_kind::matmul: return {"#c9ddf2", "#2f6ba8"};
    case ark::op_kind::unary:
    case ark::op_kind::binary: return {"#fdf1cb", "#b08a1e"};
    case ark::op_kind::reduce:
    case ark::op_kind::layer_norm: return {"#d5ecd0", "#4b8b3b"};
    case ark::op_kind::transpose:
    case ark::op_kind::embedding:
    case ark::op_kind::fill:
    case ark::op_kind::kv_cache_slot: return {"#e9dcf3", "#7a4fa3"};
    case ark::op_kind::communication: return {"#fbd9c4", "#c4622d"};
    case ark::op_kind::view:
    case ark::op_kind::none: return {"#f4f4f4", "#8a8a8a"};
    case ark::op_kind::unknown: break;
  }
  return {"#f7caca", "#b03030"};
}

/// Arguments as a picture shows them: of flags those that are set, without "=true".
[[nodiscard]] std::string short_arguments(const ark::model& g, const ark::op& o) {
  const std::string all = text_of_arguments(g, o);
  std::string out;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = all.find(' ', first);
    if (last == all.npos) last = all.size();
    std::string_view word = std::string_view(all).substr(first, last - first);
    const bool unset = word.ends_with("=false");
    if (word.ends_with("=true")) word.remove_suffix(5);
    if (!unset) out.append(out.empty() ? "" : " ").append(word);
    first = last + 1;
  }
  return out;
}

class rank_drawing {
 public:
  rank_drawing(picture& out, const ark::model& g, std::size_t place, const draw_options& options)
      : out_(out), g_(g), flow_(g), place_(place), steps_(options.max_steps) {
    if (options.fold) compositions_ = find_compositions(g, flow_);
    in_.assign(g.ops.size(), none);
    for (std::uint32_t c = 0; c < compositions_.size(); ++c)
      for (const std::uint32_t op : compositions_[c].ops) in_[op] = c;
    find_edges();
  }

  /// Into a frame, or onto the page.
  void draw(std::uint32_t frame) {
    frame_ = frame;
    boxes_.assign(g_.ops.size(), none);
    folded_.assign(compositions_.size(), none);
    for (std::uint32_t n = 0; n < g_.nodes.size(); ++n) draw_node(n);
    draw_arrows();
    draw_ends();
  }

  /// (from rank, to rank, tag) of each transfer, with the box of the operation.
  using transfer = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
  void transfers(std::multimap<transfer, std::uint32_t>& sent,
                 std::multimap<transfer, std::uint32_t>& received) const {
    for (const std::uint32_t op : flow_.order()) {
      const ark::op& o = g_.ops[op];
      if (o.type == op_type::recv && o.reads == 1) {
        const ark::buffer& from = buffer_of(g_, reads(g_, o)[0]);
        for (const ark::tag& t : tags(g_, from.send_tags))
          received.insert({{from.rank, g_.rank, t.number}, box_of(op)});
      }
      if (ark::info(o.type).kind != ark::op_kind::communication) continue;
      if (o.type == op_type::recv_packet || o.type == op_type::recv_reduce_send ||
          o.type == op_type::recv_reduce_send_packet)
        if (o.reads == 2)
          for (const ark::tag& t : tags(g_, buffer_of(g_, reads(g_, o)[1]).recv_tags))
            received.insert({{t.rank, g_.rank, t.number}, box_of(op)});
      if (o.type == op_type::recv) continue;
      for (const std::uint32_t w : writes(g_, o)) {
        const ark::buffer& to = buffer_of(g_, w);
        if (is_local(g_, to)) continue;
        for (const ark::tag& t : tags(g_, to.recv_tags))
          sent.insert({{g_.rank, to.rank, t.number}, box_of(op)});
      }
    }
  }

 private:
  void find_edges() {
    std::map<std::int64_t, std::uint32_t> by_id;
    for (std::uint32_t n = 0; n < g_.nodes.size(); ++n) by_id.try_emplace(g_.nodes[n].id, n);
    producers_.resize(g_.nodes.size());
    for (std::uint32_t n = 0; n < g_.nodes.size(); ++n) {
      for (const std::int64_t id : integers(g_, g_.nodes[n].producers))
        if (const auto at = by_id.find(id); at != by_id.end()) producers_[n].push_back(at->second);
      for (const std::int64_t id : integers(g_, g_.nodes[n].consumers))
        if (const auto at = by_id.find(id); at != by_id.end()) producers_[at->second].push_back(n);
    }
    for (auto& of : producers_) {
      std::sort(of.begin(), of.end());
      of.erase(std::unique(of.begin(), of.end()), of.end());
    }
    seen_.assign(g_.nodes.size(), 0);
  }

  /// Whether a path of edges leads from one node to a later one. Costs steps.
  [[nodiscard]] bool is_before(std::uint32_t from, std::uint32_t to) {
    ++generation_;
    stack_.assign(1, to);
    while (!stack_.empty()) {
      const std::uint32_t n = stack_.back();
      stack_.pop_back();
      for (const std::uint32_t p : producers_[n]) {
        if (p == from) return true;
        if (steps_ == 0) return true;
        --steps_;
        // Edges lead forward in files that keep the order; what lies further back is out of reach.
        if (p < from || seen_[p] == generation_) continue;
        seen_[p] = generation_;
        stack_.push_back(p);
      }
    }
    return false;
  }

  [[nodiscard]] std::string prefix() const { return 'r' + std::to_string(place_) + '_'; }
  /// The box that shows an operation.
  [[nodiscard]] std::uint32_t box_of(std::uint32_t op) const {
    return in_[op] == none ? boxes_[op] : folded_[in_[op]];
  }
  std::uint32_t add(picture::node n) {
    out_.nodes.push_back(std::move(n));
    return static_cast<std::uint32_t>(out_.nodes.size() - 1);
  }

  void draw_node(std::uint32_t n) {
    const ark::node& node = g_.nodes[n];
    std::vector<std::uint32_t> shown;
    for (std::uint32_t i = 0; i < node.ops.count; ++i) {
      const std::uint32_t op = node.ops.first + i;
      if (in_[op] == none || compositions_[in_[op]].ops.back() == op) shown.push_back(op);
    }
    // A composition may reach over several nodes: its box is in no frame.
    std::uint32_t frame = frame_;
    if (shown.size() > 1) {
      frame = static_cast<std::uint32_t>(out_.frames.size());
      out_.frames.push_back({prefix() + "node" + std::to_string(n),
                             "node " + std::to_string(node.id), "#b8b8b8", frame_});
    }
    for (const std::uint32_t op : shown) draw_op(op, frame);
  }

  void draw_op(std::uint32_t op, std::uint32_t frame) {
    const ark::op& o = g_.ops[op];
    const composition* const whole = in_[op] == none ? nullptr : &compositions_[in_[op]];
    const paint p = whole != nullptr ? paint{"#cfe8e6", "#2b7f78"} : paint_of(o.type);
    picture::node n;
    n.id = prefix() +
           (whole == nullptr ? "op" + std::to_string(op) : "fold" + std::to_string(in_[op]));
    n.fill = p.fill;
    n.border = p.line;
    n.frame = frame;
    if (ark::is_virtual(o.type)) n.outline = stroke::dashed;
    n.lines.push_back(
        {std::string(whole != nullptr ? whole->name : type_name(g_, o)), "#1a1a1a", true});
    const auto more = [&n](std::string text, std::string_view colour) {
      if (!text.empty()) n.lines.push_back({std::move(text), colour});
    };
    if (whole != nullptr)
      more(std::to_string(whole->ops.size()) + " operations", "#606060");
    else
      more(std::string(name(g_, o)), "#404040");
    if (whole == nullptr) more(short_arguments(g_, o), "#606060");
    std::string made;
    for (const std::uint32_t t : results(g_, o).empty() ? writes(g_, o) : results(g_, o))
      made.append(made.empty() ? "" : ", ").append(text_of_tensor(g_, t));
    more(std::move(made), "#1a1a1a");
    (whole == nullptr ? boxes_[op] : folded_[in_[op]]) = add(std::move(n));
  }

  void arrow(std::uint32_t from, std::uint32_t to, picture::edge how = {}) {
    if (from == to || !drawn_.emplace(from, to).second) return;
    how.from = from;
    how.to = to;
    out_.edges.push_back(std::move(how));
  }
  void dotted(std::uint32_t from, std::uint32_t to, std::string_view why) {
    picture::edge e;
    e.style = stroke::dotted;
    e.tooltip = why;
    arrow(from, to, std::move(e));
  }

  void draw_arrows() {
    for (std::uint32_t n = 0; n < g_.nodes.size(); ++n) {
      const ark::node& node = g_.nodes[n];
      if (node.ops.count == 0) continue;
      // Edges between nodes lead from the operations that wrote to those that read; where no memory
      // is shared, from the last operation to the first.
      std::vector<std::uint32_t> shown;
      for (std::uint32_t i = 0; i < node.ops.count; ++i) {
        const std::uint32_t op = node.ops.first + i;
        for (const dependency& d : flow_.before(op)) {
          const std::uint32_t from = flow_.node_of(d.from);
          const bool is_edge = std::binary_search(producers_[n].begin(), producers_[n].end(), from);
          if (d.kind == conflict::reads_written && (from == n || is_edge)) {
            arrow(box_of(d.from), box_of(op));
            shown.push_back(from);
          }
        }
        if (i != 0 && !is_ordered(op, node)) arrow(box_of(op - 1), box_of(op));
      }
      std::sort(shown.begin(), shown.end());
      for (const std::uint32_t p : producers_[n]) {
        if (p == n || g_.nodes[p].ops.count == 0) continue;
        if (!std::binary_search(shown.begin(), shown.end(), p))
          arrow(box_of(g_.nodes[p].ops.first + g_.nodes[p].ops.count - 1), box_of(node.ops.first));
      }
    }
    for (const std::uint32_t op : flow_.order())
      for (const dependency& d : flow_.before(op)) {
        const std::uint32_t from = flow_.node_of(d.from), to = flow_.node_of(op);
        if (from == to || is_before(from, to)) continue;
        dotted(box_of(d.from), box_of(op),
               d.kind == conflict::reads_written     ? "reads what was written"
               : d.kind == conflict::overwrites_read ? "overwrites what was read"
                                                     : "overwrites what was written");
      }
  }
  /// Whether an operation reads from one before it in the same node.
  [[nodiscard]] bool is_ordered(std::uint32_t op, const ark::node& node) const {
    for (const dependency& d : flow_.before(op))
      if (d.from >= node.ops.first && d.from < op && d.kind == conflict::reads_written) return true;
    return false;
  }

  std::uint32_t ellipse(const std::string& id, std::uint32_t tensor, std::string_view word,
                        std::string_view colour) {
    picture::node n;
    n.id = prefix() + id;
    n.lines = {{std::string(word) + " t" + std::to_string(g_.tensors[tensor].id)},
               {text_of_tensor(g_, tensor)}};
    n.fill = "#ffffff";
    n.border = colour;
    n.form = shape::ellipse;
    n.is_small = true;
    n.frame = frame_;
    return add(std::move(n));
  }

  void draw_ends() {
    std::map<std::uint32_t, std::uint32_t> inputs;
    for (std::size_t i = 0; i < flow_.inputs().size(); ++i) {
      const std::uint32_t t = flow_.inputs()[i];
      inputs.emplace(t, ellipse("in" + std::to_string(i), t, "input", "#8a8a8a"));
    }
    picture::edge thin;
    thin.is_thin = true;
    picture::edge in = thin;
    in.colour = "#a8a8a8";
    for (const std::uint32_t op : flow_.order()) {
      const ark::op& o = g_.ops[op];
      if (!touches_memory(o.type)) continue;
      const view<std::uint32_t> read = reads(g_, o);
      for (std::size_t i = labels(o.type); i < read.size(); ++i)
        if (const auto at = inputs.find(read[i]); at != inputs.end())
          arrow(at->second, box_of(op), in);
    }
    for (std::size_t i = 0; i < flow_.outputs().size(); ++i)
      arrow(box_of(flow_.writer_of_output(i)),
            ellipse("out" + std::to_string(i), flow_.outputs()[i], "output", "#1a1a1a"), thin);
  }

  picture& out_;
  const ark::model& g_;
  flow flow_;
  std::size_t place_;
  std::uint64_t steps_;
  std::uint32_t frame_ = picture::none;
  std::vector<composition> compositions_;
  std::vector<std::uint32_t> in_;  // the composition of each op
  std::vector<std::vector<std::uint32_t>> producers_;
  std::vector<std::uint64_t> seen_;
  std::vector<std::uint32_t> stack_;
  std::uint64_t generation_ = 0;
  std::vector<std::uint32_t> boxes_, folded_;  // of operations, of compositions
  std::set<std::pair<std::uint32_t, std::uint32_t>> drawn_;
};

}  // namespace

picture draw(std::span<const ark::model* const> ranks, const draw_options& options) {
  picture out;
  out.title = "model";
  std::multimap<rank_drawing::transfer, std::uint32_t> sent, received;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const ark::model& g = *ranks[i];
    rank_drawing drawing(out, g, i, options);
    const auto frame = static_cast<std::uint32_t>(out.frames.size());
    if (ranks.size() > 1)
      out.frames.push_back({"r" + std::to_string(i), "rank " + std::to_string(g.rank) + " of " +
                                                         std::to_string(g.world_size)});
    drawing.draw(ranks.size() > 1 ? frame : picture::none);
    drawing.transfers(sent, received);
  }
  if (ranks.size() > 1)
    for (const auto& [what, from] : sent) {  // the first sent is the first received
      const auto to = received.find(what);
      if (to == received.end()) continue;
      picture::edge e{from, to->second, "#c4622d", stroke::dashed};
      e.orders = false;
      e.tooltip = "tag " + std::to_string(std::get<2>(what));
      out.edges.push_back(std::move(e));
      received.erase(to);
    }
  return out;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
