// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera print`: a listing for people, or the same as JSON.

#include <CLI/CLI.hpp>
#include <memory>

#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  std::string file;
  bool json = false;
};

void write_interval(json::writer& w, const alir::interval& q) {
  w.key("min").number(q.min).key("max").number(q.max).key("step").number(q.step);
}

/// Every operation with its operands and type, by the names of the opcode table.
void write_json(json::writer& w, const alir::program& p) {
  const alir::model& m = p.model();
  w.begin_object().key("format").string("alir").key("spec_version").integer(m.spec_version);
  w.key("inputs").integer(m.n_inputs).key("outputs").begin_array();
  for (std::size_t j = 0; j < m.out_idxs.size(); ++j)
    w.begin_object()
        .key("operation")
        .integer(m.out_idxs[j])
        .key("shift")
        .integer(m.out_shifts[j])
        .key("negative")
        .boolean(m.out_negs[j] != 0)
        .end();
  w.end().key("operations").begin_array();
  for (std::size_t i = 0; i < p.size(); ++i) {
    const alir::operation& o = p.op(i);
    const alir::fixed_type t = p.type(i);
    w.begin_object().key("index").integer(i).key("opcode").string(info(o.code).name);
    w.key("operands").begin_array();
    if (o.code == alir::opcode::sum)
      for (const alir::term& x : terms(m, o)) w.integer(x.id);
    else
      for (const std::int32_t id : {o.id0, o.id1})
        if (id >= 0) w.integer(id);
    w.end();
    if (o.code == alir::opcode::sum) {
      w.key("shifts").begin_array();
      for (const alir::term& x : terms(m, o)) w.integer(x.shift);
      w.end().key("negative").begin_array();
      for (const alir::term& x : terms(m, o)) w.boolean(x.negative);
      w.end();
    } else {
      w.key("data").integer(o.data).key("shift").integer(o.shift);
    }
    w.key("type").begin_array().integer(t.k ? 1 : 0).integer(t.i).integer(t.f).end();
    write_interval(w, o.qint);
    w.key("latency").number(o.latency).key("cost").number(o.cost).end();
  }
  w.end().key("tables").begin_array();
  for (const alir::lookup_table& t : m.tables) {
    w.begin_array();
    for (const std::int32_t v : entries(m, t)) w.integer(v);
    w.end();
  }
  w.end().end();
}

[[nodiscard]] exit_code print_alir(const source& file, const reporting& to) {
  result<alir::model> m = read_alir(file);
  if (!m) return to.fail(m.err(), file);
  text out;
  if (!to.as_json) out = alir::print(*m);
  const result<alir::program> p = alir::verify(std::move(*m));
  if (p && to.as_json) {
    json::writer w(out);
    write_json(w, *p);
    out << '\n';
  }
  // What doesn't verify is listed all the same: that is how one finds out why.
  const exit_code code = out.empty() ? success : print_result(out);
  return p || code != success ? code : to.fail(p.err(), file);
}

}  // namespace

void add_print(CLI::App& app, action& run) {
  const auto o = std::make_shared<options>();
  CLI::App* const verb = app.add_subcommand("print", "List a program, one operation a line");
  verb->add_option("FILE", o->file, "The file to print; - is standard input")->required();
  verb->add_flag("--json", o->json, "The operations with operands and types as one JSON object");
  verb->footer(
      std::string(
          "fixed<k,i,f> is a type of sign, integer and fraction bits; `a << n` is a times 2^n.\n"
          "A program that reads but isn't valid is listed too, and exits with 1.\n\n"
          "Examples:\n"
          "  tessera print model.json.gz | less\n"
          "  tessera print model.bc --json | jq '.operations[].opcode'\n\n") +
      exit_codes_help);
  verb->callback([o, &run] {
    run = [o] {
      const reporting to{o->file, o->json};
      return with_file(to, [&to](const source& file) { return print_alir(file, to); });
    };
  });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
