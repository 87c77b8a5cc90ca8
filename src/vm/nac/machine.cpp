// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "arrays.hpp"
#include "interpreter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

/// Passes instructions on to a caller's observer.
struct passes_on : no_observer {
  observer_ref<event> to;
  void begin(const event& at) const { to.begin(at); }
  void end(const event& at) const { to.end(at); }
};

}  // namespace

class machine::state : public interpreter {
 public:
  using interpreter::interpreter;
};

machine::machine(const tessera::nac::program& p, const machine_options& how)
    : state_(std::make_unique<state>(
          p, interpreter_options{.max_memory = how.max_memory, .seed = how.seed})) {}
machine::machine(machine&&) noexcept = default;
machine& machine::operator=(machine&&) noexcept = default;
machine::~machine() = default;

outcome machine::set_input(std::size_t index, const array_view& x) {
  return caught<outcome>([&] {
    const std::size_t count = state_->program().inputs().size();
    if (index >= count)
      fail(errc::nac_run_input, "input ", index, " doesn't exist; ",
           count == 0 ? "the program has none" : "expected 0 to " + std::to_string(count - 1));
    state_->set_input(index, value_of(state_->arena(), x));
    return errc::ok;
  });
}
outcome machine::set_state(std::uint16_t id, const array_view& x) {
  return caught<outcome>([&] { return state_->set_state(id, value_of(state_->arena(), x)); });
}

outcome machine::run_observed(const budget& limit, const observer_ref<event>& see) {
  if (!see) return state_->run(limit);
  passes_on both;
  both.to = see;
  return state_->run(limit, both);
}

std::size_t machine::outputs() const noexcept { return state_->outputs().size(); }
array_view machine::output(std::size_t index) const noexcept {
  return index < outputs() ? array_of(state_->outputs()[index]) : array_view();
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
