// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Every operation of the table against what PyTorch gives for it: rows recorded by
// tests/data/nac/operations.py, whose top comment has their form.

#include "tessera/nac/operations.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

#include "vm_nac/build.hpp"

using namespace vm_nac_tests;

namespace {

using nac::data_type;

/// A tensor or number of a row, its elements as doubles or as integers.
struct elements {
  data_type type = data_type::float32;
  bool is_number = false;
  std::vector<std::int64_t> dims;
  std::vector<double> reals;         // of floats
  std::vector<std::int64_t> wholes;  // of the others
};

struct argument {
  char kind = 0;  // n b i f s I F as constants; T: a result, L: a list of them
  double real = 0;
  std::int64_t whole = 0;
  std::string string;
  std::vector<double> reals;
  std::vector<std::int64_t> wholes;
  std::vector<elements> results;
};

struct row {
  std::size_t line = 0;
  double tolerance = 0, tolerance_of_halves = 0;  // in units of the type's precision
  bool of_largest = false;
  std::string name;
  std::vector<argument> arguments;
  bool fails = false;
  std::string code;  // of the error; empty: any
  bool is_list = false;
  std::vector<elements> results;  // one unless is_list
};

// ---- reading

class reader {
 public:
  explicit reader(const char* text) : at_(text) {}

  bool skip(char c) {
    while (*at_ == ' ') ++at_;
    if (*at_ != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!skip(c)) throw std::string("expected ") + c + " at " + at_;
  }
  std::string word() {
    while (*at_ == ' ') ++at_;
    const char* const first = at_;
    while (*at_ != 0 && *at_ != ' ' && *at_ != ':' && *at_ != '[') ++at_;
    return {first, at_};
  }
  std::string rest() {
    std::string all = at_;
    while (!all.empty() && all.back() == ' ') all.pop_back();
    return all;
  }
  double real() {
    char* end = nullptr;
    const double v = std::strtod(at_, &end);
    if (end == at_) throw std::string("expected a number at ") + at_;
    at_ = end;
    return v;
  }
  std::int64_t whole() {
    char* end = nullptr;
    const long long v = std::strtoll(at_, &end, 10);
    if (end == at_) throw std::string("expected an integer at ") + at_;
    at_ = end;
    return v;
  }
  template <class F>
  void list(F&& one) {  // up to what ends it
    while (*at_ == ' ') ++at_;
    if (*at_ == ';' || *at_ == '|' || *at_ == '&' || *at_ == ')' || *at_ == ']' || *at_ == 0)
      return;
    do one();
    while (skip(','));
  }
  elements tensor(const std::string& type) {
    elements out;
    std::string_view name = type;
    if (name.substr(0, 1) == "=") {
      out.is_number = true;
      name.remove_prefix(1);
    }
    std::size_t t = 0;
    while (t < nac::data_type_count && nac::name(static_cast<data_type>(t)) != name) ++t;
    if (t == nac::data_type_count) throw "no data type: " + type;
    out.type = static_cast<data_type>(t);
    if (skip('[')) {
      list([&] { out.dims.push_back(whole()); });
      expect(']');
    }
    expect(':');
    list([&] {
      if (nac::is_floating(out.type))
        out.reals.push_back(real());
      else
        out.wholes.push_back(whole());
    });
    return out;
  }
  std::vector<elements> tensors() {  // after '('
    std::vector<elements> out;
    if (skip(')')) return out;
    do out.push_back(tensor(word()));
    while (skip('&'));
    expect(')');
    return out;
  }
  argument one_argument() {
    argument a;
    if (skip('(')) {
      a.kind = 'L';
      a.results = tensors();
      return a;
    }
    const std::string w = word();
    if (w.size() > 1) {
      a.kind = 'T';
      a.results.push_back(tensor(w));
      return a;
    }
    a.kind = w.empty() ? '?' : w[0];
    if (a.kind == 'n') return a;
    expect(':');
    switch (a.kind) {
      case 'b':
      case 'i': a.whole = whole(); break;
      case 'f': a.real = real(); break;
      case 's':
        while (*at_ != 0 && *at_ != ';' && *at_ != '|') a.string += *at_++;
        while (!a.string.empty() && a.string.back() == ' ') a.string.pop_back();
        break;
      case 'I': list([&] { a.wholes.push_back(whole()); }); break;
      case 'F': list([&] { a.reals.push_back(real()); }); break;
      default: throw "no kind of argument: " + w;
    }
    return a;
  }

 private:
  const char* at_;
};

[[nodiscard]] std::string path_of(const std::string& group) {
  return TESSERA_TESTS_DATA_DIR "/nac/operations/" + group + ".txt";
}

[[nodiscard]] std::vector<row> rows_of(const std::string& group) {
  std::ifstream in(path_of(group), std::ios::binary);
  REQUIRE(in);
  std::vector<row> rows;
  row next;
  std::string line;
  for (std::size_t n = 1; std::getline(in, line); ++n) {
    if (line.empty() || line[0] == '#') continue;
    try {
      reader r(line.c_str());
      if (line[0] == '!') {  // ! tolerance, that of halves, "largest" or nothing
        r.expect('!');
        next.tolerance = r.real();
        next.tolerance_of_halves = r.real();
        r.skip(' ');
        next.of_largest = r.rest() == "largest";
        continue;
      }
      if (line[0] != ' ') {
        next.name = line;
        continue;
      }
      row one = next;
      one.line = n;
      if (!r.skip('|')) {
        do one.arguments.push_back(r.one_argument());
        while (r.skip(';'));
        r.expect('|');
      }
      if (r.skip('(')) {
        one.is_list = true;
        one.results = r.tensors();
      } else {
        const std::string w = r.word();
        one.fails = w == "error";
        if (!one.fails) {
          one.results.push_back(r.tensor(w));
        } else {
          r.skip(' ');
          one.code = r.rest();
        }
      }
      rows.push_back(std::move(one));
    } catch (const std::string& what) {
      FAIL(path_of(group) << ":" << n << ": " << what);
    }
  }
  return rows;
}

// ---- running

/// Rows as one program, each an operation and an output of its own.
class program_of_rows {
 public:
  explicit program_of_rows(const row* first, const row* last) {
    std::vector<operand> outputs;
    for (const row* r = first; r != last; ++r) {
      std::vector<operand> arguments;
      for (const argument& a : r->arguments) arguments.push_back(given(*r, a));
      outputs.push_back(builder_.op(r->name, arguments));
    }
    builder_.output(outputs);
  }
  /// What verification or the run refuses with; ok: there are results.
  [[nodiscard]] tessera::errc run(std::string& text) {
    auto written = builder_.bytes();
    REQUIRE(written);
    program_.bytes = std::make_unique<tessera::pool<std::byte>>(*std::move(written));
    const auto file = nac::read(tessera::bytes(program_.bytes->data(), program_.bytes->size()));
    REQUIRE(file);
    auto program = nac::verify(*file);
    if (!program) {
      text = program.err().message();
      return program.err().code;
    }
    program_.program = std::make_unique<nac::program>(*std::move(program));
    machine_ = std::make_unique<vm::machine>(*program_.program);
    for (std::size_t i = 0; i < inputs_.size(); ++i) machine_->set_input(i, value_of(*inputs_[i]));
    const vm::outcome done = machine_->run();
    if (!done) text = done.text;
    if (done) results_.assign(machine_->outputs().begin(), machine_->outputs().end());
    return done.code;
  }
  [[nodiscard]] const vm::value& result(std::size_t of) const { return results_.at(of); }

 private:
  operand given(const row& r, const argument& a) {
    switch (a.kind) {
      case 'n': return builder_.null();
      case 'b': return builder_.truth(a.whole != 0);
      case 'i': return builder_.whole(a.whole);
      case 'f': return builder_.real(a.real);
      case 's': return builder_.string(a.string);
      case 'I': return builder_.wholes({a.wholes.begin(), a.wholes.end()});
      case 'F': {
        std::vector<float> all;
        for (const double v : a.reals) all.push_back(static_cast<float>(v));
        return builder_.reals(all);
      }
      default: break;
    }
    // Every third row gives its float32 tensors as parameters.
    if (const elements& e = a.results.front();
        a.kind == 'T' && !e.is_number && e.type == data_type::float32 && r.line % 3 == 0)
      return builder_.parameter({e.dims.begin(), e.dims.end()}, {e.reals.begin(), e.reals.end()});
    inputs_.push_back(&a);
    return builder_.input();
  }
  [[nodiscard]] vm::value value_of(const elements& e) {
    vm::memory& room = machine_->room();
    if (e.is_number) {
      if (e.type == data_type::boolean) return vm::make_number(room, e.wholes.at(0) != 0);
      if (e.type == data_type::int64) return vm::make_number(room, e.wholes.at(0));
      return vm::make_number(room, e.reals.at(0));
    }
    vm::tensor t = vm::make_tensor(room, e.type, vm::shape(e.dims));
    const std::size_t n = t.size();
    REQUIRE(n == (nac::is_floating(e.type) ? e.reals.size() : e.wholes.size()));
    vm::visit(e.type, [&]<class T>(vm::of<T>) {
      for (std::size_t i = 0; i < n; ++i)
        if constexpr (vm::is_half<T>)
          t.as<T>()[i] = T(static_cast<float>(e.reals[i]));
        else if constexpr (vm::is_float<T>)
          t.as<T>()[i] = static_cast<T>(e.reals[i]);
        else
          t.as<T>()[i] = static_cast<T>(e.wholes[i]);
    });
    return t;
  }
  [[nodiscard]] vm::value value_of(const argument& a) {
    if (a.kind == 'T') return value_of(a.results.front());
    std::vector<vm::value> all;
    for (const elements& e : a.results) all.push_back(value_of(e));
    return vm::value(std::move(all));
  }

  builder builder_;
  std::vector<const argument*> inputs_;
  built program_;
  std::unique_ptr<vm::machine> machine_;
  std::vector<vm::value> results_;  // of machine_'s memory
};

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
  const std::size_t n = floats ? want.reals.size() : want.wholes.size();
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
        if (static_cast<std::int64_t>(got.as<T>()[i]) == want.wholes[i]) continue;
        out << "element " << i << " is " << static_cast<std::int64_t>(got.as<T>()[i])
            << ", expected " << want.wholes[i];
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

/// What is wrong with a row that runs alone.
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

/// Rows with results run together by name; when that fails, and all that must fail, alone.
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

TEST_CASE("vm_nac/operations: elementwise", "[vm_nac]") { check("elementwise"); }
TEST_CASE("vm_nac/operations: create", "[vm_nac]") { check("create"); }
TEST_CASE("vm_nac/operations: layout", "[vm_nac]") { check("layout"); }
TEST_CASE("vm_nac/operations: indexing", "[vm_nac]") { check("indexing"); }
TEST_CASE("vm_nac/operations: reduce", "[vm_nac]") { check("reduce"); }
TEST_CASE("vm_nac/operations: products", "[vm_nac]") { check("products"); }
TEST_CASE("vm_nac/operations: convolution", "[vm_nac]") { check("convolution"); }
TEST_CASE("vm_nac/operations: normalise", "[vm_nac]") { check("normalise"); }
TEST_CASE("vm_nac/operations: pooling", "[vm_nac]") { check("pooling"); }

TEST_CASE("vm_nac/operations: every name has rows, every operation one with float32", "[vm_nac]") {
  std::set<std::string> names;
  std::set<nac::operation> with_floats, with_errors;
  for (const char* const group : {"elementwise", "create", "layout", "indexing", "reduce",
                                  "products", "convolution", "normalise", "pooling"})
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
