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

/// Writes one module.
class verilog_writer {
 public:
  verilog_writer(const alir_values& values, std::string name)
      : v_(values), ports_(values), name_(std::move(name)) {}

  [[nodiscard]] text write() {
    head();
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

  void head() {
    out_ << "// Made by tessera convert from an ALIR program. Verilog-2001, combinational.\n//\n"
         << "//   port x: floor(input * 2^e), as an integer of that width\n"
         << "//   port y: the output is y * 2^e\n//\n";
    for (const verilog_port& p : ports_.inputs)
      out_ << "//   " << p.name << ": input " << p.index << ", e = " << p.exponent << '\n';
    for (const verilog_port& p : ports_.outputs)
      out_ << "//   " << p.name << ": output " << p.index << ", e = " << p.exponent << '\n';
    out_ << "\n/* verilator lint_off WIDTH */\nmodule " << name_ << " (";
    const char* comma = "\n";
    for (const verilog_port& p : ports_.inputs) {
      out_ << comma << "  input " << (p.is_signed ? "signed " : "") << '[' << p.bits - 1 << ":0] "
           << p.name;
      comma = ",\n";
    }
    for (const verilog_port& p : ports_.outputs) {
      out_ << comma << "  output signed [" << p.bits - 1 << ":0] " << p.name;
      comma = ",\n";
    }
    out_ << ");\n";
  }

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

/// Draws samples for a test bench, and says what a module's ports are for them.
class vector_maker {
 public:
  vector_maker(const alir::program& p, const alir_values& v, const verilog_ports& ports)
      : v_(v),
        ports_(ports),
        machine_(p),
        sample_(static_cast<std::size_t>(p.model().n_inputs)),
        outputs_(machine_.outputs()),
        numbers_(p.size()) {
    for (const std::int32_t x : p.model().out_idxs) operations_.push_back(x);
  }

  /// Inputs and outputs, the first port's last bit last; empty when a lookup left its table.
  [[nodiscard]] std::string next() {
    draw();
    const vm::alir::outcome done =
        machine_.run(sample_, outputs_, 1, {}, [this](const vm::alir::event& e) {
          if (!e.values.empty()) numbers_[e.operation] = e.values[0];
        });
    if (!done) return {};
    std::string bits;
    if (ports_.inputs.empty()) append(bits, 0, 1);
    for (const verilog_port& p : ports_.inputs)
      append(bits, v_.code.inputs[p.value].converted(sample_[p.index]), p.bits);
    for (const verilog_port& p : ports_.outputs) {
      const std::int32_t x = operations_[p.index];
      auto y = x < 0 ? 0 : static_cast<std::uint64_t>(numbers_[static_cast<std::size_t>(x)]);
      if (v_.code.outputs[p.index].negative != 0) y = 0 - y;
      append(bits, y, p.bits);
    }
    if (ports_.outputs.empty()) append(bits, 0, 1);
    return bits;
  }

 private:
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

  const alir_values& v_;
  const verilog_ports& ports_;
  vm::alir::observed_machine machine_;
  std::vector<double> sample_, outputs_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::int32_t> operations_;
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
    if (errors == 0 && count > 0)
)";

[[nodiscard]] alir_values one_to_one(const alir::program& p) {
  return alir_values(vm::alir::compile(p, {.one_to_one = true}));
}

}  // namespace

text to_verilog(const alir::program& p, std::string_view name) {
  return verilog_writer(one_to_one(p), identifier_of(name)).write();
}

text to_verilog_test_bench(const alir::program& p, std::string_view name, std::size_t vectors) {
  const alir_values v = one_to_one(p);
  const verilog_ports ports(v);
  vector_maker maker(p, v, ports);
  std::vector<std::string> made;
  for (std::size_t tries = 0; tries < 4 * vectors && made.size() < vectors; ++tries)
    if (std::string bits = maker.next(); !bits.empty()) made.push_back(hex_of(std::move(bits)));
  const std::size_t in = std::max<std::size_t>(verilog_ports::bits_of(ports.inputs), 1);
  const std::size_t out = std::max<std::size_t>(verilog_ports::bits_of(ports.outputs), 1);
  const std::string module = identifier_of(name);
  text to;
  to << "// Made by tessera convert: a test bench for " << module
     << ", with what Tessera's machine\n"
     << "// gives. It prints PASS, or FAIL and stops: `vvp -N` and Verilator then give a status "
        "that\n"
     << "// isn't 0.\n\nmodule " << module << "_tb;\n"
     << "  parameter count = " << made.size() << ";\n  reg [" << in - 1 << ":0] in;\n  wire ["
     << out - 1 << ":0] out;\n  reg [" << out - 1 << ":0] expected;\n  reg [" << in + out - 1
     << ":0] vectors [0:" << std::max<std::size_t>(made.size(), 1) - 1
     << "];\n  integer k, errors;\n\n  " << module << " dut (";
  const char* comma = "\n";
  const auto connect = [&](const std::vector<verilog_port>& list, const char* bus) {
    std::size_t at = 0;
    for (const verilog_port& port : list) {
      to << comma << "    ." << port.name << '(' << bus << '['
         << at + static_cast<std::size_t>(port.bits) - 1 << ':' << at << "])";
      at += static_cast<std::size_t>(port.bits);
      comma = ",\n";
    }
  };
  connect(ports.inputs, "in");
  connect(ports.outputs, "out");
  to << ");\n";
  if (ports.outputs.empty()) to << "  assign out = 1'b0;\n";
  to << "\n  initial begin\n";
  for (std::size_t k = 0; k < made.size(); ++k)
    to << "    vectors[" << k << "] = " << in + out << "'h" << made[k] << ";\n";
  to << bench_loop.substr(1) << "      begin $display(\"PASS " << module
     << ": %0d vectors\", count); $finish; end\n    else begin $display(\"FAIL " << module
     << ": %0d of %0d vectors\", errors, count); $stop; end\n  end\nendmodule\n";
  return to;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
