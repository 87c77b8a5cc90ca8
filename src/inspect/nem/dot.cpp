// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/dot.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inspect/label.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using inspect::escaped;

struct paint {
  std::string_view fill, line;
};
[[nodiscard]] paint paint_of(nem::unit u) noexcept {
  switch (u) {
    case nem::unit::nmu: return {"#c9ddf2", "#2f6ba8"};
    case nem::unit::cstl: return {"#fdf1cb", "#b08a1e"};
    case nem::unit::dma: return {"#d5ecd0", "#4b8b3b"};
    case nem::unit::sdma: return {"#dfeeda", "#6d8f62"};
    case nem::unit::vpu: return {"#e9dcf3", "#7a4fa3"};
    default: return {"#f4f4f4", "#8a8a8a"};
  }
}

/// The unit that executes a task where the binder is free.
[[nodiscard]] nem::unit unit_of(const nem::values& v, const nem::task& t) noexcept {
  if (t.unit != nem::unit::none) return t.unit;
  if (t.opcode == nem::opcode::transfer)
    for (const auto& operands : {v.inputs(t), v.outputs(t)})
      for (const nem::operand& o : operands)
        if (o.region != nem::no_index && v.regions[o.region].is_sound &&
            v.buffers[v.regions[o.region].buffer].level == nem::level::ddr)
          return nem::unit::sdma;
  return nem::default_unit(t.opcode);
}

class drawing : public nem::visitor {
 public:
  drawing(const nem::program& p, const task_draw_options& options) : p_(p), options_(options) {
    scopes_.push_back({});
  }

  void loop(const nem::values&, std::uint32_t node, std::int64_t first, std::int64_t last,
            std::int64_t in_flight) {
    loops_.push_back({node, 0, std::nullopt, clusters_, {}, {}});
    if (!is_drawn()) return;
    text label;
    label << "loop " << p_.model().name(p_.model().nodes[node].value) << " in [" << first << ".."
          << last << ']';
    if (in_flight > 1) label << ", " << in_flight << " in flight";
    open_frame(label, "#606060");
  }

  void iteration(std::uint32_t node, std::int64_t value) {
    execution& l = loops_.back();
    end_iteration();
    ++l.iterations;
    const barrier from = scopes_.back().after;
    scopes_.push_back({from, true});
    if (options_.expand && is_drawn()) {
      l.before = std::exchange(out_, {});
      text label;
      label << p_.model().name(p_.model().nodes[node].value) << " = " << value;
      open_frame(label, "#b0b0b0");
    }
  }

  void end_loop(std::uint32_t) {
    end_iteration();
    const bool drawn = is_drawn();
    execution l = std::move(loops_.back());
    loops_.pop_back();
    // Graphviz lays frames out from right to left.
    for (std::size_t i = l.frames.size(); i-- != 0;) out_ << l.frames[i].view();
    if (!drawn) return;
    close_frame();
    // Everything after the loop waits for all of it.
    if (l.last_task) scopes_.back().after = {*l.last_task, l.cluster, tasks_};
    if (!loops_.empty() && l.last_task) loops_.back().last_task = l.last_task;
  }

  void wait(std::uint32_t, view<std::uint32_t> tasks) {
    if (!is_drawn()) return;
    const std::uint64_t w = waits_++;
    indent();
    out_ << 'w' << w
         << " [shape=box, height=0.2, margin=\"0.08,0.02\", fontsize=9, label=\"wait\", "
         << "fillcolor=\"white\", color=\"#8a8a8a\"];\n";
    for (const std::uint32_t t : tasks)
      if (drawn_.count(t) != 0) arrows_ << "  t" << t << " -> w" << w << " [style=dashed];\n";
    const barrier before = scopes_.back().after;
    bool is_ordered = before.from.empty();
    for (const std::uint32_t t : tasks)
      is_ordered = is_ordered || (t >= before.tasks && drawn_.count(t) != 0);
    if (!is_ordered) arrow(before, "w" + std::to_string(w));
    scopes_.back().after = {"w" + std::to_string(w), {}, tasks_};
  }

  void task(const nem::values& v, const nem::task& t) {
    if (!is_drawn()) return;
    drawn_.insert(t.index);
    const std::string id = "t" + std::to_string(t.index);
    text label;
    label << "<B>" << nem::name(t.opcode) << '.' << nem::name(t.mode) << "</B>";
    if (t.token != nem::no_name) small(label, "#1a1a1a", p_.model().name(t.token));
    std::string operands;
    for (const nem::operand& o : v.outputs(t))
      operands.append(operands.empty() ? "" : ", ").append(text_of(v, o));
    operands.append(" \xE2\x86\x90 ");
    bool first = true;
    for (const nem::operand& o : v.inputs(t))
      operands.append(std::exchange(first, false) ? "" : ", ").append(text_of(v, o));
    small(label, "#606060", operands);
    const nem::unit unit = unit_of(v, t);
    const paint colours = paint_of(unit);
    indent();
    out_ << id << " [label=<" << label << ">, tooltip=\"" << nem::name(unit) << "\", fillcolor=\""
         << colours.fill << "\", color=\"" << colours.line << '"'
         << (t.mode == nem::mode::sync ? ", penwidth=2" : "") << "];\n";
    for (const std::uint32_t d : v.tasks_before(t))
      if (drawn_.count(d) != 0) arrows_ << "  t" << d << " -> " << id << ";\n";
    // What a task depends on comes after the barrier itself, where it was issued after it.
    const barrier& after = scopes_.back().after;
    bool is_ordered = after.from.empty();
    for (const std::uint32_t d : v.tasks_before(t))
      is_ordered = is_ordered || (d >= after.tasks && drawn_.count(d) != 0);
    if (!is_ordered) arrow(after, id);
    tasks_ = t.index + 1;
    if (t.mode == nem::mode::sync) scopes_.back().after = {id, {}, tasks_};
    if (!loops_.empty()) loops_.back().last_task = id;
  }

  [[nodiscard]] bool stopped() {
    if (drawn_.size() + clusters_ < options_.max_tasks) return false;
    is_partial_ = true;
    return true;
  }

  [[nodiscard]] text run() {
    if (options_.expand)
      nem::for_each_task(p_, *this);
    else
      nem::for_each_task(p_, *this, 1);  // few iterations, of which the first is drawn
    while (depth_ != 0) close_frame();
    text all;
    all << "digraph program {\n"
           "  graph [compound=true, ordering=in, fontname=\"Helvetica\", fontsize=11, nodesep=0.3, "
           "ranksep=0.4];\n"
           "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=11, "
           "margin=\"0.12,0.06\"];\n"
           "  edge [color=\"#404040\", arrowsize=0.7];\n"
        << out_ << arrows_;
    if (is_partial_)
      all << "  more [shape=plaintext, style=\"\", label=\"and so on: more than "
          << options_.max_tasks << " tasks and frames\"];\n";
    all << "}\n";
    return all;
  }

 private:
  /// What everything that follows in a scope comes after.
  struct barrier {
    std::string from = {};
    std::optional<std::uint64_t> cluster = {};
    std::uint32_t tasks = 0;  ///< how many were issued before it
  };
  struct scope {
    barrier after = {};
    bool has_frame = false;
  };
  struct execution {
    std::uint32_t node;
    std::uint64_t iterations;
    std::optional<std::string> last_task;
    std::uint64_t cluster;
    text before;               ///< the text before the current iteration
    std::vector<text> frames;  ///< of the iterations before, where each has one
  };

  /// Whether tasks here are shown: not those of further iterations.
  [[nodiscard]] bool is_drawn() const noexcept {
    if (options_.expand) return true;
    for (const execution& l : loops_)
      if (l.iterations > 1) return false;
    return true;
  }
  void indent() {
    for (std::size_t i = 0; i <= depth_; ++i) out_ << "  ";
  }
  void open_frame(const text& label, std::string_view colour) {
    indent();
    out_ << "subgraph cluster_" << clusters_++ << " {\n";
    ++depth_;
    indent();
    out_ << "label=\"" << label << "\"; labeljust=l; color=\"" << colour << "\";\n";
  }
  void close_frame() {
    --depth_;
    indent();
    out_ << "}\n";
  }
  void end_iteration() {
    if (loops_.back().iterations == 0) return;
    if (options_.expand && is_drawn()) {
      close_frame();
      loops_.back().frames.push_back(std::exchange(out_, std::move(loops_.back().before)));
    }
    scopes_.pop_back();
  }
  void arrow(const barrier& from, const std::string& to) {
    arrows_ << "  " << from.from << " -> " << to << " [style=dashed";
    if (from.cluster) arrows_ << ", ltail=cluster_" << *from.cluster;
    arrows_ << "];\n";
  }
  static void small(text& label, std::string_view colour, std::string_view s) {
    label << "<BR/><FONT POINT-SIZE=\"9\" COLOR=\"" << colour << "\">" << escaped(s) << "</FONT>";
  }
  /// A region by its name, or by its place.
  [[nodiscard]] std::string text_of(const nem::values& v, const nem::operand& o) const {
    if (o.region == nem::no_index || !v.regions[o.region].is_sound) return "?";
    const nem::region& r = v.regions[o.region];
    const nem::model& d = p_.model();
    if (r.declaration != nem::no_node) return std::string(nem::name_of(d, r.declaration));
    return std::string(d.name(v.buffers[r.buffer].name)) + '[' + std::to_string(r.offset) + ".." +
           std::to_string(r.offset + r.extent) + ')';
  }

  const nem::program& p_;
  const task_draw_options options_;
  text out_, arrows_;
  std::vector<scope> scopes_;
  std::vector<execution> loops_;
  std::set<std::uint32_t> drawn_;
  std::size_t depth_ = 0;
  std::uint64_t clusters_ = 0, waits_ = 0;
  std::uint32_t tasks_ = 0;
  bool is_partial_ = false;
};

}  // namespace

text draw(const nem::program& p, const task_draw_options& options) {
  return drawing(p, options).run();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
