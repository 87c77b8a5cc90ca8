// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/symbols.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

using nem::node_kind;

std::string_view name(nem_symbol_kind k) noexcept {
  constexpr std::string_view names[] = {"program",     "const",          "let",    "region",
                                        "buffer",      "loop variable",  "token",  "device",
                                        "type family", "type parameter", "variant"};
  return names[static_cast<std::size_t>(k)];
}

namespace {

[[nodiscard]] bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
[[nodiscard]] bool is_word(char c) noexcept { return is_letter(c) || (c >= '0' && c <= '9'); }

/// Words of a source, where the tree has only the place of a whole construct.
class words {
 public:
  explicit words(std::string_view source) noexcept : source_(source) {}

  /// The first place from `at` on that isn't blank or of a comment.
  [[nodiscard]] std::uint32_t after_blanks(std::uint32_t at) const noexcept {
    while (at < source_.size()) {
      const char c = source_[at];
      if (c == '#') {
        const std::size_t end = source_.find('\n', at);
        at = static_cast<std::uint32_t>(end == source_.npos ? source_.size() : end);
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        ++at;
      } else {
        break;
      }
    }
    return at;
  }
  /// The word at `at`, empty where there is none.
  [[nodiscard]] source_range word_at(std::uint32_t at) const noexcept {
    std::uint32_t end = at;
    while (end < source_.size() && is_word(source_[end])) ++end;
    return {at, end - at};
  }
  [[nodiscard]] source_range word_after(std::uint32_t at) const noexcept {
    return word_at(after_blanks(at));
  }
  /// The word after the one at `at`, or after that and an opening parenthesis.
  [[nodiscard]] source_range second_word(std::uint32_t at) const noexcept {
    std::uint32_t next = after_blanks(word_at(at).end());
    if (next < source_.size() && source_[next] == '(') next = after_blanks(next + 1);
    return word_at(next);
  }
  /// A word, and another where a dot is between.
  [[nodiscard]] source_range dotted(source_range first) const noexcept {
    const std::uint32_t dot = after_blanks(first.end());
    if (dot >= source_.size() || source_[dot] != '.') return first;
    return {first.offset, word_after(dot + 1).end() - first.offset};
  }
  [[nodiscard]] std::string_view text(source_range r) const noexcept {
    return r.offset <= source_.size() ? source_.substr(r.offset, r.length) : std::string_view();
  }

 private:
  std::string_view source_;
};

}  // namespace

class nem_symbols::builder {
 public:
  builder(const nem::model& d, std::string_view source, nem_symbols& to)
      : d_(d), words_(source), to_(to), bindings_(d.names.size(), nem::no_index) {}

  void run() {
    declare_configuration();
    const auto end = static_cast<std::uint32_t>(d_.nodes.size());
    for (std::uint32_t at = 0; at < end || !loops_.empty();) {
      if (!loops_.empty() && at >= loops_.back().end)
        at = close();
      else
        at = statement(at);
    }
    // A task's token precedes its operands in the text, and follows them here.
    std::sort(to_.names_.begin(), to_.names_.end(),
              [](const nem_name& a, const nem_name& b) { return a.where.offset < b.where.offset; });
  }

 private:
  struct open_loop {
    std::uint32_t node, end;
    std::size_t replaced;
  };
  struct replacement {
    std::uint32_t name, symbol;
  };

  std::uint32_t add(nem_symbol_kind kind, std::uint32_t node, source_range where) {
    const auto index = static_cast<std::uint32_t>(to_.symbols_.size());
    const std::uint32_t loop = loops_.empty() ? nem::no_node : loops_.back().node;
    to_.symbols_.push_back({kind, node, loop, nem::no_node, where});
    to_.names_.push_back({where, index, node, kind, true});
    return index;
  }
  void use(nem_symbol_kind kind, std::uint32_t node, source_range where, std::uint32_t symbol) {
    if (where.length != 0) to_.names_.push_back({where, symbol, node, kind, false});
  }
  /// A declaration in the current scope.
  void declare(nem_symbol_kind kind, std::uint32_t node, source_range where) {
    const std::uint32_t name = d_.nodes[node].value;
    const std::uint32_t index = add(kind, node, where);
    if (!loops_.empty()) replaced_.push_back({name, bindings_[name]});
    bindings_[name] = index;
  }
  std::uint32_t close() {
    while (replaced_.size() > loops_.back().replaced) {
      bindings_[replaced_.back().name] = replaced_.back().symbol;
      replaced_.pop_back();
    }
    const std::uint32_t next = d_.nodes[loops_.back().node].next;
    loops_.pop_back();
    return next;
  }

  // Programs -------------------------------------------------------------------------------------

  /// Returns the statement that follows.
  std::uint32_t statement(std::uint32_t at) {
    const nem::node& n = d_.nodes[at];
    switch (n.kind) {
      case node_kind::loop: return loop(at);
      case node_kind::program:
        add(nem_symbol_kind::program, at, words_.second_word(n.offset));
        break;
      case node_kind::constant: declared(at, nem_symbol_kind::constant); break;
      case node_kind::buffer: declared(at, nem_symbol_kind::buffer); break;
      case node_kind::let:
        declared(at, d_.nodes[at + 1].kind == node_kind::region ? nem_symbol_kind::region
                                                                : nem_symbol_kind::let);
        break;
      case node_kind::transfer:
      case node_kind::store:
      case node_kind::compute:
        uses(at + 1, n.next);
        if (n.value != nem::no_name) declare(nem_symbol_kind::token, at, words_.word_at(n.offset));
        break;
      case node_kind::wait: uses(at + 1, n.next); break;
      case node_kind::device_name: {
        const source_range where = words_.second_word(n.offset);
        use(nem_symbol_kind::device, at, where, find(devices_, at));
        break;
      }
      case node_kind::device:
      case node_kind::type_family: configuration(at); break;
      default: break;
    }
    return n.next;
  }
  /// A declaration whose name is the second word, or the first where `let` is left out.
  void declared(std::uint32_t at, nem_symbol_kind kind) {
    const nem::node& n = d_.nodes[at];
    uses(at + 1, n.next);
    source_range where = words_.word_at(n.offset);
    if (n.kind != node_kind::let || words_.text(where) == "let")
      where = words_.word_after(where.end());
    declare(kind, at, where);
  }
  std::uint32_t loop(std::uint32_t at) {
    std::uint32_t body = at + 1;
    while (body < d_.nodes[at].next && d_.nodes[body].kind != node_kind::body)
      body = d_.nodes[body].next;
    uses(at + 1, body);
    loops_.push_back({at, d_.nodes[at].next, replaced_.size()});
    declare(nem_symbol_kind::loop_variable, at, words_.second_word(d_.nodes[at].offset));
    return body < d_.nodes[at].next ? body + 1 : body;
  }

  /// The names in a range of nodes that is part of one statement.
  void uses(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      const nem::node& n = d_.nodes[i];
      if (n.kind == node_kind::attribute && has_words(n)) {
        i = n.next - 1;
      } else if (n.kind == node_kind::name) {
        use_of(i, {n.offset, n.length});
      } else if (n.kind == node_kind::region) {
        use_of(i, words_.second_word(n.offset));
      }
    }
  }
  /// Whether the value of an attribute is a word of the language.
  [[nodiscard]] static bool has_words(const nem::node& n) noexcept {
    if (n.detail >= nem::attribute_count) return false;
    const nem::attribute_kind k = nem::attribute_table[n.detail].kind;
    return k == nem::attribute_kind::word || k == nem::attribute_kind::element ||
           k == nem::attribute_kind::boolean;
  }
  void use_of(std::uint32_t node, source_range where) {
    const std::uint32_t symbol = bindings_[d_.nodes[node].value];
    if (symbol != nem::no_index) use(to_.symbols_[symbol].kind, node, where, symbol);
  }

  // Type families and devices ----------------------------------------------------------------------

  void declare_configuration() {
    for (std::uint32_t i = 0; i < d_.nodes.size(); i = d_.nodes[i].next) {
      const nem::node& n = d_.nodes[i];
      const std::uint32_t after = words_.word_at(n.offset).end();
      if (n.kind == node_kind::device) {
        devices_.try_emplace(n.value, add(nem_symbol_kind::device, i, words_.word_after(after)));
      } else if (n.kind == node_kind::type_family) {
        const source_range where = words_.dotted(words_.word_after(after));
        const std::uint32_t family = add(nem_symbol_kind::type_family, i, where);
        families_.try_emplace(n.value, family);
        for (const std::uint32_t c : nem::children(d_, i)) declare_part(c, i);
      }
    }
  }
  void declare_part(std::uint32_t at, std::uint32_t family) {
    const nem::node& n = d_.nodes[at];
    const bool is_variant = n.kind == node_kind::variant;
    if (!is_variant && n.kind != node_kind::type_parameter) return;
    const std::uint32_t index =
        add(is_variant ? nem_symbol_kind::variant : nem_symbol_kind::type_parameter, at,
            words_.word_at(n.offset));
    to_.symbols_[index].parent = family;
    (is_variant ? variants_ : parameters_).try_emplace({family, n.value}, index);
  }

  [[nodiscard]] std::uint32_t find(const std::map<std::uint32_t, std::uint32_t>& in,
                                   std::uint32_t node) const {
    const auto at = in.find(d_.nodes[node].value);
    return at == in.end() ? nem::no_index : at->second;
  }
  void configuration(std::uint32_t at) {
    for (std::uint32_t i = at + 1; i < d_.nodes[at].next; ++i) {
      const nem::node& n = d_.nodes[i];
      if (n.kind == node_kind::extends)
        use(nem_symbol_kind::device, i, words_.second_word(n.offset), find(devices_, i));
      else if (n.kind == node_kind::variant_ref)
        reference(i);
      else if (n.kind == node_kind::binding && i + 1 < n.next &&
               d_.nodes[i + 1].kind == node_kind::name)
        parameter(i + 1, at);
    }
  }
  void parameter(std::uint32_t at, std::uint32_t family) {
    const auto known = parameters_.find({family, d_.nodes[at].value});
    if (known != parameters_.end())
      use(nem_symbol_kind::type_parameter, at, {d_.nodes[at].offset, d_.nodes[at].length},
          known->second);
  }
  /// gemm.float<f16>.no_bias
  void reference(std::uint32_t at) {
    const nem::node& n = d_.nodes[at];
    const source_range first = words_.word_at(n.offset);
    const bool is_dotted = d_.name(n.value).find('.') != std::string_view::npos;
    const std::uint32_t family = find(families_, at);
    use(nem_symbol_kind::type_family, at, is_dotted ? words_.dotted(first) : first, family);
    const std::uint32_t variant = nem::child(d_, at, node_kind::name);
    if (variant == nem::no_node) return;
    const nem::node& v = d_.nodes[variant];
    std::uint32_t symbol = nem::no_index;
    if (family != nem::no_index) {
      const auto known = variants_.find({to_.symbols_[family].node, v.value});
      if (known != variants_.end()) symbol = known->second;
    }
    use(nem_symbol_kind::variant, variant, {v.offset, v.length}, symbol);
  }

  const nem::model& d_;
  words words_;
  nem_symbols& to_;
  std::vector<std::uint32_t> bindings_;  // by name: the symbol that is visible
  std::vector<replacement> replaced_;
  std::vector<open_loop> loops_;
  std::map<std::uint32_t, std::uint32_t> devices_, families_;  // by name: the symbol
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> variants_, parameters_;
};

nem_symbols::nem_symbols(const nem::model& d, std::string_view source) {
  builder(d, source, *this).run();
}

const nem_name* nem_symbols::at(std::uint32_t offset) const noexcept {
  auto after =
      std::upper_bound(names_.begin(), names_.end(), offset,
                       [](std::uint32_t at, const nem_name& n) { return at < n.where.offset; });
  if (after == names_.begin()) return nullptr;
  const nem_name& n = *--after;
  return offset <= n.where.end() ? &n : nullptr;
}

std::vector<std::uint32_t> nem_symbols::visible(const nem::model& d, std::uint32_t offset) const {
  const auto encloses = [&](std::uint32_t loop) {
    const nem::node& n = d.nodes[loop];
    // The length of a long node is cut; then what follows it says where it ends.
    const std::uint32_t end =
        n.length < 65535 || n.next >= d.nodes.size() ? n.offset + n.length : d.nodes[n.next].offset;
    const bool is_cut = n.length == 65535 && n.next >= d.nodes.size();
    return offset > n.offset && (is_cut || offset < end);
  };
  std::vector<std::uint32_t> out;
  std::set<std::string_view> seen;
  for (auto i = static_cast<std::uint32_t>(symbols_.size()); i-- != 0;) {
    const nem_symbol& s = symbols_[i];
    if (s.kind < nem_symbol_kind::constant || s.kind > nem_symbol_kind::token) continue;
    const nem::node& n = d.nodes[s.node];
    const bool is_header = s.kind == nem_symbol_kind::loop_variable;
    if (s.name.end() > offset || (is_header && !encloses(s.node))) continue;
    // What is being declared isn't visible in its own declaration.
    if (!is_header && n.length < 65535 && offset <= n.offset + n.length && offset > n.offset)
      continue;
    std::uint32_t loop = is_header ? nem::no_node : s.loop;
    if (loop != nem::no_node && !encloses(loop)) continue;
    if (seen.insert(nem::name_of(d, s.node)).second) out.push_back(i);
  }
  return out;
}

// ---- texts that don't read

namespace {

/// Blanks the statements of a source that have errors.
class repair {
 public:
  explicit repair(std::string_view source) : text_(source) {
    for (std::size_t at = 0;;) {
      lines_.push_back(at);
      const std::size_t end = text_.find('\n', at);
      if (end == text_.npos) break;
      at = end + 1;
    }
    is_blanked_.resize(lines_.size());
  }

  /// Blanks what `found` is about; false where there is nothing left to blank.
  [[nodiscard]] bool blank(const report& found) {
    bool has_blanked = false;
    for (const diagnostic& d : found.diagnostics) {
      if (d.severity != severity::error || d.code == errc::nem_syn_002_loop) continue;
      has_blanked =
          blank_statement(static_cast<std::size_t>(d.where.offset), d.code) || has_blanked;
    }
    return has_blanked;
  }
  /// The text, and as many ends as loops lack.
  [[nodiscard]] std::string closed() const {
    std::string out = text_;
    std::size_t loops = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view word = first_word(i);
      if (word == "loop") ++loops;
      if (word == "endloop" && loops != 0) --loops;
    }
    for (; loops != 0; --loops) out += "\nendloop";
    return out;
  }

 private:
  [[nodiscard]] std::string_view line(std::size_t i) const noexcept {
    const std::size_t end = i + 1 < lines_.size() ? lines_[i + 1] - 1 : text_.size();
    return std::string_view(text_).substr(lines_[i], end - lines_[i]);
  }
  [[nodiscard]] std::string_view first_word(std::size_t i) const noexcept {
    const std::string_view l = line(i);
    std::size_t first = 0;
    while (first < l.size() && (l[first] == ' ' || l[first] == '\t')) ++first;
    std::size_t last = first;
    while (last < l.size() && is_word(l[last])) ++last;
    return l.substr(first, last - first);
  }
  [[nodiscard]] bool is_blank(std::size_t i) const noexcept {
    return line(i).find_first_not_of(" \t\r") == std::string_view::npos;
  }
  /// Whether a statement begins with line `i`.
  [[nodiscard]] bool begins(std::size_t i) const noexcept {
    const std::string_view word = first_word(i);
    if (word.empty()) return false;
    for (const std::string_view w :
         {"const", "let", "buffer", "loop", "endloop", "transfer", "store", "wait", "include",
          "device", "program", "type_family"})
      if (word == w) return true;
    std::string_view rest = line(i);
    rest.remove_prefix(static_cast<std::size_t>(word.data() + word.size() - rest.data()));
    const auto skip = [&rest] {
      while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t')) rest.remove_prefix(1);
    };
    skip();
    if (rest.starts_with('.')) return true;
    if (!rest.starts_with('=')) return false;
    rest.remove_prefix(1);
    skip();
    std::size_t size = 0;
    while (size < rest.size() && is_word(rest[size])) ++size;
    return size != 0 && size < rest.size() && (rest[size] == '.' || rest[size] == '(');
  }
  /// The statement at an offset; of an unexpected token that begins one, the one before it.
  bool blank_statement(std::size_t offset, errc code) {
    const bool is_unexpected = code == errc::nem_syn_001_token;
    // Of what is no statement, misplaced, or no token, only the line.
    const bool is_stray = (code >= errc::nem_syn_002_loop && code <= errc::nem_syn_008_statement) ||
                          nem::phase_of(code) == nem::phase::lex;
    std::size_t i = static_cast<std::size_t>(
                        std::upper_bound(lines_.begin(), lines_.end(), offset) - lines_.begin()) -
                    1;
    const std::string_view before = line(i).substr(0, offset - lines_[i]);
    const bool is_at_end = offset >= text_.size();  // or at an end of a loop that closed() adds
    if (is_unexpected && (is_at_end || begins(i)) &&
        before.find_first_not_of(" \t") == before.npos) {
      std::size_t previous = i;
      while (previous != 0 && is_blank(previous - 1)) --previous;
      if (previous != 0 && has_incomplete_end(previous - 1)) i = previous - 1;
    }
    while (!is_stray && i != 0 && !begins(i) && !is_blanked_[i - 1]) --i;
    bool has_blanked = false;
    do {
      for (std::size_t k = lines_[i]; k < lines_[i] + line(i).size(); ++k) {
        has_blanked = has_blanked || (text_[k] != ' ' && text_[k] != '\r');
        text_[k] = ' ';
      }
      is_blanked_[i] = true;
    } while (++i < lines_.size() && !begins(i));
    return has_blanked;
  }
  /// Whether the statement that ends with line `i` may be what an error after it is about: any that
  /// isn't the head or the end of a loop.
  [[nodiscard]] bool has_incomplete_end(std::size_t i) const noexcept {
    const std::string_view l = line(i);
    const std::size_t last = l.find_last_not_of(" \t\r");
    return first_word(i) != "endloop" && last != l.npos && l[last] != ':';
  }

  std::string text_;
  std::vector<std::size_t> lines_;
  std::vector<bool> is_blanked_;
};

}  // namespace

nem::model read_partly(std::string_view source, const nem::read_options& options) {
  constexpr unsigned max_passes = 8;
  nem::read_options all = options;
  all.max_errors = 1000;
  report found;
  if (result<nem::model> d = nem::read(source, all, &found)) return std::move(*d);
  repair left(source);
  for (unsigned pass = 1; pass < max_passes; ++pass) {
    const bool has_blanked = left.blank(found);
    const std::string text = left.closed();
    found = {};
    if (result<nem::model> d = nem::read(text, all, &found)) return std::move(*d);
    if (!has_blanked) break;
  }
  return {};
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
