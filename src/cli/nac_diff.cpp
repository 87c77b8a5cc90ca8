// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera diff` for NAC containers.

#include <tessera/core/bytes.hpp>
#include <tessera/core/json_write.hpp>
#include "nac.hpp"
#include "tessera/inspect/nac/diff.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

using inspect::lookup;
using item_kind = inspect::item_difference::kind;

[[nodiscard]] std::string_view word_of(item_kind k) noexcept {
  return k == item_kind::parameter ? "parameter" : k == item_kind::resource ? "resource" : "array";
}

/// A quoted name.
[[nodiscard]] std::string in_quotes(std::string_view s) {
  text out;
  nac::print_string(out, s);
  return std::string(out.view());
}

class report {
 public:
  report(const lookup& a, const lookup& b, const inspect::file_difference& found)
      : a_(a), b_(b), found_(found) {}

  [[nodiscard]] text as_text() const {
    text out;
    if (found_.same()) {
      out << "identical: " << plural(found_.unchanged, "instruction") << '\n';
      return out;
    }
    for (const inspect::property_difference& d : found_.properties)
      out << "~ " << d.what << ": " << or_nothing(d.before) << " -> " << or_nothing(d.after)
          << '\n';
    for (const inspect::instruction_difference& d : found_.instructions) {
      const bool added = d.before == lookup::none, removed = d.after == lookup::none;
      const lookup& at = added ? b_ : a_;
      const nac::instruction& i = instruction(at, added ? d.after : d.before, d.training);
      out << (added     ? "+ "
              : removed ? "- "
                        : "~ ")
          << (d.training ? "training " : "") << 'v' << i.index;
      if (!added && !removed && d.before != d.after) out << " -> v" << d.after;
      out << " = " << shown_text(call(at, i)) << '\n';
      parts(out, d.parts);
    }
    for (const inspect::item_difference& d : found_.items) {
      out << (!d.in_before  ? "+ "
              : !d.in_after ? "- "
                            : "~ ")
          << word_of(d.what) << ' ' << in_quotes(d.name) << '\n';
      parts(out, d.parts);
      if (!d.note.empty()) out << "    " << d.note << '\n';
    }
    out << found_.changed << " changed, " << found_.added << " added, " << found_.removed
        << " removed, " << found_.unchanged << " unchanged\n";
    return out;
  }

  [[nodiscard]] text as_json(const reporting& before, const reporting& after) const {
    text out;
    json::writer w(out);
    w.begin_object().key("before").string(json_name(before.path));
    w.key("after").string(json_name(after.path)).key("format").string("nac");
    w.key("same").boolean(found_.same()).key("changed").integer(found_.changed);
    w.key("added").integer(found_.added).key("removed").integer(found_.removed);
    w.key("unchanged").integer(found_.unchanged).key("properties");
    write(w, found_.properties);
    w.key("instructions").begin_array();
    for (const inspect::instruction_difference& d : found_.instructions) {
      w.begin_object().key("kind").string(kind(d.before != lookup::none, d.after != lookup::none));
      w.key("training").boolean(d.training).key("before");
      write(w, a_, d.before, d.training);
      w.key("after");
      write(w, b_, d.after, d.training);
      w.key("parts");
      write(w, d.parts);
      w.end();
    }
    w.end().key("items").begin_array();
    for (const inspect::item_difference& d : found_.items) {
      w.begin_object().key("kind").string(kind(d.in_before, d.in_after));
      w.key("what").string(word_of(d.what)).key("name").string(json_name(d.name)).key("parts");
      write(w, d.parts);
      if (!d.note.empty()) w.key("note").string(d.note);
      w.end();
    }
    w.end().end();
    out << '\n';
    return out;
  }

 private:
  [[nodiscard]] static std::string or_nothing(const std::string& s) {
    return s.empty() ? "nothing" : shown_text(s);
  }
  [[nodiscard]] static std::string_view kind(bool before, bool after) noexcept {
    return !before ? "added" : !after ? "removed" : "changed";
  }
  [[nodiscard]] static const nac::instruction& instruction(const lookup& at, std::uint32_t index,
                                                           bool training) {
    return (training ? at.training() : at.instructions())[index];
  }
  static void parts(text& out, const std::vector<inspect::property_difference>& of) {
    for (const inspect::property_difference& p : of)
      out << "    " << p.what << ": " << inspect::shortened(or_nothing(p.before), 200) << " -> "
          << inspect::shortened(or_nothing(p.after), 200) << '\n';
  }
  /// "nac.add(v3, 1.5)".
  [[nodiscard]] static std::string call(const lookup& at, const nac::instruction& i) {
    std::string out = at.operation(i) + '(';
    if (i.a == nac::op_input && i.b == 0 && at.has_input(i.index)) out += at.input(i.index);
    bool first = true;
    for (const inspect::nac_argument& a : at.arguments(i)) {
      if (!std::exchange(first, false)) out += ", ";
      out += inspect::shortened(at.text_of(a), 64);
    }
    return out + ')';
  }
  static void write(json::writer& w, const std::vector<inspect::property_difference>& parts) {
    const auto value = [&w](const std::string& s) {
      if (s.empty())
        w.null();
      else
        w.string(json_name(s));
    };
    w.begin_array();
    for (const inspect::property_difference& p : parts) {
      w.begin_object().key("what").string(p.what).key("before");
      value(p.before);
      w.key("after");
      value(p.after);
      w.end();
    }
    w.end();
  }
  static void write(json::writer& w, const lookup& at, std::uint32_t index, bool training) {
    if (index == lookup::none) {
      w.null();
      return;
    }
    const nac::instruction& i = instruction(at, index, training);
    w.begin_object().key("index").integer(index).key("operation");
    w.string(json_name(at.operation(i))).key("text").string(json_name(call(at, i))).end();
  }

  const lookup& a_;
  const lookup& b_;
  const inspect::file_difference& found_;
};

}  // namespace

exit_code diff_nac(const source& a, const source& b, const reporting& before,
                   const reporting& after, const nac_diff_options& options) {
  const nac_outcome first = read_nac_for_lookup(a, before);
  if (!first.file) return first.code;
  const nac_outcome second = read_nac_for_lookup(b, after);
  if (!second.file) return second.code;
  const lookup x(*first.file), y(*second.file);

  struct work {
    const source &a, &b;
    progress shown;
  } w{a, b, progress(a.data().size() + b.data().size())};
  const inspect::file_difference found = inspect::diff(x, y,
                                                       {.weights = !options.no_weights,
                                                        .done =
                                                            [](void* context, bytes part) {
                                                              work& at =
                                                                  *static_cast<work*>(context);
                                                              at.a.content.forget(part);
                                                              at.b.content.forget(part);
                                                              at.shown.advance(part.size());
                                                            },
                                                        .context = &w});
  w.shown.clear();
  const exit_code verdict = found.same() ? success : bad_input;
  if (options.quiet) return verdict;
  const report r(x, y, found);
  const text out = options.json ? r.as_json(before, after) : r.as_text();
  return print_result(out, verdict);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
