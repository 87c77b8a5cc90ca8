// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Where names are declared and used, and what a document consists of.

#include <algorithm>
#include <set>
#include <utility>

#include "lsp_server.hpp"
#include "tessera/inspect/nem/symbols.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

using inspect::nem_name;
using inspect::nem_symbol_kind;
using nem::node_kind;

namespace {

/// Whether a name means the same in all files.
[[nodiscard]] bool is_global(nem_symbol_kind k) noexcept {
  return k == nem_symbol_kind::device || k == nem_symbol_kind::type_family ||
         k == nem_symbol_kind::variant;
}

/// A global name's text; of a variant with its family's.
[[nodiscard]] std::string global_name(const nem::model& d, const inspect::nem_symbols& all,
                                      const nem_name& n) {
  std::string out;
  if (n.kind == nem_symbol_kind::variant) {
    if (n.is_declaration) {
      out = nem::name_of(d, all.symbols()[n.symbol].parent);
    } else if (&n != all.names().data()) {  // its family is named just before
      const nem_name& family = *(&n - 1);
      if (family.kind == nem_symbol_kind::type_family) out = nem::name_of(d, family.node);
    }
    out += '.';
  }
  return out += nem::name_of(d, n.node);
}

}  // namespace

std::vector<server::named_file> server::files_around(document& d, bool with_others) {
  std::vector<named_file> out;
  std::set<std::string> ids = {d.id()};
  out.push_back({d.uri(), &d, nullptr, nullptr, nullptr});
  for (const std::string& id : d.included()) {
    if (!ids.insert(id).second) continue;
    named_file f;
    f.uri = files_.uri_of_id(id);
    f.open = files_.open_document(id);
    if (f.open == nullptr) {
      f.text = std::make_unique<source_text>(std::string(files_.text_of(id)));
      f.model = std::make_unique<nem::model>(inspect::read_partly(f.text->view()));
      f.symbols = std::make_unique<inspect::nem_symbols>(*f.model, f.text->view());
    }
    out.push_back(std::move(f));
  }
  if (!with_others) return out;
  for (const auto& [uri, other] : documents_)
    if (other.get() != &d && (other->id().empty() || ids.insert(other->id()).second))
      out.push_back({uri, other.get(), nullptr, nullptr, nullptr});
  return out;
}

std::vector<file_place> server::places_of(document& d, const nem_name& n, bool declarations,
                                          bool uses) {
  std::vector<file_place> out;
  const auto wanted = [&](const nem_name& x) { return x.is_declaration ? declarations : uses; };
  if (!is_global(n.kind)) {
    for (const nem_name& x : d.symbols().names())
      if (x.symbol == n.symbol && wanted(x))
        out.push_back({d.uri(), &d.text(), x.where.offset, x.where.length});
    return out;
  }
  const std::string name = global_name(d.model(), d.symbols(), n);
  for (const named_file& f : files_around(d, uses)) {
    for (const nem_name& x : f.names().names()) {
      if (x.kind != n.kind || !wanted(x) || global_name(f.d(), f.names(), x) != name) continue;
      out.push_back(
          {f.uri, f.open != nullptr ? &f.open->text() : nullptr, x.where.offset, x.where.length});
      if (f.open == nullptr) kept_.push_back(std::make_unique<source_text>(*f.text));
      if (f.open == nullptr) out.back().text = kept_.back().get();
    }
  }
  return out;
}

std::uint32_t server::file_at(document& d, std::uint32_t offset) {
  const nem::model& m = d.model();
  for (std::uint32_t i = 0; i < m.nodes.size(); i = m.nodes[i].next) {
    const nem::node& n = m.nodes[i];
    if ((n.kind == node_kind::include || n.kind == node_kind::device_file) && offset >= n.offset &&
        offset <= n.offset + n.length)
      return i;
  }
  return nem::no_node;
}

std::optional<file_place> server::file_of(document& d, std::uint32_t node) {
  nem::resolver::file found;
  if (!files_.open(d.path(), d.model().name(d.model().nodes[node].value), found))
    return std::nullopt;
  kept_.push_back(std::make_unique<source_text>());
  return file_place{files_.uri_of_id(found.id), kept_.back().get(), 0, 0};
}

failure server::definition(const message& m, json::writer& to) {
  failure why;
  std::uint32_t offset = 0;
  document* const d = find_place(m, offset, why);
  if (d == nullptr) return why;
  std::vector<file_place> all;
  if (const nem_name* const n = d->symbols().at(offset); n != nullptr) {
    all = places_of(*d, *n, true, false);
  } else if (const std::uint32_t node = file_at(*d, offset); node != nem::no_node) {
    if (const std::optional<file_place> f = file_of(*d, node)) all.push_back(*f);
  }
  to.begin_array();
  for (const file_place& p : all) write_location(to, p);
  to.end();
  kept_.clear();
  return {};
}

failure server::references(const message& m, json::writer& to) {
  failure why;
  std::uint32_t offset = 0;
  document* const d = find_place(m, offset, why);
  if (d == nullptr) return why;
  to.begin_array();
  if (const nem_name* const n = d->symbols().at(offset); n != nullptr)
    for (const file_place& p : places_of(*d, *n, m.is_true(field::include_declaration), true))
      write_location(to, p);
  to.end();
  kept_.clear();
  return {};
}

failure server::highlights(const message& m, json::writer& to) {
  failure why;
  std::uint32_t offset = 0;
  document* const d = find_place(m, offset, why);
  if (d == nullptr) return why;
  to.begin_array();
  if (const nem_name* const n = d->symbols().at(offset); n != nullptr) {
    const bool is_unknown = n->symbol == nem::no_index;
    for (const nem_name& x : d->symbols().names()) {
      const bool is_same = is_unknown ? x.kind == n->kind && nem::name_of(d->model(), x.node) ==
                                                                 nem::name_of(d->model(), n->node)
                                      : x.symbol == n->symbol;
      if (!is_same) continue;
      to.begin_object().key("range");
      write_range(to, d->text(), x.where.offset, x.where.end());
      to.key("kind").integer(x.is_declaration ? 3 : 2).end();  // written, read
    }
  }
  to.end();
  return {};
}

// ---- symbols

namespace {

/// The protocol's numbers.
enum symbol_number : int {
  s_file = 1,
  s_module = 2,
  s_namespace = 3,
  s_class = 5,
  s_property = 7,
  s_enum = 10,
  s_interface = 11,
  s_function = 12,
  s_variable = 13,
  s_constant = 14,
  s_array = 18,
  s_object = 19,
  s_enum_member = 22,
  s_event = 24
};

struct outline {
  int kind = 0;  ///< 0: not shown
  std::string name, detail;
};

[[nodiscard]] std::string task_name(const nem::model& d, std::uint32_t at) {
  const nem::node& n = d.nodes[at];
  std::string what(name(n.kind));
  if (n.kind == node_kind::compute) what = nem::name_of(d, at + 1);
  return what + '.' + std::string(name(static_cast<nem::mode>(n.detail)));
}

[[nodiscard]] outline outline_of(const nem::model& d, std::uint32_t at) {
  const nem::node& n = d.nodes[at];
  const std::string own(nem::name_of(d, at));
  switch (n.kind) {
    case node_kind::include: return {s_file, own, "include"};
    case node_kind::device_file:
    case node_kind::device_name: return {s_class, own, "the target"};
    case node_kind::program: return {s_namespace, own, "program"};
    case node_kind::constant: return {s_constant, own, "const"};
    case node_kind::buffer:
      return {s_array, own, "buffer in " + std::string(name(static_cast<nem::level>(n.detail)))};
    case node_kind::let:
      return {s_variable, own, d.nodes[at + 1].kind == node_kind::region ? "region" : "let"};
    case node_kind::loop: return {s_module, "loop " + own, ""};
    case node_kind::transfer:
    case node_kind::store:
    case node_kind::compute:
      return n.value == nem::no_name ? outline{s_function, task_name(d, at), ""}
                                     : outline{s_event, own, task_name(d, at)};
    case node_kind::wait: return {s_function, "wait", ""};
    case node_kind::device: return {s_class, own, "device"};
    case node_kind::type_family: return {s_interface, own, "type family"};
    case node_kind::variant: return {s_enum_member, own, "variant"};
    case node_kind::topology: return {s_object, "topology", ""};
    case node_kind::unit_characteristics: return {s_object, "unit_characteristics", ""};
    case node_kind::mandatory: return {s_enum, "opcode.mandatory", ""};
    case node_kind::extended: return {s_enum, "opcode.extended", ""};
    default: return {};
  }
}

/// The child whose children are shown as its own.
[[nodiscard]] bool is_transparent(node_kind k) noexcept { return k == node_kind::body; }

}  // namespace

/// The end of a node's text, also where its length is cut.
[[nodiscard]] static std::uint64_t end_of(const document& d, const nem::model& m,
                                          std::uint32_t at) {
  const nem::node& n = m.nodes[at];
  if (n.length < 65535) return std::min<std::uint64_t>(n.offset + n.length, d.text().view().size());
  return n.next < m.nodes.size() ? m.nodes[n.next].offset : d.text().view().size();
}

void server::write_symbol(json::writer& to, document& d, std::uint32_t at, std::string_view within,
                          bool is_flat) {
  const nem::model& m = d.model();
  const outline o = outline_of(m, at);
  const nem::node& n = m.nodes[at];
  const std::uint64_t first = n.offset, last = std::max<std::uint64_t>(end_of(d, m, at), first);
  inspect::source_range where{n.offset, 0};
  const auto& names = d.symbols().names();
  auto known = std::lower_bound(
      names.begin(), names.end(), n.offset,
      [](const nem_name& x, std::uint32_t offset) { return x.where.offset < offset; });
  for (; known != names.end() && known->where.end() <= last; ++known)
    if (known->is_declaration && known->node == at) {
      where = known->where;
      break;
    } else if (known->node > at) {
      break;
    }
  to.begin_object().key("name").string(o.name.empty() ? "(unnamed)" : utf8(o.name));
  to.key("kind").integer(o.kind);
  if (is_flat) {
    to.key("location").begin_object().key("uri").string(d.uri()).key("range");
    write_range(to, d.text(), first, last);
    to.end();
    if (!within.empty()) to.key("containerName").string(utf8(within));
    to.end();
    return;
  }
  to.key("detail").string(utf8(o.detail)).key("range");
  write_range(to, d.text(), first, last);
  to.key("selectionRange");
  write_range(to, d.text(), where.offset, where.end());
}

failure server::symbols(const message& m, json::writer& to) {
  failure why;
  document* const d = find_document(m, why);
  if (d == nullptr) return why;
  const nem::model& model = d->model();
  const auto end = static_cast<std::uint32_t>(model.nodes.size());
  std::vector<std::pair<std::uint32_t, std::string>> open;  // where containers end, and their names
  to.begin_array();
  for (std::uint32_t at = 0; at < end || !open.empty();) {
    if (!open.empty() && at >= open.back().first) {
      if (has_hierarchy_) to.end().end();
      open.pop_back();
      continue;
    }
    const nem::node& n = model.nodes[at];
    const outline o = outline_of(model, at);
    if (o.kind == 0) {
      at = is_transparent(n.kind) ? at + 1 : n.next;
      continue;
    }
    write_symbol(to, *d, at, open.empty() ? std::string_view() : open.back().second,
                 !has_hierarchy_);
    const bool is_container = n.kind == node_kind::loop || n.kind == node_kind::device ||
                              n.kind == node_kind::type_family;
    if (is_container && has_hierarchy_) to.key("children").begin_array();
    if (is_container) open.emplace_back(n.next, o.name);
    if (!is_container && has_hierarchy_) to.end();
    at = is_container ? at + 1 : n.next;
  }
  to.end();
  return {};
}

}  // namespace cli::lsp
}  // namespace tessera::inline TESSERA_ABI
