// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera info` for NAC containers. Elements of tensors are read only to measure quantization.

#include <algorithm>
#include <cstdio>
#include <map>
#include <tessera/core/json_write.hpp>
#include <vector>

#include "nac.hpp"
#include "nac_values.hpp"
#include "tessera/inspect/nac/statistics.hpp"
#include "vm/tokenizer/tokenizer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

using inspect::lookup;

/// Counts and measurements of a container.
struct facts : inspect::container_statistics {
  explicit facts(const lookup& l) : container_statistics(l), at(l), file(l.model()) {}
  /// Reads all elements.
  void measure(nac::quantization method, const source& from) {
    progress shown(payload);
    const page_evictor evictor({&from});
    losses = inspect::measure_losses(
        file, method,
        [](void* bar, std::uint64_t bytes) { static_cast<progress*>(bar)->advance(bytes); },
        &shown);
  }

  const lookup& at;
  const nac::model& file;
  std::optional<vm::nac::statistics> memory;  // of a run
  inspect::quantization_losses losses;
};

/// Counts, the largest first.
[[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> by_count(
    const inspect::container_statistics::counts& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (const auto& [name, count] : counts) out.emplace_back(name, count);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

/// A name in a line: as it is, or quoted if it has unusual characters.
[[nodiscard]] std::string shown(std::string_view s) {
  text quoted;
  nac::print_string(quoted, s);
  const std::string_view inner = quoted.view().substr(1, quoted.size() - 2);
  return inner == s && !s.empty() && s.find(' ') == s.npos ? std::string(s)
                                                           : std::string(quoted.view());
}

[[nodiscard]] std::string short_number(double v) {
  char out[32];
  std::snprintf(out, sizeof out, "%.4g", v);
  return out;
}

class as_text_report {
 public:
  as_text_report(const facts& f, const source& from, const nac_info_options& options)
      : f_(f), file_(f.file), from_(from), options_(options) {}

  [[nodiscard]] text write() {
    out_ << from_.name << ": NAC container, version " << name(file_.header()) << ", header of "
         << nac::header_sizes[static_cast<std::size_t>(file_.header())] << " bytes, "
         << from_.data().size() << " bytes in total\n";
    label("flags") << "weights " << (file_.has_internal_weights() ? "internal" : "external")
                   << ", quantization " << name(file_.quantization())
                   << (file_.has_training_flag() ? ", training" : "") << '\n';
    label("d_model") << file_.d_model() << '\n';
    ends();
    sections();
    counts("instructions", f_.at.instructions().size(), f_.operations);
    if (!f_.at.training().empty()) counts("training", f_.at.training().size(), f_.training);
    label("operations") << plural(file_.operations().size(), "name") << " in CMAP\n";
    label("signatures") << file_.signatures().size() << '\n';
    label("constants") << file_.constants().size() << '\n';
    schedule();
    memory();
    plan();
    label("tokenizer");
    if (file_.manifest().empty())
      out_ << "none\n";
    else
      out_ << plural(f_.tokenizer_instructions, "instruction") << ", "
           << plural(file_.manifest().size(), "byte") << lacks() << '\n';
    weights();
    resources();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t few = 20;

  /// Why this build can't run the tokenizer, if it can't.
  [[nodiscard]] std::string lacks() const {
    const std::string missing = vm::nac::missing_library(file_.manifest());
    return missing.empty() ? "" : "; cannot be run here: " + missing;
  }
  text& label(std::string_view name) {
    constexpr std::size_t width = 17;
    out_ << "  " << name;
    for (std::size_t i = name.size(); i < width; ++i) out_ << ' ';
    return out_;
  }
  [[nodiscard]] std::size_t shown_of(std::size_t count) const {
    return options_.all ? count : std::min(count, few);
  }
  void rest(std::size_t count) {
    if (shown_of(count) < count)
      out_ << "    ... and " << count - shown_of(count) << " more; --all shows them\n";
  }

  void ends() {
    label("inputs") << file_.inputs() << " named";
    std::string_view between = ": ";
    std::size_t listed = 0;
    for (const nac::instruction& i : f_.at.instructions()) {
      if (i.a != nac::op_input || i.b != 0) continue;
      if (++listed > few && !options_.all) {
        out_ << ", ...";
        break;
      }
      out_ << between;
      if (f_.at.has_input(i.index))
        out_ << shown(f_.at.input(i.index));
      else
        out_ << "lifted#" << f_.at.lifted(i.index);
      out_ << " (v" << i.index << ')';
      between = ", ";
    }
    out_ << '\n';
    label("outputs") << file_.outputs();
    between = ": ";
    for (const nac::instruction& i : f_.at.instructions()) {
      if (i.a != nac::op_output || i.b != 0) continue;
      for (const inspect::nac_argument& a : f_.at.arguments(i)) {
        out_ << between << f_.at.text_of(a);
        between = ", ";
      }
    }
    out_ << '\n';
  }
  void sections() {
    out_ << "  sections\n";
    std::vector<std::vector<std::string>> rows = {{"tag", "offset", "bytes", "slack"}};
    std::vector<nac::section> all;
    for (std::size_t s = 0; s < nac::section_count; ++s)
      if (file_.has(static_cast<nac::section>(s))) all.push_back(static_cast<nac::section>(s));
    std::stable_sort(all.begin(), all.end(), [this](nac::section a, nac::section b) {
      return file_.offset(a) < file_.offset(b);
    });
    for (const nac::section s : all) {
      std::string_view tag = nac::tag(s);
      if (tag.ends_with(' ')) tag.remove_suffix(1);
      rows.push_back({std::string(tag), std::to_string(file_.offset(s)),
                      std::to_string(file_.section(s).size()), std::to_string(file_.slack(s))});
    }
    append_table(out_, rows, 0b1110);
  }
  void counts(std::string_view name, std::size_t total,
              const inspect::container_statistics::counts& of) {
    label(name) << total;
    std::string_view between = ": ";
    for (const auto& [operation, n] : by_count(of)) {
      out_ << between << n << ' ' << shown_text(operation);
      between = ", ";
    }
    out_ << '\n';
  }
  void schedule() {
    std::uint64_t all = 0;
    for (const auto& [what, n] : f_.commands) all += n;
    label("memory schedule");
    if (file_.schedule().empty()) {
      out_ << "none\n";
      return;
    }
    out_ << plural(file_.schedule().size(), "tick") << ", " << plural(all, "command");
    std::string_view between = ": ";
    for (const auto& [what, n] : by_count(f_.commands)) {
      out_ << between << n << ' ' << what;
      between = ", ";
    }
    out_ << '\n';
  }
  void memory() {
    label("memory");
    if (!f_.memory) {
      out_ << "not measured; give the inputs' shapes with --shape NAME=1x3\n";
      return;
    }
    out_ << "peak " << plural(f_.memory->peak, "byte") << ", " << f_.memory->peak_unfreed
         << " without the memory schedule; parameters " << f_.memory->parameters << '\n';
  }
  void plan() {
    label("execution plan");
    if (file_.execution_plan().empty())
      out_ << "none\n";
    else
      out_ << plural(f_.plan_instructions, "instruction") << ", "
           << plural(file_.execution_plan().size(), "byte") << ", "
           << plural(file_.plan_constants().size(), "constant") << '\n';
  }
  static void add_loss(std::vector<std::string>& row, const nac::quantization_error& e) {
    row.insert(row.end(), {short_number(e.largest), short_number(e.rms()),
                           e.noise == 0 ? "inf" : short_number(e.snr_db())});
  }
  void weights() {
    const std::size_t count = file_.parameters().size();
    label("parameters") << count;
    if (f_.tensors != 0) {
      out_ << ", " << plural(f_.elements, "element") << ", " << plural(f_.payload, "byte");
      std::string_view between = ": ";
      for (const auto& [type, size] : by_count(f_.types)) {
        out_ << between << type << ' ' << size;
        between = ", ";
      }
    }
    out_ << '\n';
    std::vector<std::vector<std::string>> rows = {{"id", "name", "type", "shape", "bytes", ""}};
    const bool with_losses = !options_.error_of.empty();
    if (with_losses) rows[0].insert(rows[0].end(), {"largest error", "RMS error", "SNR dB"});
    std::size_t left = shown_of(count);
    for (const nac::named& n : file_.parameters()) {
      if (left-- == 0) break;
      std::vector<std::string> row = {std::to_string(n.id), shown(n.text)};
      if (const nac::tensor* const t = f_.at.tensor(n.id)) {
        row.insert(row.end(), {std::string(name(t->type)), inspect::text_of_shape(t->value_shape()),
                               std::to_string(t->data.size())});
        if (t->quantization != nac::quantization::none)
          row.push_back(std::string(name(t->quantization)));
        else if (with_losses)
          row.emplace_back();
        if (const inspect::quantization_loss* const l = f_.losses.find(n.id)) {
          if (l->why.empty())
            add_loss(row, l->error);
          else
            row.push_back(std::string(l->why));
        }
      }
      rows.push_back(std::move(row));
    }
    if (count != 0) append_table(out_, rows, 0b111010001);
    rest(count);
    if (!with_losses) return;
    std::vector<std::string> all;
    add_loss(all, f_.losses.total);
    label("error of") << options_.error_of << ": largest " << all[0] << ", RMS " << all[1]
                      << ", SNR " << all[2] << " dB\n";
  }
  void resources() {
    label("resources") << file_.resources().size() << '\n';
    std::size_t left = shown_of(file_.resources().size());
    std::vector<std::vector<std::string>> rows;
    for (const nac::resource& r : file_.resources()) {
      if (left-- == 0) break;
      rows.push_back({shown(r.name), std::to_string(r.data.size()), "bytes"});
    }
    append_table(out_, rows, 0b10);
    rest(file_.resources().size());
    if (file_.arrays().empty()) return;
    label("arrays") << file_.arrays().size() << '\n';
    rows.clear();
    left = shown_of(file_.arrays().size());
    for (const nac::array& a : file_.arrays()) {
      if (left-- == 0) break;
      rows.push_back({shown(a.name), std::string(name(a.type)), inspect::text_of_shape(a.shape),
                      std::to_string(a.data.size()), "bytes"});
    }
    append_table(out_, rows, 0b1000);
    rest(file_.arrays().size());
  }

  const facts& f_;
  const nac::model& file_;
  const source& from_;
  const nac_info_options& options_;
  text out_;
};

/// Writes bytes that may not be UTF-8.
void string(json::writer& w, std::string_view s) { w.string(json_name(s)); }

void counts(json::writer& w, const inspect::container_statistics::counts& of) {
  w.begin_object();
  for (const auto& [what, n] : by_count(of)) w.key(json_name(what)).integer(n);
  w.end();
}

void shape(json::writer& w, nac::packed<std::uint32_t> of) {
  w.begin_array();
  for (std::uint32_t i = 0; i < of.size(); ++i) w.integer(of[i]);
  w.end();
}

void write_ends(json::writer& w, const lookup& at) {
  w.key("inputs").begin_array();
  for (const nac::instruction& i : at.instructions()) {
    if (i.a != nac::op_input || i.b != 0) continue;
    w.begin_object().key("instruction").integer(i.index).key("name");
    if (at.has_input(i.index))
      string(w, at.input(i.index));
    else
      w.null().key("lifted").integer(at.lifted(i.index));
    w.end();
  }
  w.end().key("outputs").begin_array();
  for (const nac::instruction& i : at.instructions()) {
    if (i.a != nac::op_output || i.b != 0) continue;
    for (const inspect::nac_argument& a : at.arguments(i)) {
      if (a.what == inspect::nac_argument::kind::result)
        w.integer(a.value);
      else
        w.null();
    }
  }
  w.end();
}

void write_loss(json::writer& w, const nac::quantization_error& e) {
  const auto number = [&w](double v) {
    if (v - v == 0)
      w.number(v);
    else
      w.null();  // JSON has neither infinities nor NaN
  };
  w.begin_object().key("values").integer(e.values).key("largest");
  number(e.largest);
  w.key("rms");
  number(e.rms());
  w.key("snr_db");
  number(e.snr_db());
  w.end();
}

void write_items(json::writer& w, const facts& f) {
  const lookup& at = f.at;
  const nac::model& file = f.file;
  w.key("parameters").begin_array();
  for (const nac::named& n : file.parameters()) {
    w.begin_object().key("id").integer(n.id).key("name");
    string(w, n.text);
    if (const nac::tensor* const t = at.tensor(n.id)) {
      w.key("type").string(name(t->type)).key("shape");
      shape(w, t->value_shape());
      w.key("quantization").string(name(t->quantization));
      w.key("bytes").integer(t->data.size()).key("offset").integer(t->data_offset);
    }
    if (const inspect::quantization_loss* const l = f.losses.find(n.id)) {
      w.key("quantization_error");
      if (l->why.empty())
        write_loss(w, l->error);
      else
        w.null();
    }
    w.end();
  }
  w.end().key("resources").begin_array();
  for (const nac::resource& r : file.resources()) {
    w.begin_object().key("name");
    string(w, r.name);
    w.key("bytes").integer(r.data.size()).key("offset").integer(r.data_offset).end();
  }
  w.end().key("arrays").begin_array();
  for (const nac::array& a : file.arrays()) {
    w.begin_object().key("name");
    string(w, a.name);
    w.key("type").string(name(a.type)).key("shape");
    shape(w, a.shape);
    w.key("bytes").integer(a.data.size()).key("offset").integer(a.data_offset).end();
  }
  w.end();
}

[[nodiscard]] text as_json_report(const facts& f, const source& from, const reporting& to,
                                  const nac_info_options& options) {
  const nac::model& file = f.file;
  text out;
  json::writer w(out);
  w.begin_object().key("file").string(json_name(to.path)).key("format").string("nac");
  w.key("version").string(nac::name(file.header()));
  w.key("header_bytes").integer(nac::header_sizes[static_cast<std::size_t>(file.header())]);
  w.key("bytes").integer(from.data().size());
  w.key("weights_inside").boolean(file.has_internal_weights());
  w.key("quantization").string(name(file.quantization()));
  w.key("training").boolean(file.has_training_flag());
  w.key("d_model").integer(file.d_model()).key("named_inputs").integer(file.inputs());
  write_ends(w, f.at);
  w.key("sections").begin_array();
  for (std::size_t i = 0; i < nac::section_count; ++i) {
    const auto s = static_cast<nac::section>(i);
    if (!file.has(s)) continue;
    w.begin_object().key("tag").string(nac::tag(s)).key("offset").integer(file.offset(s));
    w.key("bytes").integer(file.section(s).size()).key("slack").integer(file.slack(s)).end();
  }
  w.end().key("instructions").integer(f.at.instructions().size()).key("operations");
  counts(w, f.operations);
  w.key("training_instructions").integer(f.at.training().size()).key("training_operations");
  counts(w, f.training);
  w.key("named_operations").integer(file.operations().size());
  w.key("signatures").integer(file.signatures().size());
  w.key("constants").integer(file.constants().size());
  w.key("schedule").begin_object().key("ticks").integer(file.schedule().size()).key("commands");
  counts(w, f.commands);
  w.end().key("memory");
  if (f.memory) {
    w.begin_object();
    write_memory(w, *f.memory);
    w.end();
  } else {
    w.null();
  }
  w.key("plan").begin_object().key("bytes").integer(file.execution_plan().size());
  w.key("instructions").integer(f.plan_instructions);
  w.key("constants").integer(file.plan_constants().size()).end();
  w.key("tokenizer").begin_object().key("bytes").integer(file.manifest().size());
  w.key("instructions").integer(f.tokenizer_instructions);
  if (const std::string missing = vm::nac::missing_library(file.manifest()); !missing.empty())
    w.key("unsupported").string(missing);
  w.end();
  w.key("weights").begin_object().key("tensors").integer(f.tensors);
  w.key("elements").integer(f.elements).key("bytes").integer(f.payload);
  w.key("scales").integer(f.scales).key("bytes_by_type");
  counts(w, f.types);
  if (!options.error_of.empty()) {
    w.key("quantization_error").begin_object().key("method").string(options.error_of).key("total");
    write_loss(w, f.losses.total);
    w.end();
  }
  w.end();
  write_items(w, f);
  w.end();
  out << '\n';
  return out;
}

}  // namespace

exit_code info_nac(const source& file, const reporting& to, const nac_info_options& options) {
  const nac_outcome in = read_nac_for_lookup(file, to);
  if (!in.file) return in.code;
  const lookup at(*in.file);
  facts f(at);
  if (options.run.nac.any()) {
    vm::nac::statistics figures;
    if (const exit_code code = measure_nac(options.run, file, to, figures); code != success)
      return code;
    f.memory = figures;
  }
  for (std::size_t i = 0; i < nac::quantization_count; ++i)
    if (nac::quantization_names[i] == options.error_of)
      f.measure(static_cast<nac::quantization>(i), file);
  const text out =
      to.as_json ? as_json_report(f, file, to, options) : as_text_report(f, file, options).write();
  return print_result(out);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
