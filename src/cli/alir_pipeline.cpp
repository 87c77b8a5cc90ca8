// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The verbs' actions for ALIR pipelines, but for `run` and `print`.

#include <utility>

#include "alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

result<alir::staged> verify_pipeline(const source& from, report* found,
                                     const alir::verify_options& options) {
  result<alir::pipeline> p = alir::read_pipeline(from.characters());
  if (!p) return p.error();
  return alir::verify(std::move(*p), options, found);
}

exit_code check_alir_pipeline(const source& file, const reporting& to, bool all) {
  report found;
  alir::verify_options how;
  if (all) how.max_diagnostics = max_findings(file.data().size());
  const result<alir::staged> p = verify_pipeline(file, &found, how);
  if (!p) return to.fail(found, p.error(), file);
  return print_ok(file, to,
                  ", " + plural(p->size(), "block") + ", " + plural(p->latency(), "register"));
}

exit_code info_alir_pipeline(const source& file, const reporting& to) {
  report found;
  result<alir::pipeline> read = alir::read_pipeline(file.characters());
  if (!read) return to.fail(read.error(), file);
  const std::uint64_t bits = alir::register_bits(*read);
  const result<alir::staged> p = alir::verify(std::move(*read), {}, &found);
  if (!p) return to.fail(found, p.error(), file);
  const alir::model &first = p->block(0).model(), &last = p->block(p->size() - 1).model();
  text out;
  if (to.as_json) {
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to.path)).key("format").string("alir");
    w.key("form").string("pipeline").key("spec_version").integer(first.spec_version);
    w.key("bytes").integer(file.data().size());
    w.key("inputs").integer(first.n_inputs).key("outputs").integer(last.n_outputs);
    w.key("registers")
        .integer(p->latency())
        .key("register_bits")
        .integer(bits)
        .key("blocks")
        .begin_array();
    for (std::size_t i = 0; i < p->size(); ++i) {
      const alir::model& m = p->block(i).model();
      w.begin_object().key("inputs").integer(m.n_inputs).key("outputs").integer(m.n_outputs);
      w.key("operations").integer(m.ops.size()).key("tables").integer(m.tables.size()).end();
    }
    w.end().end();
    out << '\n';
    return print_result(out);
  }
  out << file.name << ": " << info(file.what).description << ", version " << first.spec_version
      << ", " << file.data().size() << " bytes\n";
  out << "  inputs      " << first.n_inputs << "\n  outputs     " << last.n_outputs;
  out << "\n  registers   " << p->latency() << ", " << plural(bits, "bit") << '\n';
  for (std::size_t i = 0; i < p->size(); ++i) {
    const alir::model& m = p->block(i).model();
    out << "  block " << i << ": " << plural(static_cast<std::uint64_t>(m.n_inputs), "input")
        << ", " << plural(static_cast<std::uint64_t>(m.n_outputs), "output") << ", "
        << plural(m.ops.size(), "operation") << ", " << plural(m.tables.size(), "table") << '\n';
  }
  return print_result(out);
}

exit_code convert_alir_pipeline(const source& file, const reporting& to, const std::string& output,
                                std::int32_t version) {
  result<alir::pipeline> p = alir::read_pipeline(file.characters());
  if (!p) return to.fail(p.error(), file);
  report found;
  alir::pipeline copy = *p;
  const result<alir::staged> s = alir::verify(std::move(copy), {}, &found);
  if (!s) return to.fail(found, s.error(), file);
  const result<text> out = alir::write_pipeline(*p, version);
  if (!out) return to.fail(out.error(), file);
  return write_result(output, as_bytes(*out));
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
