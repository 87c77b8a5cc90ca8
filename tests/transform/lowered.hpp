// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Networks and what they are lowered to: verified, and run.

#ifndef TESSERA_TESTS_TRANSFORM_LOWERED_HPP
#define TESSERA_TESTS_TRANSFORM_LOWERED_HPP

#include <bit>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "io/random.hpp"
#include "optimized.hpp"
#include "tessera/nem.hpp"
#include "tessera/transform/lower.hpp"

namespace transform_tests {

using shapes = std::vector<std::vector<std::int64_t>>;

/// A resolved device, and the catalog that it is in.
class device {
 public:
  /// One of tests/data/nem/devices.
  explicit device(const std::string& name) : device(name, 0, 0) {}
  /// The same with memories of another size.
  device(const std::string& name, std::int64_t l1, std::int64_t l2) {
    std::ifstream in(TESSERA_TESTS_DATA_DIR "/nem/devices/" + name + ".nem", std::ios::binary);
    REQUIRE(in);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (l1 != 0) replace(text, "l1_size_bytes = ", l1);
    if (l2 != 0) replace(text, "l2_size_bytes = ", l2);
    make(text + "program p:\n");
  }
  /// A device in NEM text.
  static device of(const std::string& text) { return device(text, nullptr); }

  [[nodiscard]] const nem::catalog& catalog() const { return program_->catalog(); }
  [[nodiscard]] const nem::device& operator*() const { return *program_->target(); }

 private:
  device(const std::string& text, std::nullptr_t) { make(text + "program p:\n"); }
  static void replace(std::string& text, const std::string& key, std::int64_t by) {
    const std::size_t at = text.find(key) + key.size();
    text.replace(at, text.find('\n', at) - at, std::to_string(by));
  }
  void make(const std::string& text) {
    auto model = nem::read(text);
    REQUIRE(model);
    auto program = nem::verify(std::move(*model));
    REQUIRE(program);
    REQUIRE(program->target() != nullptr);
    program_.emplace(std::move(*program));
  }
  std::optional<nem::program> program_;
};

/// A program in assembly that is made line by line, with random weights.
class program_text {
 public:
  explicit program_text(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::uint64_t below(std::uint64_t n) { return io::next_bits(random_) % n; }
  std::string add(const std::string& call) {
    const std::string name = "t" + std::to_string(count_++);
    code_ += "  " + name + " = " + call + "\n";
    return name;
  }
  std::string weight(const std::vector<std::int64_t>& shape) {
    const std::string name = "w" + std::to_string(weights_++);
    std::string dims, hex;
    std::int64_t n = 1;
    for (const std::int64_t d : shape) {
      dims.append(dims.empty() ? "" : ", ").append(std::to_string(d));
      n *= d;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const auto x = static_cast<float>(static_cast<double>(below(2001)) / 1000 - 1);
      char word[16];
      std::snprintf(word, sizeof word, " %08x", __builtin_bswap32(std::bit_cast<std::uint32_t>(x)));
      hex += word;
    }
    tensors_ += "  \"" + name + "\" = f32 [" + dims + "] hex {" + hex + " }\n";
    code_ += "  " + name + " = parameter \"" + name + "\"\n";
    return name;
  }
  [[nodiscard]] std::string with_output(const std::string& y) const {
    return (tensors_.empty() ? std::string() : "tensors:\n" + tensors_) + "code:\n" + code_ +
           "  output(" + y + ")\n";
  }

 private:
  std::uint64_t random_;
  std::size_t count_ = 0, weights_ = 0;
  std::string tensors_, code_;
};

/// Lowers a network; the text of the error, "" if there is none. `slack`: how many times the tolerance
/// its outputs may be away, where operations follow each other that make small differences large.
[[nodiscard]] inline std::string lowers(const nac::program& p, const device& on, const shapes& of,
                                        nem::element type = nem::element::f32,
                                        std::string* written = nullptr,
                                        const std::vector<nac::data_type>& types = {},
                                        double slack = 1) {
  transform::lower_options how;
  how.shapes = of;
  how.types = types;
  how.type = type;
  report found;
  const auto made = transform::lower(p, on.catalog(), *on, how, &found);
  if (!made) {
    REQUIRE(found.diagnostics.size() == 1);
    CHECK(found.diagnostics[0].code == made.error().code);
    CHECK(found.diagnostics[0].where.offset == made.error().offset);
    return std::string(found.text_of(found.diagnostics[0].text));
  }
  const auto text = nem::write(made->model);
  REQUIRE(text);
  if (written != nullptr) *written = std::string(text->view());
  INFO(text->view());
  nem::model copy = made->model;
  report of_program;
  const auto program = nem::verify(std::move(copy), {}, &of_program);
  const source_file source{"lowered.nem", text->view()};
  const tessera::text shown = describe(of_program, {&source, 1});
  INFO(shown.view());
  REQUIRE(program);
  CHECK(of_program.warnings == 0);
  CHECK(program->has_all_hazards());
  const transform::agreement a = transform::compare(p, *program, *made, how);
  CHECK(a.failure == "");
  REQUIRE(a.distances.size() == made->outputs.size());
  // Those of 8 bits are exactly what the quantized network gives, which may be anything where small
  // differences matter.
  for (std::size_t k = 0; k < a.distances.size() && type != nem::element::i8; ++k)
    CHECK(a.distances[k] <= slack * a.tolerances[k]);
  return {};
}

}  // namespace transform_tests

#endif  // TESSERA_TESTS_TRANSFORM_LOWERED_HPP
