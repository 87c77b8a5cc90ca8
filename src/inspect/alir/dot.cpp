// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/dot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "operands.hpp"
#include "tessera/inspect/alir/statistics.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using alir::opcode;

struct colours {
  std::string_view fill, border;
};
[[nodiscard]] colours colours_of(opcode code) noexcept {
  switch (code) {
    case opcode::add:
    case opcode::subtract:
    case opcode::add_constant:
    case opcode::sum:
    case opcode::negate: return {"#c9ddf2", "#2f6ba8"};
    case opcode::multiply: return {"#e9dcf3", "#7a4fa3"};
    case opcode::relu:
    case opcode::quantize: return {"#d5ecd0", "#4b8b3b"};
    case opcode::mux:
    case opcode::bit_unary:
    case opcode::bit_binary: return {"#fdf1cb", "#b08a1e"};
    case opcode::lookup: return {"#f6d8cf", "#b0502e"};
    case opcode::input:
    case opcode::constant: break;
  }
  return {"#f4f4f4", "#8a8a8a"};
}

[[nodiscard]] std::string type_of(const alir::fixed_type& t) {
  return "fixed<" + std::to_string(int{t.k}) + ',' + std::to_string(t.i) + ',' +
         std::to_string(t.f) + '>';
}

class alir_drawing {
 public:
  alir_drawing(const alir::program& p, const alir_draw_options& options)
      : p_(p), m_(p.model()), options_(options) {
    out_.title = "alir";
    find_stages();
  }

  [[nodiscard]] picture whole() && {
    const alir_statistics facts(p_);
    std::vector<bool> is_critical(p_.size());
    for (const std::uint32_t i : facts.critical_path) is_critical[i] = true;
    const std::size_t count = std::min<std::size_t>(p_.size(), options_.max_operations);
    for (std::size_t i = 0; i < count; ++i) add_operation(i, is_critical[i]);
    for (std::size_t i = 0; i < count; ++i) add_operands(i);
    add_outputs([count](std::size_t x) {
      return x < count ? static_cast<std::uint32_t>(x) : picture::none;
    });
    if (count < p_.size()) add_rest(p_.size() - count, "operation");
    return std::move(out_);
  }

  [[nodiscard]] picture folded() && {
    find_owners();
    std::map<std::tuple<std::int64_t, bool, std::int64_t>, group> groups;
    for (std::size_t i = 0; i < p_.size(); ++i) {
      const bool is_input = p_.op(i).code == opcode::input;
      group& g = groups[{stages_[i], !is_input, is_input ? 0 : owners_[i]}];
      g.operations.push_back(i);
    }
    std::vector<std::uint32_t> node_of(p_.size(), picture::none);
    std::size_t dropped = 0;
    for (auto& [key, g] : groups) {
      if (out_.nodes.size() >= options_.max_operations) {
        dropped += g.operations.size();
        continue;
      }
      for (const std::size_t i : g.operations)
        node_of[i] = static_cast<std::uint32_t>(out_.nodes.size());
      add_group(std::get<0>(key), std::get<1>(key) ? std::get<2>(key) : inputs, g);
    }
    add_arrows_of_groups(node_of);
    add_outputs([&node_of](std::size_t x) { return node_of[x]; });
    if (dropped != 0) add_rest(dropped, "operation");
    return std::move(out_);
  }

 private:
  /// The one output that needs an operation; or:
  static constexpr std::int64_t several = -1, nobody = -2, inputs = -3;

  struct group {
    std::vector<std::size_t> operations;
  };

  void find_stages() {
    const bool has_latency = std::any_of(m_.ops.begin(), m_.ops.end(),
                                         [](const alir::operation& o) { return o.latency != 0; });
    by_latency_ = has_latency;
    if (has_latency)
      for (const alir::operation& o : m_.ops)
        stages_.push_back(
            static_cast<std::int64_t>(std::floor(std::clamp(o.latency, -1e15, 1e15))));
    else
      for (const std::uint32_t d : alir_depths(p_)) stages_.push_back(d);
  }

  [[nodiscard]] std::uint32_t frame_of(std::int64_t stage) {
    const auto [at, is_new] =
        frames_.emplace(stage, static_cast<std::uint32_t>(out_.frames.size()));
    if (is_new) {
      picture::frame f;
      f.id = "stage" + std::to_string(out_.frames.size());
      f.label = by_latency_
                    ? "latency " + std::to_string(stage) + " to " + std::to_string(stage + 1)
                    : "depth " + std::to_string(stage);
      out_.frames.push_back(std::move(f));
    }
    return at->second;
  }

  void add_operation(std::size_t i, bool is_critical) {
    const alir::operation& o = p_.op(i);
    picture::node n;
    n.id = "o" + std::to_string(i);
    n.lines.push_back({'%' + std::to_string(i) + ' ' + std::string(name_of(o)) +
                           (o.code == opcode::input ? ' ' + std::to_string(o.id0) : ""),
                       "#1a1a1a", true});
    n.lines.push_back({type_of(p_.type(i)), "#606060"});
    const colours c = colours_of(o.code);
    n.fill = c.fill, n.border = c.border;
    if (o.code == opcode::input) n.form = shape::ellipse;
    n.is_thick = is_critical;
    n.frame = frame_of(stages_[i]);
    out_.nodes.push_back(std::move(n));
  }

  void add_operands(std::size_t i) {
    const alir::operation& o = p_.op(i);
    std::size_t k = 0;
    each_operand(p_, i, [&](std::size_t x) {
      picture::edge e;
      e.from = static_cast<std::uint32_t>(x);
      e.to = static_cast<std::uint32_t>(i);
      if (o.code == opcode::mux && k == 2) e.style = stroke::dashed;
      ++k;
      out_.edges.push_back(std::move(e));
    });
  }

  template <class NodeOf>
  void add_outputs(NodeOf node_of) {
    std::size_t dropped = 0;
    for (std::size_t j = 0; j < m_.out_idxs.size(); ++j) {
      if (j >= options_.max_operations) {
        ++dropped;
        continue;
      }
      picture::node n;
      n.id = "out" + std::to_string(j);
      n.lines.push_back({"output " + std::to_string(j), "#1a1a1a", true});
      if (m_.out_idxs[j] < 0) n.lines.push_back({"0", "#606060"});
      n.form = shape::ellipse;
      n.fill = "#ffffff";
      const auto to = static_cast<std::uint32_t>(out_.nodes.size());
      out_.nodes.push_back(std::move(n));
      if (m_.out_idxs[j] < 0) continue;
      const std::uint32_t from = node_of(static_cast<std::size_t>(m_.out_idxs[j]));
      if (from == picture::none) continue;
      picture::edge e;
      e.from = from, e.to = to, e.is_thin = true;
      out_.edges.push_back(std::move(e));
    }
    if (dropped != 0) add_rest(dropped, "output");
  }
  void add_rest(std::size_t count, std::string_view what) {
    picture::node n;
    n.id = "rest" + std::to_string(out_.nodes.size());
    n.lines.push_back(
        {"and " + std::to_string(count) + " more " + std::string(what) + (count == 1 ? "" : "s")});
    n.form = shape::words;
    out_.nodes.push_back(std::move(n));
  }

  /// Backwards, so that all readers of an operation come before it.
  void find_owners() {
    owners_.assign(p_.size(), nobody);
    const auto need = [this](std::size_t x, std::int64_t owner) {
      if (owner != nobody && owners_[x] != owner)
        owners_[x] = owners_[x] == nobody ? owner : several;
    };
    for (std::size_t j = 0; j < m_.out_idxs.size(); ++j)
      if (m_.out_idxs[j] >= 0)
        need(static_cast<std::size_t>(m_.out_idxs[j]), static_cast<std::int64_t>(j));
    for (std::size_t i = p_.size(); i-- > 0;)
      each_operand(p_, i, [&](std::size_t x) { need(x, owners_[i]); });
  }

  void add_group(std::int64_t stage, std::int64_t owner, const group& g) {
    picture::node n;
    n.id = "g" + std::to_string(out_.nodes.size());
    n.frame = frame_of(stage);
    const std::size_t count = g.operations.size();
    if (owner == inputs) {
      n.lines.push_back(
          {std::to_string(count) + (count == 1 ? " input" : " inputs"), "#1a1a1a", true});
      n.form = shape::ellipse;
      out_.nodes.push_back(std::move(n));
      return;
    }
    n.lines.push_back({owner == several  ? "several outputs"
                       : owner == nobody ? "no output"
                                         : "output " + std::to_string(owner),
                       "#1a1a1a", true});
    std::map<opcode, std::size_t> by_code;
    int least = std::numeric_limits<int>::max(), most = 0;
    double cost = 0;
    for (const std::size_t i : g.operations) {
      ++by_code[p_.op(i).code];
      least = std::min(least, p_.type(i).width());
      most = std::max(most, p_.type(i).width());
      cost += p_.op(i).cost;
    }
    std::string codes;
    opcode largest = p_.op(g.operations[0]).code;
    for (const auto& [code, k] : by_code) {
      codes.append(codes.empty() ? "" : ", ")
          .append(std::to_string(k) + ' ' + std::string(alir::info(code).mnemonic));
      if (k > by_code[largest]) largest = code;
    }
    n.lines.push_back({std::move(codes)});
    n.lines.push_back({(least == most ? std::to_string(most)
                                      : std::to_string(least) + " to " + std::to_string(most)) +
                           (most == 1 ? " bit" : " bits") +
                           (cost != 0 ? ", cost " + rounded(cost) : std::string()),
                       "#606060"});
    const colours c = colours_of(largest);
    n.fill = c.fill, n.border = c.border;
    out_.nodes.push_back(std::move(n));
  }
  /// To a tenth.
  [[nodiscard]] static std::string rounded(double cost) {
    const double tenths = std::round(std::clamp(cost, -1e15, 1e15) * 10);
    const auto whole = static_cast<std::int64_t>(tenths);
    std::string out = std::to_string(whole / 10);
    if (whole % 10 != 0) out += '.' + std::to_string(std::abs(whole % 10));
    return out;
  }

  void add_arrows_of_groups(const std::vector<std::uint32_t>& node_of) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> arrows;
    for (std::size_t i = 0; i < p_.size(); ++i)
      each_operand(p_, i, [&](std::size_t x) {
        const std::uint32_t from = node_of[x], to = node_of[i];
        if (from != picture::none && to != picture::none && from != to) ++arrows[{from, to}];
      });
    for (const auto& [ends, count] : arrows) {
      picture::edge e;
      e.from = ends.first, e.to = ends.second;
      e.label = std::to_string(count);
      out_.edges.push_back(std::move(e));
    }
  }

  const alir::program& p_;
  const alir::model& m_;
  alir_draw_options options_;
  picture out_;
  bool by_latency_ = false;
  std::vector<std::int64_t> stages_, owners_;
  std::map<std::int64_t, std::uint32_t> frames_;
};

}  // namespace

picture draw(const alir::program& p, const alir_draw_options& options) {
  alir_drawing d(p, options);
  return options.fold ? std::move(d).folded() : std::move(d).whole();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
