// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// nac::read_safetensors: for any bytes a file, or an error with an offset inside that can be
// described. Each tensor is found by its name and lies in the file; what NAC can hold is written, reads
// as the same, and is written as the same bytes again.
//
// The input is a file; or where it begins with '{' a header up to the last '}', and elements after it.

#include <cstring>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/core/describe.hpp>
#include <tessera/nac/all.hpp>

#include "mutate_json.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

[[nodiscard]] std::string file_of(std::string_view source) {
  if (!source.starts_with('{')) return std::string(source);
  const std::size_t last = source.rfind('}');
  const std::uint64_t size = last == std::string_view::npos ? source.size() : last + 1;
  std::string out(8, '\0');
  store_le(out.data(), size);
  return out.append(source);
}

[[nodiscard]] bool same(bytes a, bytes b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

/// The type that NAC has for a tensor's elements.
[[nodiscard]] nac::data_type elements_of(const nac::external_tensor& t) {
  constexpr std::pair<std::string_view, nac::data_type> types[] = {
      {"BOOL", nac::data_type::boolean}, {"U8", nac::data_type::uint8},
      {"I8", nac::data_type::int8},      {"I16", nac::data_type::int16},
      {"F16", nac::data_type::float16},  {"BF16", nac::data_type::bfloat16},
      {"I32", nac::data_type::int32},    {"F32", nac::data_type::float32},
      {"F64", nac::data_type::float64},  {"I64", nac::data_type::int64}};
  for (const auto& [name, type] : types)
    if (t.type == name) return type;
  fuzz::require(false, "NAC has the type of a tensor that it can represent");
  return {};
}

void require_same(const nac::safetensors& a, const nac::safetensors& b) {
  fuzz::require(a.size() == b.size(), "all tensors are written");
  for (std::size_t i = 0; i < a.size(); ++i) {
    const nac::external_tensor x = a[i], y = b[b.find(x.name)];
    fuzz::require(x.name == y.name && x.type == y.type && same(x.as.data, y.as.data) &&
                      x.as.quantization == y.as.quantization,
                  "a tensor reads as it was written");
    fuzz::require(x.as.shape.size() == y.as.shape.size(), "and has its rank");
    for (std::uint32_t d = 0; d < x.as.shape.size(); ++d)
      fuzz::require(x.as.shape[d] == y.as.shape[d], "and its shape");
  }
}

void check_written(const nac::safetensors& file) {
  nac::external_parts out;
  pool<std::uint32_t> shape;
  for (std::size_t i = 0; i < file.size(); ++i) {
    const nac::external_tensor t = file[i];
    if (!t.representable) return;
    // Of a quantized tensor, the shape of its elements is nowhere but in the file.
    if (t.as.quantization != nac::quantization::none) return;
    shape.clear();
    for (std::uint32_t d = 0; d < t.as.shape.size(); ++d) shape.push_back(t.as.shape[d]);
    out.add(t.name, elements_of(t), {shape.data(), shape.size()}, nac::parts::borrow(t.as.data));
  }
  for (std::size_t i = 0; i < file.metadata_size(); ++i)
    out.add_metadata(file.metadata(i).key, file.metadata(i).value);
  const result<pool<std::byte>> written = nac::write_safetensors(out);
  fuzz::require(static_cast<bool>(written), "what was read can be written");
  const bytes first(written->data(), written->size());
  const result<nac::safetensors> again = nac::read_safetensors(first);
  fuzz::require(static_cast<bool>(again), "what was written reads");
  require_same(file, *again);
  fuzz::require(again->metadata_size() == file.metadata_size(), "metadata are written");
  for (std::size_t i = 0; i < file.metadata_size(); ++i)
    fuzz::require(again->metadata(i).key == file.metadata(i).key &&
                      again->metadata(i).value == file.metadata(i).value,
                  "in their order");
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact memory{std::string_view(file_of(fuzz::as_text(data, size)))};
  const bytes source = memory.bytes();
  fuzz::turns turn(memory.text());
  const result<nac::safetensors> file = nac::read_safetensors(source);
  if (!file) {
    fuzz::require_error(file.error(), source.size());
    if (turn.one_in(32))
      fuzz::require(!describe(file.error(), source).empty(), "every error can be described");
    return 0;
  }
  if (turn.one_in(8))
    fuzz::require(
        static_cast<bool>(nac::read_safetensors(source, {.limit = {.max_items = file->size()}})),
        "a limit is the number of tensors");
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < file->size(); ++i) {
    const nac::external_tensor t = (*file)[i];
    fuzz::require(file->find(t.name) == i, "a tensor is found by its name");
    fuzz::require(nac::safetensors_row(t.type) < nac::safetensors_type_count, "types are known");
    fuzz::require(t.as.data_offset >= end, "tensors are in the order of their elements");
    end = t.as.data_offset + t.as.data.size();
    fuzz::require(end <= source.size(), "elements are in the file");
    fuzz::require(t.offset < source.size() && source[t.offset] == std::byte{'{'},
                  "a tensor's offset is its object's");
  }
  fuzz::require(file->find("no such name") <= file->size(), "any name can be looked for");
  if (turn.one_in(8)) check_written(*file);
  return 0;
}
