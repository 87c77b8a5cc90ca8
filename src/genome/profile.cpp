// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "profile.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "columns.hpp"
#include "tessera/core/json_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

using row = operation_profile::row;
using counts = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

/// Adds up what graphs call, one graph after the other.
class tally {
 public:
  explicit tally(std::size_t operations) : rows_(operations), here_(operations) {}

  void add(std::uint32_t operation, std::uint64_t count) {
    if (here_[operation] == 0) touched_.push_back(operation);
    here_[operation] += count;
  }
  /// What the graph has, which ends here.
  [[nodiscard]] counts end_of_graph() {
    counts out;
    for (const std::uint32_t o : touched_) {
      const std::uint64_t n = std::exchange(here_[o], 0);
      rows_[o].operation = o;
      rows_[o].count += n;
      rows_[o].models += 1;
      rows_[o].most = std::max(rows_[o].most, n);
      out.push_back({o, n});
    }
    touched_.clear();
    return out;
  }
  [[nodiscard]] const std::vector<row>& rows() const noexcept { return rows_; }

 private:
  std::vector<row> rows_;
  std::vector<std::uint64_t> here_;
  std::vector<std::uint32_t> touched_;
};

[[nodiscard]] constexpr bool is_command(std::uint32_t operation) noexcept {
  return operation < genome::first_id;
}

[[nodiscard]] double share(std::uint64_t count, std::uint64_t all) noexcept {
  return all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all);
}
[[nodiscard]] std::string percent(std::uint64_t count, std::uint64_t all) {
  return fixed(100 * share(count, all), 1) + '%';
}

/// Columns of numbers, as wide as the widest.
class table {
 public:
  explicit table(std::vector<std::string> heads) : heads_(std::move(heads)) {
    for (const std::string& h : heads_) widths_.push_back(std::max<std::size_t>(h.size(), 7));
  }
  void add(std::vector<std::string> cells, std::string_view name) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths_[i] = std::max(widths_[i], cells[i].size());
    cells.push_back(printable(name));
    rows_.push_back(std::move(cells));
  }
  void put(text& out, std::string_view name) const {
    for (std::size_t i = 0; i < heads_.size(); ++i) cell(out, heads_[i], i);
    out << "  " << name << '\n';
    for (const std::vector<std::string>& r : rows_) {
      for (std::size_t i = 0; i < heads_.size(); ++i) cell(out, r[i], i);
      out << "  " << r.back() << '\n';
    }
  }

 private:
  void cell(text& out, std::string_view s, std::size_t i) const {
    if (i != 0) out << ' ';
    put_right(out, s, widths_[i]);
  }
  std::vector<std::string> heads_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

template <class Name>
void put_rows(text& out, const std::vector<row>& rows, std::uint64_t calls, std::string_view what,
              const Name& name) {
  table t({"count", "share", "sum", "models", "most"});
  std::uint64_t sum = 0;
  for (const row& r : rows) {
    sum += r.count;
    t.add({std::to_string(r.count), percent(r.count, calls), percent(sum, calls),
           std::to_string(r.models), std::to_string(r.most)},
          name(r.operation));
  }
  t.put(out, what);
}

void put_size(text& out, std::uint64_t graphs, std::uint64_t nodes, std::uint64_t calls) {
  out << graphs << (graphs == 1 ? " graph, " : " graphs, ") << nodes
      << (nodes == 1 ? " node, " : " nodes, ") << calls << (calls == 1 ? " call" : " calls");
}

template <class Name>
void put_json(json::writer& w, const std::vector<row>& rows, const std::uint64_t* calls,
              const Name& name) {
  w.begin_array();
  for (const row& r : rows) {
    w.begin_object(true).key("name").string(printable(name(r.operation)));
    w.key("count").integer(r.count);
    if (calls != nullptr) w.key("share").number(rounded(share(r.count, *calls)));
    w.key("models").integer(r.models).key("most").integer(r.most).end();
  }
  w.end();
}

[[nodiscard]] std::uint64_t calls_of(const counts& of) noexcept {
  std::uint64_t n = 0;
  for (const auto& [operation, count] : of) n += is_command(operation) ? 0 : count;
  return n;
}

}  // namespace

operation_profile profile(const corpus& of) {
  const name_table& names = of.names().operations();
  operation_profile p;
  tally sums(names.size());
  for (std::size_t g = 0; g < of.size(); ++g) {
    for (const std::uint32_t kind : of[g].kinds) sums.add(of.names()[kind].operation, 1);
    p.by_model.push_back(sums.end_of_graph());
    std::sort(p.by_model.back().begin(), p.by_model.back().end(),
              [&](const auto& a, const auto& b) {
                return a.second != b.second ? a.second > b.second : names[a.first] < names[b.first];
              });
  }
  for (const row& r : sums.rows()) {
    if (r.count == 0) continue;
    (is_command(r.operation) ? p.commands : p.rows).push_back(r);
    p.calls += is_command(r.operation) ? 0 : r.count;
  }
  for (std::vector<row>* rows : {&p.rows, &p.commands})
    std::sort(rows->begin(), rows->end(), [&](const row& a, const row& b) {
      return a.count != b.count ? a.count > b.count : names[a.operation] < names[b.operation];
    });
  return p;
}

operation_profile demand(const corpus& of, const operation_profile& p) {
  const vocabulary& names = of.names();
  // The first operation of each target.
  std::vector<std::uint32_t> order, first(names.operations().size());
  for (std::uint32_t o = genome::first_id; o < first.size(); ++o) order.push_back(o);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return names.target(a) < names.target(b);
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    first[order[i]] = i != 0 && names.target(order[i]) == names.target(order[i - 1])
                          ? first[order[i - 1]]
                          : order[i];
  operation_profile out;
  tally sums(first.size());
  for (const counts& model : p.by_model) {
    for (const auto& [operation, count] : model)
      if (!is_command(operation)) sums.add(first[operation], count);
    (void)sums.end_of_graph();
  }
  for (const row& r : sums.rows())
    if (r.count != 0) out.rows.push_back(r);
  std::sort(out.rows.begin(), out.rows.end(), [&](const row& a, const row& b) {
    return a.count != b.count ? a.count > b.count
                              : names.target(a.operation) < names.target(b.operation);
  });
  out.calls = p.calls;
  return out;
}

text profile_table(const corpus& of, const operation_profile& p, bool by_model) {
  const name_table& names = of.names().operations();
  text out;
  if (by_model) {
    for (std::size_t g = 0; g < p.by_model.size(); ++g) {
      const counts& model = p.by_model[g];
      const std::uint64_t calls = calls_of(model);
      if (g != 0) out << '\n';
      out << printable(of.name(g)) << ": ";
      put_size(out, 1, of[g].size(), calls);
      out << "\n\n";
      table operations({"count", "share", "sum"}), commands({"count"});
      std::uint64_t sum = 0;
      bool any = false;
      for (const auto& [operation, count] : model) {
        if (is_command(operation)) {
          commands.add({std::to_string(count)}, names[operation]);
          any = true;
          continue;
        }
        sum += count;
        operations.add({std::to_string(count), percent(count, calls), percent(sum, calls)},
                       names[operation]);
      }
      operations.put(out, "operation");
      if (!any) continue;
      out << '\n';
      commands.put(out, "command");
    }
    return out;
  }
  put_size(out, of.size(), of.nodes(), p.calls);
  out << "\n\n";
  const auto name = [&](std::uint32_t o) { return names[o]; };
  put_rows(out, p.rows, p.calls, "operation", name);
  if (p.commands.empty()) return out;
  out << '\n';
  table t({"count", "models", "most"});
  for (const row& r : p.commands)
    t.add({std::to_string(r.count), std::to_string(r.models), std::to_string(r.most)},
          names[r.operation]);
  t.put(out, "command");
  return out;
}

text demand_table(const corpus& of, const operation_profile& p) {
  const operation_profile d = demand(of, p);
  text out;
  put_size(out, of.size(), of.nodes(), p.calls);
  out << "\n\n";
  put_rows(out, d.rows, d.calls, "target", [&](std::uint32_t o) { return of.names().target(o); });
  return out;
}

text profile_json(const corpus& of, const operation_profile& p) {
  const name_table& names = of.names().operations();
  const auto name = [&](std::uint32_t o) { return names[o]; };
  const operation_profile d = demand(of, p);
  text out;
  json::writer w(out, json::indented);
  w.begin_object().key("graphs").integer(of.size());
  w.key("nodes").integer(of.nodes()).key("calls").integer(p.calls);
  w.key("operations");
  put_json(w, p.rows, &p.calls, name);
  w.key("commands");
  put_json(w, p.commands, nullptr, name);
  w.key("demand");
  put_json(w, d.rows, &p.calls, [&](std::uint32_t o) { return of.names().target(o); });
  w.key("models").begin_array();
  for (std::size_t g = 0; g < p.by_model.size(); ++g) {
    w.begin_object().key("name").string(printable(of.name(g)));
    w.key("nodes").integer(of[g].size()).key("calls").integer(calls_of(p.by_model[g]));
    for (const bool commands : {false, true}) {
      w.key(commands ? "commands" : "operations").begin_array();
      for (const auto& [operation, count] : p.by_model[g])
        if (is_command(operation) == commands)
          w.begin_object(true)
              .key("name")
              .string(printable(name(operation)))
              .key("count")
              .integer(count)
              .end();
      w.end();
    }
    w.end();
  }
  w.end().end();
  out << '\n';
  return out;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
