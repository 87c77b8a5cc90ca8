// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ARK models as NAC containers: whatever verify() accepts is converted, or refused with its place. What is
// converted can be written and verifies, and where all elements are integers, both machines compute the
// same.

#include <string_view>
#include <tessera/ark.hpp>
#include <tessera/core/bytes.hpp>
#include <tessera/nac/all.hpp>
#include <tessera/transform/convert.hpp>
#include <vector>

#include "mutate_json.hpp"
#include "require.hpp"
#include "tessera/inspect/ark/flow.hpp"
#include "tessera/vm/ark.hpp"
#include "vm/nac/interpreter.hpp"
#include "vm/nac/load.hpp"

using namespace tessera;
namespace vn = vm::nac;

namespace {

constexpr budget limit{.max_steps = 1 << 22, .max_memory = 1 << 22};

[[nodiscard]] bool has_only_integers(const ark::model& g) {
  for (const ark::tensor& t : g.tensors)
    if (info(t.type).kind != ark::data_kind::integer) return false;
  return true;
}
[[nodiscard]] nac::data_type type_of(ark::data_type t) {
  return t == ark::data_type::int32  ? nac::data_type::int32
         : t == ark::data_type::int8 ? nac::data_type::int8
                                     : nac::data_type::uint8;
}

/// A tensor that both machines have, with small numbers.
[[nodiscard]] std::vector<std::byte> values_of(const ark::model& g, std::uint32_t tensor) {
  const std::size_t size = info(g.tensors[tensor].type).bytes;
  std::vector<std::byte> out(size * elements(layout_of(g, tensor)));
  for (std::size_t i = 0; i < out.size(); i += size)
    out[i] = static_cast<std::byte>((i / size * 5 + tensor * 3) % 7);
  return out;
}

/// Inputs whose shapes and types are those of the flow, one for each.
void compare(const ark::program& p, const nac::program& made) {
  const ark::model& g = p.model();
  const ark::program* const one = &p;
  const result<ark::world> world = ark::verify_ranks({&one, 1});
  const inspect::flow ends(g);
  if (!world || made.inputs().size() != ends.inputs().size()) return;
  vm::ark::machine first(*world, {.max_memory = limit.max_memory});
  vn::interpreter second(made, {.max_memory = limit.max_memory});
  if (!first.made() || !second.made()) return;
  for (std::size_t i = 0; i < ends.inputs().size(); ++i) {
    const std::uint32_t t = ends.inputs()[i];
    const std::vector<std::byte> values = values_of(g, t);
    const ark::layout& l = layout_of(g, t);
    fuzz::require(first.write(0, t, values), "inputs are tensors of the machine");
    const std::vector<std::int64_t> dims(l.shape, l.shape + (l.rank == 0 ? 1 : l.rank));
    if (made.inputs()[i].name != 't' + std::to_string(g.tensors[t].id)) return;  // all of a buffer
    second.set_input(i, vn::load(second.arena(), type_of(g.tensors[t].type),
                                 vn::shape(std::span(dims)), bytes(values.data(), values.size())));
  }
  if (!first.run(limit)) return;
  const vn::outcome done = second.run(limit);
  if (done.code == errc::budget_steps || done.code == errc::budget_memory) return;
  fuzz::require(static_cast<bool>(done), "a container runs where its model does");
  fuzz::require(second.outputs().size() == ends.outputs().size(), "outputs are those of the model");
  for (std::size_t i = 0; i < ends.outputs().size(); ++i) {
    std::vector<std::byte> wanted = values_of(g, ends.outputs()[i]);
    fuzz::require(first.read(0, ends.outputs()[i], wanted), "outputs are tensors of the machine");
    const vn::tensor& t = second.outputs()[i].as_tensor();
    std::vector<std::byte> found(t.bytes());
    vn::store(t, found.data());
    fuzz::require(found == wanted, "integers are computed alike");
  }
}

}  // namespace

TESSERA_FUZZ_PROGRAM_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  result<ark::model> file = ark::read(source);
  if (!file) return fuzz::reject(), 0;
  const result<ark::program> p = ark::verify(std::move(*file), {.hazards = false});
  if (!p) return fuzz::reject(), 0;
  tessera::report found;
  const result<nac::parts> made =
      transform::to_nac(*p, {.max_diagnostics = 10, .max_comparisons = 1 << 16}, &found);
  if (!made) {
    fuzz::require(found.errors != 0 || made.error().code == errc::nac_write_range,
                  "what is refused is reported");
    return 0;
  }
  if (!fuzz::turns(source).one_in(4)) return 0;
  const result<pool<std::byte>> written = nac::write(*made);
  fuzz::require(static_cast<bool>(written), "what is converted can be written");
  const result<nac::model> model = nac::read(bytes(written->data(), written->size()));
  fuzz::require(static_cast<bool>(model), "what is converted can be read");
  const result<nac::program> program = nac::verify(*model);
  fuzz::require(static_cast<bool>(program), "what is converted is valid");
  if (has_only_integers(p->model())) compare(*p, *program);
  return 0;
}
