// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writes the dictionary of a format, in libFuzzer's syntax, from the tables of its headers.
//
//   tessera_dictionary alir alir.dict

#include <bit>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <tessera/alir.hpp>
#include <tessera/ark.hpp>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json.hpp>
#include <tessera/genome.hpp>
#include <tessera/nac/all.hpp>
#include <tessera/nac/detail/words.hpp>
#include <tessera/nem.hpp>
#include <tessera/pt2.hpp>

namespace {

using namespace tessera;

class dictionary {
 public:
  explicit dictionary(std::string_view of) {
    out_ << "# Generated from the tables of include/tessera by the target `dictionaries`: " << of
         << ".\n";
  }
  void group(std::string_view name) { out_ << "\n# " << name << '\n'; }
  void token(const text& content) { token(content.view()); }
  void token(std::string_view content) {
    out_ << '"';
    for (const char c : content) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte > 0x7e)
        out_ << "\\x"
             << "0123456789abcdef"[byte >> 4] << "0123456789abcdef"[byte & 15];
      else if (c == '"' || c == '\\')
        out_ << '\\' << c;
      else
        out_ << c;
    }
    out_ << "\"\n";
  }
  template <class Int>
  void word(Int value) {
    char raw[sizeof value];
    store_le(raw, value);
    token({raw, sizeof raw});
  }
  [[nodiscard]] bool holds(std::string_view plain) const {
    text quoted;  // as token() writes it, but for what isn't printable
    for (const char c : plain) {
      if (c == '"') quoted << '\\';
      quoted << c;
    }
    return out_.view().find(quoted.view()) != std::string_view::npos;
  }
  [[nodiscard]] const text& content() const noexcept { return out_; }

 private:
  text out_;
};

void json_tokens(dictionary& out) {
  out.group("structure and literals");
  for (const char* s :
       {"{",    "}",     "[",    "]",    ",",      ":", "\"", "{}", "[]", "[[",          "]]",
        "true", "false", "null", "\"\"", "\"a\":", " ", "\n", "\r", "\t", "\xef\xbb\xbf"})
    out.token(s);
  out.group("strings");
  for (const char c : std::string_view("\"\\/bfnrt")) out.token(text() << '\\' << c);
  for (const char* s : {"\\u0000", "\\u0061", "\\u00e9", "\\u20ac", "\\ud83d\\ude00", "\\ud800",
                        "\\udc00", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                        "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"})
    out.token(s);
  out.group("numbers");
  for (const char* s : {"0",
                        "-0",
                        "-0.0",
                        "1e",
                        "e+",
                        "E-",
                        "0.1",
                        "1e22",
                        "1e23",
                        "1e-5",
                        "1e308",
                        "1e309",
                        "5e-324",
                        "2e-324",
                        "1.7976931348623157e308",
                        "2.2250738585072011e-308",
                        "9007199254740993",
                        "9223372036854775807",
                        "9223372036854775808",
                        "-9223372036854775808",
                        "-9223372036854775809",
                        "18446744073709551615",
                        "18446744073709551616"})
    out.token(s);
}

void alir_tokens(dictionary& out) {
  // A model with everything that the writer can write names all keys.
  alir::model m;
  m.n_inputs = m.n_outputs = 1;
  m.inp_shifts = {0}, m.out_idxs = {0}, m.out_shifts = {0}, m.out_negs = {0};
  m.tables.resize(1);
  m.tables[0].count = 1;
  m.table_data = {0};
  const result<text> json = alir::write_json(m);
  out.group("keys");
  json::reader in(json->view());
  std::string_view key;
  const auto member = [&] { return out.token(text() << '"' << key << "\":"); };
  for (in.object(); in.key(key);) {
    member();
    if (key != "model") {
      in.skip();
      continue;
    }
    in.array();
    for (int field = 0; field < 8; ++field) in.require_element(), in.skip();
    in.require_element();
    in.array();
    in.require_element();
    for (in.object(); in.key(key);) {
      member();
      if (key != "spec") {
        in.skip();
        continue;
      }
      for (in.object(); in.key(key);) {
        member();
        if (key != "out_qint") {
          in.skip();
          continue;
        }
        for (in.object(); in.key(key);) member(), in.skip();
      }
    }
    in.end_array();
    in.end_array();
  }
  out.group("wrapper");
  out.token("\"ALIRModel\"");
  for (int version = 0; version <= 5; ++version)
    out.token(text() << "\"spec_version\":" << version);

  // Rows as versions 2 and 4 write them, with operands 0.
  const auto zeros = [](text& row, int n) {
    row << '[';
    for (int i = 0; i < n; ++i) row << (i == 0 ? "0" : ",0");
    row << ']';
  };
  constexpr std::string_view rest = "[-8.0,7.5,0.5],0.0,0.0]";
  for (const alir::opcode_row& row : alir::opcode_table) {
    out.group(row.name);
    const int code = static_cast<int>(row.code);
    text plain, variadic;
    plain << '[' << (row.ids > 0 ? "0," : "-1,") << (row.ids > 1 ? "0," : "-1,") << code << ",0,"
          << rest;
    if (row.code != alir::opcode::sum) out.token(plain);
    variadic << '[';
    zeros(variadic, row.addresses < 0 ? 2 : row.addresses);
    variadic << ',' << code << ',';
    zeros(variadic, row.data_values < 0 ? 4 : row.data_values);
    variadic << ',' << rest;
    out.token(variadic);
    out.word(static_cast<std::int32_t>(row.code));
  }
  out.group("sub-operations, shifts and data");
  for (const alir::binary_bits b : {alir::binary_bits::conjunction, alir::binary_bits::disjunction,
                                    alir::binary_bits::exclusive}) {
    const std::int64_t data = std::int64_t{static_cast<std::uint8_t>(b)} << 56;
    out.token(text() << data);
    out.word(static_cast<std::int32_t>(data >> 32));
  }
  for (const std::int64_t v : {std::int64_t{-1}, std::int64_t{63}, std::int64_t{-63},
                               std::int64_t{64}, std::int64_t{1} << 32, -(std::int64_t{1} << 32)}) {
    out.token(text() << v);
    out.word(v);
  }
  for (const char* q :
       {"[0.0,0.0,1.0]", "[-1.0,0.0,1.0]", "[0.0,16777216.0,1.0]",
        "[-9.223372036854776e+18,9.223372036854775e+18,1.0]", "[0.0,9.223372036854775e+18,1.0]",
        "8.507059173023462e+37", "1.1754943508222875e-38", "1.7014118346046923e+38"})
    out.token(q);

  out.group("bytecode");
  out.token("ALIR");
  for (const std::int32_t v : {2, 3, 4, INT32_MAX, INT32_MIN}) out.word(v);
}

void ark_tokens(dictionary& out) {
  // A graph with everything that the writer can write names all keys.
  ark::builder b(0, 2);
  const ark::value x = b.tensor({4, 8}, ark::data_type::fp32);
  b.recv(b.tensor({4}, ark::data_type::fp32), 1, 7);
  b.reduce_sum(x, 1);
  const result<ark::model> g = b.finish();
  out.group("keys");
  for (const ark::dialect d : {ark::dialect::d3x, ark::dialect::d2, ark::dialect::d1a}) {
    const result<text> json = ark::write(*g, {.to = d, .pretty = false});
    const std::string_view all = *json;
    for (std::size_t at = 0; (at = all.find("\":", at)) != std::string_view::npos; at += 2) {
      const std::size_t first = all.rfind('"', at - 1);
      const std::string_view key = all.substr(first, at + 2 - first);
      if (!out.holds(key)) out.token(key);
    }
  }
  for (const char* s : {"\"BufferId\":", "\"Value\":", "\"ExternalDataSize\":", "\"DeviceId\":"})
    out.token(s);
  out.group("parts");
  const result<text> one = ark::write(*g, {.pretty = false});
  const std::string_view all = *one;
  // libFuzzer takes no more than 64 bytes.
  const std::size_t shape = all.find("\"Shape\":[4]"), buffer = all.find(",\"Buffer\"", shape);
  out.token(all.substr(shape, buffer - shape));
  out.token(all.substr(buffer, all.find('}', buffer) + 1 - buffer));
  const std::size_t node = all.find("{\"Id\":0,\"Prod");
  out.token(all.substr(node, all.find(",\"Op\"", node) - node));
  out.token("\"Rank\":0,\"WorldSize\":1,\"Nodes\":[");
  out.token("[[1,-2147483648]]");
  out.group("types of operations");
  for (const ark::op_row& row : ark::op_table)
    if (!row.name.empty()) out.token(text() << '"' << row.name << '"');
  out.group("types of data");
  for (const ark::data_type_row& row : ark::data_type_table)
    out.token(text() << '"' << row.name << '"');
  out.group("arguments");
  for (const std::string_view type : ark::argument_type_names)
    if (!type.empty()) out.token(text() << "{\"" << type << "\":");
  for (const std::string_view name : ark::argument_names)
    if (!name.empty()) out.token(text() << '"' << name << "\":{");
}

void nac_tokens(dictionary& out) {
  out.group("headers");
  out.token("NAC\1");
  out.token("NAC\2");
  for (const std::uint32_t size : nac::header_sizes) out.word(std::uint64_t{size});
  out.word(std::uint64_t{90});
  out.group("sections, and empty ones");
  for (const std::string_view tag : nac::section_tags) {
    out.token(tag);
    out.token(text() << tag << std::string_view("\0\0\0\0", 4));
  }
  out.group("flags and quantizations");
  for (std::uint8_t q = 0; q < nac::quantization_count; ++q) {
    out.word(q);
    out.word(static_cast<std::uint8_t>(0x80u | q));
    out.word(static_cast<std::uint8_t>(0xc0u | q));
  }
  out.group("actions");
  for (const nac::action_row& row : nac::actions) out.word(static_cast<std::uint8_t>(row.what));
  out.group("types of constants, with their lengths");
  for (std::uint8_t t = 0; t < nac::constant_type_count; ++t)
    for (const char length : {'\0', '\1', '\x8'})
      out.token(text() << static_cast<char>(t) << length << '\0');
  out.group("system instructions");
  for (const std::uint8_t op :
       {nac::op_input, nac::op_output, nac::op_control_flow, nac::op_convergence})
    for (char variant = 0; variant < 6; ++variant)
      out.token(text() << static_cast<char>(op) << variant << '\1' << '\0');
  out.group("operations");
  for (std::uint32_t id = nac::first_regular_op; id < nac::first_custom_op; ++id)
    out.token(nac::predefined_operation(id, 2));
  out.group("signatures");
  for (int code = 0; code < 128; ++code)
    if (nac::is_constant_code(static_cast<char>(code)))
      out.token(text() << '\2' << 'T' << static_cast<char>(code));
  out.group("shapes of data types");
  for (std::uint8_t t = 0; t < nac::data_type_count; ++t)
    out.token(text() << static_cast<char>(t) << '\1' << '\4' << std::string_view("\0\0\0", 3));
  out.group("numbers");
  for (const int v : {0x7fff, 0x8000, 0xffff}) out.word(static_cast<std::uint16_t>(v));
  for (const std::uint32_t v : {0x7fff'ffffu, 0x8000'0000u, 0xffff'ffffu}) out.word(v);
  for (const std::uint64_t v : {std::uint64_t{1} << 60, std::uint64_t{1} << 63, UINT64_MAX})
    out.word(v);
}

/// The words of NAC assembly.
void nac_assemble_tokens(dictionary& out) {
  out.group("header");
  for (const std::string_view w : nac::assembly::key_words) out.token(text() << w << ' ');
  for (const std::string_view w : nac::header_names) out.token(w);
  for (const std::string_view w : nac::assembly::weights_words) out.token(w);
  for (const std::string_view w : nac::quantization_names) out.token(w);
  for (const std::string_view w : nac::assembly::counting_words) out.token(w);
  for (std::size_t i = 0; i < nac::section_count; ++i)
    out.token(nac::assembly::tag_word(static_cast<nac::section>(i)));
  out.group("sections");
  for (const std::string_view w : nac::assembly::section_words) out.token(text() << w << ":\n");
  out.token("\nend\n");
  out.group("instructions");
  for (const nac::assembly::instruction_word& w : nac::assembly::instruction_words)
    out.token(text() << "\nv0 = " << w.word);
  for (std::uint32_t id = nac::first_regular_op; id < nac::first_custom_op; ++id)
    out.token(nac::predefined_operation(id, 2));
  for (const std::string_view w : {"(v0, v1)", "(@-1)", "(#1)", ":1(", ":\"TT\"(", "\n 1 = "})
    out.token(w);
  for (const std::string_view w :
       {nac::assembly::word_filler, nac::assembly::word_c, nac::assembly::word_d})
    out.token(text() << ' ' << w << " [");
  out.group("actions");
  for (const nac::action_row& row : nac::actions) out.token(row.name);
  out.token(nac::assembly::word_action);
  out.group("constants");
  for (const std::string_view w : nac::assembly::reserved_words) out.token(w);
  for (const std::string_view w : {"1.5", "-inf", "1e309", "[1, -1]", "[0.5]", "0x7fc00001"})
    out.token(w);
  out.group("tensors and payloads");
  for (const nac::data_type_row& row : nac::data_types) out.token(text() << row.name << " [2]");
  for (const std::string_view w :
       {nac::assembly::word_scale, nac::assembly::word_scales, nac::assembly::word_axis,
        nac::assembly::word_block, nac::assembly::word_shape})
    out.token(w);
  out.token(text() << nac::assembly::word_hex << " { 00 }");
  out.token(text() << nac::assembly::word_values << " [1]");
  out.token(text() << nac::assembly::word_file << " \"\" 0 1");
  out.group("plans");
  for (const nac::plan_op_row& row : nac::plan_ops) out.token(row.name);
  for (const std::string_view w : {"$0", "bytes 0x00", "L1:\n"}) out.token(w);
  out.group("tokenizers");
  for (const nac::tokenizer_op_row& row : nac::tokenizer_ops) out.token(row.name);
}

void nem_tokens(dictionary& out) {
  out.group("words");
  for (const std::string_view w : nem::reserved_words) out.token(w);
  for (const std::string_view w : nem::upstream_reserved_words) out.token(w);
  out.group("element types, memories and units");
  for (std::size_t i = 0; i < nem::element_count; ++i)
    out.token(text() << "elem=" << nem::name(static_cast<nem::element>(i)) << ", ");
  for (const nem::level l : {nem::level::ddr, nem::level::l2, nem::level::l1})
    out.token(text() << " : " << nem::name(l) << " (size=");
  for (const std::string_view u : nem::unit_names) {
    out.token(text() << u << " = 1 ");
    out.token(text() << " @resource(" << u << "[0])");
  }
  out.group("opcodes");
  for (const nem::opcode_row& row : nem::opcode_table)
    out.token(text() << row.name << (row.inputs == "src" ? ".async(" : ".async in "));
  for (const nem::attribute_row& row : nem::attribute_table) out.token(text() << row.name << '=');
  out.group("decorators");
  for (const nem::decorator_row& row : nem::decorator_table)
    out.token(text() << " @" << row.name
                     << (row.argument == nem::decorator_argument::none      ? ""
                         : row.argument == nem::decorator_argument::integer ? "(2)"
                         : row.argument == nem::decorator_argument::unit    ? "(VPU[0])"
                                                                            : "(x)"));
  out.group("quantization");
  for (const nem::quantization q : {nem::quantization::per_tensor, nem::quantization::per_channel,
                                    nem::quantization::per_group})
    out.token(text() << ", quant=" << nem::name(q) << '(');
  for (const std::string_view f : nem::quant_field_names) out.token(text() << f << '=');
  out.group("configuration");
  for (const std::string_view w : {"npm_baseline_1.0.nem",
                                   "nem_baseline_1.0.nem",
                                   "npm_baseline_1_0",
                                   "nem_baseline_1_0",
                                   "self.nem",
                                   "variants:",
                                   "conformance: {",
                                   "MUST",
                                   "MAY",
                                   "absent",
                                   "any_supported",
                                   "required on ",
                                   "num_engines",
                                   "l2_size_bytes",
                                   "l1_size_bytes",
                                   "per_engine",
                                   "device_units",
                                   "unit_characteristics",
                                   "max_active_tokens",
                                   "opcode.mandatory {",
                                   "opcode.extended {",
                                   "NEM-1.0"})
    out.token(w);
  for (const nem::family_row& f : nem::family_table) out.token(f.name);
  out.group("statements");
  for (const std::string_view w : {"\nlet R = region(B, 0, 8) ",
                                   "\nloop i in [0..3] @max_in_flight(2):\n",
                                   "\nendloop\n",
                                   "\nwait(t)",
                                   ", shape=[4], layout=C",
                                   ", strides=[1]",
                                   "deps=[t]",
                                   " in X out Y",
                                   "; ",
                                   "# ",
                                   "..",
                                   "mod ",
                                   "9223372036854775807",
                                   "1.0e-5",
                                   "\"",
                                   "true",
                                   "false",
                                   "((",
                                   "))",
                                   "[[",
                                   "]]"})
    out.token(w);
}

[[nodiscard]] genome::stream node_of(std::uint8_t a, std::uint8_t b,
                                     std::initializer_list<std::int32_t> d) {
  genome::stream s;
  s.add({.a = a, .b = b}, d);
  return s;
}

void registry_tokens(dictionary& out) {
  out.group("members");
  for (const std::string_view m : {"canonical_to_index",
                                   "index_to_canonical",
                                   "variation_to_index",
                                   "constants",
                                   "index_to_constant",
                                   "constant_group_to_index",
                                   "index_to_constant_group",
                                   "param_name_to_index",
                                   "index_to_param_name",
                                   "patterns",
                                   "rules",
                                   "transition_rules",
                                   "composition_rules",
                                   "structural_rules",
                                   "type",
                                   "value",
                                   "probability",
                                   "count",
                                   "b64_repr",
                                   "exceptions"})
    out.token(text() << '"' << m << "\":");
  out.group("names");
  for (const std::string_view name : genome::command_names) out.token(name);
  for (const std::string_view w :
       {"aten.relu.default:node_args(1):kwargs()", ":node_args(2):kwargs('dtype',)", "in0", ",in1",
        "arg1=10", ";dim=11"})
    out.token(w);
  out.group("constants");
  for (const std::string_view type :
       {"int", "float", "bool", "str", "NoneType", "list", "tuple", "immutable_list", "slice",
        "torch.dtype", "torch.device", "torch.layout", "torch.memory_format"})
    out.token(text() << "\"10\":{\"type\":\"" << type << "\",\"value\":");
  out.group("streams");
  for (const genome::stream& s : {node_of(10, 10, {-1}), node_of(6, 10, {}), node_of(7, 2, {1, 0}),
                                  node_of(5, 1, {}), node_of(8, 1, {1, 1, -1})})
    if (const result<text> w = genome::write_base64(s)) out.token(*w);
}

void pt2_tokens(dictionary& out) {
  out.group("records of zip");
  for (const std::string_view signature :
       {"PK\1\2", "PK\3\4", "PK\5\6", "PK\6\6", "PK\6\7", "PK\7\x08", "FB"})
    out.token(signature);
  out.group("members of the archive");
  for (const std::string_view name :
       {"archive_format", "archive_version", "byteorder", "models/model.json", "data/weights/",
        "data/constants/", "_weights_config.json", "_constants_config.json", "weight_0"})
    out.token(name);
  out.group("arguments");
  for (const pt2::argument_row& row : pt2::argument_kinds)
    out.token(text() << "{\"" << row.variant << "\": ");
  out.token("{\"as_name\": \"");
  out.token("{\"as_expr\": {\"expr_str\": \"");
  out.group("inputs and outputs");
  for (const pt2::spec_row& row : pt2::input_kinds)
    out.token(text() << "{\"" << row.variant << "\": {\"arg\": ");
  for (const pt2::spec_row& row : pt2::output_kinds)
    out.token(text() << "{\"" << row.variant << "\": {\"arg\": ");
  out.group("members of the program");
  for (const std::string_view name : {"name",
                                      "arg",
                                      "kind",
                                      "target",
                                      "inputs",
                                      "outputs",
                                      "nodes",
                                      "metadata",
                                      "tensor_values",
                                      "sym_int_values",
                                      "dtype",
                                      "sizes",
                                      "strides",
                                      "storage_offset",
                                      "layout",
                                      "device",
                                      "range_constraints",
                                      "min_val",
                                      "max_val",
                                      "schema_version",
                                      "module_call_graph",
                                      "in_spec"})
    out.token(text() << '"' << name << "\": ");
  out.group("element types");
  for (const pt2::element_type_row& row : pt2::element_types)
    out.token(text() << "\"dtype\": " << static_cast<unsigned>(row.type));
  out.group("expressions");
  for (const std::string_view e :
       {"Integer(2)", "Symbol('s0', positive=True)", "Mul(", "Add(", "2*s0", "s0//2"})
    out.token(e);
  out.group("earlier archives");
  for (const std::string_view name :
       {"serialized_exported_program.json", "serialized_state_dict.pt", "serialized_constants.pt",
        "version", "7.3", "archive/data.pkl", "archive/data/0", "data/weights/model.pt"})
    out.token(name);
  out.group("pickles");
  for (const pt2::pickle_opcode_row& row : pt2::pickle_opcodes) {
    const char opcode = static_cast<char>(row.byte);
    out.token({&opcode, 1});
  }
  for (const pt2::pickle_global_row& row : pt2::pickle_globals)
    out.token(text() << 'c' << row.module << '\n' << row.name << '\n');
  out.token("storage");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view name = count == 3 ? arguments[1] : "";
  if (name != "alir" && name != "ark" && name != "json" && name != "nac" &&
      name != "nac_assemble" && name != "nem" && name != "pt2" && name != "registry") {
    std::fprintf(stderr, "usage: %s alir|ark|json|nac|nac_assemble|nem|pt2|registry FILE\n",
                 arguments[0]);
    return 2;
  }
  dictionary out(name);
  if (name == "alir") alir_tokens(out);
  if (name == "ark") ark_tokens(out);
  if (name == "nac")
    nac_tokens(out);
  else if (name == "nac_assemble")
    nac_assemble_tokens(out);
  else if (name == "nem")
    nem_tokens(out);
  else if (name == "pt2")
    pt2_tokens(out);
  else if (name == "registry")
    registry_tokens(out);
  else
    json_tokens(out);
  std::FILE* const file = std::fopen(arguments[2], "wb");
  if (file == nullptr) return std::perror(arguments[2]), 3;
  const text& content = out.content();
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  return std::fclose(file) == 0 && written ? 0 : 3;
}
