// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR as Verilog-2001. Each operation is a signed wire with as many bits as its values need, of bounds
// that start where values are forced into a type; so arithmetic modulo that width is exact. Where an
// operation shifts to the right, tests or wraps, the number before has a wire of its own: t5 of v5.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "tessera/transform/emit.hpp"
#include "tessera/vm/alir.hpp"
#include "transform/alir_values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using vm::alir::instruction;
using vm::alir::range;

/// Bits of the narrowest signed type that holds a range.
[[nodiscard]] int bits_for(const range& r) noexcept {
  int bits = 1;
  while (!vm::alir::fits(r, bits)) ++bits;
  return bits;
}
[[nodiscard]] range shifted_twice(const range& r, const instruction& i) noexcept {
  return vm::alir::shifted(vm::alir::shifted(r, -i.right), i.left);
}

/// A port: an input operation's number or an output's.
struct verilog_port {
  std::string name;
  int bits = 0;
  bool is_signed = true;
  std::uint32_t value = alir_values::none;  ///< of an output, none: it is 0
  std::size_t index = 0;                    ///< of the input or output
  bool is_shared = false;                   ///< other operations read the input, too
  int exponent = 0;  ///< an input x is floor(x * 2^exponent), an output is y * 2^exponent
};

struct verilog_ports {
  std::vector<verilog_port> inputs, outputs;

  explicit verilog_ports(const alir_values& v) {
    std::map<std::uint32_t, int> readers;
    const auto is_port = [&v](std::uint32_t k) { return v.is_needed(k) && v[k].how.width > 0; };
    for (std::uint32_t k = 0; k < v.code.inputs.size(); ++k)
      if (is_port(k)) ++readers[v.code.inputs[k].index];
    for (std::uint32_t k = 0; k < v.code.inputs.size(); ++k) {
      if (!is_port(k)) continue;
      const vm::alir::input& in = v.code.inputs[k];
      std::string name = joined("x", in.index);
      if (readers[in.index] > 1) name += joined("_v", v[k].operation);
      inputs.push_back({std::move(name), v[k].how.width, v[k].how.is_signed, k, in.index,
                        readers[in.index] > 1, in.to_grid.exponent});
    }
    for (std::size_t j = 0; j < v.outputs.size(); ++j) {
      verilog_port out{joined("y", j), 1, true, v.outputs[j], j, false, 0};
      if (out.value != alir_values::none) {
        const range& r = v[out.value].bounds;
        out.bits = bits_for(v.code.outputs[j].negative != 0 ? vm::alir::subtract({}, r) : r);
        out.exponent = v.code.outputs[j].to_double.exponent;
      }
      outputs.push_back(std::move(out));
    }
  }
  [[nodiscard]] static std::size_t bits_of(const std::vector<verilog_port>& list) {
    std::size_t all = 0;
    for (const verilog_port& p : list) all += static_cast<std::size_t>(p.bits);
    return all;
  }
};

/// The comment that says what the ports of a module mean.
void append_meaning(text& to, const std::vector<verilog_port>& inputs,
                    const std::vector<verilog_port>& outputs) {
  to << "//   port x: floor(input * 2^e), as an integer of that width\n"
     << "//   port y: the output is y * 2^e\n//\n";
  for (const verilog_port& p : inputs)
    to << "//   " << p.name << ": input " << p.index << ", e = " << p.exponent << '\n';
  for (const verilog_port& p : outputs)
    to << "//   " << p.name << ": output " << p.index << ", e = " << p.exponent << '\n';
}
/// "signed [7:0] name"
[[nodiscard]] std::string declared(const verilog_port& p, std::string_view name) {
  return joined(p.is_signed ? "signed [" : "[", p.bits - 1, ":0] ", name);
}
void append_module(text& to, std::string_view name, const std::vector<verilog_port>& inputs,
                   const std::vector<verilog_port>& outputs, bool is_clocked) {
  to << "\nmodule " << name << " (";
  const char* comma = "\n";
  if (is_clocked) to << comma << "  input clk", comma = ",\n";
  for (const verilog_port& p : inputs)
    to << comma << "  input " << declared(p, p.name), comma = ",\n";
  for (const verilog_port& p : outputs)
    to << comma << "  output " << declared(p, p.name), comma = ",\n";
  to << ");\n";
}
constexpr std::string_view lint_off = "\n/* verilator lint_off WIDTH */";

/// Writes one module.
class verilog_writer {
 public:
  verilog_writer(const alir_values& values, std::string name)
      : v_(values), ports_(values), name_(std::move(name)) {}

  /// With what is said at the top of a file.
  [[nodiscard]] text write_file() {
    out_ << "// Made by tessera convert from an ALIR program. Verilog-2001, combinational.\n//\n";
    append_meaning(out_, ports_.inputs, ports_.outputs);
    out_ << lint_off;
    return write();
  }

  [[nodiscard]] text write() {
    append_module(out_, name_, ports_.inputs, ports_.outputs, false);
    tables();
    for (const verilog_port& p : ports_.inputs) wire_of(p.value, p.name);
    for (id x = 0; x < v_.list.size(); ++x)
      if (v_.is_read(x)) operation(x);
    out_ << '\n';
    for (const verilog_port& p : ports_.outputs) {
      out_ << "  assign " << p.name << " = ";
      if (p.value == alir_values::none)
        out_ << "1'sb0;\n";
      else
        out_ << (v_.code.outputs[p.index].negative != 0 ? "-" : "") << name(p.value) << ";\n";
    }
    out_ << "endmodule\n";
    return std::move(out_);
  }

 private:
  using id = std::uint32_t;
  using kind = instruction::kind;

  void tables() {
    std::vector<int> index_bits(v_.code.tables.size());
    for (id x = 0; x < v_.list.size(); ++x)
      if (v_.is_read(x) && is_lookup(v_[x]))
        index_bits[v_[x].how.b] = std::max(index_bits[v_[x].how.b], bits_for(index_bounds(v_[x])));
    for (std::size_t t = 0; t < index_bits.size(); ++t)
      if (index_bits[t] != 0) table(t, index_bits[t]);
  }
  void table(std::size_t t, int index_bits) {
    const int bits = bits_for(v_.table_bounds[t]);
    const vm::alir::table& where = v_.code.tables[t];
    out_ << "\n  function signed [" << bits - 1 << ":0] table_" << t << ";\n    input signed ["
         << index_bits - 1 << ":0] index;\n    case (index)\n";
    for (std::uint64_t k = 0; k < where.count && k >> (index_bits - 1) == 0; ++k) {
      const std::int32_t entry = v_.code.table_data[static_cast<std::size_t>(where.first + k)];
      out_ << "      " << index_bits << "'d" << k << ": table_" << t << " = " << number(entry, bits)
           << ";\n";
    }
    out_ << "      default: table_" << t << " = {" << bits << "{1'bx}};\n    endcase\n"
         << "  endfunction\n";
  }

  [[nodiscard]] static bool is_lookup(const alir_values::value& x) noexcept {
    return x.how.what == kind::lookup || x.how.what == kind::safe_lookup;
  }
  [[nodiscard]] range index_bounds(const alir_values::value& x) const noexcept {
    return vm::alir::subtract(bounds(x, 0), {x.how.constant, x.how.constant});
  }
  [[nodiscard]] const range& bounds(const alir_values::value& x, std::size_t operand) const {
    return v_[v_.operands_of(x)[operand].value].bounds;
  }

  // Expressions ----------------------------------------------------------------------------------

  [[nodiscard]] std::string name(id x) const { return joined("v", v_[x].operation); }
  [[nodiscard]] std::string name(const alir_values::value& x, std::size_t operand) const {
    return name(v_.operands_of(x)[operand].value);
  }
  /// A signed number of so many bits.
  [[nodiscard]] static std::string number(std::int64_t v, int bits) {
    constexpr char digits[] = "0123456789abcdef";
    auto left = static_cast<std::uint64_t>(v);
    if (bits < 64) left &= (std::uint64_t{1} << bits) - 1;
    std::string hex;
    for (; left != 0 || hex.empty(); left >>= 4) hex.insert(hex.begin(), digits[left & 15]);
    return joined(bits, "'sh", hex);
  }
  [[nodiscard]] static std::string moved(std::string x, int right, int left) {
    if (right > 0) x = joined("(", x, " >>> ", right, ")");
    return left > 0 ? joined("(", x, " <<< ", left, ")") : x;
  }
  void wire(char letter, id x, int bits, std::string_view value) {
    out_ << "  wire signed [" << bits - 1 << ":0] " << letter << v_[x].operation << " = " << value
         << ";\n";
  }
  void wire_of(id x, std::string_view value) { wire('v', x, bits_for(v_[x].bounds), value); }

  [[nodiscard]] std::string sum(const alir_values::value& x, int bits) const {
    std::string out;
    for (const alir_values::operand& o : v_.operands_of(x)) {
      out += o.negative ? (out.empty() ? "-" : " - ") : (out.empty() ? "" : " + ");
      out += moved(name(o.value), 0, o.left);
    }
    if (out.empty()) return number(x.how.constant, bits);
    return x.how.constant == 0 ? out : out + " + " + number(x.how.constant, bits);
  }

  /// v of a wire `letter` that has the bounds `before`, wrapped to the instruction's type.
  void wrapped(id x, char letter, const range& before, std::string_view value) {
    const instruction& i = v_[x].how;
    if (before.within(v_[x].bounds)) return wire_of(x, value);
    wire(letter, x, std::max(bits_for(before), int{i.width}), value);
    wire_of(x, i.width == 0 ? std::string("1'sb0")
                            : joined(letter, v_[x].operation, "[", i.width - 1, ":0]"));
  }

  void relu(id x) {
    const range total = v_.sum_bounds(v_[x]);
    const int bits = bits_for(total);
    wire('s', x, bits, sum(v_[x], bits));
    const std::string s = joined("s", v_[x].operation);
    wire('p', x, bits, joined(s, "[", bits - 1, "] ? ", number(0, bits), " : ", s));
    const range positive{std::max<std::int64_t>(total.low, 0),
                         std::max<std::int64_t>(total.high, 0)};
    wrapped(x, 't', shifted_twice(positive, v_[x].how),
            moved(joined("p", v_[x].operation), v_[x].how.right, v_[x].how.left));
  }
  void quantize(id x) {
    const range total = v_.sum_bounds(v_[x]);
    const int bits = bits_for(total);
    wire('s', x, bits, sum(v_[x], bits));
    wrapped(x, 't', vm::alir::shifted(total, -v_[x].how.right),
            moved(joined("s", v_[x].operation), v_[x].how.right, 0));
  }
  void mux(id x) {
    const alir_values::value& now = v_[x];
    const int bit = std::min(int{now.how.bit}, bits_for(bounds(now, 2)) - 1);
    const std::string a = name(now, 0), b = moved(name(now, 1), now.how.right, now.how.left);
    wrapped(x, 't', vm::alir::either(bounds(now, 0), shifted_twice(bounds(now, 1), now.how)),
            joined(name(now, 2), "[", bit, "] ? ", now.how.bit_value ? a : b, " : ",
                   now.how.bit_value ? b : a));
  }
  /// Of the low bits of an operand, which may have fewer of them.
  void bits(id x) {
    const alir_values::value& now = v_[x];
    const int width = now.how.width;
    if (now.how.what == kind::any) return wire_of(x, "|" + name(now, 0));
    if (now.how.what == kind::invert && width >= 64) return wire_of(x, "~" + name(now, 0));
    if (width == 0) return wire_of(x, now.how.what == kind::all ? "2'sb01" : "1'sb0");
    wire('t', x, std::max(bits_for(bounds(now, 0)), width), name(now, 0));
    const std::string low = joined("t", now.operation, "[", width - 1, ":0]");
    wire_of(x, now.how.what == kind::all ? "&" + low : "{1'b0, ~" + low + "}");
  }
  void lookup(id x) {
    const alir_values::value& now = v_[x];
    const int bits = bits_for(index_bounds(now));
    wire('t', x, bits,
         now.how.constant == 0 ? name(now, 0)
                               : joined(name(now, 0), " - ", number(now.how.constant, 64)));
    wire_of(x, joined("table_", now.how.b, "(t", now.operation, ")"));
  }
  void binary(id x, std::string_view sign) {
    const alir_values::value& now = v_[x];
    wire_of(x, joined(name(now, 0), sign, moved(name(now, 1), 0, now.how.left)));
  }

  void operation(id x) {
    switch (v_[x].how.what) {
      case kind::sum: return wire_of(x, sum(v_[x], bits_for(v_[x].bounds)));
      case kind::quantize: return quantize(x);
      case kind::relu: return relu(x);
      case kind::mux: return mux(x);
      case kind::multiply: return binary(x, " * ");
      case kind::lookup:
      case kind::safe_lookup: return lookup(x);
      case kind::invert:
      case kind::any:
      case kind::all: return bits(x);
      case kind::conjunction: return binary(x, " & ");
      case kind::disjunction: return binary(x, " | ");
      case kind::exclusive: return binary(x, " ^ ");
      case kind::input:
        if (v_[x].how.width == 0) wire_of(x, "1'sb0");
        return;
      case kind::end: return;
    }
  }

  text out_;
  const alir_values& v_;
  verilog_ports ports_;
  std::string name_;
};

/// A program with names for its values and ports.
struct verilog_block {
  explicit verilog_block(const alir::program& p)
      : program(p), values(vm::alir::compile(p, {.one_to_one = true})), ports(values) {}

  const alir::program& program;
  alir_values values;
  verilog_ports ports;
};

/// Draws samples for a test bench, and says what a module's ports are for them. Blocks follow one another.
class vector_maker {
 public:
  explicit vector_maker(const std::vector<verilog_block>& blocks)
      : blocks_(blocks),
        v_(blocks.front().values),
        ports_(blocks.front().ports),
        machine_(blocks.back().program),
        sample_(v_.code.n_inputs),
        outputs_(machine_.outputs()),
        numbers_(blocks.back().program.size()) {
    for (const verilog_block& b : blocks) before_.emplace_back(b.program);
    before_.pop_back();
  }

  /// Inputs and outputs, the first port's last bit last; empty when a lookup left its table, or blocks
  /// hand on more than a double holds.
  [[nodiscard]] std::string next() {
    draw();
    std::vector<double> row = sample_;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      std::vector<double> from = std::exchange(row, std::vector<double>(before_[i].outputs()));
      if (!before_[i].run(from, row, 1) || !is_exact(i, row)) return {};
    }
    const vm::alir::outcome done =
        machine_.run(row, outputs_, 1, {}, [this](const vm::alir::event& e) {
          if (!e.values.empty()) numbers_[e.operation] = e.values[0];
        });
    if (!done) return {};
    std::string bits;
    if (ports_.inputs.empty()) append(bits, 0, 1);
    for (const verilog_port& p : ports_.inputs)
      append(bits, v_.code.inputs[p.value].converted(sample_[p.index]), p.bits);
    const verilog_block& last = blocks_.back();
    for (const verilog_port& p : last.ports.outputs) {
      const std::int32_t x = last.program.model().out_idxs[p.index];
      auto y = x < 0 ? 0 : static_cast<std::uint64_t>(numbers_[static_cast<std::size_t>(x)]);
      if (last.values.code.outputs[p.index].negative != 0) y = 0 - y;
      append(bits, y, p.bits);
    }
    if (last.ports.outputs.empty()) append(bits, 0, 1);
    return bits;
  }

 private:
  /// Whether all that block i hands on is a whole number of what it and the next block count in.
  [[nodiscard]] bool is_exact(std::size_t i, const std::vector<double>& row) const {
    const auto fits = [&row](const std::vector<verilog_port>& ports, int sign) {
      return std::all_of(ports.begin(), ports.end(), [&](const verilog_port& p) {
        return std::fabs(std::ldexp(row[p.index], sign * p.exponent)) < 0x1p53;
      });
    };
    return fits(blocks_[i].ports.outputs, -1) && fits(blocks_[i + 1].ports.inputs, 1);
  }
  std::uint64_t random() noexcept {  // SplitMix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  static void append(std::string& bits, std::uint64_t v, int count) {
    std::string all;
    for (int k = count; k-- > 0;) all += k > 63 || (v >> k & 1) == 0 ? '0' : '1';
    bits = all + bits;
  }
  /// Corners and random codes of one of the types that read each input.
  void draw() {
    const std::uint64_t corner = count_++;
    for (const verilog_port& p : ports_.inputs) {
      const std::uint64_t top = std::uint64_t{1} << (p.bits - 1);
      const std::uint64_t corners[] = {0, top, top - 1, top | (top - 1), 1};
      const std::uint64_t code = corner < 5          ? corners[corner]
                                 : random() % 8 == 0 ? corners[random() % 5]
                                                     : random() & (top | (top - 1));
      const std::uint64_t sign = p.is_signed ? top : 0;
      const auto number = static_cast<std::int64_t>((code ^ sign) - sign);
      if (p.is_shared && random() % 2 == 0) continue;
      const double part = random() % 4 == 0 ? 0.5 : 0.0;
      sample_[p.index] = std::ldexp(static_cast<double>(number) + part, -p.exponent);
    }
  }

  const std::vector<verilog_block>& blocks_;
  const alir_values& v_;        // of the first block
  const verilog_ports& ports_;  // likewise
  std::vector<vm::alir::machine> before_;
  vm::alir::observed_machine machine_;  // of the last block
  std::vector<double> sample_, outputs_;
  std::vector<std::int64_t> numbers_;
  std::uint64_t state_ = 1, count_ = 0;
};

[[nodiscard]] std::string hex_of(std::string bits) {
  bits.insert(0, (4 - bits.size() % 4) % 4, '0');
  std::string out;
  for (std::size_t k = 0; k < bits.size(); k += 4)
    out += "0123456789abcdef"[(bits[k] - '0') * 8 + (bits[k + 1] - '0') * 4 +
                              (bits[k + 2] - '0') * 2 + (bits[k + 3] - '0')];
  return out;
}

/// The ports of a list as parts of a bus, the first one lowest.
void connect_to_bus(text& to, const std::vector<verilog_port>& list, std::string_view bus,
                    const char*& comma) {
  std::size_t at = 0;
  for (const verilog_port& port : list) {
    to << comma << "    ." << port.name << '(' << bus << '['
       << at + static_cast<std::size_t>(port.bits) - 1 << ':' << at << "])";
    at += static_cast<std::size_t>(port.bits);
    comma = ",\n";
  }
}

constexpr std::string_view bench_loop = R"(
    errors = 0;
    for (k = 0; k < count; k = k + 1) begin
      {expected, in} = vectors[k];
      #1;
      if (out !== expected) begin
        if (errors < 10) $display("FAIL vector %0d: in %h, out %h, expected %h", k, in, out, expected);
        errors = errors + 1;
      end
    end
)";
/// A vector enters before each edge; after it, that of `later` edges ago is at the output.
constexpr std::string_view clocked_loop = R"(
    errors = 0;
    clk = 0;
    for (k = 0; k < count + later; k = k + 1) begin
      if (k < count) {unused, in} = vectors[k];
      #1 clk = 1;
      #1;
      if (k >= later) begin
        {expected, entered} = vectors[k - later];
        if (out !== expected) begin
          if (errors < 10) $display("FAIL vector %0d: in %h, out %h, expected %h", k - later, entered, out, expected);
          errors = errors + 1;
        end
      end
      clk = 0;
    end
)";

/// The test bench of blocks one after the other. A clocked one has `later` edges after a sample's own.
[[nodiscard]] text test_bench(const std::vector<verilog_block>& blocks, const std::string& module,
                              std::size_t vectors, bool is_clocked, std::uint64_t later) {
  vector_maker maker(blocks);
  const auto &inputs = blocks.front().ports.inputs, &outputs = blocks.back().ports.outputs;
  std::vector<std::string> made;
  for (std::size_t tries = 0; tries < 4 * vectors && made.size() < vectors; ++tries)
    if (std::string bits = maker.next(); !bits.empty()) made.push_back(hex_of(std::move(bits)));
  const std::size_t in = std::max<std::size_t>(verilog_ports::bits_of(inputs), 1);
  const std::size_t out = std::max<std::size_t>(verilog_ports::bits_of(outputs), 1);
  text to;
  to << "// Made by tessera convert: a test bench for " << module
     << ", with what Tessera's machine\n"
     << "// gives. It prints PASS, or FAIL and stops: `vvp -N` and Verilator then give a status "
        "that\n"
     << "// isn't 0.\n\nmodule " << module << "_tb;\n"
     << "  parameter count = " << made.size();
  if (is_clocked) to << ", later = " << later << ";\n  reg clk";
  to << ";\n  reg [" << in - 1 << ":0] in" << (is_clocked ? ", entered" : "") << ";\n  wire ["
     << out - 1 << ":0] out;\n  reg [" << out - 1 << ":0] expected"
     << (is_clocked ? ", unused" : "") << ";\n  reg [" << in + out - 1
     << ":0] vectors [0:" << std::max<std::size_t>(made.size(), 1) - 1
     << "];\n  integer k, errors;\n\n  " << module << " dut (";
  const char* comma = "\n";
  if (is_clocked) to << comma << "    .clk(clk)", comma = ",\n";
  connect_to_bus(to, inputs, "in", comma);
  connect_to_bus(to, outputs, "out", comma);
  to << ");\n";
  if (outputs.empty()) to << "  assign out = 1'b0;\n";
  to << "\n  initial begin\n";
  for (std::size_t k = 0; k < made.size(); ++k)
    to << "    vectors[" << k << "] = " << in + out << "'h" << made[k] << ";\n";
  to << (is_clocked ? clocked_loop : bench_loop).substr(1)
     << "    if (errors == 0 && count > 0)\n      begin $display(\"PASS " << module
     << ": %0d vectors\", count); $finish; end\n    else begin $display(\"FAIL " << module
     << ": %0d of %0d vectors\", errors, count); $stop; end\n  end\nendmodule\n";
  return to;
}

[[nodiscard]] std::vector<verilog_block> blocks_of(const alir::staged& p) {
  std::vector<verilog_block> blocks;
  blocks.reserve(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) blocks.emplace_back(p.block(i));
  return blocks;
}

/// Writes the modules of blocks, and one that has registers between them.
class verilog_pipeline_writer {
 public:
  verilog_pipeline_writer(const alir::staged& p, std::string name)
      : p_(p), name_(std::move(name)), blocks_(blocks_of(p)) {}

  [[nodiscard]] text write() {
    const auto &inputs = blocks_.front().ports.inputs, &outputs = blocks_.back().ports.outputs;
    out_ << "// Made by tessera convert from an ALIR pipeline. Verilog-2001.\n//\n"
         << "// Each edge of clk takes in a sample; its result is at the output after ";
    if (p_.latency() < 2)
      out_ << (p_.latency() == 0 ? "no edge.\n//\n" : "that edge.\n//\n");
    else
      out_ << p_.latency() - 1 << " more.\n//\n";
    append_meaning(out_, inputs, outputs);
    out_ << lint_off;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const text module = verilog_writer(blocks_[i].values, joined(name_, "_block", i)).write();
      out_ << module;
    }
    append_module(out_, name_, inputs, outputs, true);
    for (std::size_t i = 0; i < blocks_.size(); ++i) block(i);
    for (const verilog_port& y : outputs) {
      const std::string from = output(blocks_.size() - 1, y);
      if (p_.output_register()) keep(y, "r_" + y.name, from);
      out_ << "  assign " << y.name << " = " << (p_.output_register() ? "r_" + y.name : from)
           << ";\n";
    }
    out_ << "endmodule\n";
    return std::move(out_);
  }

 private:
  [[nodiscard]] static std::string output(std::size_t i, const verilog_port& y) {
    return joined("b", i, '_', y.name);
  }
  /// A register.
  void keep(const verilog_port& p, const std::string& name, std::string_view value) {
    out_ << "  reg " << declared(p, name) << ";\n  always @(posedge clk) " << name
         << " <= " << value << ";\n";
  }
  /// What goes into a port, scaled from what the block before gives.
  [[nodiscard]] std::string source(std::size_t i, const verilog_port& x) const {
    if (i == 0) return x.name;
    const verilog_port& y = blocks_[i - 1].ports.outputs[x.index];
    const int left = y.exponent + x.exponent;
    const std::string from = output(i - 1, y);
    if (left == 0) return from;
    return left > 0 ? joined(from, " <<< ", left) : joined(from, " >>> ", -left);
  }
  void block(std::size_t i) {
    const verilog_ports& ports = blocks_[i].ports;
    out_ << "\n  // block " << i << '\n';
    const bool is_kept = i != 0 || p_.input_register();
    for (const verilog_port& x : ports.inputs)
      if (is_kept) keep(x, joined("r", i, '_', x.name), source(i, x));
    for (const verilog_port& y : ports.outputs)
      out_ << "  wire " << declared(y, output(i, y)) << ";\n";
    out_ << "  " << name_ << "_block" << i << " block" << i << " (";
    const char* comma = "\n";
    for (const verilog_port& x : ports.inputs) {
      out_ << comma << "    ." << x.name << '(' << (is_kept ? joined("r", i, '_', x.name) : x.name)
           << ')';
      comma = ",\n";
    }
    for (const verilog_port& y : ports.outputs) {
      out_ << comma << "    ." << y.name << '(' << output(i, y) << ')';
      comma = ",\n";
    }
    out_ << ");\n";
  }

  const alir::staged& p_;
  std::string name_;
  std::vector<verilog_block> blocks_;
  text out_;
};

}  // namespace

text to_verilog(const alir::program& p, std::string_view name) {
  return verilog_writer(verilog_block(p).values, identifier_of(name)).write_file();
}
text to_verilog(const alir::staged& p, std::string_view name) {
  return verilog_pipeline_writer(p, identifier_of(name)).write();
}

text to_verilog_test_bench(const alir::program& p, std::string_view name, std::size_t vectors) {
  std::vector<verilog_block> blocks;
  blocks.emplace_back(p);
  return test_bench(blocks, identifier_of(name), vectors, false, 0);
}
text to_verilog_test_bench(const alir::staged& p, std::string_view name, std::size_t vectors) {
  return test_bench(blocks_of(p), identifier_of(name), vectors, true,
                    p.latency() == 0 ? 0 : p.latency() - 1);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
