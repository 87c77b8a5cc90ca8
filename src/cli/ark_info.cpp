// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera info` for ARK models.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tessera/core/json_write.hpp>

#include "ark.hpp"
#include "tessera/inspect/ark/cost.hpp"
#include "tessera/inspect/ark/describe.hpp"
#include "tessera/inspect/ark/flow.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// A number with three digits and a prefix: 1234567 is "1.23 M".
[[nodiscard]] std::string scaled(std::uint64_t v, std::string_view unit, double step) {
  constexpr const char* decimal[] = {"", "k", "M", "G", "T", "P", "E"};
  constexpr const char* binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  double x = static_cast<double>(v);
  std::size_t power = 0;
  // A number that rounds to 1000 of one unit is 1 of the next.
  for (; x >= step * 0.99995 && power < 6; ++power) x /= step;
  char digits[32];
  std::snprintf(digits, sizeof digits,
                power == 0  ? "%.0f"
                : x < 9.995 ? "%.2f"
                : x < 99.95 ? "%.1f"
                            : "%.0f",
                x);
  std::string out = digits;
  const std::string_view prefix = step > 1000 ? binary[power] : decimal[power];
  if (!prefix.empty() || !unit.empty()) out.append(" ").append(prefix).append(unit);
  return out;
}
[[nodiscard]] std::string flops_text(std::uint64_t v) { return scaled(v, "FLOP", 1000); }
[[nodiscard]] std::string bytes_text(std::uint64_t v) { return scaled(v, "B", 1024); }

/// Names of tensors: of the view or operation that makes one, or of the first that reads it.
class tensor_names {
 public:
  explicit tensor_names(const ark::model& g)
      : g_(g), maker_(g.tensors.size(), ark::none), reader_(g.tensors.size(), ark::none) {
    for (std::uint32_t op = 0; op < g.ops.size(); ++op) {
      for (const std::uint32_t t : results(g, g.ops[op]))
        if (maker_[t] == ark::none) maker_[t] = op;
      for (const std::uint32_t t : reads(g, g.ops[op]))
        if (reader_[t] == ark::none) reader_[t] = op;
    }
  }
  [[nodiscard]] std::string_view maker(std::uint32_t tensor) const {
    return maker_[tensor] == ark::none ? std::string_view() : name(g_, g_.ops[maker_[tensor]]);
  }
  [[nodiscard]] std::uint32_t reader(std::uint32_t tensor) const { return reader_[tensor]; }

 private:
  const ark::model& g_;
  std::vector<std::uint32_t> maker_, reader_;
};

struct facts {
  explicit facts(const ark::model& g) : f(g), costs(inspect::summarise(g, f)), names(g) {}
  inspect::flow f;
  inspect::summary costs;
  tensor_names names;
};

void write_ends(json::writer& w, const ark::model& g, const std::vector<std::uint32_t>& tensors,
                const tensor_names& names) {
  w.begin_array();
  for (const std::uint32_t t : tensors) {
    const ark::layout& l = layout_of(g, t);
    w.begin_object().key("tensor").integer(g.tensors[t].id).key("buffer");
    w.integer(buffer_of(g, t).id).key("name").string(names.maker(t));
    w.key("data_type").string(ark::info(g.tensors[t].type).name).key("shape").begin_array();
    for (std::uint32_t d = 0; d < l.rank; ++d) w.integer(l.shape[d]);
    w.end().end();
  }
  w.end();
}

void write_cost(json::writer& w, const inspect::cost& c) {
  w.key("flops").integer(c.flops).key("bytes_read").integer(c.read);
  w.key("bytes_written").integer(c.written);
}

[[nodiscard]] double intensity(const inspect::cost& c) {
  const double bytes = static_cast<double>(c.read) + static_cast<double>(c.written);
  return bytes == 0 ? 0 : static_cast<double>(c.flops) / bytes;
}

[[nodiscard]] text json_facts(const source& file, const reporting& to, const ark::model& g,
                              const facts& of) {
  text out;
  json::writer w(out);
  w.begin_object().key("file").string(json_name(to.path)).key("format").string("ark");
  w.key("form").string("model").key("dialect").string(ark::info(g.form).name);
  w.key("bytes").integer(file.data().size());
  w.key("rank").integer(g.rank).key("world_size").integer(g.world_size);
  w.key("nodes").integer(g.nodes.size()).key("operations").integer(g.ops.size());
  w.key("tensors").integer(g.tensors.size()).key("buffers").integer(of.f.storages().size());
  write_cost(w, of.costs.total);
  w.key("intensity").number(intensity(of.costs.total)).key("types").begin_array();
  for (const inspect::type_cost& t : of.costs.types) {
    w.begin_object().key("type").string(t.type).key("count").integer(t.count);
    write_cost(w, t.total);
    w.end();
  }
  const inspect::memory_use& m = of.costs.memory;
  w.end().key("memory").begin_object().key("buffers").integer(m.buffers);
  w.key("bytes").integer(m.bytes).key("peak").integer(m.peak).key("peak_at");
  if (m.peak_op == ark::none)
    w.null();
  else
    w.string(name(g, g.ops[m.peak_op]));
  w.key("padding").integer(m.padding).key("unused").integer(m.unused);
  w.key("remote_buffers").integer(m.remote).end();
  w.key("inputs");
  write_ends(w, g, of.f.inputs(), of.names);
  w.key("outputs");
  write_ends(w, g, of.f.outputs(), of.names);
  w.key("traffic").begin_array();
  for (const inspect::traffic& t : of.costs.transfers)
    w.begin_object()
        .key("from")
        .integer(t.from)
        .key("to")
        .integer(t.to)
        .key("transfers")
        .integer(t.transfers)
        .key("bytes")
        .integer(t.bytes)
        .end();
  w.end().end();
  out << '\n';
  return out;
}

void pad(text& out, std::string_view s, std::size_t width) {
  out << s;
  for (std::size_t i = s.size(); i < width; ++i) out << ' ';
}

void append_ends(text& out, std::string_view title, const ark::model& g,
                 const std::vector<std::uint32_t>& tensors, const facts& of, bool are_inputs) {
  constexpr std::size_t max = 40;
  out << "  " << title << tensors.size() << '\n';
  for (std::size_t i = 0; i < tensors.size() && i < max; ++i) {
    const std::uint32_t t = tensors[i];
    out << "    ";
    pad(out, 't' + std::to_string(g.tensors[t].id), 8);
    pad(out, 'b' + std::to_string(buffer_of(g, t).id), 8);
    pad(out, inspect::text_of_tensor(g, t), 26);
    if (!of.names.maker(t).empty())
      out << ' ' << shown_name(of.names.maker(t));
    else if (are_inputs && of.names.reader(t) != ark::none)
      out << " read by " << shown_name(name(g, g.ops[of.names.reader(t)]));
    out << '\n';
  }
  if (tensors.size() > max) out << "    and " << tensors.size() - max << " more\n";
}

[[nodiscard]] text shown_facts(const source& file, const ark::model& g, const facts& of) {
  const inspect::cost& total = of.costs.total;
  const inspect::memory_use& m = of.costs.memory;
  text out;
  out << file.name << ": ARK model " << ark::info(g.form).name << ", rank " << g.rank << " of "
      << g.world_size << ", " << file.data().size() << " bytes\n";
  out << "  nodes       " << g.nodes.size() << "\n  operations  " << g.ops.size();
  out << "\n  tensors     " << g.tensors.size() << " in " << of.f.storages().size() << " buffers";
  if (m.remote != 0) out << ", " << m.remote << " of other ranks";
  out << "\n  arithmetic  " << flops_text(total.flops) << "\n  bytes moved "
      << bytes_text(inspect::saturating_add(total.read, total.written)) << ": "
      << bytes_text(total.read) << " read, " << bytes_text(total.written) << " written\n";
  char ratio[32];
  std::snprintf(ratio, sizeof ratio, "%.3g", intensity(total));
  out << "  intensity   " << ratio << " FLOP/B\n";
  out << "  memory      " << bytes_text(m.bytes) << " in " << m.buffers << " buffers; peak "
      << bytes_text(m.peak);
  if (m.peak_op != ark::none && !name(g, g.ops[m.peak_op]).empty())
    out << ", at " << shown_name(name(g, g.ops[m.peak_op]));
  out << '\n';
  if (m.padding != 0 || m.unused != 0)
    out << "  waste       " << bytes_text(m.padding) << " of padding, " << bytes_text(m.unused)
        << " outside tensors\n";
  std::size_t width = 10;
  for (const inspect::type_cost& t : of.costs.types)
    width = std::max(width, std::min<std::size_t>(shown_name(t.type).size(), 24));
  if (!of.costs.types.empty()) {
    out << "  ";
    pad(out, "by Type", width + 2);
    out << "  count    arithmetic       read    written\n";
  }
  for (const inspect::type_cost& t : of.costs.types) {
    char line[160];
    std::snprintf(line, sizeof line, " %6llu %13s %10s %10s\n",
                  static_cast<unsigned long long>(t.count), flops_text(t.total.flops).c_str(),
                  bytes_text(t.total.read).c_str(), bytes_text(t.total.written).c_str());
    out << "    ";
    pad(out, shown_name(t.type), width);
    out << line;
  }
  append_ends(out, "inputs      ", g, of.f.inputs(), of, true);
  append_ends(out, "outputs     ", g, of.f.outputs(), of, false);
  for (const inspect::traffic& t : of.costs.transfers)
    out << "  sends       rank " << t.from << " to rank " << t.to << ": " << bytes_text(t.bytes)
        << " in " << plural(t.transfers, "transfer") << '\n';
  return out;
}

}  // namespace

exit_code info_model(const source& file, const reporting& to) {
  const verify_outcome v = verify_ark(file, to, {.hazards = false});
  if (!v.program) return v.code;
  const ark::model& g = v.program->model();
  const facts of(g);
  const text out = to.as_json ? json_facts(file, to, g, of) : shown_facts(file, g, of);
  return print_result(out);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
