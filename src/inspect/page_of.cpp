// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/page_of.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "tessera/inspect/ark/dot.hpp"
#include "tessera/inspect/ark/plan_timeline.hpp"
#include "tessera/inspect/nac/dot.hpp"
#include "tessera/inspect/nem/dot.hpp"
#include "tessera/inspect/nem/statements.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

constexpr std::size_t few_nodes = 24;

/// The text, or its first lines and that it was cut.
[[nodiscard]] std::string cut(std::string_view s) {
  if (s.size() <= page::max_characters) return std::string(s);
  const std::size_t end = s.rfind('\n', page::max_characters);
  std::string out(s.substr(0, end == s.npos ? page::max_characters : end + 1));
  return out + "... the first " + std::to_string(out.size()) + " of " + std::to_string(s.size()) +
         " bytes\n";
}

template <class F>
void for_each_line(std::string_view s, F&& act) {
  std::uint32_t number = 0;
  for (std::size_t first = 0; first < s.size(); ++number) {
    const std::size_t end = std::min(s.find('\n', first), s.size());
    act(number, s.substr(first, end - first));
    first = end + 1;
  }
}

/// The number after a letter, in an id such as "v12".
[[nodiscard]] std::uint32_t number_of(std::string_view id) noexcept {
  std::uint32_t n = page::none;
  if (id.size() > 1) std::from_chars(id.data() + 1, id.data() + id.size(), n);
  return n;
}

/// One graph, folded where that helps.
[[nodiscard]] std::vector<page::graph> folded(page::graph all, std::vector<block> blocks = {},
                                              std::uint32_t most = 2000) {
  all.nodes.resize(all.drawn.nodes.size());
  if (all.drawn.nodes.size() <= few_nodes) blocks.clear();
  if (all.drawn.nodes.size() > few_nodes && blocks.empty())
    blocks = repeated_blocks(all.drawn, most);
  return fold_blocks(std::move(all), blocks);
}

// ---- NAC

/// The module of a parameter: up to the first number in its name; empty without one.
[[nodiscard]] std::string_view module_of(std::string_view parameter) noexcept {
  for (std::size_t first = 0; first < parameter.size();) {
    const std::size_t end = std::min(parameter.find('.', first), parameter.size());
    const std::string_view word = parameter.substr(first, end - first);
    const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
    if (is_number && end < parameter.size()) return parameter.substr(0, end);
    first = end + 1;
  }
  return {};
}

[[nodiscard]] weight_summary summarise(const nac::tensor& t, std::string name) {
  constexpr std::size_t part = 4096, bins = 32;
  weight_summary out;
  out.name = std::move(name);
  out.type = std::string(nac::name(t.type)) + ' ' + text_of_shape(t.value_shape());
  if (t.quantization != nac::quantization::none)
    out.type.append(" ").append(nac::name(t.quantization));
  out.elements = elements_of(t.value_shape());
  std::vector<float> values(part);
  double sum = 0;
  const auto each_part = [&](const auto& act) {
    for (std::uint64_t first = 0; first < out.elements; first += part) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(part, out.elements - first));
      if (nac::dequantize(t, first, values.data(), count).code != errc::ok) return false;
      for (std::size_t i = 0; i < count; ++i) act(double{values[i]});
    }
    return true;
  };
  bool is_first = true;
  const bool is_readable = each_part([&](double v) {
    if (!std::isfinite(v)) {
      ++out.not_finite;
      return;
    }
    out.least = is_first ? v : std::min(out.least, v);
    out.greatest = is_first ? v : std::max(out.greatest, v);
    is_first = false;
    sum += v;
  });
  const std::uint64_t finite = out.elements - out.not_finite;
  if (!is_readable || finite == 0) return out;
  out.mean = sum / static_cast<double>(finite);
  out.counts.assign(bins, 0);
  const double range = out.greatest - out.least;
  (void)each_part([&](double v) {
    if (!std::isfinite(v)) return;
    const double at = range > 0 ? (v - out.least) / range * bins : 0;
    ++out.counts[std::min(bins - 1, static_cast<std::size_t>(at))];
  });
  return out;
}

class nac_view {
 public:
  nac_view(const lookup& at, const nac_view_options& options) : at_(at), options_(options) {}

  [[nodiscard]] page run() {
    page::graph all;
    all.name = "program";
    all.drawn = draw(at_, {.schedule = false, .parameters = false, .shapes = options_.shapes});
    all.nodes.resize(all.drawn.nodes.size());
    // Payloads are references: a page has no weights.
    nac::print_options how;
    how.source_name = "model.nac";
    const text listing = nac::print(at_.model(), how);
    std::map<std::string, std::uint32_t, std::less<>> lines;
    for_each_line(listing, [&](std::uint32_t number, std::string_view line) {
      const std::size_t equals = line.find(" = ");
      const std::size_t first = line.find_first_not_of(' ');
      if (equals == line.npos || first == line.npos || first >= equals) return;
      const std::string_view id = line.substr(first, equals - first);
      if (id[0] == 'v' || id[0] == 't') lines.try_emplace(std::string(id), number);
    });
    for (std::size_t n = 0; n < all.nodes.size(); ++n) {
      const std::string& id = all.drawn.nodes[n].id;
      if (const auto line = lines.find(id); line != lines.end()) all.nodes[n].line = line->second;
      node(all.nodes[n], id);
    }
    page out;
    out.text_title = "Listing";
    out.listing = cut(listing);
    out.facts = {{"instructions", std::to_string(at_.instructions().size())},
                 {"weights", std::to_string(weights_.size())}};
    std::vector<block> blocks = modules(all);
    out.weights = std::move(weights_);
    out.graphs = folded(std::move(all), std::move(blocks));
    return out;
  }

 private:
  void node(page::node& to, const std::string& id) {
    const std::vector<nac::instruction>& code = id[0] == 't' ? at_.training() : at_.instructions();
    const std::uint32_t index = number_of(id);
    if (index >= code.size()) return;
    std::size_t position = 0;
    for (const nac_argument& a : at_.arguments(code[index])) {
      ++position;
      if (a.what == nac_argument::kind::absent) continue;
      std::string value = at_.text_of(a);
      if (a.what == nac_argument::kind::result) {
        const auto from = static_cast<std::uint32_t>(a.value);
        const nac::instruction& source = code[from];
        const bool is_parameter = source.a == nac::op_input &&
                                  source.b == static_cast<std::uint8_t>(nac::input::parameter);
        if (is_parameter) {
          const nac_argument weight = at_.arguments(source)[0];
          value = at_.text_of(weight);
          if (weight.what == nac_argument::kind::parameter)
            add_weight(to, static_cast<std::uint32_t>(weight.value), value);
        }
      }
      to.rows.push_back({std::to_string(position), std::move(value)});
    }
    if (id[0] == 'v' && index < options_.shapes.size() && !options_.shapes[index].empty())
      to.rows.push_back({"result", options_.shapes[index]});
  }

  void add_weight(page::node& to, std::uint32_t parameter, const std::string& name) {
    const nac::tensor* const t = at_.tensor(parameter);
    if (t == nullptr || !options_.weights) return;
    const auto [known, is_new] =
        weight_of_.try_emplace(parameter, static_cast<std::uint32_t>(weights_.size()));
    if (is_new) weights_.push_back(summarise(*t, name));
    to.weights.push_back(known->second);
  }

  /// Runs of instructions of one module. Those without parameters belong to what is before them.
  [[nodiscard]] std::vector<block> modules(const page::graph& all) const {
    std::vector<block> out;
    std::string_view last;
    for (std::uint32_t n = 0; n < all.nodes.size(); ++n) {
      const bool is_end = all.drawn.nodes[n].form == shape::ellipse;
      std::string_view own = is_end ? std::string_view() : last;
      if (!all.nodes[n].weights.empty() && !is_end)
        own = module_of(weights_[all.nodes[n].weights[0]].name);
      if (!own.empty() && own == last)
        ++out.back().count;
      else if (!own.empty())
        out.push_back({std::string(own), n, 1});
      last = own;
    }
    std::erase_if(out, [](const block& b) { return b.count < 2; });
    if (out.size() < 2) out.clear();
    return out;
  }

  const lookup& at_;
  const nac_view_options& options_;
  std::vector<weight_summary> weights_;
  std::map<std::uint32_t, std::uint32_t> weight_of_;  // by parameter
};

// ---- NEM

/// The statements of tasks, by their index.
struct task_nodes : nem::visitor {
  std::map<std::uint32_t, std::uint32_t> of;
  void task(const nem::values&, const nem::task& t) { of.emplace(t.index, t.node); }
  [[nodiscard]] bool stopped() const noexcept { return of.size() > 100000; }
};

[[nodiscard]] std::vector<page::mark> marks_of(const report& found, std::string_view source) {
  std::vector<page::mark> out;
  for (const diagnostic& d : found.diagnostics) {
    if (d.where.file != 0 || d.where.offset > source.size() ||
        d.where.offset >= page::max_characters)
      continue;
    const auto offset = static_cast<std::size_t>(d.where.offset);
    const auto line = std::count(source.begin(), source.begin() + d.where.offset, '\n');
    const std::size_t before = source.substr(0, offset).rfind('\n');
    page::mark m;
    m.line = static_cast<std::uint32_t>(line);
    m.column = static_cast<std::uint32_t>(before == source.npos ? offset : offset - before - 1);
    m.length = d.where.length;
    m.level = d.severity;
    m.message = std::string(found.text_of(d.text)) + " [" + std::string(found.rule_of(d)) + ']';
    out.push_back(std::move(m));
  }
  return out;
}

// ---- ARK

/// `lines` has that of each operation of the first rank in the listing, which is the first rank's.
void show_ranks(page& to, std::span<const ark::model* const> ranks, std::string_view listing,
                const std::vector<std::uint32_t>& lines) {
  to.text_title = ranks.size() > 1 ? "Listing of the first rank" : "Listing";
  to.listing = cut(listing);
  page::graph all;
  all.name = "model";
  all.drawn = draw(ranks);
  all.nodes.resize(all.drawn.nodes.size());
  constexpr std::string_view first_rank = "r0_o";
  for (std::size_t n = 0; n < all.nodes.size(); ++n) {
    const std::string_view id = all.drawn.nodes[n].id;
    if (!id.starts_with("r0_op")) continue;
    const std::uint32_t op = number_of(id.substr(first_rank.size()));
    if (op < lines.size()) all.nodes[n].line = lines[op];
  }
  to.graphs = folded(std::move(all));
}

/// The lines of a plan's listing by operation of its model, which has the tasks by their Ids.
[[nodiscard]] std::vector<std::uint32_t> lines_of_tasks(const ark::plan& p) {
  std::vector<std::uint32_t> order(p.tasks.size()), out;
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&p](std::uint32_t a, std::uint32_t b) {
    return p.tasks[a].id < p.tasks[b].id;
  });
  for (const std::uint32_t t : order) out.insert(out.end(), p.tasks[t].ops.count, t + 1);
  return out;
}

// ---- listings

/// A line as "%3 = add %0, %1 << -1  : fixed<1,4,1>": a node, and an arrow from each %n that it names.
class listed {
 public:
  explicit listed(std::string_view listing) {
    all_.name = "program";
    all_.drawn.title = "program";
    for_each_line(listing, [this](std::uint32_t number, std::string_view line) {
      const std::size_t equals = line.find(" = ");
      if (equals == line.npos || (line[0] != '%' && !line.starts_with("output "))) return;
      add(number, line.substr(0, equals), line.substr(equals + 3));
    });
  }
  [[nodiscard]] page::graph take() { return std::move(all_); }

 private:
  void add(std::uint32_t number, std::string_view name, std::string_view rest) {
    const bool is_output = name[0] != '%';
    const std::size_t colon = rest.find(" : ");
    std::string_view what = rest.substr(0, colon);
    while (!what.empty() && what.back() == ' ') what.remove_suffix(1);
    picture::node n;
    n.id = std::string(name);
    n.lines = {{std::string(is_output ? name : what.substr(0, what.find(' '))), "#1a1a1a", true}};
    const bool is_input = what.starts_with("input ");
    if (is_input || is_output) n.form = shape::ellipse;
    if (!is_input) n.lines.push_back({std::string(what), "#606060"});
    page::node more;
    more.line = number;
    more.rows = {{"operation", std::string(what)}};
    if (colon != rest.npos) {
      more.rows.push_back({"type", std::string(rest.substr(colon + 3))});
      n.lines.push_back({std::string(rest.substr(colon + 3, rest.find('>', colon) - colon - 2))});
    }
    const auto at = static_cast<std::uint32_t>(all_.drawn.nodes.size());
    for (std::size_t i = what.find('%'); i != what.npos; i = what.find('%', i + 1)) {
      const std::size_t end = std::min(what.find_first_not_of("0123456789", i + 1), what.size());
      const auto from = places_.find(what.substr(i, end - i));
      if (from != places_.end()) all_.drawn.edges.push_back({from->second, at});
    }
    places_.emplace(n.id, at);
    all_.drawn.nodes.push_back(std::move(n));
    all_.nodes.push_back(std::move(more));
  }

  page::graph all_;
  std::map<std::string, std::uint32_t, std::less<>> places_;
};

}  // namespace

page page_of(const lookup& program, const nac_view_options& options) {
  return nac_view(program, options).run();
}

page page_of(const nem::program* program, std::string_view source, const report* found) {
  page out;
  out.text_title = "Source";
  out.listing = cut(source);
  if (found != nullptr) out.marks = marks_of(*found, source);
  if (program == nullptr) return out;
  page::graph all;
  all.name = "program";
  task_draw_options how;
  how.findings = found;
  all.drawn = draw(*program, how);
  all.nodes.resize(all.drawn.nodes.size());
  task_nodes nodes;
  nem::for_each_task(*program, nodes, 1);  // as it is drawn
  const task_statements statements(program->model(), source);
  for (std::size_t n = 0; n < all.nodes.size(); ++n) {
    const picture::node& drawn = all.drawn.nodes[n];
    if (drawn.id[0] != 't') continue;
    const auto node = nodes.of.find(number_of(drawn.id));
    const task_statement* const s =
        node == nodes.of.end() ? nullptr : statements.find(node->second);
    if (s != nullptr) all.nodes[n].line = s->line - 1;
    all.nodes[n].rows = {{"unit", drawn.tooltip}};
    for (std::size_t i = 1; i < drawn.lines.size(); ++i)
      all.nodes[n].rows.push_back(
          {i == 1 && drawn.lines.size() > 2 ? "token" : "operands", drawn.lines[i].text});
  }
  out.graphs.push_back(std::move(all));
  return out;
}

page page_of(std::span<const ark::model* const> ranks) {
  page out;
  if (ranks.empty()) return out;
  const text listing = ark::print(*ranks[0]);
  std::vector<std::uint32_t> lines(
      ranks[0]->ops.size());  // one for each operation, after the title
  std::iota(lines.begin(), lines.end(), 1u);
  show_ranks(out, ranks, listing, lines);
  return out;
}

page page_of(std::span<const ark::plan* const> ranks) {
  page out;
  if (ranks.empty()) return out;
  std::vector<ark::model> made;
  std::vector<const ark::model*> models;
  for (const ark::plan* const p : ranks) made.push_back(ark::plan_model(*p));
  for (const ark::model& g : made) models.push_back(&g);
  const text listing = ark::print(*ranks[0]);
  show_ranks(out, models, listing, lines_of_tasks(*ranks[0]));
  append_trace(out.trace, ranks);
  return out;
}

page page_of(const alir::model& m) {
  page out;
  const text listing = alir::print(m);
  out.text_title = "Listing";
  out.listing = cut(listing);
  out.graphs = folded(listed(listing).take(), {}, 200);
  return out;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
