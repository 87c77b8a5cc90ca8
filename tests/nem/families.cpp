// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <set>
#include <string>
#include <string_view>
#include <tessera/nem/detail/device/baseline_text.hpp>
#include <tessera/nem/detail/device/load.hpp>
#include <tessera/nem/families.hpp>

#include "nem/verbs.hpp"
#include "support/catch.hpp"

using namespace tessera;

namespace {

nem::catalog builtin() {
  nem::catalog c;
  nem::add_builtin(c);
  return c;
}
std::string reference(const nem::catalog& c, std::uint32_t i) {
  text out;
  c.append_reference(out, c.instances[i]);
  return std::string(out.view());
}
/// The instance of a family's variant at some types.
std::uint32_t find(const nem::catalog& c, std::string_view family, std::string_view variant,
                   std::initializer_list<nem::element> types) {
  const std::uint32_t f = nem::builtin_family(family);
  REQUIRE(f < nem::builtin_families);
  const nem::type_family& row = c.families[f];
  for (std::uint32_t v = row.first_variant; v < row.first_variant + row.variants; ++v)
    if (c.text_of(c.variants[v].name) == variant)
      return c.find_instance(c.variants[v], {types.begin(), types.size()});
  FAIL("no variant " << variant);
  return nem::no_index;
}

}  // namespace

TEST_CASE("nem/families: 13 families, 17 mandatory and 26 optional instances", "[nem]") {
  const nem::catalog c = builtin();
  CHECK(c.families.size() == 13);
  CHECK(nem::must_count == 17);
  CHECK(nem::may_count == 26);
  REQUIRE(c.instances.size() == 43);
  std::set<std::string> must, may;
  for (std::uint32_t i = 0; i < 43; ++i)
    (c.instances[i].is_must ? must : may).insert(reference(c, i));
  CHECK(must == std::set<std::string>{"gemm.int8<i8>.no_bias", "gemm.int8<i8>.with_bias",
                                      "gemm.float<f16>.no_bias", "gemm.float<f16>.with_bias",
                                      "conv2d.int8<i8>.no_bias", "conv2d.int8<i8>.with_bias",
                                      "conv2d.float<f16>.no_bias", "conv2d.float<f16>.with_bias",
                                      "eltwise<i8>.default", "eltwise<f16>.default",
                                      "view<i8>.default", "view<f16>.default", "norm<f16>.default",
                                      "softmax<f16>.default", "cast.default",
                                      "quantize<f16, i8>.default", "dequantize<i8, f16>.default"});
  CHECK(may.size() == 26);
  CHECK(may.count("conv2d.float<f32>.with_bias") == 1);
  CHECK(may.count("gemm.int8<i16>.with_bias") == 1);
  CHECK(may.count("gemm.int4.no_bias") == 1);
  CHECK(may.count("quantize<f32, i8>.default") == 1);
  CHECK(may.count("softmax<bf16>.default") == 1);
}

TEST_CASE("nem/families: what no row lists is not there", "[nem]") {
  using enum nem::element;
  const nem::catalog c = builtin();
  CHECK(find(c, "conv2d.int8", "no_bias", {i16}) == nem::no_index);
  CHECK(find(c, "gemm.int8", "no_bias", {i16}) == nem::no_index);
  CHECK(find(c, "gemm.float", "with_bias", {bf16}) == nem::no_index);
  CHECK(find(c, "gemm.float", "with_bias", {f32}) == nem::no_index);
  CHECK(find(c, "cast", "default", {f16}) == nem::no_index);
  CHECK(find(c, "eltwise", "default", {}) == nem::no_index);
  CHECK(reference(c, find(c, "conv2d.float", "with_bias", {bf16})) ==
        "conv2d.float<bf16>.with_bias");
  CHECK(reference(c, find(c, "dequantize", "default", {i8, f32})) == "dequantize<i8, f32>.default");
  CHECK(reference(c, find(c, "cast", "default", {})) == "cast.default");
}

TEST_CASE("nem/families: each row has its own index, and its types their order", "[nem]") {
  const nem::catalog c = builtin();
  for (std::uint32_t f = 0; f < nem::builtin_families; ++f) {
    const nem::type_family& row = c.families[f];
    CHECK(c.text_of(row.name) == nem::family_table[f].name);
    CHECK(nem::builtin_family(c.text_of(row.name)) == f);
    CHECK(row.where.length == 0);
    for (std::uint32_t v = row.first_variant; v < row.first_variant + row.variants; ++v) {
      for (std::uint32_t i = 1; i < c.variants[v].instances; ++i) {
        const std::uint32_t at = c.variants[v].first_instance + i;
        CHECK(nem::catalog::order(c.types_of(c.instances[at - 1]), c.types_of(c.instances[at])) <
              0);
      }
      for (const nem::instance& i : c.instances_of(c.variants[v])) {
        CHECK(i.family == f);
        CHECK(i.variant == v);
        REQUIRE(i.types == row.parameters);
        for (std::uint32_t k = 0; k < i.types; ++k)
          CHECK((c.parameters[row.first_parameter + k].domain >>
                     static_cast<unsigned>(c.types[i.first_type + k]) &
                 1) == 1);
      }
    }
  }
  CHECK(nem::builtin_family("gemm") == nem::builtin_families);
}

TEST_CASE("nem/families: opcodes name families of the table, and each family has opcodes",
          "[nem]") {
  std::set<std::string_view> named;
  std::set<std::string_view> without;
  for (const nem::opcode_row& r : nem::opcode_table) {
    if (r.families.empty()) without.insert(r.name);
    for (std::string_view list = r.families; !list.empty();) {
      const std::string_view family = nem::next_word(list);
      CHECK(nem::builtin_family(family) < nem::builtin_families);
      named.insert(family);
    }
  }
  CHECK(named.size() == nem::builtin_families);
  CHECK(without == std::set<std::string_view>{"transfer", "store", "conv1d", "conv3d",
                                              "depthwise_conv2d", "maxpool", "avgpool",
                                              "reduce_sum", "reduce_max", "reduce_min", "argmax",
                                              "argmin", "compute"});
}

TEST_CASE("nem/families: the baseline is found under both of its names, in any directory",
          "[nem]") {
  CHECK(nem::find_baseline("npm_baseline_1.0.nem") == 0);
  CHECK(nem::find_baseline("../lib/nem_baseline_1.0.nem") == 1);
  CHECK(nem::find_baseline("lib\\nem_baseline_1.0.nem") == 1);
  CHECK(nem::find_baseline("npm_baseline_1.1.nem") == 2);
  CHECK(nem::find_baseline("") == 2);
  CHECK(nem::baseline_text("npm_baseline.nem").empty());

  for (const nem::baseline_row& b : nem::baseline_files) {
    nem::catalog c = builtin();
    nem::add_baseline_device(c, b);
    REQUIRE(c.devices.size() == 1);
    CHECK(c.text_of(c.devices[0].name) == b.device);
    CHECK(c.text_of(c.devices[0].spec_version) == "NEM-1.0");
    CHECK_FALSE(c.devices[0].has_topology);
    REQUIRE(c.devices[0].mandatory == 17);
    for (std::uint32_t i = 0; i < 17; ++i)
      CHECK(c.instances[c.device_instances[c.devices[0].first_mandatory + i]].is_must);
  }
}

TEST_CASE("nem/families: the baseline's text reads back as the same catalog", "[nem]") {
  for (const nem::baseline_row& b : nem::baseline_files) {
    const text source = nem::baseline_text(b.file);
    tessera::report found;
    const result<nem::model> d = nem_test::read(source, {}, &found);
    REQUIRE(d);
    CHECK(found.diagnostics.empty());

    nem::catalog loaded;
    std::uint32_t target = 0;
    nem::detail::findings findings(&found, nem::profile::standard, 100);
    nem::detail::load(*d, {}, findings, loaded, target);
    CHECK(found.diagnostics.empty());
    CHECK(target == nem::no_index);

    const nem::catalog table = builtin();
    REQUIRE(loaded.families.size() == table.families.size());
    for (std::uint32_t f = 0; f < nem::builtin_families; ++f) {
      const nem::type_family &a = loaded.families[f], &e = table.families[f];
      CHECK(a.where.length != 0);  // it replaced the built-in one
      CHECK(loaded.text_of(a.name) == table.text_of(e.name));
      CHECK(a.accum == e.accum);
      CHECK(a.quant == e.quant);
      CHECK(loaded.text_of(a.quant_operand) == table.text_of(e.quant_operand));
      REQUIRE(a.parameters == e.parameters);
      for (std::uint32_t k = 0; k < a.parameters; ++k) {
        const nem::type_parameter& p = loaded.parameters[a.first_parameter + k];
        const nem::type_parameter& q = table.parameters[e.first_parameter + k];
        CHECK(loaded.text_of(p.name) == table.text_of(q.name));
        CHECK(p.domain == q.domain);
      }
      const auto same_operands = [&](std::uint32_t first, std::uint32_t other,
                                     std::uint32_t count) {
        for (std::uint32_t k = 0; k < count; ++k) {
          const nem::operand_type& o = loaded.operand_types[first + k];
          const nem::operand_type& p = table.operand_types[other + k];
          CHECK(loaded.text_of(o.operand) == table.text_of(p.operand));
          CHECK(o.form == p.form);
          CHECK(o.element == p.element);
          if (o.form == nem::type_form::parameter) CHECK(o.parameter == p.parameter);
        }
      };
      REQUIRE(a.operands == e.operands);
      same_operands(a.first_operand, e.first_operand, a.operands);
      REQUIRE(a.variants == e.variants);
      for (std::uint32_t k = 0; k < a.variants; ++k) {
        const nem::variant& v = loaded.variants[a.first_variant + k];
        const nem::variant& w = table.variants[e.first_variant + k];
        CHECK(loaded.text_of(v.name) == table.text_of(w.name));
        REQUIRE(v.operands == w.operands);
        same_operands(v.first_operand, w.first_operand, v.operands);
        REQUIRE(v.instances == w.instances);
        for (std::uint32_t i = 0; i < v.instances; ++i) {
          CHECK(reference(loaded, v.first_instance + i) == reference(table, w.first_instance + i));
          CHECK(loaded.instances[v.first_instance + i].is_must ==
                table.instances[w.first_instance + i].is_must);
        }
      }
    }
    REQUIRE(loaded.devices.size() == 1);
    CHECK(loaded.text_of(loaded.devices[0].name) == b.device);
    std::set<std::string> listed;
    for (std::uint32_t i = 0; i < loaded.devices[0].mandatory; ++i) {
      const std::uint32_t x = loaded.device_instances[loaded.devices[0].first_mandatory + i];
      CHECK(loaded.instances[x].is_must);
      listed.insert(reference(loaded, x));
    }
    CHECK(listed.size() == 17);
  }
}
