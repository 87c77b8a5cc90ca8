// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/device.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

[[nodiscard]] bool is_same(const nem::topology& a, const nem::topology& b) {
  return a.engines == b.engines && a.l1_size == b.l1_size && a.l2_size == b.l2_size &&
         std::equal(std::begin(a.units), std::end(a.units), std::begin(b.units));
}

/// Fields of a topology by their names in the language.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> fields_of(const nem::topology& t) {
  std::vector<std::pair<std::string, std::int64_t>> out = {
      {"num_engines", t.engines}, {"l2_size_bytes", t.l2_size}, {"l1_size_bytes", t.l1_size}};
  for (std::size_t u = 0; u < nem::unit_count; ++u)
    out.emplace_back(nem::unit_names[u], t.units[u]);
  return out;
}

}  // namespace

device_summary::device_summary(const nem::catalog& of, const nem::device& d)
    : name(of.text_of(d.name)),
      spec_version(of.text_of(d.spec_version)),
      has_topology(d.has_topology),
      topology(d.topology) {
  std::vector<const nem::device*> chain = {&d};
  while (chain.back()->base != nem::no_index) chain.push_back(&of.devices[chain.back()->base]);
  for (std::size_t i = 1; i < chain.size(); ++i) ancestors.push_back(of.text_of(chain[i]->name));

  // From the root on: a device that is resolved repeats what it inherits, and is no origin of that.
  std::map<std::uint32_t, variant> by_instance;
  const nem::device* parent = nullptr;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    const nem::device& x = **at;
    const std::string_view from = of.text_of(x.name);
    if (x.has_topology &&
        (parent == nullptr || !parent->has_topology || !is_same(parent->topology, x.topology)))
      topology_from = from;
    parent = &x;
    for (std::uint32_t i = 0; i < x.characteristics; ++i) {
      const nem::unit_number& n = of.characteristics[x.first_characteristic + i];
      const std::string_view key = of.text_of(n.key);
      const auto known = std::find_if(numbers.begin(), numbers.end(), [&](const number& other) {
        return other.unit == n.unit && other.key == key;
      });
      if (known == numbers.end())
        numbers.push_back({n.unit, key, n.value, from});
      else if (known->value != n.value)
        *known = {n.unit, key, n.value, from};
    }
    for (std::uint32_t i = 0; i < x.mandatory + x.extended; ++i) {
      const bool is_mandatory = i < x.mandatory;
      const std::uint32_t instance =
          of.device_instances[is_mandatory ? x.first_mandatory + i
                                           : x.first_extended + i - x.mandatory];
      const auto [known, is_new] = by_instance.try_emplace(instance);
      if (!is_new) {
        known->second.is_mandatory = known->second.is_mandatory || is_mandatory;
        continue;
      }
      text reference;
      of.append_reference(reference, of.instances[instance]);
      known->second = {std::string(reference.view()),
                       of.text_of(of.families[of.instances[instance].family].name), is_mandatory,
                       from};
    }
  }
  for (auto& [instance, v] : by_instance) variants.push_back(std::move(v));
}

std::string opcodes_of(std::string_view family) {
  std::string out;
  for (const nem::opcode_row& row : nem::opcode_table) {
    for (std::string_view rest = row.families; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (word == family) out.append(out.empty() ? "" : ", ").append(row.name);
    }
  }
  return out;
}

device_difference diff(const device_summary& before, const device_summary& after) {
  // By what it is: the values before and after.
  std::vector<device_difference::line> all;
  std::map<std::string, std::size_t> places;
  const auto put = [&](std::string what, std::string value, bool is_after) {
    const auto [at, is_new] = places.try_emplace(what, all.size());
    if (is_new) all.push_back({std::move(what), "", ""});
    (is_after ? all[at->second].after : all[at->second].before) = std::move(value);
  };
  for (const bool is_after : {false, true}) {
    const device_summary& s = is_after ? after : before;
    put("spec_version", std::string(s.spec_version), is_after);
    if (s.has_topology)
      for (const auto& [field, value] : fields_of(s.topology))
        put(field, std::to_string(value), is_after);
    for (const device_summary::number& n : s.numbers)
      put(std::string(nem::name(n.unit)) + '.' + std::string(n.key), std::to_string(n.value),
          is_after);
    for (const device_summary::variant& v : s.variants)
      put(v.reference, v.is_mandatory ? "mandatory" : "extended", is_after);
  }
  device_difference out;
  for (device_difference::line& l : all)
    if (l.before != l.after) out.lines.push_back(std::move(l));
  return out;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
