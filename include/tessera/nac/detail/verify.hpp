// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/verify.hpp.

#ifndef TESSERA_NAC_DETAIL_VERIFY_HPP
#define TESSERA_NAC_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/pool.hpp"
#include "../../core/result.hpp"
#include "../../core/sort.hpp"
#include "../diagnostic.hpp"
#include "../execution_plan_verify.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../operations.hpp"
#include "../program.hpp"
#include "../records.hpp"
#include "../resolve.hpp"
#include "../safetensors.hpp"
#include "../tokenizer.hpp"
#include "../verify.hpp"
#include "rules_code.hpp"
#include "rules_data.hpp"
#include "rules_schedule.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct verifier {
  const model& f;
  const verify_options& options;
  findings& found;
  program& out;

  // ---- tables of ids

  template <class List>
  void ids_once(const List& list) {
    id_set seen;
    std::uint32_t index = 0;
    for (const auto& r : list) {
      if (seen.has(r.id)) found.warning(errc::nac_id_repeated, r.offset, index);
      seen.insert(r.id);
      ++index;
    }
  }

  void tables() {
    for (const constant& c : f.constants()) {
      std::uint32_t at = out.constant_of_[c.id];
      if (at == no_index) {
        at = static_cast<std::uint32_t>(out.constants_.size());
        out.constant_of_.set(c.id, at);
        out.constants_.push_back(c);
        out.forms_.push_back({});
      }
      out.constants_[at] = c;
    }
    for (std::size_t i = 0; i < out.constants_.size(); ++i)
      out.forms_[i] = form_of(out.constants_[i]);
    ids_once(f.operations());
    ids_once(f.signatures());
    ids_once(f.constants());
    ids_once(f.parameters());
    ids_once(f.input_names());
  }

  // ---- DATA

  [[nodiscard]] parameter& parameter_of(std::uint16_t id) {
    if (out.parameter_of_[id] == no_index) {
      out.parameter_of_.set(id, static_cast<std::uint32_t>(out.parameters_.size()));
      parameter p;
      p.id = id;
      out.parameters_.push_back(p);
    }
    return out.parameters_[out.parameter_of_[id]];
  }

  void parameters() {
    for (const named& n : f.parameters()) {
      parameter& p = parameter_of(n.id);
      p.has_name = true;
      p.name = n.text;
      p.offset = n.offset;
    }
    std::uint32_t index = 0;
    for (const tensor& t : f.tensors()) {
      parameter& p = parameter_of(t.id);
      if (p.has_value) found.error(errc::nac_tensor_repeated, t.offset, index);
      if (!p.has_name) found.warning(errc::nac_tensor_unnamed, t.offset, index);
      const error e = tensor_fault(t);
      if (e.code != errc::ok) found.error(e.code, t.offset + e.offset, index);
      p.has_value = true;
      p.value = t;
      ++index;
    }
  }

  /// Finds an external weight by its name.
  void external(parameter& p, std::uint32_t instruction) {
    const std::size_t i = options.weights->find(p.name);
    if (i == options.weights->size())
      return found.error(errc::nac_external_missing, p.offset, instruction);
    const external_tensor t = (*options.weights)[i];
    if (!t.representable) return found.error(errc::nac_external_type, p.offset, instruction);
    if (const error e = tensor_fault(t.as); e.code != errc::ok)
      return found.error(e.code, p.offset, instruction);
    p.has_value = true;
    p.value = t.as;
    p.value.id = p.id;
  }

  /// The parameters that instructions ask for. `asked`: ids that were looked at.
  void asked_parameters(const pool<incoming>& sources, id_set& asked) {
    for (const incoming& i : sources) {
      if (!i.asks_for_parameter() || asked.has(i.id)) continue;
      const std::uint16_t id = i.id;
      asked.insert(id);
      const std::uint64_t offset = i.id_offset();
      const std::uint32_t at = out.parameter_of_[id];
      if (at == no_index || !out.parameters_[at].has_name) {
        found.error(errc::nac_parameter_unnamed, offset, i.index);
        continue;
      }
      parameter& p = out.parameters_[at];
      if (f.has_internal_weights()) {
        if (!p.has_value) found.error(errc::nac_parameter_tensor, offset, i.index);
      } else if (options.weights != nullptr) {
        external(p, i.index);
      } else {
        if (!options.weights_elsewhere && out.has_weights_)
          found.error(errc::nac_weights_elsewhere, offset, i.index);
        out.has_weights_ = false;
      }
    }
  }

  /// The inputs of OPS and their names.
  void inputs(const pool<incoming>& sources) {
    pool<std::uint32_t> input_of;  // by instruction, plus 1
    pool<std::uint8_t> nameable;
    if (!f.input_names().empty()) {
      input_of.resize(f.instructions().size());
      nameable.resize(f.instructions().size());
    }
    for (const incoming& i : sources) {
      const bool user = i.is(input::user);
      if (user) out.inputs_.push_back({i.index, {}});
      if (nameable.empty()) continue;
      nameable[i.index] = user || i.is(input::lifted_constant);
      input_of[i.index] = user ? static_cast<std::uint32_t>(out.inputs_.size()) : 0;
    }
    std::uint32_t index = 0;
    for (const named& n : f.input_names()) {
      if (n.id >= nameable.size() || nameable[n.id] == 0)
        found.error(errc::nac_input_name, n.offset, index);
      else if (input_of[n.id] != 0)
        out.inputs_[input_of[n.id] - 1].name = n.text;
      ++index;
    }
    if (out.inputs_.size() < f.inputs()) found.error(errc::nac_input_count, 5);
  }

  // ---- RSRC and ARRS

  struct name_place {
    std::string_view name;
    std::uint64_t offset = 0;
    std::uint32_t index = 0;
  };
  template <class List>
  void names_once(const List& list) {
    pool<name_place> names;
    std::uint32_t index = 0;
    for (const auto& r : list) names.push_back({r.name, r.offset, index++});
    sort(names.data(), names.size(),
         [](const name_place& a, const name_place& b) { return a.name < b.name; });
    for (std::size_t i = 1; i < names.size(); ++i)
      if (names[i].name == names[i - 1].name)
        found.error(errc::nac_name_repeated, names[i].offset, names[i].index);
  }
  void arrays() {
    std::uint32_t index = 0;
    for (const array& a : f.arrays()) {
      if (shape_bytes(a.type, a.shape) != a.data.size())
        found.error(errc::nac_array_size, a.data_offset - 8, index);
      ++index;
    }
  }

  // ---- the header

  void reserved_bytes() {
    const bytes source = f.source();
    if (source.size() > 9 && source[9] != std::byte{0}) found.warning(errc::nac_reserved_bytes, 9);
    if (f.header() != header::v1_6) return;
    for (std::uint64_t at = 84; at < 88 && at < source.size(); ++at)
      if (source[to_size(at)] != std::byte{0}) return found.warning(errc::nac_reserved_bytes, at);
  }
  void slack() {
    for (std::size_t i = 0; i < section_count; ++i) {
      const auto s = static_cast<section>(i);
      if (f.slack(s) != 0)
        found.warning(errc::nac_slack, f.offset(s) + f.section(s).size() - f.slack(s));
    }
  }
  void training_section() {
    if (f.has(section::trng) && f.version() == 1)
      found.error(errc::nac_training_version, f.offset(section::trng));
    else if (f.version() != 1 && f.has(section::trng) != f.has_training_flag())
      found.warning(errc::nac_training_flag, 4);
  }

  void all() {
    tables();
    code_rules rules{f, options, found, out.constants_, out.forms_, out.constant_of_};
    uses used;
    bool resolved = false;
    if (f.instructions().empty()) {
      found.error(errc::nac_no_instructions, f.offset(section::ops));
    } else {
      resolved = rules.resolve_and_check(f.instructions(), out.code_, used, true);
      if (!rules.has_output) found.warning(errc::nac_output_missing, f.offset(section::ops));
    }
    parameters();
    inputs(rules.sources);
    id_set asked;
    asked_parameters(rules.sources, asked);
    if (resolved) schedule_rules{f, found, out.code_, used, out.schedule_}.check();
    names_once(f.resources());
    names_once(f.arrays());
    arrays();
    found.error(verify_plan(f));
    if (f.has(section::proc))
      found.error(verify_manifest(f.manifest(), f.offset(section::proc) + 8));
    training_section();
    if (f.has(section::trng)) {
      uses unused;
      (void)rules.resolve_and_check(f.training(), out.training_, unused, false);
      asked_parameters(rules.sources, asked);
    }
    reserved_bytes();
    slack();
    if (!resolved) return;
    out.peak_results_ = peak_of(used.last);
    out.last_use_ = std::move(used.last);
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<program> verify(const model& f, const verify_options& options,
                                      report* found) {
  detail::findings all(found);
  program out(f);
  detail::verifier{f, options, all, out}.all();
  if (all.failed()) return all.first();
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_VERIFY_HPP
