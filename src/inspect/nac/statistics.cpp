// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nac/statistics.hpp"

#include <algorithm>
#include <map>

#include "tessera/nac/all.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using tally = std::map<std::string, std::uint64_t>;

[[nodiscard]] container_statistics::counts counts_of(const tally& t) {
  container_statistics::counts out;
  for (const auto& [name, count] : t) out.push_back({name, count});
  return out;
}

}  // namespace

container_statistics::container_statistics(const lookup& of) {
  const nac::model& file = of.model();
  tally in_code, in_training, by_type, by_action;
  for (const nac::instruction& i : of.instructions()) ++in_code[of.operation(i)];
  for (const nac::instruction& i : of.training()) ++in_training[of.operation(i)];
  for (const nac::tensor& t : file.tensors()) {
    ++tensors;
    elements += elements_of(t.value_shape());
    payload += t.data.size();
    scales += t.scales.size();
    std::string type(name(t.type));
    if (t.quantization != nac::quantization::none) type.append(" ").append(name(t.quantization));
    by_type[type] += t.data.size();
  }
  for (const nac::tick& t : file.schedule())
    for (const nac::command& c : t.commands) {
      const std::string_view what = name(c.what);
      ++by_action[what.empty() ? "action " + std::to_string(static_cast<unsigned>(c.what))
                               : std::string(what)];
    }
  operations = counts_of(in_code);
  training = counts_of(in_training);
  types = counts_of(by_type);
  commands = counts_of(by_action);
  nac::plan_instruction p;
  for (nac::plan_reader in(file.execution_plan()); in.next(p);) ++plan_instructions;
  nac::tokenizer_instruction t;
  for (nac::manifest_reader in(file.manifest()); in.next(t);) ++tokenizer_instructions;
}

const quantization_loss* quantization_losses::find(std::uint32_t id) const noexcept {
  const auto at = std::lower_bound(
      parameters.begin(), parameters.end(), id,
      [](const quantization_loss& l, std::uint32_t wanted) { return l.id < wanted; });
  return at != parameters.end() && at->id == id ? &*at : nullptr;
}

quantization_losses measure_losses(const nac::model& m, nac::quantization method,
                                   void (*advance)(void*, std::uint64_t), void* context) {
  quantization_losses out;
  for (const nac::tensor& t : m.tensors()) {
    quantization_loss l;
    l.id = t.id;
    if (t.quantization < nac::quantization::int8_tensor && !is_floating(t.type)) {
      l.why = "integers";
    } else if (t.value_shape().empty()) {
      l.why = "rank 0";
    } else {
      const result<nac::quantization_error> e = nac::requantization_error(t, method);
      if (e) {
        l.error = *e;
        out.total.add(*e);
      } else {
        l.why = e.error().code == errc::nac_quantize_finite ? "not finite" : e.error().name();
      }
    }
    out.parameters.push_back(l);
    if (advance != nullptr) advance(context, t.data.size());
  }
  std::stable_sort(
      out.parameters.begin(), out.parameters.end(),
      [](const quantization_loss& a, const quantization_loss& b) { return a.id < b.id; });
  return out;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
