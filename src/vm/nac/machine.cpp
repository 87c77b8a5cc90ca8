// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "machine.hpp"

#include <new>

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

machine::machine(const model::program& p, const machine_options& how)
    : program_(p), own_(how.max_memory), room_(how.room != nullptr ? *how.room : own_) {
  const model::code& code = p.code();
  results_.resize(p.size());
  inputs_.resize(p.inputs().size());
  input_at_.resize(p.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    input_at_[p.inputs()[i].instruction] = static_cast<std::uint32_t>(i);
  constant_at_.resize(0x10000);
  constants_.reserve(0x10000);
  arguments_.reserve(code.arguments.size());
  bindings_.reserve(p.size());
  for (const model::step& s : code.steps) {
    bindings_.push_back(p.binding_of(s));
    for (const model::argument a : code.arguments_of(s)) {
      if (!a.is_constant()) {
        arguments_.push_back(a.index() < results_.size() ? &results_[a.index()] : nullptr);
        continue;
      }
      std::uint32_t& at = constant_at_[a.id()];
      if (at == 0 && p.has_constant(a.id())) {
        constants_.push_back(load(room_, p.constant(a.id())));
        at = static_cast<std::uint32_t>(constants_.size());
      }
      arguments_.push_back(at == 0 ? nullptr : &constants_[at - 1]);
    }
  }
}

machine::~machine() = default;

outcome machine::run(std::uint64_t max_steps) {
  outcome done;
  outputs_.clear();
  try {
    for (std::uint32_t i = 0; i < results_.size(); ++i) {
      done.instruction = i;
      if (done.steps == max_steps) fail(errc::budget_steps);
      ++done.steps;
      const model::step& s = program_.code().steps[i];
      if (s.a >= model::first_regular_op) {
        call c(room_, work_, model::program::operation_of(s), bindings_[i],
               arguments_.data() + s.first);
        results_[i] = nac::run(c);
      } else if (s.a == model::op_input) {
        const model::argument first =
            s.arguments == 0 ? model::argument{} : program_.code().arguments_of(s)[0];
        switch (static_cast<model::input>(s.b)) {
          case model::input::user:
            results_[i] = inputs_[input_at_[i]];
            if (results_[i].is_none()) fail(errc::nac_run_input);
            break;
          case model::input::parameter:
            if (!program_.has_weights()) fail(errc::nac_run_weights);
            results_[i] = load(room_, program_.parameter(first.id()).value);
            break;
          default: results_[i] = *arguments_[s.first]; break;
        }
      } else if (s.a == model::op_output) {
        for (std::size_t k = 0; k < s.arguments; ++k) outputs_.push_back(*arguments_[s.first + k]);
        break;
      }
    }
    done.instruction = outcome::none;
  } catch (fault& f) {
    done.code = f.code;
    done.text = std::move(f.text);
  } catch (const std::bad_alloc&) {
    done.code = errc::budget_memory;
  }
  for (value& v : results_) v = {};
  return done;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
