// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Any text: what is shown is safe for a terminal; strings come back from JSON; places and paths lead
// to where they were found; suggestions are near; names that tables are asked for are those of the row.
//
// The input is the text; what names are looked up by are its lines.

#include <algorithm>
#include <string>
#include <string_view>
#include <tessera/core/describe.hpp>
#include <tessera/core/findings.hpp>
#include <tessera/core/json.hpp>
#include <tessera/core/json_path.hpp>
#include <tessera/core/keyed_hash.hpp>
#include <tessera/core/suggest.hpp>
#include <tessera/core/text.hpp>
#include <tessera/inspect/nac/lookup.hpp>
#include <tessera/nac/all.hpp>
#include <tessera/pt2.hpp>
#include <tessera/tessera.hpp>
#include <tessera/transform/emit.hpp>
#include <vector>

#include "mutate_json.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

void check_shown(std::string_view source) {
  text shown;
  append_shown(shown, source);
  fuzz::require(is_utf8(shown), "what is shown is UTF-8");
  const char* const end = shown.data() + shown.size();
  for (const char* at = shown.data(); at != end; at += utf8_length(at, end))
    fuzz::require(unsafe_length(at, end) == 0, "what is shown is safe");
  text again;
  append_shown(again, shown);
  fuzz::require(again == shown, "what is safe is shown as it is");
  text line;
  append_shown(line, source, "\n\t");
  fuzz::require(std::count(line.data(), line.data() + line.size(), '\n') ==
                    std::count(source.begin(), source.end(), '\n'),
                "what is to be kept is");
}

/// UTF-8 by its definition: code points are decoded and encoded again.
[[nodiscard]] bool is_utf8_by_code_points(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    const auto lead = static_cast<unsigned char>(s[i]);
    const unsigned size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    std::uint32_t c = size == 1 ? lead : lead & (0xffu >> (size + 1));
    if (size > s.size() - i || (lead >= 0x80 && lead < 0xc0) || lead >= 0xf8) return false;
    for (unsigned k = 1; k < size; ++k) c = c << 6 | (static_cast<unsigned char>(s[i + k]) & 0x3fu);
    char buffer[4];
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
    if (std::string_view(buffer, utf8_encode(c, buffer)) != s.substr(i, size)) return false;
    i += size;
  }
  return true;
}

void check_quoted(std::string_view source) {
  const bool valid = is_utf8(source);
  fuzz::require(valid == is_utf8_by_code_points(source), "UTF-8 is what its definition says");
  if (!valid) return;
  text quoted;
  json::append_quoted(quoted, source);
  json::reader in(quoted);
  fuzz::require(in.string() == source && in.finish().code == errc::ok, "a string comes back");
  text object;
  json::writer to(object);
  to.begin_object();
  to.key(source).raw(quoted.view());
  to.end();
  json::reader of(object);
  std::string_view key;
  of.object();
  fuzz::require(of.key(key) && key == source && of.string() == source && !of.key(key) &&
                    of.finish().code == errc::ok,
                "a member comes back");
  text path("$");
  json::append_key(path, source);
  fuzz::require(json::find(object, path.view()) == object.view().find(':') + 1 ||
                    source.find(':') != std::string_view::npos || !valid,
                "the path of a key leads to its value");
}

void check_places(std::string_view source, std::size_t offset) {
  const line_column at = locate(source, offset);
  std::size_t start = 0;
  for (std::uint64_t line = 1; line < at.line; ++line) start = source.find('\n', start) + 1;
  fuzz::require(start + at.column - 1 == offset, "a line and a column are an offset");
  const text path = json::path(source, offset);
  fuzz::require(path.view().starts_with('$'), "a path begins at the root");
  const std::uint64_t found = json::find(source, path.view());
  fuzz::require(found == json::no_offset || found <= source.size(), "a path ends inside");
  for (const errc code : {errc::json_duplicate_key, errc::alir_id0, errc::nac_magic}) {
    const error e(code, offset);
    fuzz::require(!describe(e, source, "name").empty() && !describe(e, as_bytes(source)).empty() &&
                      !message_of(e, source).empty(),
                  "an error anywhere can be described");
  }
}

/// All values of what is JSON have a path that leads back.
void check_paths(std::string_view source) {
  json::reader in(source);
  in.skip();
  const std::size_t first = source.find_first_not_of(" \t\r\n");
  if (in.finish().code != errc::ok || (source[first] != '{' && source[first] != '[')) return;
  for (const fuzz::json_span& v : fuzz::json_spans(source).take()) {
    const text path = json::path(source, v.first);
    fuzz::require(json::find(source, path.view()) == v.first,
                  "a path leads to the value that it was made for");
  }
}

void check_suggestion(std::string_view a, std::string_view b) {
  suggestion one(a), other(b);
  one.offer(b);
  other.offer(a);
  fuzz::require(one.word().empty() == other.word().empty(), "near is near both ways");
  fuzz::require(one.word().empty() || one.word() == b, "only what was offered is suggested");
  const std::string_view table[] = {"relu", "sigmoid", "conv2d", "matmul"};
  const std::string_view found = nearest(a, table);
  fuzz::require(
      found.empty() || std::find(std::begin(table), std::end(table), found) != std::end(table),
      "only rows are suggested");
  fuzz::require((a == b) <= (keyed_hash(a, 7) == keyed_hash(b, 7)),
                "equal texts have equal hashes");
}

void check_names(std::string_view w) {
  const auto fits = [w](bool known, std::string_view name) {
    fuzz::require(!known || name == w, "a row has the name that it was found by");
  };
  fits(nem::find_element(w) != nem::element::none, nem::name(nem::find_element(w)));
  fits(nem::find_opcode(w) != nem::opcode::unknown, nem::name(nem::find_opcode(w)));
  fits(nem::find_unit(w) != nem::unit::none, nem::name(nem::find_unit(w)));
  const nem::attribute a = nem::find_attribute(w);
  if (a != nem::attribute::unknown)
    fits(true, nem::attribute_table[static_cast<std::size_t>(a)].name);
  const nem::decorator d = nem::find_decorator(w);
  if (d != nem::decorator::unknown)
    fits(true, nem::decorator_table[static_cast<std::size_t>(d)].name);
  (void)nem::element_meant(w);
  const std::string_view base = nem::base_name(w);
  fuzz::require(w.ends_with(base) && base.find_first_of("/\\") == std::string_view::npos,
                "a base name is the end of a path");
  const std::uint32_t baseline = nem::find_baseline(w);
  if (baseline < 2) fuzz::require(nem::baseline_files[baseline].file == base, "of a known file");
  const std::uint32_t family = nem::builtin_family(w);
  if (family < nem::builtin_families) fits(true, nem::family_table[family].name);

  fits(ark::find_op_type(w) != ark::op_type::unknown, ark::info(ark::find_op_type(w)).name);
  ark::data_type t{};
  if (ark::find_data_type(w, t)) fits(true, ark::info(t).name);
  (void)ark::find_argument_type(w);
  (void)ark::find_argument_name(w);
  const std::size_t row = nac::safetensors_row(w);
  if (row < nac::safetensors_type_count) fits(true, nac::safetensors_types[row].name);
  const nac::operation o = nac::find_operation(w);
  if (o != nac::operation::unknown && !nac::is_in_place(w)) {
    const std::string names =
        ' ' + std::string(nac::operations[static_cast<std::size_t>(o)].names) + ' ';
    fuzz::require(w.find(' ') == std::string_view::npos &&
                      names.find(' ' + std::string(w) + ' ') != std::string::npos,
                  "an operation has the name that it was found by");
  }
  (void)nac::view_or_squeeze(w, {});
  nac::binding bound;
  (void)nac::bind(nac::pattern(o), {}, bound);

  for (std::string_view list = w; !list.empty();) {
    const std::size_t before = list.size();
    (void)nem::next_word(list);
    fuzz::require(list.size() < before, "a list of words ends");
  }
  text string;
  nac::print_string(string, w);
  fuzz::require(string.view().starts_with('"') && string.view().ends_with('"') && is_utf8(string),
                "a string is printed in quotes");
  fuzz::require(
      w.size() <= 48 ? inspect::shortened(w) == w : inspect::shortened(w).size() <= 4 * 48 + 3,
      "a text is cut");
  (void)pt2::find_operator(w);
  (void)nac::takes_constants(w);
  const std::string identifier = transform::identifier_of(w);
  fuzz::require(!identifier.empty() && !(identifier[0] >= '0' && identifier[0] <= '9') &&
                    identifier.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
                                                 "XYZ0123456789_") == std::string::npos,
                "an identifier is one");
  fuzz::require(w.size() > 190 || transform::identifier_of(identifier) == identifier,
                "and stays as it is, unless it is cut");
  genome::operation_name name(w);
  for (std::string_view keyword; name.next_keyword(keyword);) {}
  fuzz::require(w.starts_with(name.target), "a target is the beginning of a name");
  genome::variation_inputs inputs(w);
  for (std::uint32_t i = 0; inputs.next(i);) {}
  genome::group_parts parts(w);
  genome::group_part part;
  while (parts.next(part))
    fuzz::require(w.find(part.key) != std::string_view::npos, "keys are in it");
  (void)genome::tensor_arguments(w, 3);
  (void)genome::single_constant_key(w, 1);
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact memory(fuzz::as_text(data, size));
  const std::string_view source = memory.text();
  fuzz::turns turn(source);
  if (turn.one_in(4)) check_shown(source);
  if (turn.one_in(4)) check_quoted(source);
  if (turn.one_in(8)) check_places(source, fuzz::below(source, size + 1));
  if (size < 200 && turn.one_in(8)) check_paths(source);
  const std::string_view first = source.substr(0, source.find('\n'));
  if (turn.one_in(8))
    check_suggestion(first,
                     source.substr(first.size() < size ? first.size() + 1 : size).substr(0, 40));
  if (turn.one_in(8)) check_names(first);
  return 0;
}
