// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Every operation of the table against what PyTorch gives for it: rows recorded by
// tests/data/nac/operations.py, whose top comment has their form.

#include "tessera/nac/operations.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

#include "vm/nac/rows.hpp"

using namespace vm_nac_tests;

namespace {

// ---- comparing

[[nodiscard]] double precision_of(data_type t) {
  switch (t) {
    case data_type::float64: return std::numeric_limits<double>::epsilon();
    case data_type::float16: return std::ldexp(1, -10);
    case data_type::bfloat16: return std::ldexp(1, -7);
    default: return static_cast<double>(std::numeric_limits<float>::epsilon());
  }
}
[[nodiscard]] double smallest_of(data_type t) {
  switch (t) {
    case data_type::float64: return std::numeric_limits<double>::min();
    case data_type::float16: return std::ldexp(1, -14);
    default: return static_cast<double>(std::numeric_limits<float>::min());
  }
}

/// What is wrong with a result; empty: nothing.
[[nodiscard]] std::string difference(const row& r, const elements& want, const vm::value& v) {
  std::ostringstream out;
  out.precision(17);
  if (!v.is_tensor()) {
    out << "no tensor, but form " << static_cast<int>(v.what());
    return out.str();
  }
  const vm::tensor& got = v.as_tensor();
  const vm::shape dims(want.dims);
  if (got.type != want.type || !(got.dims == dims) || got.is_number != want.is_number) {
    out << (got.is_number ? "number " : "") << nac::name(got.type) << got.dims.text()
        << ", expected " << (want.is_number ? "number " : "") << nac::name(want.type)
        << dims.text();
    return out.str();
  }
  const bool floats = nac::is_floating(want.type);
  const std::size_t n = floats ? want.reals.size() : want.ints.size();
  if (n != got.size()) return "the row has another count of elements";
  const bool halves = want.type == data_type::float16 || want.type == data_type::bfloat16;
  const double relative = (halves ? r.tolerance_of_halves : r.tolerance) * precision_of(want.type);
  double largest = smallest_of(want.type);
  if (r.of_largest)
    for (const double x : want.reals)
      if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
  vm::visit(want.type, [&]<class T>(vm::of<T>) {
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (!vm::is_float<T>) {
        if (static_cast<std::int64_t>(got.as<T>()[i]) == want.ints[i]) continue;
        out << "element " << i << " is " << static_cast<std::int64_t>(got.as<T>()[i])
            << ", expected " << want.ints[i];
        return;
      } else {
        const double a = vm::convert<double>(got.as<T>()[i]);
        const double b = vm::convert<double>(vm::convert<T>(want.reals[i]));
        if (std::isnan(b) && std::isnan(a)) continue;
        if (a == b && (relative != 0 || std::signbit(a) == std::signbit(b))) continue;
        if (std::isfinite(a) && std::isfinite(b) &&
            std::fabs(a - b) <= relative * std::max(largest, std::fabs(b)))
          continue;
        out << "element " << i << " is " << a << ", expected " << b;
        return;
      }
    }
  });
  return out.str();
}
[[nodiscard]] std::string difference(const row& r, const vm::value& got) {
  if (!r.is_list) {
    if (!got.is_list()) return difference(r, r.results.front(), got);
    return "a list of " + std::to_string(got.as_list().size()) + ", expected a tensor";
  }
  if (!got.is_list()) return "no list";
  const auto list = got.as_list();
  if (list.size() != r.results.size())
    return std::to_string(list.size()) + " results, expected " + std::to_string(r.results.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    if (std::string d = difference(r, r.results[i], list[i]); !d.empty())
      return "result " + std::to_string(i) + ": " + d;
  return {};
}

/// The errors of a row that runs separately.
[[nodiscard]] std::string run_alone(const row& r) {
  program_of_rows program(&r, &r + 1);
  std::string text;
  const tessera::errc code = program.run(text);
  const std::string name(tessera::error{code, 0}.name());
  if (r.fails) {
    if (code == tessera::errc::ok) return "no error";
    if (name == "nac_operation_unsupported" || (!r.code.empty() && name != r.code))
      return name + (r.code.empty() ? "" : ", expected " + r.code);
    return {};
  }
  if (code != tessera::errc::ok) return name + ": " + text;
  return difference(r, program.result(0));
}

/// Rows with results run together by name; when that fails, and for rows that must fail,
/// separately.
void check(const std::string& group) {
  const std::vector<row> rows = rows_of(group);
  std::string wrong;
  std::size_t count = 0;
  const auto report = [&](const row& r, const std::string& what) {
    if (what.empty()) return;
    ++count;
    if (count <= 200)
      wrong += "\n" + group + ".txt:" + std::to_string(r.line) + ": " + r.name + ": " + what;
  };
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first + 1;
    if (!rows[first].fails)
      while (last < rows.size() && !rows[last].fails && rows[last].name == rows[first].name) ++last;
    bool together = false;
    if (last - first > 1) {
      program_of_rows program(&rows[first], &rows[0] + last);
      std::string text;
      together = program.run(text) == tessera::errc::ok;
      for (std::size_t i = first; together && i < last; ++i)
        report(rows[i], difference(rows[i], program.result(i - first)));
    }
    for (std::size_t i = first; !together && i < last; ++i) report(rows[i], run_alone(rows[i]));
    first = last;
  }
  INFO(count << " of " << rows.size() << " rows:" << wrong);
  CHECK(count == 0);
}

}  // namespace

TEST_CASE("vm/nac/operations: elementwise", "[vm_nac]") { check("elementwise"); }
TEST_CASE("vm/nac/operations: create", "[vm_nac]") { check("create"); }
TEST_CASE("vm/nac/operations: layout", "[vm_nac]") { check("layout"); }
TEST_CASE("vm/nac/operations: indexing", "[vm_nac]") { check("indexing"); }
TEST_CASE("vm/nac/operations: reduce", "[vm_nac]") { check("reduce"); }
TEST_CASE("vm/nac/operations: products", "[vm_nac]") { check("products"); }
TEST_CASE("vm/nac/operations: convolution", "[vm_nac]") { check("convolution"); }
TEST_CASE("vm/nac/operations: normalise", "[vm_nac]") { check("normalise"); }
TEST_CASE("vm/nac/operations: pooling", "[vm_nac]") { check("pooling"); }
TEST_CASE("vm/nac/operations: functions", "[vm_nac]") { check("functions"); }
TEST_CASE("vm/nac/operations: spatial", "[vm_nac]") { check("spatial"); }
TEST_CASE("vm/nac/operations: selection", "[vm_nac]") { check("selection"); }
TEST_CASE("vm/nac/operations: networks", "[vm_nac]") { check("networks"); }
TEST_CASE("vm/nac/operations: algebra", "[vm_nac]") { check("algebra"); }
TEST_CASE("vm/nac/operations: fourier", "[vm_nac]") { check("fourier"); }
TEST_CASE("vm/nac/operations: random", "[vm_nac]") { check("random"); }
TEST_CASE("vm/nac/operations: arithmetic", "[vm_nac]") { check("arithmetic"); }
TEST_CASE("vm/nac/operations: statistics", "[vm_nac]") { check("statistics"); }
TEST_CASE("vm/nac/operations: searching", "[vm_nac]") { check("searching"); }
TEST_CASE("vm/nac/operations: exports", "[vm_nac]") { check("exports"); }
TEST_CASE("vm/nac/operations: aliases", "[vm_nac]") { check("aliases"); }
TEST_CASE("vm/nac/operations: compositions", "[vm_nac]") { check("compositions"); }
TEST_CASE("vm/nac/operations: special", "[vm_nac]") { check("special"); }
TEST_CASE("vm/nac/operations: quantized", "[vm_nac]") { check("quantized"); }
TEST_CASE("vm/nac/operations: losses", "[vm_nac]") { check("losses"); }
TEST_CASE("vm/nac/operations: sequences", "[vm_nac]") { check("sequences"); }
TEST_CASE("vm/nac/operations: places", "[vm_nac]") { check("places"); }
TEST_CASE("vm/nac/operations: parts", "[vm_nac]") { check("parts"); }
TEST_CASE("vm/nac/operations: ranks", "[vm_nac]") { check("ranks"); }
TEST_CASE("vm/nac/operations: distributions", "[vm_nac]") { check("distributions"); }
TEST_CASE("vm/nac/operations: complex", "[vm_nac]") { check("complex"); }
TEST_CASE("vm/nac/operations: matrices", "[vm_nac]") { check("matrices"); }
TEST_CASE("vm/nac/operations: factors", "[vm_nac]") { check("factors"); }
TEST_CASE("vm/nac/operations: pairs", "[vm_nac]") { check("pairs"); }
TEST_CASE("vm/nac/operations: numbers", "[vm_nac]") { check("numbers"); }
TEST_CASE("vm/nac/operations: groups", "[vm_nac]") { check("groups"); }
#ifdef __GLIBCXX__
TEST_CASE("vm/nac/operations: ties", "[vm_nac]") { check("ties"); }
#else
TEST_CASE("vm/nac/operations: ties", "[vm_nac]") {
  WARN(
      "not tested: which equals topk takes is up to the standard library, and PyTorch has "
      "libstdc++");
}
#endif

TEST_CASE("vm/nac/operations: every name has rows, every operation one with float32", "[vm_nac]") {
  std::set<std::string> names;
  std::set<nac::operation> with_floats, with_errors;
  for (const char* const group :
       {"elementwise", "create",        "layout",       "indexing",   "reduce",     "products",
        "convolution", "normalise",     "pooling",      "functions",  "networks",   "algebra",
        "fourier",     "selection",     "random",       "arithmetic", "statistics", "spatial",
        "searching",   "aliases",       "compositions", "exports",    "special",    "quantized",
        "losses",      "sequences",     "places",       "numbers",    "parts",      "ties",
        "ranks",       "distributions", "complex",      "matrices",   "factors",    "pairs",
        "groups"})
    for (const row& r : rows_of(group)) {
      const nac::operation o = nac::find_operation(r.name);
      if (o == nac::operation::unknown) FAIL(r.name << " isn't an operation");
      if (r.fails)
        with_errors.insert(o);
      else
        names.insert(r.name);
      bool floats = false;
      for (const elements& e : r.results) floats |= e.type == data_type::float32;
      for (const argument& a : r.arguments)
        for (const elements& e : a.results) floats |= e.type == data_type::float32;
      if (floats) with_floats.insert(o);
    }
  std::string missing;
  for (std::size_t i = 1; i < nac::operation_count; ++i) {
    const auto o = static_cast<nac::operation>(i);
    if (with_floats.count(o) == 0) missing += " float32:" + std::string(nac::name(o));
    if (with_errors.count(o) == 0) missing += " refusal:" + std::string(nac::name(o));
    std::istringstream all{std::string(nac::operations[i].names)};
    for (std::string name; all >> name;)
      if (names.count(name) == 0) missing += " " + name;
  }
  CHECK(missing == "");
}
