// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A container's weights in another place or form: moved out, written, read and moved in again they are
// what they were; quantized and dequantized, containers can be written, read and verified as before; an
// index of the tensors, made with few reads, has all that the container has, at the same places.

#include <cstring>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/nac/all.hpp>

#include "mutate_nac.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

[[nodiscard]] bool same(bytes a, bytes b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}
[[nodiscard]] bytes view_of(const pool<std::byte>& b) { return {b.data(), b.size()}; }

void check_index(bytes source, const nac::model& file) {
  const auto read_at = [](void* context, std::uint64_t offset, std::byte* to, std::size_t count) {
    const bytes all = *static_cast<const bytes*>(context);
    if (offset > all.size() || count > all.size() - offset) return false;
    std::memcpy(to, all.data() + offset, count);
    return true;
  };
  bytes all = source;
  const auto index = nac::index_tensors({&all, read_at, source.size()});
  if (!index) return fuzz::require_error(index.error(), source.size());
  fuzz::require(index->tensors().size() == file.tensors().size(), "an index has all tensors");
  for (const nac::tensor& t : file.tensors()) {
    const nac::indexed_tensor* found = index->find(t.id);
    fuzz::require(found != nullptr, "a tensor is found by its id");
    if (found->data_offset != t.data_offset) continue;  // one of two with the same id
    fuzz::require(found->data_size == t.data.size(), "with its elements");
    const std::string_view name = index->name(*found);
    if (!name.empty()) fuzz::require(index->find(name) != nullptr, "and by its name");
  }
}

void check_moved(const nac::parts& parts) {
  const result<nac::external_weights> apart = nac::externalise(parts);
  if (!apart) return;
  const result<pool<std::byte>> weights = nac::write_safetensors(apart->weights);
  if (!weights) return;
  const result<nac::safetensors> file = nac::read_safetensors(view_of(*weights));
  fuzz::require(static_cast<bool>(file), "weights that were written read");
  const result<nac::parts> back = nac::internalise(apart->model, *file);
  fuzz::require(static_cast<bool>(back), "what was moved out can be moved in");
  const result<nac::external_weights> once_more = nac::externalise(*back);
  fuzz::require(static_cast<bool>(once_more), "and out again");
  const result<pool<std::byte>> second = nac::write_safetensors(once_more->weights);
  fuzz::require(second && same(view_of(*second), view_of(*weights)), "as the same bytes");
}

void check_quantized(const nac::parts& parts, std::size_t seed) {
  constexpr nac::quantization methods[] = {nac::quantization::int8_tensor,
                                           nac::quantization::int8_channel,
                                           nac::quantization::block_fp8};
  const result<nac::conversion> small = nac::quantize(parts, methods[seed % 3]);
  if (!small) return;
  const result<pool<std::byte>> container = nac::write(small->model);
  if (!container) return;
  const result<nac::model> file = nac::read(view_of(*container));
  fuzz::require(static_cast<bool>(file), "a quantized container reads");
  fuzz::require(static_cast<bool>(nac::verify(*file)), "and verifies");
  const result<nac::conversion> large = nac::dequantize(nac::parts_of(*file));
  fuzz::require(static_cast<bool>(large), "and can be dequantized");
  const result<pool<std::byte>> again = nac::write(large->model);
  fuzz::require(again && nac::read(view_of(*again)), "to a container");
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_nac)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact memory(fuzz::as_text(data, size));
  const result<nac::model> file = nac::read(memory.bytes());
  if (!file) return 0;
  fuzz::turns turn(memory.text());
  if (turn.one_in(4)) check_index(memory.bytes(), *file);
  if (!turn.one_in(2) || !nac::verify(*file)) return 0;
  const nac::parts parts = nac::parts_of(*file);
  if (turn.one_in(4)) check_moved(parts);
  if (turn.one_in(4)) check_quantized(parts, fuzz::below(memory.text(), 3));
  return 0;
}
