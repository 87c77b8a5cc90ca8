// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <map>
#include <set>
#include <string_view>
#include <tessera/nem/format.hpp>
#include <tessera/nem/rule.hpp>
#include <tessera/nem/verify_options.hpp>

#include "support/catch.hpp"

using namespace tessera;

TEST_CASE("nem/format: the registry has 49 opcodes in 13 categories", "[nem]") {
  CHECK(nem::opcode_count == 49);
  std::map<nem::opcode_category, int> categories;
  std::map<nem::hardware_status, int> hardware;
  std::map<nem::unit, int> units;
  int stable = 0;
  for (const nem::opcode_row& r : nem::opcode_table) {
    ++categories[r.category];
    ++hardware[r.hardware];
    ++units[r.unit];
    stable += r.status == nem::opcode_status::stable;
    CHECK(nem::name(nem::find_opcode(r.name)) == r.name);
  }
  CHECK(categories.size() == 13);
  CHECK(categories[nem::opcode_category::elementwise_unary] == 11);
  CHECK(categories[nem::opcode_category::elementwise_binary] == 7);
  CHECK(categories[nem::opcode_category::layout] == 7);
  CHECK(categories[nem::opcode_category::reduction] == 5);
  CHECK(stable == 41);
  CHECK(hardware[nem::hardware_status::supported] == 37);
  CHECK(hardware[nem::hardware_status::future] == 8);
  CHECK(hardware[nem::hardware_status::partial] == 3);
  CHECK(units[nem::unit::cstl] == 40);
  CHECK(units[nem::unit::nmu] == 6);
  CHECK(nem::find_opcode("rleu") == nem::opcode::unknown);
}

TEST_CASE("nem/format: signatures count operands and attributes", "[nem]") {
  const nem::opcode_signature conv = nem::signature(nem::opcode::conv2d);
  CHECK(conv.required_inputs == 2);
  CHECK(conv.inputs == 3);
  CHECK(conv.outputs == 1);
  const auto bit = [](nem::attribute a) { return std::uint32_t{1} << static_cast<unsigned>(a); };
  CHECK((conv.attributes & bit(nem::attribute::groups)) != 0);
  CHECK((conv.required_attributes & bit(nem::attribute::groups)) == 0);
  CHECK((conv.required_attributes & bit(nem::attribute::pads)) != 0);
  CHECK(nem::signature(nem::opcode::concat).variadic_inputs);
  CHECK(nem::signature(nem::opcode::split).variadic_outputs);
  CHECK(nem::signature(nem::opcode::matmul).inputs == 2);
}

TEST_CASE("nem/format: each rule has an id of its own", "[nem]") {
  CHECK(nem::rule_count == 178 + 7);
  std::set<std::string_view> ids;
  for (const nem::rule_row& r : nem::rule_table) {
    const nem::rule rule(r.code);
    if (r.phase == nem::phase::run) {
      CHECK(rule.id().substr(0, 3) == "RT-");
    } else {
      CHECK(rule.id().size() == 7);
      CHECK(rule.id()[3] == '-');
    }
    CHECK(ids.insert(error{r.code}.name().substr(4, rule.id().size())).second);
    CHECK(nem::severity_of(r.code, nem::profile::standard) == r.severity);
  }
  CHECK(nem::rule(errc::nem_con_001_duplicate).id() == "CON-001");
  CHECK(nem::rule(errc::nem_rt_div0).id() == "RT-DIV0");
  CHECK(nem::rule(errc::nem_rt_unsupported).id() == "RT-UNSUPPORTED");
  CHECK(nem::rule(errc::json_depth).id().empty());
  CHECK(nem::severity_of(errc::nem_fam_004_quant, nem::profile::upstream) ==
        tessera::severity::warning);
  CHECK(nem::severity_of(errc::nem_typ_002_extension, nem::profile::strict) ==
        tessera::severity::error);
}

TEST_CASE("nem/format: decorators by their words", "[nem]") {
  for (std::size_t i = 0; i < nem::decorator_count; ++i)
    CHECK(nem::find_decorator(nem::decorator_table[i].name) == static_cast<nem::decorator>(i));
  CHECK(nem::find_decorator("none") == nem::decorator::unknown);
  CHECK(nem::find_decorator("") == nem::decorator::unknown);
}

TEST_CASE("nem/verify: as many instances as are allowed have 64 steps each", "[nem]") {
  nem::verify_options o;
  const std::uint64_t usual = o.hazard_steps;
  o.allow(1);
  CHECK(o.max_instances == 1);
  CHECK(o.hazard_steps == usual);
  o.allow(usual / 64 + 1);
  CHECK(o.hazard_steps == (usual / 64 + 1) * 64);
  o.allow(~std::uint64_t{0} / 64);
  CHECK(o.hazard_steps == ~std::uint64_t{0} / 64 * 64);
  o.allow(~std::uint64_t{0});
  CHECK(o.max_instances == ~std::uint64_t{0});
  CHECK(o.hazard_steps == ~std::uint64_t{0});
}

TEST_CASE("nem/format: units that may execute an opcode", "[nem]") {
  using nem::opcode, nem::unit, nem::units;
  CHECK(nem::default_unit(opcode::gemm) == unit::nmu);
  CHECK(nem::default_unit(opcode::store) == unit::cstl);
  CHECK(nem::default_unit(opcode::cast) == unit::vpu);
  CHECK(nem::eligible_units(opcode::relu) == (units(unit::cstl) | units(unit::vpu)));
  CHECK((nem::eligible_units(opcode::transpose) & units(unit::dma)) != 0);
  for (std::size_t i = 0; i < nem::opcode_count; ++i) {
    const auto op = static_cast<opcode>(i);
    if (op == opcode::compute) continue;
    CHECK((nem::eligible_units(op) & units(nem::default_unit(op))) != 0);
  }
}
