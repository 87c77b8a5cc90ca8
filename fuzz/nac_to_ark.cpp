// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC containers as ARK models: whatever verify() accepts is converted for any shapes, or refused with its
// place. What is converted verifies, can be written and read, and its inputs are those that it names.

#include <string_view>
#include <tessera/ark.hpp>
#include <tessera/core/bytes.hpp>
#include <tessera/nac/all.hpp>
#include <tessera/transform/convert.hpp>
#include <vector>

#include "mutate_nac.hpp"
#include "nac_input.hpp"
#include "require.hpp"
#include "tessera/inspect/ark/flow.hpp"

using namespace tessera;

namespace {

/// Shapes of inputs that depend on the content; those without a name are numbered.
[[nodiscard]] std::vector<transform::input_form> forms_of(const nac::program& p, std::size_t seed) {
  vm::nac::memory arena(1 << 16);
  std::vector<transform::input_form> out;
  std::size_t lifted = 0;
  for (std::size_t i = 0; i < p.inputs().size() && i < 100; ++i) {
    const std::string_view name = p.inputs()[i].name;
    const vm::nac::tensor x = fuzz::nac_input(arena, seed + i * 3);
    out.push_back({name.empty() ? "lifted#" + std::to_string(lifted++) : std::string(name),
                   x.type,
                   {x.dims.begin(), x.dims.end()}});
  }
  return out;
}

}  // namespace

TESSERA_FUZZ_PROGRAM_MUTATOR(fuzz::mutate_nac)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  const result<nac::model> file = nac::read(as_bytes(source));
  if (!file) return fuzz::reject(), 0;
  const result<nac::program> p = nac::verify(*file);
  if (!p) return fuzz::reject(), 0;
  const std::vector<transform::input_form> forms = forms_of(*p, fuzz::below(source, 1000));
  tessera::report found;
  result<transform::ark_network> made =
      transform::to_ark(*p,
                        {.inputs = forms,
                         .max_diagnostics = 10,
                         .limit = {.max_steps = 1 << 20, .max_memory = 1 << 22}},
                        &found);
  if (!made) {
    fuzz::require(found.errors != 0, "what is refused is reported");
    return 0;
  }
  if (!fuzz::turns(source).one_in(4)) return 0;
  const result<text> written = ark::write(made->model);
  fuzz::require(static_cast<bool>(written), "what is converted can be written");
  result<ark::model> model = ark::read(*written);
  fuzz::require(static_cast<bool>(model), "what is converted can be read");
  const result<ark::program> program = ark::verify(std::move(*model), {.hazards = false});
  fuzz::require(static_cast<bool>(program), "what is converted is valid");
  const inspect::flow ends(program->model());
  fuzz::require(ends.outputs().size() == p->model().outputs(),
                "outputs are those of the container");
  for (const std::uint32_t t : ends.inputs()) {
    bool is_named = false;
    for (const ark::op& o : program->model().ops)
      is_named = is_named || (o.type == ark::op_type::tensor &&
                              ends.storage_of_tensor(results(program->model(), o)[0]) ==
                                  ends.storage_of_tensor(t));
    fuzz::require(is_named, "inputs have names");
  }
  return 0;
}
