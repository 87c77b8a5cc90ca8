// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// nem::builder: whatever it is given, it ends with a model or an error that has a message. A model's
// text reads as a model with the same text, and formats as it was written.
//
// Each line of the input is a call: its name, then arguments, all separated by commas. A number is an
// expression; anything else a name. Missing arguments are empty.

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/nem.hpp>
#include <tessera/nem/builder.hpp>

#include "mutate_nem.hpp"
#include "require.hpp"

using namespace tessera;
using nem::expr;
using nem::region_expr;

namespace {

/// The arguments of a line.
class line_reader {
 public:
  explicit line_reader(std::string_view line) : rest_(line) {}
  [[nodiscard]] std::string_view word() {
    const std::string_view out = rest_.substr(0, rest_.find(','));
    rest_.remove_prefix(out.size() < rest_.size() ? out.size() + 1 : out.size());
    return out;
  }
  [[nodiscard]] expr value() {
    const std::string_view w = word();
    std::int64_t number = 0;
    const auto read = std::from_chars(w.data(), w.data() + w.size(), number);
    if (read.ec == std::errc() && read.ptr == w.data() + w.size()) return number;
    if (w.starts_with('"')) return expr::string(w.substr(1));
    if (w.starts_with('-')) return -expr(w.substr(1));
    if (w.ends_with('+')) return expr(w.substr(0, w.size() - 1)) + value() * 2;
    return w;
  }
  [[nodiscard]] region_expr region() {
    if (!rest_.starts_with("region,")) return word();
    (void)word();
    const std::string_view buffer = word();
    const expr offset = value(), extent = value();
    region_expr r = nem::builder::region(buffer, offset, extent);
    if (rest_.starts_with("elem,")) {
      (void)word();
      r.elem(element()).shape({value(), value()}).layout(word());
    }
    return r;
  }
  [[nodiscard]] nem::element element() { return nem::find_element(word()); }
  [[nodiscard]] nem::opcode opcode() {
    const nem::opcode op = nem::find_opcode(word());
    return op == nem::opcode::unknown ? nem::opcode::relu : op;
  }
  [[nodiscard]] nem::unit unit() {
    const nem::unit u = nem::find_unit(word());
    return u == nem::unit::none ? nem::unit::dma : u;
  }
  [[nodiscard]] nem::level level() {
    return rest_.size() % 2 == 0 ? nem::level::l2 : nem::level::ddr;
  }

 private:
  std::string_view rest_;
};

using call = void (*)(nem::builder&, line_reader&);
struct call_row {
  std::string_view name;
  call run;
};

/// What each name calls. Arguments are read in their order, one statement each.
constexpr call_row calls[] = {
    {"include", [](nem::builder& b, line_reader& in) { b.include(in.word()); }},
    {"device_file", [](nem::builder& b, line_reader& in) { b.device_file(in.word()); }},
    {"device_name", [](nem::builder& b, line_reader& in) { b.device_name(in.word()); }},
    {"program", [](nem::builder& b, line_reader& in) { b.program(in.word()); }},
    {"constant",
     [](nem::builder& b, line_reader& in) {
       const std::string_view name = in.word();
       b.constant(name, in.value());
     }},
    {"let",
     [](nem::builder& b, line_reader& in) {
       const std::string_view name = in.word();
       b.let(name, in.region());
     }},
    {"buffer",
     [](nem::builder& b, line_reader& in) {
       const std::string_view name = in.word();
       const expr size = in.value(), align = in.value();
       b.buffer(name, in.level(), size, align);
     }},
    {"buffer_in_l1",
     [](nem::builder& b, line_reader& in) {
       const std::string_view name = in.word();
       const expr engine = in.value();
       b.buffer_in_l1(name, engine, in.value());
     }},
    {"loop",
     [](nem::builder& b, line_reader& in) {
       const std::string_view name = in.word();
       const expr first = in.value();
       b.loop(name, first, in.value());
     }},
    {"end_loop", [](nem::builder& b, line_reader&) { b.end_loop(); }},
    {"transfer",
     [](nem::builder& b, line_reader& in) {
       const std::string_view token = in.word();
       const region_expr to = in.region();
       b.transfer(token, to, in.region());
     }},
    {"store",
     [](nem::builder& b, line_reader& in) {
       const std::string_view token = in.word();
       const region_expr to = in.region();
       b.store(token, to, in.region());
     }},
    {"compute",
     [](nem::builder& b, line_reader& in) {
       const std::string_view token = in.word();
       b.compute(token, in.opcode());
     }},
    {"in", [](nem::builder& b, line_reader& in) { b.in(in.region()); }},
    {"out", [](nem::builder& b, line_reader& in) { b.out(in.region()); }},
    {"deps", [](nem::builder& b, line_reader& in) { b.deps({in.word()}); }},
    {"attribute",
     [](nem::builder& b, line_reader& in) {
       const std::string_view name = in.word();
       b.attribute(name, in.value());
     }},
    {"sync", [](nem::builder& b, line_reader&) { b.sync(); }},
    {"wait", [](nem::builder& b, line_reader& in) { b.wait({in.word()}); }},
    {"max_in_flight", [](nem::builder& b, line_reader& in) { b.max_in_flight(in.value()); }},
    {"begin_device",
     [](nem::builder& b, line_reader& in) {
       const std::string_view name = in.word();
       b.begin_device(name, in.word());
     }},
    {"spec_version", [](nem::builder& b, line_reader& in) { b.spec_version(in.word()); }},
    {"units", [](nem::builder& b, line_reader& in) { b.units(in.unit(), 2); }},
    {"characteristic",
     [](nem::builder& b, line_reader& in) {
       const nem::unit u = in.unit();
       b.characteristic(u, in.word(), 3);
     }},
    {"mandatory",
     [](nem::builder& b, line_reader& in) {
       const std::string_view family = in.word();
       const nem::element type = in.element();
       b.mandatory(family, {type}, in.word());
     }},
    {"extended",
     [](nem::builder& b, line_reader& in) {
       const std::string_view family = in.word();
       const nem::element type = in.element();
       b.extended(family, {type}, in.word());
     }},
    {"end_device", [](nem::builder& b, line_reader&) { b.end_device(); }},
    {"begin_family", [](nem::builder& b, line_reader& in) { b.begin_family(in.word()); }},
    {"parameter",
     [](nem::builder& b, line_reader& in) {
       const std::string_view name = in.word();
       b.parameter(name, {in.element()});
     }},
    {"binding",
     [](nem::builder& b, line_reader& in) {
       const std::string_view operand = in.word();
       b.binding(operand, in.word());
     }},
    {"condition",
     [](nem::builder& b, line_reader& in) {
       const std::string_view name = in.word(), value = in.word();
       b.condition(name, value, in.word());
     }},
    {"variant", [](nem::builder& b, line_reader& in) { b.variant(in.word()); }},
    {"end_family", [](nem::builder& b, line_reader&) { b.end_family(); }},
};

void check_model(const nem::model& built) {
  const result<text> written = nem::write(built);
  fuzz::require(static_cast<bool>(written), "what was built can be written");
  const result<nem::model> again = nem::read(written->view());
  fuzz::require(again && again->nodes.size() == built.nodes.size(), "and reads");
  for (std::size_t i = 0; i < built.nodes.size(); ++i)
    fuzz::require(again->nodes[i].kind == built.nodes[i].kind &&
                      again->nodes[i].offset == built.nodes[i].offset,
                  "with the same nodes at the same places");
  const result<text> twice = nem::write(*again);
  fuzz::require(twice && twice->view() == written->view(), "as the same text");
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_nem)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = fuzz::as_text(data, size);
  nem::builder b;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : line.size());
    line_reader in(line);
    const std::string_view name = in.word();
    for (const call_row& row : calls)
      if (row.name == name) row.run(b, in);
  }
  report found;
  const result<nem::model> built = b.finish(&found);
  fuzz::turns turn(fuzz::as_text(data, size));
  if (built && turn.one_in(4))
    check_model(*built);
  else if (!built)
    fuzz::require(built.error().code != errc::ok && found.errors != 0 &&
                      !found.text_of(found.diagnostics[0].text).empty(),
                  "what can't be built has a message");
  return 0;
}
