// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/dot.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

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
    loops_.push_back({node, 0, std::nullopt, frame_});
    if (!is_drawn()) return;
    std::string label = "loop " + std::string(p_.model().name(p_.model().nodes[node].value)) +
                        " in [" + std::to_string(first) + ".." + std::to_string(last) + ']';
    if (in_flight > 1) label += ", " + std::to_string(in_flight) + " in flight";
    open_frame(std::move(label), "#606060");
  }

  void iteration(std::uint32_t node, std::int64_t value) {
    end_iteration();
    ++loops_.back().iterations;
    scopes_.push_back(barrier(scopes_.back()));
    if (options_.expand && is_drawn())
      open_frame(std::string(p_.model().name(p_.model().nodes[node].value)) + " = " +
                     std::to_string(value),
                 "#b0b0b0");
  }

  void end_loop(std::uint32_t) {
    end_iteration();
    const bool drawn = is_drawn();
    const execution l = loops_.back();
    loops_.pop_back();
    if (!drawn) return;
    const std::uint32_t whole = frame_;
    frame_ = l.around;
    // Everything after the loop waits for all of it.
    if (l.last_task) scopes_.back() = {*l.last_task, whole, tasks_};
    if (!loops_.empty() && l.last_task) loops_.back().last_task = l.last_task;
  }

  void wait(std::uint32_t, view<std::uint32_t> tasks) {
    if (!is_drawn()) return;
    picture::node n;
    n.id = "w" + std::to_string(waits_++);
    n.lines = {{"wait"}};
    n.fill = "#ffffff";
    n.is_small = true;
    n.frame = frame_;
    const std::uint32_t at = add(std::move(n));
    for (const std::uint32_t t : tasks)
      if (const auto from = drawn_.find(t); from != drawn_.end())
        out_.edges.push_back({from->second, at, black, stroke::dashed});
    const barrier before = scopes_.back();
    bool is_ordered = before.from == picture::none;
    for (const std::uint32_t t : tasks)
      is_ordered = is_ordered || (t >= before.tasks && drawn_.count(t) != 0);
    if (!is_ordered) arrow(before, at);
    scopes_.back() = {at, picture::none, tasks_};
  }

  void task(const nem::values& v, const nem::task& t) {
    if (!is_drawn()) return;
    picture::node n;
    n.id = "t" + std::to_string(t.index);
    n.lines.push_back(
        {std::string(nem::name(t.opcode)) + '.' + std::string(nem::name(t.mode)), "#1a1a1a", true});
    if (t.token != nem::no_name) n.lines.push_back({std::string(p_.model().name(t.token))});
    std::string operands;
    for (const nem::operand& o : v.outputs(t))
      operands.append(operands.empty() ? "" : ", ").append(text_of(v, o));
    operands.append(" \xE2\x86\x90 ");
    bool first = true;
    for (const nem::operand& o : v.inputs(t))
      operands.append(std::exchange(first, false) ? "" : ", ").append(text_of(v, o));
    n.lines.push_back({std::move(operands), "#606060"});
    const nem::unit unit = unit_of(v, t);
    const paint colours = paint_of(unit);
    n.tooltip = nem::name(unit);
    n.fill = colours.fill;
    n.border = colours.line;
    n.is_thick = t.mode == nem::mode::sync;
    n.frame = frame_;
    const std::uint32_t at = add(std::move(n));
    drawn_.emplace(t.index, at);
    statements_.push_back({p_.model().nodes[t.node].offset, p_.model().nodes[t.node].length, at});
    const barrier& after = scopes_.back();
    bool is_ordered = after.from == picture::none;
    for (const std::uint32_t d : v.tasks_before(t)) {
      const auto from = drawn_.find(d);
      if (from == drawn_.end()) continue;
      out_.edges.push_back({from->second, at});
      // What a task depends on comes after the barrier itself, where it was issued after it.
      is_ordered = is_ordered || d >= after.tasks;
    }
    if (!is_ordered) arrow(after, at);
    tasks_ = t.index + 1;
    if (t.mode == nem::mode::sync) scopes_.back() = {at, picture::none, tasks_};
    if (!loops_.empty()) loops_.back().last_task = at;
  }

  [[nodiscard]] bool stopped() {
    if (drawn_.size() + out_.frames.size() < options_.max_tasks) return false;
    is_partial_ = true;
    return true;
  }

  [[nodiscard]] picture run() {
    out_.title = "program";
    if (options_.expand)
      nem::for_each_task(p_, *this);
    else
      nem::for_each_task(p_, *this, 1);  // few iterations, of which the first is drawn
    if (options_.findings != nullptr)
      for (const diagnostic& d : options_.findings->diagnostics) mark(*options_.findings, d);
    if (is_partial_) {
      picture::node more;
      more.id = "more";
      more.form = shape::words;
      more.lines = {
          {"and so on: more than " + std::to_string(options_.max_tasks) + " tasks and frames"}};
      out_.nodes.push_back(std::move(more));
    }
    return std::move(out_);
  }

 private:
  /// What everything that follows in a scope comes after: a box, or the frame around it.
  struct barrier {
    std::uint32_t from = picture::none;
    std::uint32_t frame = picture::none;
    std::uint32_t tasks = 0;  ///< how many were issued before it
  };
  struct execution {
    std::uint32_t node;
    std::uint64_t iterations;
    std::optional<std::uint32_t> last_task;  ///< its box
    std::uint32_t around;                    ///< the frame around the loop's own
  };

  /// Whether tasks here are shown: not those of further iterations.
  [[nodiscard]] bool is_drawn() const noexcept {
    if (options_.expand) return true;
    for (const execution& l : loops_)
      if (l.iterations > 1) return false;
    return true;
  }
  std::uint32_t add(picture::node n) {
    out_.nodes.push_back(std::move(n));
    return static_cast<std::uint32_t>(out_.nodes.size() - 1);
  }
  void open_frame(std::string label, std::string_view colour) {
    const auto id = static_cast<std::uint32_t>(out_.frames.size());
    out_.frames.push_back({std::to_string(id), std::move(label), colour, frame_});
    frame_ = id;
  }
  void end_iteration() {
    if (loops_.back().iterations == 0) return;
    if (options_.expand && is_drawn()) frame_ = out_.frames[frame_].parent;
    scopes_.pop_back();
  }
  void arrow(const barrier& from, std::uint32_t to) {
    picture::edge e{from.from, to, black, stroke::dashed};
    e.from_frame = from.frame;
    out_.edges.push_back(std::move(e));
  }
  /// The box of the statement at a place of the program's own file, if there is one.
  [[nodiscard]] std::uint32_t box_at(const place& p) const noexcept {
    if (p.file != 0 || p.index != error_index::none) return picture::none;
    for (const statement& s : statements_)
      if (p.offset >= s.offset && p.offset < s.offset + std::max(s.length, 1u)) return s.box;
    return picture::none;
  }
  /// Makes the task that a finding is about red, and joins it to the task that its note is about.
  void mark(const report& found, const diagnostic& d) {
    const std::uint32_t at = box_at(d.where);
    if (d.severity == severity::note || at == picture::none) return;
    const std::string rule(found.rule_of(d));
    const auto redden = [this](std::uint32_t box) {
      out_.nodes[box].fill = "#f7caca";
      out_.nodes[box].border = red;
    };
    redden(at);
    const std::uint32_t other = d.has_note ? box_at(d.related) : picture::none;
    if (other == picture::none || other == at) {
      out_.nodes[at].lines.push_back({rule, red});
      return;
    }
    redden(other);
    picture::edge e{other, at, red, stroke::dashed};
    e.orders = false;
    e.label = rule;
    e.tooltip = found.text_of(d.text);
    out_.edges.push_back(std::move(e));
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

  /// A drawn task's place in the file.
  struct statement {
    std::uint64_t offset;
    std::uint32_t length, box;
  };

  static constexpr std::string_view black = "#404040", red = "#b03030";
  const nem::program& p_;
  const task_draw_options options_;
  picture out_;
  std::vector<barrier> scopes_;
  std::vector<execution> loops_;
  std::map<std::uint32_t, std::uint32_t> drawn_;  // the boxes of tasks
  std::vector<statement> statements_;
  std::uint32_t frame_ = picture::none;
  std::uint64_t waits_ = 0;
  std::uint32_t tasks_ = 0;
  bool is_partial_ = false;
};

}  // namespace

picture draw(const nem::program& p, const task_draw_options& options) {
  return drawing(p, options).run();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
