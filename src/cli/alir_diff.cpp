// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera diff` and `tessera graph` of ALIR programs.

#include "alir.hpp"
#include "tessera/inspect/alir/diff.hpp"
#include "tessera/inspect/alir/dot.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

using inspect::alir_difference;
using inspect::alir_operation_difference;
using inspect::alir_property_difference;

/// The lines of a listing that begin with "%i = ", each without its spaces for alignment.
class operation_lines {
 public:
  explicit operation_lines(const alir::model& m) : listing_(alir::print(m, {.costs = false})) {
    for (std::string_view left = listing_.view(); !left.empty();) {
      const std::string_view line = left.substr(0, left.find('\n'));
      if (line.starts_with('%')) lines_.push_back(line);
      left.remove_prefix(std::min(line.size() + 1, left.size()));
    }
  }
  [[nodiscard]] std::string operator[](std::int32_t i) const {
    std::string out;
    for (const char c : lines_[static_cast<std::size_t>(i)])
      if (c != ' ' || !out.ends_with(' ')) out += c;
    return out;
  }

 private:
  text listing_;
  std::vector<std::string_view> lines_;
};

[[nodiscard]] text text_of(const alir_difference& found, const operation_lines& a,
                           const operation_lines& b) {
  text out;
  if (found.same()) {
    out << "identical: " << plural(found.unchanged, "operation") << '\n';
    return out;
  }
  const auto change = [&out](const alir_property_difference& d) {
    out << d.what << ": " << (d.before.empty() ? "nothing" : d.before) << " -> "
        << (d.after.empty() ? "nothing" : d.after) << '\n';
  };
  for (const auto* const list : {&found.model, &found.outputs})
    for (const alir_property_difference& d : *list) out << "~ ", change(d);
  for (const alir_operation_difference& d : found.operations) {
    if (d.before == d.none) {
      out << "+ " << b[d.after] << '\n';
    } else if (d.after == d.none) {
      out << "- " << a[d.before] << '\n';
    } else {
      out << "~ " << a[d.before];
      if (d.before != d.after) out << ", now %" << d.after;
      out << '\n';
      for (const alir_property_difference& part : d.parts) out << "    ", change(part);
    }
  }
  out << found.changed << " changed, " << found.added << " added, " << found.removed << " removed, "
      << found.unchanged << " unchanged\n";
  return out;
}

[[nodiscard]] text json_of(const alir_difference& found, const operation_lines& a,
                           const operation_lines& b, const reporting& before,
                           const reporting& after) {
  text out;
  json::writer w(out);
  w.begin_object().key("before").string(json_name(before.path));
  w.key("after").string(json_name(after.path)).key("format").string("alir");
  w.key("same").boolean(found.same()).key("changed").integer(found.changed);
  w.key("added").integer(found.added).key("removed").integer(found.removed);
  w.key("unchanged").integer(found.unchanged);
  write_differences(w.key("model"), found.model);
  write_differences(w.key("outputs"), found.outputs);
  w.key("operations").begin_array();
  const auto side = [&w](std::string_view key, std::int32_t i, const operation_lines& lines) {
    w.key(key);
    if (i == alir_operation_difference::none)
      w.null();
    else
      w.string(lines[i]);
  };
  for (const alir_operation_difference& d : found.operations) {
    w.begin_object().key("kind").string(d.before == d.none  ? "added"
                                        : d.after == d.none ? "removed"
                                                            : "changed");
    side("before", d.before, a);
    side("after", d.after, b);
    write_differences(w.key("parts"), d.parts);
    w.end();
  }
  w.end().end();
  out << '\n';
  return out;
}

}  // namespace

exit_code diff_alir(const source& a, const source& b, const reporting& before,
                    const reporting& after, bool quiet) {
  report found_a, found_b;
  const result<alir::program> first = verify_alir(a, &found_a);
  if (!first) return before.fail(found_a, first.error(), a);
  const result<alir::program> second = verify_alir(b, &found_b);
  if (!second) return after.fail(found_b, second.error(), b);
  const alir_difference found = inspect::diff(*first, *second);
  const exit_code verdict = found.same() ? success : bad_input;
  if (quiet) return verdict;
  const operation_lines x(first->model()), y(second->model());
  const text out = before.as_json ? json_of(found, x, y, before, after) : text_of(found, x, y);
  return print_result(out, verdict);
}

exit_code graph_alir(const source& file, const reporting& to, const picture_output& output,
                     bool fold) {
  report found;
  const result<alir::program> p = verify_alir(file, &found);
  if (!p) return to.fail(found, p.error(), file);
  return output.write(inspect::draw(*p, inspect::alir_draw_options{.fold = fold}));
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
