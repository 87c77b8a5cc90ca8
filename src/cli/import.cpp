// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera import`: a NAC container from an exported program of PyTorch.

#include <unistd.h>

#include <memory>
#include <tessera/core/report.hpp>

#include "nac.hpp"
#include "pt2.hpp"
#include "tessera/nac/operations.hpp"
#include "tessera/transform/import.hpp"
#include "tessera/transform/tokenizer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct import_verb_options {
  std::string file, output, program, tokenizer, plan, version = "1.8";
  bool no_states = false;
  nac_convert_options nac;
};

[[nodiscard]] nac::header form_of(const std::string& version) noexcept {
  return version == "1.6"   ? nac::header::v1_6
         : version == "1.7" ? nac::header::v1_7
                            : nac::header::v1_8;
}

/// Says which operations of a container have no implementation here.
void note_unsupported(const nac::parts& parts, const std::string& name) {
  std::string list;
  std::size_t count = 0;
  for (const nac::named_part& o : parts.operations) {
    const std::string_view operation = parts.string(o.text);
    if (nac::find_operation(operation) != nac::operation::unknown) continue;
    list.append(count++ == 0 ? "" : ", ").append(operation);
  }
  if (count != 0)
    show_note(name + ": " + plural(count, "operation") + " can't be run here: " + list);
}

/// Puts the tokenizer of a file, if there is one, into a container.
[[nodiscard]] exit_code add_tokenizer(const std::string& path, nac::parts& parts) {
  if (path.empty()) return success;
  const reporting to{path};
  const loaded in = load_source(to);
  if (!in) return in.code;
  tessera::report refused;
  const error e = transform::import_tokenizer(as_text(in.file->data()), parts, &refused);
  return e.code == errc::ok ? success : fail_findings(refused, *in.file, to);
}

/// Puts the execution plan of an assembly text, if there is one, into a container, and verifies both.
[[nodiscard]] exit_code add_plan(const std::string& path, nac::parts& parts) {
  if (path.empty()) return success;
  const reporting to{path};
  io::expected<io::content> content = io::load(path, {}, io::side_input);
  if (!content) return to.fail(content.error());
  const source text{shown_name(path), std::move(*content), format::nac_assembly};
  nac::text_map map;
  const result<nac::parts> from = nac::assemble(text.characters(), {}, &map);
  if (!from) return to.fail(from.error(), text);
  if (from->plan.size == 0)
    return usage_error("import", "'" + text.name + "' has no section plan: with an instruction");
  parts.plan = parts.keep(from->data_of(from->plan));
  parts.plan_constants.clear();
  for (nac::constant_part c : from->plan_constants) {
    c.values = c.type == nac::constant_type::string ? parts.add_string(from->string(c.values))
                                                    : parts.add_numbers(from->numbers_of(c.values));
    parts.plan_constants.push_back(c);
  }
  const result<nac::external_weights> apart = nac::externalise(parts);
  if (!apart) return to.fail({apart.error().code, 0}, text);
  const result<pool<std::byte>> made = nac::write(apart->model);
  if (!made) return to.fail({made.error().code, 0}, text);
  return verify_assembled({made->data(), made->size()}, text, to, map);
}

[[nodiscard]] exit_code import_archive(const source& file, const reporting& to,
                                       const import_verb_options& o) {
  pt2_outcome in = read_pt2(file, to, o.program);
  if (!in.model) return in.code;
  tessera::report found;
  const result<pt2::program> program = pt2::verify(std::move(*in.model), {}, &found);
  if (!program) return fail_findings(found, file, to);
  tessera::report refused;
  result<transform::imported> made =
      transform::import(*program, {.form = form_of(o.version), .states = !o.no_states}, &refused);
  if (!made && refused.errors != 0) return fail_findings(refused, file, to);
  if (!made) return to.fail(made.error(), file);
  note_unsupported(made->parts, file.name);
  if (const exit_code code = add_tokenizer(o.tokenizer, made->parts); code != success) return code;
  if (const exit_code code = add_plan(o.plan, made->parts); code != success) return code;
  return write_parts(std::move(made->parts), o.nac, o.output, {&file}, to);
}

[[nodiscard]] exit_code import_file(const import_verb_options& o) {
  const reporting to{o.file};
  if (o.output == "-" && isatty(STDOUT_FILENO) == 1)
    return usage_error("import",
                       "a container can't be written to a terminal; give a file or use a pipe");
  const loaded in = load_source(to);
  if (!in) return in.code;
  return with_source(*in.file, to, "import",
                     {.pt2 = [&](const source& file) { return import_archive(file, to, o); }});
}

}  // namespace

void add_import(const command& app, action& run) {
  const auto o = std::make_shared<import_verb_options>();
  const command verb = app.verb("import");
  verb.bind("FILE", o->file);
  verb.bind("--output", o->output);
  verb.bind("--version", o->version);
  verb.bind("--quantize", o->nac.quantize);
  verb.bind("--weights-out", o->nac.weights_out);
  verb.bind("--no-states", o->no_states);
  verb.bind("--tokenizer", o->tokenizer);
  verb.bind("--execution-plan", o->plan);
  add_pt2_options(verb, o->program);
  verb.callback([o, &run] { run = [o] { return import_file(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
