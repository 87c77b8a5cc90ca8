// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "interpreter.hpp"
#include "vm/nac/arrays.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::genome {

class machine::state : public interpreter {
 public:
  using interpreter::interpreter;

  /// Calls set() with the value; false from it is `otherwise`.
  template <class Set>
  [[nodiscard]] outcome take(const array_view& x, errc otherwise, Set&& set) {
    return nac::caught<outcome>(
        [&] { return set(nac::value_of(arena(), x)) ? errc::ok : otherwise; });
  }
};

machine::machine(const tessera::genome::program& p, const machine_options& how)
    : state_(std::make_unique<state>(
          p, interpreter_options{.max_memory = how.max_memory, .max_nodes = how.max_nodes})) {}
machine::machine(machine&&) noexcept = default;
machine& machine::operator=(machine&&) noexcept = default;
machine::~machine() = default;

std::size_t machine::inputs() const noexcept { return state_->inputs(); }
outcome machine::set_input(std::size_t index, const array_view& x) {
  return state_->take(x, errc::nac_run_input,
                      [&](nac::value v) { return state_->set_input(index, std::move(v)); });
}
std::span<const std::uint32_t> machine::parameters() const noexcept { return state_->parameters(); }
outcome machine::set_parameter(std::uint32_t id, const array_view& x) {
  return state_->take(x, errc::genome_run_parameter,
                      [&](nac::value v) { return state_->set_parameter(id, std::move(v)); });
}
outcome machine::set_parameter(std::string_view name, const array_view& x) {
  return state_->take(x, errc::genome_run_parameter,
                      [&](nac::value v) { return state_->set_parameter(name, std::move(v)); });
}
std::size_t machine::unnamed_parameters() const noexcept { return state_->unnamed_parameters(); }
outcome machine::set_unnamed_parameter(std::size_t index, const array_view& x) {
  return state_->take(x, errc::genome_run_parameter, [&](nac::value v) {
    return state_->set_unnamed_parameter(index, std::move(v));
  });
}

outcome machine::run_observed(const budget& limit, const observer_ref<event>& see) {
  return state_->run(limit, see);
}

std::size_t machine::outputs() const noexcept { return state_->outputs().size(); }
array_view machine::output(std::size_t index) const noexcept {
  return index < outputs() ? nac::array_of(state_->outputs()[index]) : array_view();
}

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI
