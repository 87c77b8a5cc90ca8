// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera print`: a listing for people, or JSON.

#include <memory>
#include <tessera/core/json.hpp>

#include "ark.hpp"
#include "genome.hpp"
#include "nac.hpp"
#include "nem.hpp"
#include "pt2.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  std::string file, registry;
  bool json = false;
  nac_print_options nac;
  nem_print_options nem;
  pt2_print_options pt2;
};

void write_interval(json::writer& w, const alir::interval& q) {
  w.key("min").number(q.min).key("max").number(q.max).key("step").number(q.step);
}

/// Every operation with its operands and type.
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
  if (!m) return to.fail(m.error(), file);
  text out;
  if (!to.as_json) out = alir::print(*m);
  report found;
  const result<alir::program> p = alir::verify(std::move(*m), {}, &found);
  if (p && to.as_json) {
    json::writer w(out);
    write_json(w, *p);
    out << '\n';
  }
  // An invalid program is listed, too, so that its errors can be found.
  const exit_code code = out.empty() ? success : print_result(out);
  return p || code != success ? code : to.fail(found, p.error(), file);
}

[[nodiscard]] exit_code print_alir_pipeline(const source& file, const reporting& to) {
  result<alir::pipeline> p = alir::read_pipeline(file.characters());
  if (!p) return to.fail(p.error(), file);
  text out;
  if (!to.as_json) out = alir::print(*p);
  report found;
  const result<alir::staged> s = alir::verify(std::move(*p), {}, &found);
  if (s && to.as_json) {
    json::writer w(out);
    w.begin_object().key("format").string("alir").key("registers").integer(s->latency());
    w.key("input_register").boolean(s->input_register());
    w.key("output_register").boolean(s->output_register()).key("blocks").begin_array();
    for (std::size_t i = 0; i < s->size(); ++i) write_json(w, s->block(i));
    w.end().end();
    out << '\n';
  }
  // An invalid pipeline is listed, too, so that its errors can be found.
  const exit_code code = out.empty() ? success : print_result(out);
  return s || code != success ? code : to.fail(found, s.error(), file);
}

void write_member(json::writer& w, const ark::model& g, const ark::argument& a) {
  w.key(name(g, a));
  switch (a.type) {
    case ark::argument_type::boolean: w.boolean(a.integer != 0); break;
    case ark::argument_type::float32: w.number(static_cast<double>(a.real)); break;
    case ark::argument_type::uint64: w.integer(static_cast<std::uint64_t>(a.integer)); break;
    case ark::argument_type::tensor:
      w.integer(g.tensors[static_cast<std::size_t>(a.integer)].id);
      break;
    case ark::argument_type::dims:
    case ark::argument_type::offset:
      w.begin_array();
      for (const std::int64_t v : integers(g, a.integers)) w.integer(v);
      w.end();
      break;
    case ark::argument_type::other: {
      json::reader value(text_of(g, a.token));
      json::copy(value, w);
      break;
    }
    case ark::argument_type::int32:
    case ark::argument_type::int64:
    case ark::argument_type::uint32: w.integer(a.integer); break;
  }
}

void write_tags(json::writer& w, const ark::model& g, ark::range r) {
  w.begin_array();
  for (const ark::tag& t : tags(g, r)) w.begin_array().integer(t.rank).integer(t.number).end();
  w.end();
}

/// Every tensor and buffer, and operations that refer to them by Id.
void write_json(json::writer& w, const ark::model& g) {
  w.begin_object().key("format").string("ark").key("form").string("model");
  w.key("dialect").string(ark::info(g.form).name);
  w.key("rank").integer(g.rank).key("world_size").integer(g.world_size);
  w.key("buffers").begin_array();
  for (const ark::buffer& b : g.buffers) {
    w.begin_object().key("id").integer(b.id).key("rank").integer(b.rank).key("local");
    w.boolean(is_local(g, b)).key("send_tags");
    write_tags(w, g, b.send_tags);
    w.key("recv_tags");
    write_tags(w, g, b.recv_tags);
    w.key("external").boolean(b.external == ark::external::yes).end();
  }
  w.end().key("tensors").begin_array();
  for (const ark::tensor& t : g.tensors) {
    const ark::layout& l = g.layouts[t.layout];
    w.begin_object().key("id").integer(t.id).key("data_type");
    w.string(ark::info(t.type).name).key("buffer").integer(g.buffers[t.buffer].id);
    const auto dims = [&w, &l](std::string_view key, const std::int64_t(&v)[ark::max_rank]) {
      w.key(key).begin_array();
      for (std::uint32_t d = 0; d < l.rank; ++d) w.integer(v[d]);
      w.end();
    };
    dims("shape", l.shape);
    dims("strides", l.strides);
    dims("offsets", l.offsets);
    dims("padded_shape", l.padded_shape);
    w.end();
  }
  w.end().key("nodes").begin_array();
  const auto ids = [&w](std::string_view key, view<std::int64_t> v) {
    w.key(key).begin_array();
    for (const std::int64_t id : v) w.integer(id);
    w.end();
  };
  const auto tensors = [&w, &g](std::string_view key, view<std::uint32_t> v) {
    w.key(key).begin_array();
    for (const std::uint32_t t : v) w.integer(g.tensors[t].id);
    w.end();
  };
  for (const ark::node& n : g.nodes) {
    w.begin_object().key("id").integer(n.id);
    ids("producers", integers(g, n.producers));
    ids("consumers", integers(g, n.consumers));
    w.key("operations").begin_array();
    for (const ark::op& o : operations(g, n)) {
      w.begin_object().key("type").string(type_name(g, o)).key("name").string(name(g, o));
      w.key("virtual").boolean(o.is_virtual);
      tensors("reads", reads(g, o));
      tensors("writes", writes(g, o));
      tensors("results", results(g, o));
      w.key("arguments").begin_object();
      for (const ark::argument& a : arguments(g, o)) write_member(w, g, a);
      w.end().end();
    }
    w.end().end();
  }
  w.end().end();
}

[[nodiscard]] exit_code print_model(const source& file, const reporting& to) {
  read_outcome in = read_ark(file, to);
  if (!in.graph) return in.code;
  text out;
  if (!to.as_json) out = ark::print(*in.graph);
  tessera::report found;
  const result<ark::program> p =
      ark::verify(std::move(*in.graph), {.hazards = false, .source = file.characters()}, &found);
  if (p && to.as_json) {
    json::writer w(out);
    write_json(w, p->model());
    out << '\n';
  }
  const exit_code code = out.empty() ? success : print_result(out);
  return p || code != success ? code : to.fail(diagnose(found, file), file.what);
}

}  // namespace

void add_print(const command& app, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = app.verb("print");
  verb.bind("FILE", o->file);
  verb.bind("--json", o->json);
  verb.bind("--schedule", o->nac.schedule);
  verb.bind("--inline", o->nac.inlined);
  verb.bind("--ast", o->nem.tree);
  verb.bind("--comments", o->nem.comments);
  add_nem_options(verb, o->nem.nem);
  add_genome_options(verb, o->registry);
  add_pt2_options(verb, o->pt2.program);
  verb.bind("--modules", o->pt2.modules);
  verb.bind("--stack-traces", o->pt2.stack_traces);
  verb.callback([o, &run] {
    run = [o] {
      const reporting to{o->file, o->json};
      return with_file(
          to, "print",
          {.alir = [&to](const source& file) { return print_alir(file, to); },
           .alir_pipeline = [&to](const source& file) { return print_alir_pipeline(file, to); },
           .ark_model = [&to](const source& file) { return print_model(file, to); },
           .ark_plan = [&to](const source& file) { return print_plan(file, to); },
           .nac = [&](const source& file) { return print_nac(file, to, o->nac); },
           .nem = [&](const source& file) { return print_nem(file, to, o->nem); },
           .genome_registry = [&](const source& file) { return print_registry(file, to); },
           .genome_stream =
               [&](const source& file) { return print_streams(file, to, o->registry); },
           .genome_signatures =
               [&](const source& file) { return print_streams(file, to, o->registry); },
           .pt2 = [&](const source& file) { return print_pt2(file, to, o->pt2); }},
          streams_of(o->registry));
    };
  });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
