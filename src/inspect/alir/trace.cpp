// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/trace.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <tessera/core/json_write.hpp>
#include <tessera/core/shortest.hpp>
#include <utility>

#include "operands.hpp"
#include "tessera/inspect/alir/ranges.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

void append_real(text& to, double v) {
  if (std::isfinite(v))
    append_double(to, v, double_style::python);
  else
    to << (v > 0 ? "inf" : v < 0 ? "-inf" : "nan");
}
[[nodiscard]] std::string real_text(double v) {
  text out;
  append_real(out, v);
  return std::string(out.view());
}

/// Writes what has come together, now and then.
[[nodiscard]] bool pass_on(text& to, alir_recorder::sink put) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  return !put || to.size() < piece || put(to);
}

void append_padded(text& to, std::string_view s, std::size_t width, bool right) {
  const std::size_t missing = s.size() < width ? width - s.size() : 0;
  if (!right) to << s;
  for (std::size_t k = 0; k < missing; ++k) to << ' ';
  if (right) to << s;
}

/// The identifier code of signal n: printable characters.
void append_code(text& to, std::size_t n) {
  constexpr std::size_t first = '!', count = '~' - '!' + 1;
  do {
    to << static_cast<char>(first + n % count);
    n /= count;
  } while (n != 0);
}

}  // namespace

alir_recorder::alir_recorder(const alir::program& p, std::vector<double> inputs,
                             std::uint64_t samples)
    : program_(&p), inputs_(std::move(inputs)), samples_(samples) {}

vm::alir::outcome alir_recorder::run(const budget& limit) {
  vm::alir::observed_machine machine(*program_, limit.max_memory);
  outputs_.assign(static_cast<std::size_t>(samples_) * machine.outputs(), 0.0);
  values_.assign(static_cast<std::size_t>(samples_) * program_->size(), 0);
  const auto keep = [this](const vm::alir::event& e) {
    std::copy(e.values.begin(), e.values.end(),
              values_.begin() +
                  static_cast<std::ptrdiff_t>(e.operation * static_cast<std::size_t>(samples_) +
                                              static_cast<std::size_t>(e.first)));
  };
  const vm::alir::outcome done = machine.run(inputs_, outputs_, samples_, limit, keep);
  const bool trapped = !done && done.operation >= 0;
  whole_ = done ? samples_ : trapped ? done.sample : 0;
  part_ = trapped ? static_cast<std::size_t>(done.operation) : 0;
  return done;
}

std::int64_t alir_recorder::at(std::size_t operation, std::uint64_t sample) const noexcept {
  return values_[operation * static_cast<std::size_t>(samples_) + static_cast<std::size_t>(sample)];
}

double alir_recorder::real(std::size_t operation, std::uint64_t sample) const noexcept {
  return std::ldexp(static_cast<double>(at(operation, sample)), -program_->type(operation).f);
}
bool alir_recorder::is_outside(std::size_t operation, std::uint64_t sample) const noexcept {
  return !declared_range(*program_, operation).contains(at(operation, sample));
}

void alir_recorder::append_table(text& to, sink put) const {
  for (std::uint64_t s = 0; s < rows(); ++s) {
    std::size_t widths[3] = {0, 0, 0};  // of what is written before each integer and number
    std::vector<std::string> names, reals;
    for (std::size_t i = 0; i < operations(s); ++i) {
      names.push_back('%' + std::to_string(i) + ' ' + std::string(name_of(program_->op(i))));
      reals.push_back(real_text(real(i, s)));
      widths[0] = std::max(widths[0], names.back().size());
      widths[1] = std::max(widths[1], std::to_string(at(i, s)).size());
      widths[2] = std::max(widths[2], reals.back().size());
    }
    to << (s == 0 ? "" : "\n") << "sample " << s << ": inputs";
    const std::size_t n = program_->model().inp_shifts.size();
    for (std::size_t j = 0; j < n; ++j) {
      to << (j == 0 ? " " : ", ");
      append_real(to, inputs_[static_cast<std::size_t>(s) * n + j]);
    }
    to << '\n';
    for (std::size_t i = 0; i < operations(s); ++i) {
      to << "  ";
      append_padded(to, names[i], widths[0], false);
      to << "  ";
      append_padded(to, std::to_string(at(i, s)), widths[1], true);
      to << "  ";
      append_padded(to, reals[i], widths[2], true);
      if (is_outside(i, s)) {
        const alir::interval& q = program_->op(i).qint;
        to << "  outside of [" << real_text(q.min) << ", " << real_text(q.max) << ']';
      }
      to << '\n';
      if (!pass_on(to, put)) return;
    }
    if (s >= whole_) continue;
    to << "  outputs";
    const std::size_t m = program_->model().out_idxs.size();
    for (std::size_t j = 0; j < m; ++j) {
      to << (j == 0 ? " " : ", ");
      append_real(to, outputs_[static_cast<std::size_t>(s) * m + j]);
    }
    to << '\n';
  }
}

void alir_recorder::append_csv(text& to, sink put) const {
  to << "sample,operation,opcode,integer,real,outside\n";
  for (std::uint64_t s = 0; s < rows(); ++s)
    for (std::size_t i = 0; i < operations(s); ++i) {
      to << s << ',' << i << ',' << name_of(program_->op(i)) << ',' << at(i, s) << ',';
      append_real(to, real(i, s));
      to << ',' << (is_outside(i, s) ? 1 : 0) << '\n';
      if (!pass_on(to, put)) return;
    }
}

void alir_recorder::append_json(text& to, sink put) const {
  json::writer w(to);
  const auto port = [&w](const std::vector<double>& of, std::uint64_t sample, std::size_t n) {
    w.begin_array();
    for (std::size_t j = 0; j < n; ++j) {
      const double v = of[static_cast<std::size_t>(sample) * n + j];
      if (std::isfinite(v))
        w.number(v);
      else
        w.string(real_text(v));
    }
    w.end();
  };
  w.begin_object().key("samples").begin_array();
  for (std::uint64_t s = 0; s < rows(); ++s) {
    w.begin_object().key("inputs");
    port(inputs_, s, program_->model().inp_shifts.size());
    w.key("values").begin_array();
    for (std::size_t i = 0; i < operations(s); ++i) {
      constexpr std::int64_t exact = std::int64_t{1} << 53;
      const std::int64_t v = at(i, s);
      w.begin_object().key("operation").integer(i);
      w.key("opcode").string(name_of(program_->op(i))).key("integer");
      if (v >= -exact && v <= exact)
        w.integer(v);
      else
        w.string(std::to_string(v));
      w.key("real");
      if (const double r = real(i, s); std::isfinite(r))
        w.number(r);
      else
        w.string(real_text(r));
      w.key("outside").boolean(is_outside(i, s)).end();
      if (!pass_on(to, put)) return;
    }
    w.end();
    if (s < whole_) {
      w.key("outputs");
      port(outputs_, s, program_->model().out_idxs.size());
    }
    w.end();
  }
  w.end().end();
  to << '\n';
}

/// As wide as the type, or as all values need: an overflow isn't to be cut off. At least one bit.
int alir_recorder::signal_width(std::size_t operation) const noexcept {
  const alir::fixed_type t = program_->type(operation);
  int width = std::max(t.width(), 1);
  for (std::uint64_t s = 0; s < rows(); ++s) {
    if (operation >= operations(s)) continue;
    const std::int64_t v = at(operation, s);
    const auto magnitude = static_cast<std::uint64_t>(v < 0 ? ~v : v);
    const int bits = static_cast<int>(std::bit_width(magnitude)) + (t.k || v < 0 ? 1 : 0);
    width = std::max(width, bits);
  }
  return width;
}

void alir_recorder::append_vcd_header(text& to) const {
  const std::size_t n = program_->size();
  to << "$comment ALIR: sample s is at time s $end\n$timescale 1 ns $end\n$scope module alir "
        "$end\n";
  const auto name = [&](std::size_t i) { to << " op_" << i << '_' << name_of(program_->op(i)); };
  to << "$scope module integer $end\n";
  for (std::size_t i = 0; i < n; ++i) {
    const int width = signal_width(i);
    to << "$var wire " << width << ' ';
    append_code(to, i);
    name(i);
    if (width > 1) to << " [" << width - 1 << ":0]";
    to << " $end\n";
  }
  to << "$upscope $end\n$scope module real $end\n";
  for (std::size_t i = 0; i < n; ++i) {
    to << "$var real 64 ";
    append_code(to, n + i);
    name(i);
    to << " $end\n";
  }
  to << "$upscope $end\n$scope module port $end\n";
  std::size_t code = 2 * n;
  for (const auto& [what, count] : {std::pair(" input_", program_->model().inp_shifts.size()),
                                    std::pair(" output_", program_->model().out_idxs.size())})
    for (std::size_t j = 0; j < count; ++j) {
      to << "$var real 64 ";
      append_code(to, code++);
      to << what << j << " $end\n";
    }
  to << "$upscope $end\n$upscope $end\n$enddefinitions $end\n";
}

void alir_recorder::append_vcd(text& to, sink put) const {
  append_vcd_header(to);
  const std::size_t n = program_->size();
  std::vector<int> widths;
  for (std::size_t i = 0; i < n; ++i) widths.push_back(signal_width(i));
  const auto number = [&to](double v, std::size_t code) {
    to << 'r';
    append_real(to, v);
    to << ' ';
    append_code(to, code);
    to << '\n';
  };
  const auto port = [&](const std::vector<double>& of, std::uint64_t s, std::size_t count,
                        std::size_t code) {
    for (std::size_t j = 0; j < count; ++j) {
      const double v = of[static_cast<std::size_t>(s) * count + j];
      if (s == 0 ||
          std::bit_cast<std::uint64_t>(v) !=
              std::bit_cast<std::uint64_t>(of[static_cast<std::size_t>(s - 1) * count + j]))
        number(v, code + j);
    }
  };
  const std::size_t inputs = program_->model().inp_shifts.size();
  for (std::uint64_t s = 0; s < rows(); ++s) {
    to << '#' << s << '\n';
    if (s == 0) to << "$dumpvars\n";
    port(inputs_, s, inputs, 2 * n);
    for (std::size_t i = 0; i < operations(s); ++i) {
      const std::int64_t v = at(i, s);
      if (s != 0 && v == at(i, s - 1)) continue;
      if (widths[i] > 1) {
        to << 'b';
        for (int bit = widths[i]; bit-- > 0;) to << ((v >> bit & 1) != 0 ? '1' : '0');
        to << ' ';
      } else {
        to << ((v & 1) != 0 ? '1' : '0');
      }
      append_code(to, i);
      to << '\n';
      number(real(i, s), n + i);
      if (!pass_on(to, put)) return;
    }
    if (s < whole_) port(outputs_, s, program_->model().out_idxs.size(), 2 * n + inputs);
    if (s == 0) to << "$end\n";
  }
  to << '#' << rows() << '\n';  // so that the last sample has a width
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
