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
#include "../execution_plan.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../operations.hpp"
#include "../safetensors.hpp"
#include "../tokenizer.hpp"
#include "../verify.hpp"
#include "places.hpp"
#include "rules_code.hpp"
#include "rules_data.hpp"
#include "rules_execution_plan.hpp"
#include "rules_report.hpp"
#include "rules_schedule.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct verifier {
  const model& f;
  const verify_options& options;
  findings& found;
  program& out;
  pool<std::uint32_t> record_of = {};  // by a parameter's id: which record names it

  // ---- tables of ids

  /// `put(to, index, record)` writes the path.
  template <class List, class Put>
  void ids_once(const List& list, Put&& put) {
    id_set seen;
    std::uint32_t index = 0;
    for (const auto& r : list) {
      if (seen.has(r.id)) {
        auto to = found.warning(errc::nac_id_repeated, {.offset = r.offset});
        to << "duplicate id " << r.id << "; the last record is used";
        put(to.path(), index, r);
      }
      seen.insert(r.id);
      ++index;
    }
  }
  template <class List>
  void named_ids_once(const List& list, std::string_view kind) {
    ids_once(list, [kind](findings::writer to, std::uint32_t index, const named& r) {
      put_named(to, kind, index, r.text);
    });
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
    named_ids_once(f.operations(), "operation");
    named_ids_once(f.signatures(), "signature");
    ids_once(f.constants(), [](findings::writer to, std::uint32_t index, const constant& c) {
      put_constant(to, "constant", index, c);
    });
    named_ids_once(f.parameters(), "parameter");
    named_ids_once(f.input_names(), "input name");
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
    std::uint32_t index = 0;
    for (const named& n : f.parameters()) {
      parameter& p = parameter_of(n.id);
      p.has_name = true;
      p.name = n.text;
      p.offset = n.offset;
      if (record_of.size() <= n.id) record_of.resize(std::size_t{n.id} + 1);
      record_of[n.id] = index++;
    }
    index = 0;
    for (const tensor& t : f.tensors()) {
      parameter& p = parameter_of(t.id);
      if (p.has_value) {
        auto to = found.error(errc::nac_tensor_repeated, {.offset = t.offset});
        to << "duplicate tensor for ";
        put_parameter(to, t.id, p.name);
        put_tensor(to.path(), index, t, t.offset);
      }
      if (!p.has_name) {
        auto to = found.warning(errc::nac_tensor_unnamed, {.offset = t.offset});
        to << "no parameter in DATA has the tensor's id, " << t.id;
        put_tensor(to.path(), index, t, t.offset);
      }
      if (const error e = tensor_fault(t); e.code != errc::ok) {
        auto to = found.error(e.code, {.offset = t.offset + e.offset});
        if (p.has_name) {
          put_parameter(to, t.id, p.name);
          to << ": ";
        }
        put_tensor_fault(to, e.code, t);
        put_tensor(to.path(), index, t, t.offset + e.offset);
      }
      p.has_value = true;
      p.value = t;
      ++index;
    }
  }

  /// Finds an external weight by its name.
  [[gnu::cold]] void external(parameter& p) {
    const auto wrong = [&](errc code, auto&& put) {
      auto to = found.error(code, {.offset = p.offset});
      put(to);
      put_named(to.path(), "parameter", record_of[p.id], p.name);
    };
    const std::size_t i = options.weights->find(p.name);
    if (i == options.weights->size())
      return wrong(errc::nac_external_missing, [&](findings::writer to) {
        to << "the external weights have no tensor \"" << p.name << '"';
      });
    const external_tensor t = (*options.weights)[i];
    if (!t.representable)
      return wrong(errc::nac_external_type, [&](findings::writer to) {
        to << "the external tensor \"" << p.name << "\" has a type or shape that NAC doesn't have";
      });
    if (const error e = tensor_fault(t.as); e.code != errc::ok)
      return wrong(e.code, [&](findings::writer to) {
        to << "external tensor \"" << p.name << "\": ";
        put_tensor_fault(to, e.code, t.as);
      });
    p.has_value = true;
    p.value = t.as;
    p.value.id = p.id;
  }

  /// The parameters that instructions use. `used`: ids that were looked at.
  void used_parameters(const pool<incoming>& sources, id_set& used, bool training) {
    for (const incoming& i : sources) {
      if (!i.uses_parameter() || used.has(i.id)) continue;
      const std::uint16_t id = i.id;
      used.insert(id);
      const auto wrong = [&](errc code, std::string_view before, std::string_view name,
                             std::string_view after) {
        auto to = found.error(code, {.offset = i.id_offset()});
        to << before;
        put_parameter(to, id, name);
        to << after;
        put_instruction(to.path(), f, i.index, i.a, training);
        to << ", id";
      };
      const std::uint32_t at = out.parameter_of_[id];
      if (at == no_index || !out.parameters_[at].has_name) {
        wrong(errc::nac_parameter_unnamed, "DATA has no ", {}, {});
        continue;
      }
      parameter& p = out.parameters_[at];
      if (f.has_internal_weights()) {
        if (!p.has_value) wrong(errc::nac_parameter_tensor, "DATA has no tensor for ", p.name, {});
      } else if (options.weights != nullptr) {
        external(p);
      } else {
        if (!options.weights_elsewhere && out.has_weights_)
          wrong(errc::nac_weights_elsewhere, {}, p.name,
                " and all others are in another file, which was not given");
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
        input_name(n, index);
      else if (input_of[n.id] != 0)
        out.inputs_[input_of[n.id] - 1].name = n.text;
      ++index;
    }
    if (out.inputs_.size() >= f.inputs()) return;
    auto to = found.error(errc::nac_input_count, {.offset = 5});
    put_count(to, out.inputs_.size(), "INPUT");
    to << " of variant 0 in OPS; the header counts " << f.inputs();
    to.path() << "header, number of inputs";
  }
  [[gnu::cold]] void input_name(const named& n, std::uint32_t index) {
    auto to = found.error(errc::nac_input_name, {.offset = n.offset});
    to << "input name for instruction " << n.id;
    if (n.id >= f.instructions().size()) {
      to << "; OPS has ";
      put_count(to, f.instructions().size(), "instruction");
    } else {
      to << ", which isn't an INPUT of variant 0 or 3";
    }
    put_named(to.path(), "input name", index, n.text);
  }

  // ---- RSRC and ARRS

  struct name_place {
    std::string_view name;
    std::uint64_t offset = 0;
    std::uint32_t index = 0;
  };
  template <class List>
  void names_once(const List& list, std::string_view kind) {
    pool<name_place> names;
    std::uint32_t index = 0;
    for (const auto& r : list) names.push_back({r.name, r.offset, index++});
    sort(names.data(), names.size(),
         [](const name_place& a, const name_place& b) { return a.name < b.name; });
    for (std::size_t i = 1; i < names.size(); ++i)
      if (names[i].name == names[i - 1].name) {
        auto to = found.error(errc::nac_name_repeated, {.offset = names[i].offset});
        to << "duplicate " << kind << " \"" << names[i].name << '"';
        put_named(to.path(), kind, names[i].index, names[i].name);
      }
  }
  void arrays() {
    std::uint32_t index = 0;
    for (const array& a : f.arrays()) {
      if (shape_bytes(a.type, a.shape) != a.data.size()) {
        const std::uint64_t at = a.data_offset - 8;
        auto to = found.error(errc::nac_array_size, {.offset = at});
        to << a.data.size() << " bytes of elements";
        put_expected_size(to, a.type, a.shape);
        put_array(to.path(), index, a, at);
      }
      ++index;
    }
  }

  // ---- the header and the sections

  [[gnu::cold]] void reserved_byte(std::uint64_t at) {
    auto to = found.warning(errc::nac_reserved_bytes, {.offset = at});
    to << "reserved byte " << at << " is " << load_le<std::uint8_t>(f.source().data() + at)
       << "; expected 0";
    to.path() << (at == 9 ? "header, reserved byte" : "header, reserved bytes");
  }
  void reserved_bytes() {
    const bytes source = f.source();
    if (source.size() > 9 && source[9] != std::byte{0}) reserved_byte(9);
    if (f.header() != header::v1_6) return;
    for (std::uint64_t at = 84; at < 88 && at < source.size(); ++at)
      if (source[to_size(at)] != std::byte{0}) return reserved_byte(at);
  }
  [[gnu::cold]] void slack() {
    for (std::size_t i = 0; i < section_count; ++i) {
      const auto s = static_cast<section>(i);
      if (f.slack(s) == 0) continue;
      auto to = found.warning(errc::nac_slack,
                              {.offset = f.offset(s) + f.section(s).size() - f.slack(s)});
      put_count(to, f.slack(s), "byte");
      to << " after the last record of " << section_name(s);
      put_slack(to.path(), s);
    }
  }
  [[gnu::cold]] void training_section() {
    if (f.has(section::trng) && f.version() == 1) {
      found.error(errc::nac_training_version, {.offset = f.offset(section::trng)}).path() << "TRNG";
    } else if (f.version() != 1 && f.has(section::trng) != f.has_training_flag()) {
      auto to = found.warning(errc::nac_training_flag, {.offset = 4});
      to << (f.has_training_flag() ? "bit 6 of byte 4 is set, but there is no TRNG section"
                                   : "bit 6 of byte 4 is clear, but there is a TRNG section");
      to.path() << "header, flags";
    }
  }

  void all() {
    tables();
    code_rules rules{f, options, found, out.constants_, out.forms_, out.constant_of_};
    uses used;
    bool resolved = false;
    if (f.instructions().empty()) {
      auto to = found.error(errc::nac_no_instructions, {.offset = f.offset(section::ops)});
      to << (f.has(section::ops) ? "OPS has no instructions" : "there is no OPS section")
         << "; expected at least one instruction";
      if (f.has(section::ops)) to.path() << "OPS";
    } else {
      resolved = rules.resolve_and_check(f.instructions(), out.code_, used, true);
      if (!rules.has_output)
        found.warning(errc::nac_output_missing, {.offset = f.offset(section::ops)}).path() << "OPS";
    }
    parameters();
    inputs(rules.sources);
    id_set used_ids;
    used_parameters(rules.sources, used_ids, false);
    if (resolved) schedule_rules{f, found, out.code_, used, out.schedule_}.check();
    names_once(f.resources(), "resource");
    names_once(f.arrays(), "array");
    arrays();
    if (!f.execution_plan().empty())
      plan_checker(f.execution_plan(), f.plan_constants(), found, plan_offset(f)).check();
    if (f.has(section::proc)) check_manifest(f.manifest(), f.offset(section::proc) + 8, found);
    training_section();
    if (f.has(section::trng)) {
      uses unused;
      (void)rules.resolve_and_check(f.training(), out.training_, unused, false);
      used_parameters(rules.sources, used_ids, true);
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
  detail::findings all(found, options.max_diagnostics);
  program out(f);
  detail::verifier{f, options, all, out}.all();
  if (all.failed()) return all.first_error();
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_VERIFY_HPP
