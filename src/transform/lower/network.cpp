// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/network.hpp"

#include <algorithm>

#include "io/random.hpp"
#include "vm/nac/load.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace vn = vm::nac;

namespace {

[[nodiscard]] bool is_input(const nac::step& s, nac::input what) noexcept {
  return s.a == nac::op_input && s.b == static_cast<std::uint8_t>(what);
}

/// Whether a result depends on the shapes of its operands only.
[[nodiscard]] bool is_of_shape(nac::operation o) noexcept {
  return o == nac::operation::sym_size || o == nac::operation::sym_numel ||
         o == nac::operation::sym_is_contiguous || o == nac::operation::is_same_size;
}

/// Keeps what each instruction gives, which a machine drops at the end of its run.
struct keeper : vn::no_observer {
  const vn::interpreter& machine;
  std::vector<vn::value>& results;

  keeper(const vn::interpreter& m, std::vector<vn::value>& to) noexcept : machine(m), results(to) {}
  void end(const vn::event& e) { results[e.instruction] = machine.result(e.instruction); }
};

}  // namespace

network::network(const nac::program& p, const lower_options& options)
    : program_(p),
      machine_(p, {.max_memory = options.limit.max_memory, .frees = vn::freeing::never}) {
  find_dependent();
  set_inputs(options);
  results_.resize(size());
  const vn::outcome done = machine_.run(options.limit, keeper(machine_, results_));
  if (!done) throw failed(done);
  for (std::size_t k = 0; k < p.inputs().size(); ++k)  // those that no instruction was run for
    if (vn::value& x = results_[p.inputs()[k].instruction]; x.is_none())
      x = vn::make_tensor(machine_.arena(), nac::data_type::float32, vn::shape(options.shapes[k]));
}

/// A run's end, as a refusal with what it is: "v2 nac.matmul: …".
refusal network::failed(const vn::outcome& done) const {
  refusal out{done.code, 0, std::string(error{done.code}.message())};
  if (!done.text.empty()) out.text.append(": ").append(done.text);
  if (done.instruction >= size()) return out;
  out.instruction = done.instruction;
  out.text = name_of(out.instruction) + ": " + out.text;
  return out;
}

void network::find_dependent() {
  depends_.assign(size(), false);
  for (std::uint32_t i = 0; i < size(); ++i) {
    const nac::step& s = at(i);
    if (s.a == nac::op_control_flow || s.a == nac::op_convergence)
      throw refusal{errc::nac_lower_operation, i, "the device has no branches"};
    if (is_input(s, nac::input::state))
      throw refusal{errc::nac_lower_operation, i, "states between runs can't be lowered"};
    if (is_input(s, nac::input::user)) depends_[i] = true;
    if (s.a < nac::first_regular_op) continue;
    if (program_.is_in_place(s) && nac::program::operation_of(s) != nac::operation::pass)
      throw refusal{errc::nac_lower_operation, i,
                    name_of(i) +
                        ": writes in place can't be lowered; `tessera optimize` makes "
                        "results of most"};
    const nac::operation o = nac::program::operation_of(s);
    if (is_of_shape(o)) continue;
    bool any = nac::is_random(o);
    for (const nac::argument a : program_.code().arguments_of(s))
      any = any || (!a.is_constant() && depends_[a.index()]);
    depends_[i] = any;
  }
}

void network::set_inputs(const lower_options& options) {
  std::uint64_t random = options.seed;
  for (std::size_t k = 0; k < program_.inputs().size(); ++k) {
    const nac::model_input& in = program_.inputs()[k];
    if (k >= options.shapes.size())
      throw refusal{errc::nac_lower_shape, in.instruction,
                    "input " + std::to_string(k) + " has no shape"};
    vn::tensor x =
        vn::make_tensor(machine_.arena(), nac::data_type::float32, vn::shape(options.shapes[k]));
    for (float& e : x.elements<float>())
      e = static_cast<float>(static_cast<double>(io::next_bits(random) >> 11) * 0x1p-52 - 1);
    machine_.set_input(k, std::move(x));
  }
}

std::string network::name_of(std::uint32_t i) const {
  std::string out = "v" + std::to_string(i);
  if (at(i).a >= nac::first_regular_op)
    out.append(" ").append(program_.model().operation_name(at(i).a));
  return out;
}

vn::call network::call_of(std::uint32_t i, std::size_t replaced, const vn::value* by) {
  const nac::step& s = at(i);
  const view<nac::argument> given = program_.code().arguments_of(s);
  std::vector<nac::argument_form> forms;
  std::vector<const vn::value*>& values = arguments_.emplace_back();
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (!given[k].is_constant()) {
      forms.push_back(nac::argument_form::result);
      values.push_back(k == replaced ? by : &results_[given[k].index()]);
      continue;
    }
    const nac::constant& c = program_.constant(given[k].id());
    forms.push_back(nac::form_of(c));
    const auto [at, is_new] = constants_.try_emplace(given[k].id());
    if (is_new) at->second = vn::load(machine_.arena(), c);
    values.push_back(&at->second);
  }
  nac::binding& b = bindings_.emplace_back();
  const nac::operation o = nac::program::operation_of(s);
  (void)nac::bind(nac::pattern(o), {forms.data(), forms.size()}, b);
  return {machine_.arena(), work_, o, b, values};
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
