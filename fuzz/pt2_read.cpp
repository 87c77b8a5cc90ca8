// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// pt2::read, verify, print and write, and transform::import: for any bytes a model whose indices are in range, or an error
// with an offset inside; what was read is written, reads again as the same, and is written alike.
//
// An input that begins with '{' is the JSON of a program, optionally followed by a zero byte and the
// JSON of its weights, and by another one and the payload of all of them; one that begins with the byte
// 0x80 is the pickle of an earlier archive's weights, whose storages have 16 bytes: they are put into an
// archive with the checksums that mutations would break. All other inputs are archives.

#include <string>
#include <tessera/nac/read.hpp>
#include <tessera/nac/write.hpp>
#include <tessera/pt2.hpp>
#include <tessera/transform/import.hpp>

#include "mutate_zip.hpp"
#include "require.hpp"
#include "tests/support/zip.hpp"

using namespace tessera;
using test_zip::zip;

namespace {

[[nodiscard]] std::string archive_of(std::string_view input) {
  const std::size_t first = input.find('\0');
  const std::string_view rest = first == input.npos ? "" : input.substr(first + 1);
  const std::size_t second = rest.find('\0');
  zip z;
  for (char i = '0'; i < '6'; ++i)
    z.add("m/data/weights/weight_" + std::string(1, i),
          second == rest.npos ? "" : rest.substr(second + 1));
  z.add("m/data/weights/model_weights_config.json",
        rest.empty() ? "{\"config\": {}}" : rest.substr(0, second));
  z.add("m/data/constants/model_constants_config.json", "{\"config\": {}}");
  z.add("m/models/model.json", input.substr(0, first));
  z.add("m/archive_format", "pt2");
  z.add("m/archive_version", "0");
  z.add("m/byteorder", "little");
  return z.finish();
}

/// A flat archive whose program returns its parameter "w", which a pickle describes.
[[nodiscard]] std::string flat_archive_of(std::string_view pickle) {
  constexpr std::string_view program =
      R"({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "p"}}], "outputs": [{"as_tensor": )"
      R"({"name": "p"}}], "nodes": [], "tensor_values": {"p": {"dtype": 7, "sizes": [{"as_int": 4}], )"
      R"("requires_grad": true, "device": {"type": "cpu"}, "strides": [{"as_int": 1}], "storage_offset": )"
      R"({"as_int": 0}, "layout": 7}}, "sym_int_values": {}, "sym_bool_values": {}}, "signature": )"
      R"({"input_specs": [{"parameter": {"arg": {"name": "p"}, "parameter_name": "w"}}], "output_specs": )"
      R"([{"user_output": {"arg": {"as_tensor": {"name": "p"}}}}]}, "module_call_graph": [{"fqn": "", )"
      R"("signature": {"inputs": [], "outputs": [], "in_spec": "[1, {\"type\": \"builtins.tuple\", )"
      R"(\"context\": \"null\", \"children_spec\": []}]", "out_spec": "[1, {\"type\": null, )"
      R"(\"context\": null, \"children_spec\": []}]"}}]}, "opset_version": {}, "range_constraints": {}, )"
      R"("schema_version": {"major": 7, "minor": 3}})";
  zip inner, none, z;
  inner.add("archive/data.pkl", pickle);
  for (char i = '0'; i < '4'; ++i)
    inner.add("archive/data/" + std::string(1, i), "0123456789abcdef");
  none.add("archive/data.pkl", "\x80\x02}.");
  z.add("serialized_exported_program.json", program);
  z.add("serialized_state_dict.pt", inner.finish());
  z.add("serialized_constants.pt", none.finish());
  z.add("version", "7.3");
  return z.finish();
}

/// What is imported is a container, which reads, or something is refused.
void check_import(const pt2::program& p) {
  report refused;
  const auto made = transform::import(p, {}, &refused);
  if (!made) {
    fuzz::require(refused.errors != 0 || made.error().code != errc::ok, "a refusal has a reason");
    return;
  }
  constexpr std::uint64_t most = std::uint64_t{1} << 24;  // a weight may repeat its storage
  const auto size = nac::written_size(made->parts);
  if (!size || *size > most) return;
  const auto out = nac::write(made->parts);
  fuzz::require(static_cast<bool>(out), "what has a size is written");
  fuzz::require(static_cast<bool>(nac::read(bytes{out->data(), out->size()})),
                "what was imported is read");
}

/// Members are found by their names, metadata by their keys; a content that is set is there.
void check_members(const pt2::model& m) {
  for (const pt2::node& n : m.nodes)
    fuzz::require(metadata(m, n, "nn_module_stack").size() <= m.characters.size() &&
                      metadata(m, n, "no such key").empty(),
                  "metadata are the model's");
  fuzz::require(find_member(m, "no such member") == pt2::none, "only members are found");
  if (m.members.size() == 0) return;
  pt2::model other = m;
  set_content(other, 0, as_bytes(std::string_view("new")));
  fuzz::require(as_text(content(other, other.members[0])) == "new", "a content can be set");
}

void check_written(const pt2::model& m) {
  fuzz::require(!pt2::write_program(m).empty(), "what was read has a text");
  const auto out = pt2::write(m);
  if (!out) {
    const errc code = out.error().code;
    fuzz::require(code == errc::pt2_checksum || code == errc::pt2_write_programs ||
                      code == errc::pt2_expression,
                  "only checksums, and what is special about earlier archives, keep from writing");
    return;
  }
  const bytes written{out->data(), out->size()};
  const auto again = pt2::read(written);
  fuzz::require(static_cast<bool>(again), "what was written is read");
  // Earlier archives have other names of storages.
  fuzz::require(m.container != pt2::container_kind::raw || pt2::print(*again) == pt2::print(m),
                "what was written is the same");
  const auto same = pt2::write(*again);
  fuzz::require(same && *same == *out, "what was written is written alike");
}

void check_archive(std::string_view source) {
  fuzz::turns turn(source);
  auto m = pt2::read(source);
  if (!m) {
    fuzz::require_error(m.error(), source.size());
    if (turn.one_in(16))
      fuzz::require(!describe(m.error(), as_bytes(source)).empty(), "every error can be described");
    return;
  }
  if (turn.one_in(8))
    fuzz::require(check(*m).code == errc::ok, "indices of what was read are in range");
  if (turn.one_in(16))
    fuzz::require(!pt2::print(*m, {.modules = true, .stack_traces = true}).empty(),
                  "what was read can be printed");
  if (turn.one_in(32)) check_members(*m);
  if (turn.one_in(8)) check_written(*m);
  report found;
  const auto p = pt2::verify(std::move(*m), {}, &found);
  fuzz::require_report(found, p.error(), {"a.pt2", source, true});
  if (!p) return;
  const pt2::model& of = p->model();
  for (const pt2::argument& a : of.arguments)
    if (const std::uint32_t v = p->value_of(a); v != pt2::none)
      fuzz::require(v < of.values.size() && p->definition_of(v).graph != pt2::none,
                    "arguments are bound to values that are defined");
  if (turn.one_in(2)) check_import(*p);
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_zip_or_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const char first = size == 0 ? '\0' : input[0];
  const std::string made = first == '{'      ? archive_of(input)
                           : first == '\x80' ? flat_archive_of(input)
                                             : std::string();
  const fuzz::exact source(made.empty() ? input : std::string_view(made));
  check_archive(source.text());
  if (!fuzz::turns(source.text()).one_in(32)) return 0;
  const fuzz::exact prefix(
      source.text().substr(0, fuzz::below(source.text(), source.text().size())));
  check_archive(prefix.text());
  return 0;
}
