// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera print` for NAC containers: assembly, or instructions as JSON.

#include <filesystem>
#include <tessera/core/json_write.hpp>

#include "nac.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

using inspect::lookup;
using kind = inspect::nac_argument::kind;

void write(json::writer& w, const nac::constant& c) {
  switch (c.type) {
    case nac::constant_type::null: w.null(); return;
    case nac::constant_type::boolean: w.boolean(c.boolean()); return;
    case nac::constant_type::int64: w.integer(c.int64()); return;
    case nac::constant_type::string: w.string(json_name(c.string())); return;
    case nac::constant_type::int32_list:
      w.begin_array();
      for (std::uint32_t i = 0; i < c.int32_list().size(); ++i) w.integer(c.int32_list()[i]);
      w.end();
      return;
    case nac::constant_type::float64:
    case nac::constant_type::float32_list: break;
  }
  // JSON has neither infinities nor NaN: they become strings.
  const auto number = [&w](double v) {
    if (v - v == 0)
      w.number(v);
    else
      w.string(v != v ? "nan" : v < 0 ? "-inf" : "inf");
  };
  if (c.type == nac::constant_type::float64) return number(c.float64());
  w.begin_array();
  for (std::uint32_t i = 0; i < c.float32_list().size(); ++i)
    number(static_cast<double>(c.float32_list()[i]));
  w.end();
}

void write(json::writer& w, const lookup& at, const inspect::nac_argument& a) {
  w.begin_object();
  if (a.code != 0) w.key("code").string(json_name({&a.code, 1}));
  const auto id = static_cast<std::uint32_t>(a.value);
  switch (a.what) {
    case kind::result: w.key("result").integer(a.value); break;
    case kind::constant:
      w.key("id").integer(id).key("type").string(name(at.constant(id)->type)).key("value");
      write(w, *at.constant(id));
      break;
    case kind::parameter:
      w.key("id").integer(id).key("parameter").string(json_name(at.parameter(id)));
      break;
    case kind::state: w.key("state").integer(a.value); break;
    case kind::number: w.key("number").integer(a.value); break;
    case kind::absent: w.key("absent").boolean(true); break;
    case kind::missing: w.key("missing").integer(a.value); break;
  }
  w.end();
}

void write(json::writer& w, const lookup& at, const std::vector<nac::instruction>& code,
           bool training) {
  w.begin_array();
  for (const nac::instruction& i : code) {
    w.begin_object().key("index").integer(i.index).key("offset").integer(i.offset);
    w.key("operation").string(json_name(at.operation(i)));
    if (i.a >= nac::first_regular_op)
      w.key("signature").string(json_name(at.model().signature(i.b)));
    if (i.a == nac::op_input && i.b == 0 && !training && at.has_input(i.index))
      w.key("name").string(json_name(at.input(i.index)));
    w.key("arguments").begin_array();
    for (const inspect::nac_argument& a : at.arguments(i)) write(w, at, a);
    w.end().end();
  }
  w.end();
}

[[nodiscard]] exit_code print_json(const source& file, const reporting& to) {
  const nac_outcome in = read_nac_for_lookup(file, to);
  if (!in.file) return in.code;
  const lookup at(*in.file);
  text out;
  json::writer w(out);
  w.begin_object().key("file").string(json_name(to.path)).key("format").string("nac");
  w.key("version").string(name(in.file->header())).key("instructions");
  write(w, at, at.instructions(), false);
  w.key("training");
  write(w, at, at.training(), true);
  w.key("schedule").begin_array();
  for (const nac::tick& t : in.file->schedule()) {
    w.begin_object().key("instruction").integer(t.instruction).key("commands").begin_array();
    for (const nac::command& c : t.commands) {
      w.begin_object().key("action");
      if (const std::string_view what = name(c.what); !what.empty())
        w.string(what);
      else
        w.integer(static_cast<unsigned>(c.what));
      w.key("target").integer(c.target).end();
    }
    w.end().end();
  }
  w.end().end();
  out << '\n';
  return print_result(out);
}

}  // namespace

exit_code print_nac(const source& file, const reporting& to, const nac_print_options& options) {
  if (to.as_json) return print_json(file, to);
  const nac_outcome in = read_nac(file, to);
  if (!in.file) return in.code;
  // The text refers to the container without a folder: it belongs in the same one.
  const std::string name =
      to.path == "-" ? std::string() : std::filesystem::path(to.path).filename().string();
  nac::print_options how;
  how.source_name = name;
  how.schedule_beside = options.schedule;
  how.payload = options.inlined ? nac::print_options::inline_hex : nac::print_options::automatic;
  const text out = nac::print(*in.file, how);
  if (const exit_code code = print_result(out); code != success) return code;
  nac::verify_options how_to_verify;
  how_to_verify.weights_elsewhere = true;
  const result<nac::program> program = nac::verify(*in.file, how_to_verify);
  return program ? success : to.fail(program.error(), file);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
