// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which names mean what at one point of a program: one name space for all that it declares.
//
//   detail::scope names(model);
//   names.open();                                     // an iteration of a loop begins
//   declare(c, n, detail::binding{…});                // NAM-001, NAM-002, CON-001, CON-006
//   if (names[n].kind == detail::binding_kind::token) …
//   names.close();                                    // and what it declared is gone
//
//   scope     the program, and each iteration of each loop body      "Scoping"
//   const     only of the program; hides nothing, is hidden by nothing
//   others    may hide those of outer scopes, with a warning
//
// Names are interned, so a binding is an element of an array: no search, no hash. A scope remembers
// what it replaced and puts that back when it ends.
//
// Lifetime:   borrows the model.
// Errors:     declare() reports them.
// Limits:     none.
// Allocation: 24 bytes a name, 32 for each binding that an open iteration replaces.

#ifndef TESSERA_NEM_DETAIL_RULES_SCOPE_HPP
#define TESSERA_NEM_DETAIL_RULES_SCOPE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/suggest.hpp"
#include "../../../version.hpp"
#include "../../model.hpp"
#include "../../visitor.hpp"
#include "context.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

enum class binding_kind : std::uint8_t {
  none,
  constant,  ///< `integer`
  integer,   ///< a let
  real,      ///< its bits in `integer`
  integers,  ///< from `index` on, in values::numbers; `integer` is that of the scope's list_of()
  reals,     ///< likewise in values::reals
  list,      ///< of strings or lists
  string,    ///< `index` of the name
  buffer,    ///< `index` in values::buffers
  region,    ///< `index` in values::regions
  token,     ///< `index` of the task
  loop_variable,  ///< `integer`
};
/// As messages call it.
[[nodiscard]] constexpr std::string_view name(binding_kind k) noexcept {
  switch (k) {
    case binding_kind::none: return "unknown";  // unreachable: what is named is declared
    case binding_kind::constant: return "const";
    case binding_kind::buffer: return "buffer";
    case binding_kind::region: return "region";
    case binding_kind::token: return "token";
    case binding_kind::loop_variable: return "loop variable";
    default: return "let";
  }
}

/// What a name means.
struct binding {
  binding_kind kind = binding_kind::none;
  bool is_known : 1 = true;  ///< false where its declaration has an error, which was reported
  bool varies : 1 = false;   ///< whether it depends on a loop variable
  std::uint16_t depth = 0;   ///< loops around its declaration: nesting is limited
  std::uint32_t node = 0;    ///< its declaration
  std::uint32_t mark = 0;    ///< the list of tokens that named it last
  std::uint32_t index = 0;
  std::int64_t integer = 0;
};
static_assert(sizeof(binding) == 24);

/// What is known of a list of numbers that has a name, so that each use needn't look at all of them.
struct named_numbers {
  std::uint32_t first_real = 0;    ///< in values::reals
  std::uint32_t first_number = 0;  ///< in values::numbers, where are_integers
  std::uint32_t count = 0;
  bool are_integers = true;        ///< FLOATs too, where they have no fraction
  double least = 0, greatest = 0;  ///< as reals; not ordered where one isn't a number
  std::int64_t min_integer = 0, greatest_integer = 0;
};

/// The bindings that are visible.
class scope {
 public:
  explicit scope(const model& d) : d_(d) { bindings_.resize(d.names.size()); }

  [[nodiscard]] const binding& operator[](std::uint32_t name) const noexcept {
    return bindings_[name];
  }
  /// Loops around the current point.
  [[nodiscard]] std::uint32_t depth() const noexcept {
    return static_cast<std::uint32_t>(starts_.size());
  }
  void open() { starts_.push_back({replaced_.size(), lists_.size()}); }
  void close() noexcept {
    const std::size_t start = starts_.back().replaced;
    while (lists_.size() > starts_.back().lists) lists_.pop_back();
    while (replaced_.size() > start) {
      bindings_[replaced_.back().name] = replaced_.back().old;
      replaced_.pop_back();
    }
    starts_.pop_back();
  }
  /// Binds a name until the scope ends; in place of what it meant before.
  void bind(std::uint32_t name, const binding& b) {
    binding& to = bindings_[name];
    const std::uint32_t loops = depth();
    if (loops != 0) replaced_.push_back({name, to});
    to = b;
    to.depth = static_cast<std::uint16_t>(loops);
  }
  /// Lists of numbers, by their binding's `integer`.
  [[nodiscard]] const named_numbers& list_of(const binding& b) const noexcept {
    return lists_[static_cast<std::size_t>(b.integer)];
  }
  std::int64_t add_list(const named_numbers& l) {
    lists_.push_back(l);
    return static_cast<std::int64_t>(lists_.size() - 1);
  }
  /// Begins a list of tokens; first_in_list() says for each whether the list has named it before.
  void begin_list() noexcept { ++list_; }
  [[nodiscard]] bool first_in_list(std::uint32_t name) noexcept {
    if (bindings_[name].mark == list_) return false;
    bindings_[name].mark = list_;
    return true;
  }
  /// The first task of the model that assigns a token of the name, or no_node.
  [[nodiscard]] std::uint32_t task_of(std::uint32_t name) {
    if (tokens_.empty()) {
      tokens_.resize(d_.names.size());
      for (std::uint32_t i = static_cast<std::uint32_t>(d_.nodes.size()); i-- != 0;) {
        const node& n = d_.nodes[i];
        if ((n.kind == node_kind::transfer || n.kind == node_kind::store ||
             n.kind == node_kind::compute) &&
            n.value != no_name)
          tokens_[n.value] = i + 1;
      }
    }
    return tokens_[name] - 1;
  }
  /// The visible name nearest to a word: of what is a `kind`, or a number where that is none. The
  /// searches of all errors together look at some names only.
  [[nodiscard]] const binding* nearest(std::string_view word, binding_kind kind,
                                       std::string_view& found) {
    const binding* best = nullptr;
    suggestion s(word);
    if (bindings_.size() > search_) return nullptr;
    search_ -= bindings_.size();
    for (std::uint32_t i = 0; i < bindings_.size(); ++i) {
      const binding_kind k = bindings_[i].kind;
      const bool is_number = k == binding_kind::constant || k == binding_kind::integer ||
                             k == binding_kind::real || k == binding_kind::loop_variable;
      if (k == binding_kind::none || (kind == binding_kind::none ? !is_number : k != kind))
        continue;
      s.offer(d_.name(i));
      if (s.word() == found) continue;
      found = s.word();
      best = &bindings_[i];
    }
    return best;
  }

 private:
  struct replacement {
    std::uint32_t name;
    binding old;
  };
  const model& d_;
  pool<binding> bindings_;
  pool<replacement> replaced_;
  struct mark {
    std::size_t replaced, lists;
  };
  pool<mark> starts_;
  pool<named_numbers> lists_;
  pool<std::uint32_t> tokens_;  ///< by name: the task that assigns it, + 1
  std::size_t search_ = std::size_t{1} << 18;
  std::uint32_t list_ = 0;
};

/// The place of the head of a declaration, up to its name, or the name that a task assigns.
[[nodiscard]] inline place head(const context& c, std::uint32_t at) noexcept {
  const node& n = c[at];
  std::uint32_t size = 0;
  switch (n.kind) {
    case node_kind::constant: size = 6; break;
    case node_kind::buffer: size = 7; break;
    case node_kind::loop: size = 5; break;
    case node_kind::let: size = c[at + 1].offset - n.offset > c.name(at).size() + 4 ? 4 : 0; break;
    case node_kind::transfer:
    case node_kind::store:
    case node_kind::compute: break;
    default: return c.at(at);  // unreachable: nothing else declares a name
  }
  if (n.value == no_name) return c.at(at);
  size += static_cast<std::uint32_t>(c.name(at).size());
  return {0, n.offset, size < n.length ? size : n.length};
}

/// Notes a visible name that the writer of another may have meant.
[[gnu::cold]] inline void suggest(context& c, findings::writer w, std::string_view word,
                                  binding_kind kind) {
  if (c.names == nullptr) return;
  std::string_view near;
  const binding* const b = c.names->nearest(word, kind, near);
  if (b != nullptr) w.note(head(c, b->node)) << "did you mean " << near << '?';
}

/// Declares a name in the current scope, and reports where that isn't permitted. A name that is
/// declared again keeps its kind and has no value from there on, so that there is one error.
[[gnu::cold]] inline void declare(context& c, std::uint32_t name, const binding& b) {
  scope& s = *c.names;
  if (s[name].kind == binding_kind::none) return s.bind(name, b);
  const binding old = s[name];
  const bool is_const = b.kind == binding_kind::constant;
  const bool was_const = old.kind == binding_kind::constant;
  const bool is_conflict = is_const || was_const || old.depth == s.depth();
  binding kept = is_conflict ? old : b;
  kept.is_known = kept.is_known && !is_conflict;
  s.bind(name, kept);
  if (is_const && was_const) {
    if (s.depth() != 0) return;  // CON-005 has been reported
    (c.found.add(errc::nem_con_001_duplicate, head(c, b.node))
     << "duplicate constant declaration " << c.d.name(name))
            .note(head(c, old.node))
        << "declared here before";
  } else if (is_const || was_const) {
    (c.found.add(errc::nem_con_006_conflict, head(c, b.node))
     << "name conflict - " << c.d.name(name) << " already declared as " << detail::name(old.kind))
            .note(head(c, old.node))
        << "declared here";
  } else if (old.depth == s.depth()) {
    (c.found.add(errc::nem_nam_001_duplicate, head(c, b.node))
     << c.d.name(name) << " is already declared in this scope, as " << detail::name(old.kind))
            .note(head(c, old.node))
        << "declared here";
  } else {
    (c.found.add(errc::nem_nam_002_shadow, head(c, b.node))
     << detail::name(b.kind) << ' ' << c.d.name(name) << " hides the " << detail::name(old.kind)
     << " of an outer scope")
            .note(head(c, old.node))
        << "declared here";
  }
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_SCOPE_HPP
