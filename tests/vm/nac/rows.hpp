// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Calls of operations with what PyTorch gives for them, as tests/data/nac/operations.py records them.
//
//   for (const row& r : rows_of("reduce")) {
//     program_of_rows p(&r, &r + 1);
//     if (std::string text; p.run(text) == errc::ok) use(p.result(0));
//   }

#ifndef TESSERA_TESTS_VM_NAC_ROWS_HPP
#define TESSERA_TESTS_VM_NAC_ROWS_HPP

#include <cstdlib>
#include <fstream>
#include <utility>

#include "vm/nac/build.hpp"

namespace vm_nac_tests {

using nac::data_type;

/// A tensor or number of a row, its elements as doubles or as integers.
struct elements {
  data_type type = data_type::float32;
  bool is_number = false;
  bool is_complex = false;  // the last axis has real and imaginary parts
  std::vector<std::int64_t> dims;
  std::vector<double> reals;       // of floats
  std::vector<std::int64_t> ints;  // of the others
};

struct argument {
  char kind = 0;  // n b i f s I F as constants; T: a result, L: a list of them
  double real = 0;
  std::int64_t whole = 0;
  std::string string;
  std::vector<double> reals;
  std::vector<std::int64_t> ints;
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
    const std::string_view parts = name == "c64" ? "f32" : "f64";
    out.is_complex = name == "c64" || name == "c128";
    if (out.is_complex) name = parts;
    std::size_t t = 0;
    while (t < nac::data_type_count && nac::name(static_cast<data_type>(t)) != name) ++t;
    if (t == nac::data_type_count) throw "no data type: " + type;
    out.type = static_cast<data_type>(t);
    if (skip('[')) {
      list([&] { out.dims.push_back(whole()); });
      expect(']');
    }
    if (out.is_complex) out.dims.push_back(2);
    expect(':');
    list([&] {
      if (nac::is_floating(out.type))
        out.reals.push_back(real());
      else
        out.ints.push_back(whole());
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
      case 'I': list([&] { a.ints.push_back(whole()); }); break;
      case 'F': list([&] { a.reals.push_back(real()); }); break;
      default: throw "no kind of argument: " + w;
    }
    return a;
  }

 private:
  const char* at_;
};

[[nodiscard]] inline std::string path_of(const std::string& group) {
  return TESSERA_TESTS_DATA_DIR "/nac/operations/" + group + ".txt";
}

[[nodiscard]] inline std::vector<row> rows_of(const std::string& group) {
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

/// Rows as one program, each an operation, and an output for each of its results. Lists are taken
/// from their ends, so that none may be longer than the row's.
class program_of_rows {
 public:
  explicit program_of_rows(const row* first, const row* last) {
    std::vector<operand> outputs;
    for (const row* r = first; r != last; ++r) {
      std::vector<operand> all;
      for (const argument& a : r->arguments) all.push_back(given(*r, a));
      operand y = builder_.op(r->name, all);
      // Programs have no complex outputs.
      if (!r->is_list && !r->results.empty() && r->results.front().is_complex)
        y = builder_.op("aten.view_as_real.default", {y});
      places_.push_back({outputs.size(), r->results.size(), r->is_list});
      if (!r->is_list) outputs.push_back(y);
      for (std::size_t k = r->is_list ? r->results.size() : 0; k != 0; --k) {
        operand one = builder_.op("getitem", {y, builder_.whole(-static_cast<std::int64_t>(k))});
        if (r->results[r->results.size() - k].is_complex)
          one = builder_.op("aten.view_as_real.default", {one});
        outputs.push_back(one);
      }
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
      text = program.error().message();
      return program.error().code;
    }
    program_.program = std::make_unique<nac::program>(*std::move(program));
    machine_ = std::make_unique<vm::interpreter>(*program_.program);
    set_inputs(*machine_);
    const vm::outcome done = machine_->run();
    if (!done) text = done.text;
    if (done) results_.assign(machine_->outputs().begin(), machine_->outputs().end());
    return done.code;
  }
  [[nodiscard]] vm::value result(std::size_t of) const {
    const place& p = places_.at(of);
    if (!p.is_list) return results_.at(p.first);
    const auto first = results_.begin() + static_cast<std::ptrdiff_t>(p.first);
    return vm::value(std::vector<vm::value>(first, first + static_cast<std::ptrdiff_t>(p.size)));
  }
  [[nodiscard]] const std::vector<vm::value>& results() const { return results_; }
  /// Of programs that verify.
  [[nodiscard]] const nac::program& program() const { return *program_.program; }
  template <class Machine>
  void set_inputs(Machine& m) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      m.set_input(i, value_of(m.arena(), *inputs_[i]));
  }

 private:
  operand given(const row& r, const argument& a) {
    if (!a.results.empty() && a.results.front().is_complex) {
      inputs_.push_back(&a);
      const operand pairs = builder_.input();
      return builder_.op("aten.view_as_complex.default", {pairs});
    }
    switch (a.kind) {
      case 'n': return builder_.null();
      case 'b': return builder_.truth(a.whole != 0);
      case 'i': return builder_.whole(a.whole);
      case 'f': return builder_.real(a.real);
      case 's': return builder_.string(a.string);
      case 'I': return builder_.int_list({a.ints.begin(), a.ints.end()});
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
  [[nodiscard]] static vm::value value_of(vm::memory& arena, const elements& e) {
    if (e.is_number) {
      if (e.type == data_type::boolean) return vm::make_number(arena, e.ints.at(0) != 0);
      if (e.type == data_type::int64) return vm::make_number(arena, e.ints.at(0));
      return vm::make_number(arena, e.reals.at(0));
    }
    vm::tensor t = vm::make_tensor(arena, e.type, vm::shape(e.dims));
    const std::size_t n = t.size();
    REQUIRE(n == (nac::is_floating(e.type) ? e.reals.size() : e.ints.size()));
    vm::visit(e.type, [&]<class T>(vm::of<T>) {
      for (std::size_t i = 0; i < n; ++i)
        if constexpr (vm::is_half<T>)
          t.as<T>()[i] = T(static_cast<float>(e.reals[i]));
        else if constexpr (vm::is_float<T>)
          t.as<T>()[i] = static_cast<T>(e.reals[i]);
        else
          t.as<T>()[i] = static_cast<T>(e.ints[i]);
    });
    return t;
  }
  [[nodiscard]] static vm::value value_of(vm::memory& arena, const argument& a) {
    if (a.kind == 'T') return value_of(arena, a.results.front());
    std::vector<vm::value> all;
    for (const elements& e : a.results) all.push_back(value_of(arena, e));
    return vm::value(std::move(all));
  }

  /// The outputs of a row.
  struct place {
    std::size_t first = 0, size = 0;
    bool is_list = false;
  };

  builder builder_;
  std::vector<place> places_;
  std::vector<const argument*> inputs_;
  built program_;
  std::unique_ptr<vm::interpreter> machine_;
  std::vector<vm::value> results_;  // of machine_'s memory
};

}  // namespace vm_nac_tests

#endif  // TESSERA_TESTS_VM_NAC_ROWS_HPP
