// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The nodes of a program, one after another, and its outputs.

#include <algorithm>

#include "import/importer.hpp"
#include "tessera/nac/operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using pt2::argument_kind;

/// The operation that a container calls nac.add or the like, under that name: where PyTorch's means
/// the same, results and views included.
[[nodiscard]] std::string name_in_container(std::string_view target) {
  const nac::operation o = nac::find_operation(target);
  if (o == nac::operation::unknown || nac::is_in_place(target)) return std::string(target);
  const std::string_view name = nac::name(o);
  if (!name.starts_with("nac.")) return std::string(target);
  std::string_view base = target;
  base.remove_prefix(std::min(base.size(), std::string_view("aten.").size()));
  base = base.substr(0, base.find('.'));
  const bool is_product = base == "mm" || base == "bmm";
  if (base == name.substr(4) || (is_product && name == "nac.matmul")) return std::string(name);
  return std::string(target);
}

/// The path of the innermost module: key,path,type joined by ';'.
[[nodiscard]] std::string module_path(std::string_view stack) {
  const std::string_view last = stack.substr(stack.rfind(';') + 1);
  const std::size_t first = last.find(','), second = last.rfind(',');
  if (first == last.npos || first == second) return {};
  return std::string(last.substr(first + 1, second - first - 1));
}

}  // namespace

bool importer::is_assertion(std::string_view target) noexcept {
  for (const std::string_view name :
       {"aten._assert_tensor_metadata.", "aten._assert_scalar.", "aten._assert_async.",
        "aten.sym_constrain_range.", "aten.sym_constrain_range_for_size.",
        "aten._linalg_check_errors."})
    if (target.starts_with(name)) return true;
  return false;
}

importer::importer(const pt2::program& p, const import_options& options, report* found)
    : container_builder(options.form),
      p_(p),
      m_(p.model()),
      options_(options),
      found_(found, options.max_diagnostics),
      views_(std::make_shared<gathered_views>(m_)) {
  at_.assign(m_.values.size(), none);
}

result<imported> importer::run() {
  for (const pt2::output_spec& o : m_.outputs) user_outputs_ += is_operand(o) ? 1u : 0u;
  find_writes();
  inputs();
  nodes_of(m_.graphs[0]);
  keep_states();
  outputs();
  if (found_.failed()) return found_.first_error();
  result<nac::parts> made = finish();
  if (!made) return made.error();
  return imported{std::move(*made), views_};
}

detail::findings::writer importer::refuse(errc code, const pt2::node& n) {
  const std::string_view modules = metadata(m_, n, "nn_module_stack");
  const std::string_view trace = metadata(m_, n, "stack_trace");
  auto out = found_.error(code, {0, n.offset});
  out << short_target(m_, n);
  if (n.has_name) out << " (" << text_of(m_, n.name) << ')';
  if (const std::string module = module_path(modules); !module.empty())
    out << " in " << std::string_view(module);
  if (const std::size_t file = trace.rfind("File \""); file != trace.npos)
    out << ", " << trace.substr(file, trace.find('\n', file) - file);
  return out << ": ";
}
void importer::refuse_count(std::string_view what, std::uint64_t most) {
  if (!std::exchange(has_refused_count_, true))
    found_.error(errc::pt2_import_limit, {})
        << "more than " << most << ' ' << what << "; expected at most that many";
}
void importer::check_counts() {
  if (const excess e = exceeds(); e.most != 0) refuse_count(e.what, e.most);
}

// ---- nodes

pt2::element_type importer::type_of_value(std::uint32_t v) const {
  const pt2::value& of = m_.values[v];
  return of.kind == pt2::value_kind::tensor && of.meta != none ? m_.tensors[of.meta].type
                                                               : pt2::element_type::unknown;
}

std::uint32_t importer::take(std::uint32_t list, std::size_t element) {
  return call("getitem", {{'T', list, 0}, whole(static_cast<std::int64_t>(element))});
}

void importer::nodes_of(const pt2::graph& g) {
  for (const pt2::node& n : pt2::nodes(m_, g)) {
    node(n);
    check_counts();
    if (has_refused_count_) return;
  }
}

void importer::node(const pt2::node& n) {
  const std::string_view target = short_target(m_, n);
  constexpr std::string_view higher_order = "higher_order.";
  if (target.starts_with(higher_order)) return with_bodies(n, target.substr(higher_order.size()));
  if (is_assertion(target) || settled_alias(n)) return;
  operands of;
  cast_ = cast_of(n);
  const bool is_complete = append_all(n, of);
  cast_ = pt2::element_type::unknown;
  if (!is_complete) return bind_all(n, 0);
  bind_outputs(n, call(canonical(target), of));
}

const std::string& importer::canonical(std::string_view target) {
  const auto [at, is_new] = names_.emplace(target, std::string());
  if (is_new) at->second = name_in_container(target);
  return at->second;
}

void importer::bind_outputs(const pt2::node& n, std::uint32_t instruction) {
  const view<pt2::argument> out = arguments(m_, n.outputs);
  if (out.size() == 1 && info(out[0].kind).form != pt2::argument_form::list) {
    if (const std::uint32_t v = p_.value_of(out[0]); v != none) at_[v] = instruction;
    return;
  }
  const view<pt2::argument> items = out.size() == 1 ? arguments(m_, out[0].items) : out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::uint32_t v = p_.value_of(items[i]);
    if (v != none && is_used(v)) at_[v] = take(instruction, i);
    if (info(items[i].kind).form == pt2::argument_form::list)
      refuse(errc::pt2_import_control, n) << "a list among several results has no form in NAC";
  }
}
void importer::bind_all(const pt2::node& n, std::uint32_t instruction) {
  for (const pt2::argument& o : arguments(m_, n.outputs)) {
    if (const std::uint32_t v = p_.value_of(o); v != none) at_[v] = instruction;
    if (info(o.kind).form != pt2::argument_form::list) continue;
    for (const pt2::argument& item : arguments(m_, o.items))
      if (const std::uint32_t v = p_.value_of(item); v != none) at_[v] = instruction;
  }
}

// ---- outputs

bool importer::is_operand(const pt2::output_spec& o) const {
  return o.kind == pt2::output_kind::user_output &&
         m_.arguments[o.argument].kind != argument_kind::none;
}

void importer::output(nac::output variant, const instructions& results) {
  std::vector<std::uint16_t> d;
  for (const std::uint32_t r : results) d.push_back(back_to(r));
  add(nac::op_output, static_cast<std::uint8_t>(variant),
      std::vector<std::uint16_t>(results.size(), 0), d);
}

void importer::outputs() {
  instructions results;
  for (const pt2::output_spec& o : m_.outputs) {
    if (!is_operand(o)) continue;
    const std::uint32_t v = p_.value_of(o.argument);
    if (v != none && at_[v] != none) {
      results.push_back(pairs_of_complex(at_[v], type_of_value(v)));
    } else if (const operand c = number_of(m_.arguments[o.argument]); c.letter != 'T') {
      results.push_back(instruction_of(c));
    } else {
      const pt2::argument& a = m_.arguments[o.argument];
      found_.error(errc::pt2_import_output, {0, o.offset})
          << "output " << text_of(m_, a.text) << " is " << info(a.kind).variant
          << "; expected a tensor or a number";
      return;
    }
  }
  if (results.size() > nac::max_id) return refuse_count("outputs", nac::max_id);
  parts.outputs = static_cast<std::uint16_t>(results.size());
  output(nac::output::model, results);
}

result<imported> import(const pt2::program& p, const import_options& options, report* found) {
  return importer(p, options, found).run();
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
