// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome transplant`: the weights of one network for the blocks of another one.

#include "tessera/transform/transplant.hpp"

#include <map>
#include <memory>
#include <tessera/core/json_write.hpp>
#include <tessera/core/report.hpp>

#include "genome.hpp"
#include "nac.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

using transform::graft;
using transform::graft_kind;

struct transplant_verb_options {
  std::string donor, recipient, output, fit, map, save_map, donor_weights, weights;
  bool dry_run = false, json = false;
};

/// A verified container with its weights.
class network_file {
 public:
  explicit network_file(const std::string& path, bool as_json) : to_{path, as_json} {}

  [[nodiscard]] exit_code read(const std::string& weights) {
    in_ = load_source(to_);
    if (!in_) return in_.code;
    return with_source(file(), to_, "genome transplant",
                       {.nac = [&](const source&) { return verify(weights); }});
  }
  [[nodiscard]] const source& file() const { return *in_.file; }
  [[nodiscard]] const reporting& to() const { return to_; }
  [[nodiscard]] const nac::program& program() const { return *program_; }
  [[nodiscard]] const nac::parameter& parameter(std::uint32_t k) const {
    return program_->parameters()[k];
  }
  [[nodiscard]] std::vector<const source*> mapped() const {
    std::vector<const source*> out{&file()};
    if (weights_.file) out.push_back(&*weights_.file);
    return out;
  }

 private:
  [[nodiscard]] exit_code verify(const std::string& given) {
    const nac_outcome in = read_nac(file(), to_);
    if (!in.file) return in.code;
    nac::verify_options how;
    if (!in.file->has_internal_weights() && !in.file->parameters().empty()) {
      const std::string path = given.empty() ? default_weights(to_.path) : given;
      if (!path.empty()) {
        weights_ = load_weights({path, to_.as_json});
        if (!weights_.weights) return weights_.code;
        how.weights = &*weights_.weights;
      }
    } else if (!given.empty()) {
      return usage_error("genome transplant",
                         "'" + file().name + "' has internal weights, and others are given");
    }
    tessera::report found;
    result<nac::program> p = nac::verify(*in.file, how, &found);
    if (!p) return fail_findings(found, file(), to_);
    program_.emplace(std::move(*p));
    return success;
  }

  reporting to_;
  loaded in_;
  weights_outcome weights_;
  std::optional<nac::program> program_;
};

[[nodiscard]] std::string name_of(const nac::parameter& p) {
  text out;
  nac::print_string(out, p.name);
  return std::string(out.view());
}
[[nodiscard]] std::string type_of(const nac::parameter& p) {
  text out;
  out << nac::name(p.value.type) << " [";
  const nac::packed<std::uint32_t> shape = p.value.value_shape();
  for (std::uint32_t d = 0; d < shape.size(); ++d) out << (d == 0 ? "" : ", ") << shape[d];
  out << ']';
  if (p.value.quantization != nac::quantization::none)
    out << ' ' << nac::name(p.value.quantization);
  return std::string(out.view());
}
[[nodiscard]] std::uint64_t elements_of(const nac::parameter& p) {
  const nac::packed<std::uint32_t> shape = p.value.value_shape();
  std::uint64_t out = 1;
  for (std::uint32_t d = 0; d < shape.size(); ++d) out *= shape[d];
  return out;
}
[[nodiscard]] bool is_moved(const graft& g) {
  return g.what == graft_kind::moved || g.what == graft_kind::fitted;
}
[[nodiscard]] std::string_view word_of(graft_kind k) {
  switch (k) {
    case graft_kind::moved: return "moved";
    case graft_kind::fitted: return "fitted";
    case graft_kind::other_shape: return "other_shape";
    case graft_kind::other_type: return "other_type";
    case graft_kind::no_counterpart: break;
  }
  return "no_counterpart";
}

class transplantation {
 public:
  explicit transplantation(const transplant_verb_options& o)
      : options_(o), donor_(o.donor, o.json), recipient_(o.recipient, o.json) {}

  [[nodiscard]] exit_code run() {
    if (const exit_code code = read_fit(); code != success) return code;
    if (const exit_code code = donor_.read(options_.donor_weights); code != success) return code;
    if (const exit_code code = recipient_.read(options_.weights); code != success) return code;
    if (!options_.map.empty())
      if (const exit_code code = read_map(); code != success) return code;
    result<transform::transplanted> made =
        transform::transplant(donor_.program(), recipient_.program(), how_);
    if (!made) return recipient_.to().fail(made.error(), recipient_.file());
    made_ = &*made;
    if (const exit_code code = refuse(); code != success) return code;
    if (!options_.save_map.empty())
      if (const exit_code code = save_map(); code != success) return code;
    if (!options_.dry_run) {
      std::vector<const source*> from = recipient_.mapped();
      for (const source* s : donor_.mapped()) from.push_back(s);
      const exit_code code =
          write_parts(std::move(made->parts), {}, options_.output, from, recipient_.to());
      if (code != success || options_.output == "-") return code;
    }
    const text out = options_.json ? as_json() : as_text();
    return print_result(out);
  }

 private:
  [[nodiscard]] exit_code read_fit() {
    std::string_view list = options_.fit;
    while (!list.empty()) {
      const std::size_t end = std::min(list.find(','), list.size());
      const std::string_view name = list.substr(0, end);
      list.remove_prefix(std::min(end + 1, list.size()));
      bool* const flag = name == "slice"         ? &how_.slice
                         : name == "pad"         ? &how_.pad
                         : name == "interpolate" ? &how_.interpolate
                         : name == "convert"     ? &how_.convert
                                                 : nullptr;
      if (flag == nullptr)
        return usage_error("genome transplant",
                           "unknown word '" + shown_name(name) +
                               "' of --fit; expected slice, pad, interpolate, convert");
      *flag = true;
    }
    if (how_.interpolate && (how_.slice || how_.pad))
      return usage_error(
          "genome transplant",
          "--fit interpolate excludes slice and pad: all three are for other shapes");
    return success;
  }

  // ---- pairs of names in a file

  using names = std::map<std::string_view, std::uint32_t>;
  [[nodiscard]] static names names_of(const nac::program& p) {
    names out;
    for (std::uint32_t k = 0; k < p.parameters().size(); ++k)
      if (p.parameters()[k].has_value) out.emplace(p.parameters()[k].name, k);
    return out;
  }
  [[nodiscard]] exit_code fail_map(std::uint64_t line, std::string why) const {
    diagnostic d = diagnose(shown_name(options_.map) + ':' + std::to_string(line), "transplant_map",
                            std::move(why));
    d.line = line;
    return reporting{options_.map, options_.json}.fail(d, bad_input, format::unknown);
  }
  [[nodiscard]] exit_code read_map() {
    const io::expected<io::content> in = io::load(options_.map, {}, io::side_input);
    if (!in) return reporting{options_.map, options_.json}.fail(in.error());
    const names of_donor = names_of(donor_.program()),
                of_recipient = names_of(recipient_.program());
    std::map<std::uint32_t, std::uint64_t> given;  // parameters of the recipient: the line
    std::string_view rest = tessera::as_text(in->view());
    for (std::uint64_t line = 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view row = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!row.empty() && row.back() == '\r') row.remove_suffix(1);
      if (row.empty() || row[0] == '#') continue;
      const std::size_t tab = row.find('\t');
      if (tab == row.npos)
        return fail_map(line, "expected the donor's name, a tab and the recipient's name");
      const auto from = of_donor.find(row.substr(0, tab));
      if (from == of_donor.end())
        return fail_map(line,
                        "the donor has no parameter '" + shown_text(row.substr(0, tab)) + "'");
      const auto to = of_recipient.find(row.substr(tab + 1));
      if (to == of_recipient.end())
        return fail_map(line,
                        "the recipient has no parameter '" + shown_text(row.substr(tab + 1)) + "'");
      const auto [first, is_new] = given.emplace(to->second, line);
      if (!is_new)
        return fail_map(line, "'" + shown_text(row.substr(tab + 1)) +
                                  "' already gets the parameter of line " +
                                  std::to_string(first->second));
      how_.pairs.emplace_back(from->second, to->second);
    }
    if (how_.pairs.empty()) return fail_map(1, "expected at least one pair of names");
    return success;
  }
  [[nodiscard]] exit_code save_map() const {
    text out;
    for (const graft& g : made_->grafts)
      if (is_moved(g))
        out << donor_.parameter(g.donor).name << '\t' << recipient_.parameter(g.recipient).name
            << '\n';
    return write_result(options_.save_map, as_bytes(out.view()), recipient_.to());
  }

  // ---- what can't be done

  [[nodiscard]] exit_code refuse() const {
    bool any = false;
    for (const graft& g : made_->grafts) {
      any |= is_moved(g);
      if (how_.pairs.empty() || is_moved(g) || g.donor == graft::none) continue;
      return recipient_.to().fail(
          diagnose(recipient_.file().name, "transplant_shape",
                   name_of(recipient_.parameter(g.recipient)) + ' ' + why(g)),
          bad_input, recipient_.file().what);
    }
    if (any) return success;
    return recipient_.to().fail(diagnose(recipient_.file().name, "transplant_nothing",
                                         "no weight of '" + donor_.file().name +
                                             "' fits: there is no block or operation in common "
                                             "with weights of the same types and shapes"),
                                bad_input, recipient_.file().what);
  }
  /// Of a parameter that was kept.
  [[nodiscard]] std::string why(const graft& g) const {
    if (g.donor == graft::none)
      return how_.pairs.empty() ? "has no counterpart" : "is in none of the given pairs";
    const nac::parameter& from = donor_.parameter(g.donor);
    return "is " + type_of(recipient_.parameter(g.recipient)) + "; the donor's " + name_of(from) +
           " is " + type_of(from);
  }

  // ---- results

  struct totals {
    std::uint64_t parameters = 0, moved = 0, fitted = 0, elements = 0, moved_elements = 0;
  };
  [[nodiscard]] totals count() const {
    totals out;
    for (const graft& g : made_->grafts) {
      const std::uint64_t elements = elements_of(recipient_.parameter(g.recipient));
      ++out.parameters;
      out.elements += elements;
      if (!is_moved(g)) continue;
      ++out.moved;
      out.moved_elements += elements;
      out.fitted += g.what == graft_kind::fitted ? 1 : 0;
    }
    return out;
  }
  [[nodiscard]] text as_text() const {
    text out;
    std::vector<std::vector<std::string>> rows{{"", "donor", "recipient", "type", "block"}};
    for (const graft& g : made_->grafts)
      if (is_moved(g))
        rows.push_back(
            {g.what == graft_kind::moved ? "moved" : "fitted", name_of(donor_.parameter(g.donor)),
             name_of(recipient_.parameter(g.recipient)), type_of(recipient_.parameter(g.recipient)),
             g.block == graft::none ? "" : std::to_string(g.block)});
    append_table(out, rows, 0b10000);
    for (const graft& g : made_->grafts)
      if (!is_moved(g))
        out << "    kept   " << name_of(recipient_.parameter(g.recipient)) << ": " << why(g)
            << '\n';
    for (const std::uint32_t k : made_->unused)
      out << "    unused the donor's " << name_of(donor_.parameter(k)) << ", "
          << type_of(donor_.parameter(k)) << '\n';
    const totals t = count();
    out << t.moved << " of " << plural(t.parameters, "parameter") << ", " << t.moved_elements
        << " of " << plural(t.elements, "value");
    if (how_.pairs.empty())
      out << "; " << plural(made_->blocks.size(), "block") << " in common, of "
          << made_->donor_blocks << " and " << made_->recipient_blocks;
    out << '\n';
    return out;
  }
  [[nodiscard]] text as_json() const {
    text out;
    json::writer w(out);
    w.begin_object().key("donor").string(json_name(options_.donor));
    w.key("recipient").string(json_name(options_.recipient));
    const totals t = count();
    w.key("parameters").integer(t.parameters).key("moved").integer(t.moved);
    w.key("fitted").integer(t.fitted).key("values").integer(t.elements);
    w.key("moved_values").integer(t.moved_elements).key("grafts").begin_array();
    for (const graft& g : made_->grafts) {
      w.begin_object().key("what").string(word_of(g.what));
      const nac::parameter& to = recipient_.parameter(g.recipient);
      w.key("recipient").string(json_name(to.name)).key("type").string(type_of(to));
      w.key("donor");
      if (g.donor == graft::none) {
        w.null();
      } else {
        const nac::parameter& from = donor_.parameter(g.donor);
        w.string(json_name(from.name)).key("donor_type").string(type_of(from));
      }
      w.key("block");
      if (g.block == graft::none)
        w.null();
      else
        w.integer(g.block);
      w.end();
    }
    w.end().key("unused").begin_array();
    for (const std::uint32_t k : made_->unused) w.string(json_name(donor_.parameter(k).name));
    w.end().key("blocks").begin_array();
    for (const transform::block_pair& b : made_->blocks) {
      w.begin_object().key("gene").string(gene_text(b.gene)).key("donor").integer(b.donor);
      w.key("recipient").integer(b.recipient).key("instructions").integer(b.instructions).end();
    }
    w.end().end();
    out << '\n';
    return out;
  }
  [[nodiscard]] static std::string gene_text(std::uint64_t gene) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out(16, '0');
    for (std::size_t k = 16; k-- > 0; gene >>= 4) out[k] = digits[gene & 15];
    return out;
  }

  const transplant_verb_options& options_;
  network_file donor_, recipient_;
  transform::transplant_options how_;
  const transform::transplanted* made_ = nullptr;
};

[[nodiscard]] exit_code transplant_files(const transplant_verb_options& o) {
  if (o.donor == "-" && o.recipient == "-")
    return usage_error("genome transplant", "standard input can be read only once");
  if (o.dry_run != o.output.empty())
    return usage_error("genome transplant", o.dry_run ? "--dry-run writes no container for --output"
                                                      : "--output or --dry-run is required");
  if (o.output == "-" && o.json)
    return usage_error("genome transplant",
                       "--json and the container can't both be standard output");
  return transplantation(o).run();
}

}  // namespace

void add_genome_transplant(const command& genome, action& run) {
  const auto o = std::make_shared<transplant_verb_options>();
  const command verb = genome.verb("transplant");
  verb.bind("DONOR", o->donor);
  verb.bind("RECIPIENT", o->recipient);
  verb.bind("--output", o->output);
  verb.bind("--dry-run", o->dry_run);
  verb.bind("--fit", o->fit);
  verb.bind("--map", o->map);
  verb.bind("--save-map", o->save_map);
  verb.bind("--donor-weights", o->donor_weights);
  verb.bind("--weights", o->weights);
  verb.bind("--json", o->json);
  verb.callback([o, &run] { run = [o] { return transplant_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
