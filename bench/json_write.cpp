// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// alir::write_json against a writer on std::to_chars that gives the same bytes.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <tessera/alir.hpp>

#include "generate.hpp"
#include "ratios.hpp"

namespace {

using namespace tessera;

/// A hand-written writer for this format only.
class to_chars_writer {
 public:
  [[nodiscard]] std::string write(const alir::model& m) {
    out_.reserve(96 * m.ops.size() + 4096);
    out_ += "{\"model\":[[";
    integer(m.n_inputs), out_ += ',', integer(m.n_outputs);
    out_ += "],";
    list(m.inp_shifts), out_ += ',';
    list(m.out_idxs), out_ += ',';
    list(m.out_shifts), out_ += ",[";
    for (std::size_t i = 0; i < m.out_negs.size(); ++i) {
      if (i != 0) out_ += ',';
      out_ += m.out_negs[i] != 0 ? "true" : "false";
    }
    out_ += "],[";
    for (std::size_t i = 0; i < m.ops.size(); ++i) {
      if (i != 0) out_ += ',';
      row(m.ops[i]);
    }
    out_ += "],", integer(m.carry_size), out_ += ',', integer(m.adder_size), out_ += ',';
    tables(m);
    out_ += "],\"meta\":\"ALIRModel\",\"spec_version\":2}";
    return std::move(out_);
  }

 private:
  template <class Int>
  void integer(Int v) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, v).ptr);
  }
  /// As Python's repr() has it; the format's values are within its plain range or far out. Where
  /// the layout with fewer characters is that one, to_chars is faster without an explicit format.
  void number(double v) {
    char digits[48];
    char* const last = digits + sizeof digits;
    const double magnitude = std::fabs(v);
    const bool plain = v == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
    const char* const end =
        v == 0 || (magnitude >= 1e-3 && magnitude < 1e5)
            ? std::to_chars(digits, last, v).ptr
            : std::to_chars(digits, last, v,
                            plain ? std::chars_format::fixed : std::chars_format::scientific)
                  .ptr;
    const std::string_view written(digits, static_cast<std::size_t>(end - digits));
    out_ += written;
    if (plain && written.find('.') == std::string_view::npos) out_ += ".0";
  }
  template <class List>
  void list(const List& values) {
    out_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) out_ += ',';
      integer(values[i]);
    }
    out_ += ']';
  }
  [[nodiscard]] static std::int64_t data(const alir::operation& o) {
    const auto words = [](std::int64_t high, std::int64_t low) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(high) << 32 |
                                       static_cast<std::uint32_t>(low));
    };
    if (o.code == alir::opcode::mux || o.code == alir::opcode::add_constant)
      return words(o.shift, o.data);
    return o.code == alir::opcode::bit_binary ? words(o.data, o.shift) : o.data;
  }
  void row(const alir::operation& o) {
    out_ += '[';
    integer(o.id0), out_ += ',', integer(o.id1), out_ += ',';
    integer(static_cast<int>(o.code)), out_ += ',', integer(data(o)), out_ += ",[";
    number(o.qint.min), out_ += ',', number(o.qint.max), out_ += ',', number(o.qint.step);
    out_ += "],", number(o.latency), out_ += ',', number(o.cost);
    out_ += ']';
  }
  void tables(const alir::model& m) {
    if (m.tables.empty()) {
      out_ += "null";
      return;
    }
    for (std::size_t i = 0; i < m.tables.size(); ++i) {
      const alir::lookup_table& t = m.tables[i];
      out_ += i == 0 ? "[{\"spec\":{\"hash\":\"" : ",{\"spec\":{\"hash\":\"";
      out_ += hash(m, t);
      out_ += "\",\"out_qint\":{\"min\":", number(t.out_qint.min);
      out_ += ",\"max\":", number(t.out_qint.max);
      out_ += ",\"step\":", number(t.out_qint.step);
      out_ += "},\"inp_width\":", integer(t.inp_width);
      out_ += "},\"table\":", list(entries(m, t));
      out_ += '}';
    }
    out_ += ']';
  }

  std::string out_;
};

}  // namespace

void bench::add_cases(bool quick) {
  for (const mix m : {mix::dense, mix::mixed})
    for (const std::size_t operations : {1000u, 10000u, 100000u})
      for (const decimals d : {decimals::shortened, decimals::full}) {
        if (quick && operations > 1000) continue;
        const recipe r{.mix = m, .operations = operations, .decimals = d};
        // Written and read once, so that tables have their specs.
        const result<text> source = alir::write_json(generate(r));
        require(static_cast<bool>(source), name(r) + ": can't be written");
        result<alir::model> read = alir::read_json(source->view());
        require(static_cast<bool>(read), name(r) + ": can't be read");
        const auto model = std::make_shared<alir::model>(*std::move(read));
        const result<text> again = alir::write_json(*model);
        require(again && again->view() == source->view() &&
                    to_chars_writer().write(*model) == source->view(),
                name(r) + ": texts differ");
        if (quick) continue;
        const auto size = static_cast<std::int64_t>(source->size());
        benchmark::RegisterBenchmark((name(r) + "/tessera").c_str(), [=](benchmark::State& state) {
          for (auto _ : state) {
            const result<text> written = alir::write_json(*model);
            benchmark::DoNotOptimize(written->data());
          }
          state.SetBytesProcessed(state.iterations() * size);
        });
        benchmark::RegisterBenchmark((name(r) + "/to_chars").c_str(), [=](benchmark::State& state) {
          for (auto _ : state) benchmark::DoNotOptimize(to_chars_writer().write(*model).data());
          state.SetBytesProcessed(state.iterations() * size);
        });
      }
}

int main(int count, char** arguments) { return bench::main(count, arguments); }
