// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A container and what the optimizer makes of it, verified.

#ifndef TESSERA_TESTS_TRANSFORM_OPTIMIZED_HPP
#define TESSERA_TESTS_TRANSFORM_OPTIMIZED_HPP

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "tessera/core/describe.hpp"
#include "tessera/core/shortest.hpp"
#include "tessera/nac/all.hpp"
#include "tessera/transform/optimize.hpp"

namespace transform_tests {

using namespace tessera;
using transform::optimizer_pass;

/// Bytes of a container, and their program.
class container {
 public:
  explicit container(pool<std::byte> written) : bytes_(std::move(written)) { verify(); }
  explicit container(bytes b) {
    for (const std::byte each : b) bytes_.push_back(each);
    verify();
  }
  /// From assembly.
  explicit container(std::string_view code) {
    const std::string source(code);
    const auto parts = nac::assemble(source);
    INFO(source << (parts ? "" : error(parts.error()).name()));
    REQUIRE(parts);
    auto written = nac::write(*parts);
    REQUIRE(written);
    bytes_ = std::move(*written);
    verify();
  }
  [[nodiscard]] bytes data() const { return {bytes_.data(), bytes_.size()}; }
  [[nodiscard]] const nac::program& program() const { return *program_; }

 private:
  void verify() {
    const auto model = nac::read(data());
    REQUIRE(model);
    tessera::report found;
    auto verified = nac::verify(*model, {}, &found);
    const source_file source{"model.nac", as_text(data()), true};
    const text shown = describe(found, {&source, 1});
    INFO(shown.view());
    REQUIRE(verified);
    program_.emplace(std::move(*verified));
  }

  pool<std::byte> bytes_;
  std::optional<nac::program> program_;
};

[[nodiscard]] inline std::uint32_t only(std::initializer_list<optimizer_pass> passes) {
  std::uint32_t out = 0;
  for (const optimizer_pass p : passes) out |= transform::bit_of(p);
  return out;
}

[[nodiscard]] inline container optimize(const nac::program& p,
                                        std::uint32_t passes = transform::all_passes) {
  auto made = transform::optimize(p, {.passes = passes});
  INFO((made ? "" : made.error().name()));
  REQUIRE(made);
  auto written = nac::write(made->parts);
  INFO((written ? "" : written.error().name()));
  REQUIRE(written);
  return container(std::move(*written));
}

[[nodiscard]] inline std::string shown(const nac::constant& c) {
  switch (c.type) {
    case nac::constant_type::null: return "null";
    case nac::constant_type::boolean: return c.boolean() ? "true" : "false";
    case nac::constant_type::int64: return std::to_string(c.int64());
    case nac::constant_type::float64: {
      text out;
      append_double(out, c.float64(), double_style::python);
      return std::string(out.view());
    }
    case nac::constant_type::string: return '"' + std::string(c.string()) + '"';
    case nac::constant_type::int32_list:
    case nac::constant_type::float32_list: break;
  }
  std::string out = "[";
  for (std::uint32_t i = 0; i < c.length; ++i)
    out += (i == 0 ? "" : " ") + std::to_string(c.int32_list()[i]);
  return out + ']';
}

/// One instruction per line: "relu v0", "add v1 2", "parameter w", "if v2 1 2".
[[nodiscard]] inline std::string lines_of(const nac::program& p) {
  std::string out;
  for (const nac::step& s : p.code().steps) {
    const auto given = p.code().arguments_of(s);
    std::size_t first = s.a == nac::op_input ? given.size() : 0;
    if (s.a >= nac::first_regular_op) {
      out += p.model().operation_name(s.a);
    } else if (s.a == nac::op_input && s.b == 1) {
      out += "parameter " + std::string(p.parameter(given[0].id()).name);
    } else {
      out += s.a == nac::op_input          ? (s.b == 0 ? "input" : "lifted")
             : s.a == nac::op_output       ? "output"
             : s.a == nac::op_control_flow ? "if"
                                           : "system " + std::to_string(s.a);
    }
    for (std::size_t k = first; k < given.size(); ++k) {
      out += ' ';
      if (!given[k].is_constant())
        out += 'v' + std::to_string(given[k].index());
      else
        out += s.a < nac::first_regular_op ? std::to_string(given[k].id())
                                           : shown(p.constant(given[k].id()));
    }
    out += '\n';
  }
  return out;
}

}  // namespace transform_tests

#endif  // TESSERA_TESTS_TRANSFORM_OPTIMIZED_HPP
