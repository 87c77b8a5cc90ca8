// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The networks of tests/data/pt2/networks.py, with the inputs and outputs that PyTorch recorded.

#ifndef TESSERA_TESTS_IMPORT_RECORDED_HPP
#define TESSERA_TESTS_IMPORT_RECORDED_HPP

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "imported.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/vm/nac.hpp"

namespace import_tests {

namespace vn = tessera::vm::nac;

/// Their names, sorted, or those of another folder's.
[[nodiscard]] inline std::vector<std::string> networks(const std::string& folder = "networks",
                                                       std::size_t least = 60) {
  std::vector<std::string> out;
  for (const std::filesystem::directory_entry& entry :
       std::filesystem::directory_iterator(data(folder)))
    if (entry.path().extension() == ".pt2") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  REQUIRE(out.size() >= least);
  return out;
}

struct expectations {
  io::content file;
  std::optional<nac::safetensors> tensors;

  explicit expectations(const std::string& recorded = "networks/networks.safetensors") {
    auto loaded = io::load(data(recorded));
    REQUIRE(loaded);
    file = std::move(*loaded);
    auto read = nac::read_safetensors(file.view());
    REQUIRE(read);
    tensors.emplace(std::move(*read));
  }
  /// None where there is no such input or output.
  [[nodiscard]] std::optional<nac::tensor> find(const std::string& name) const {
    const std::size_t at = tensors->find(name);
    if (at == tensors->size()) return {};
    return (*tensors)[at].as;
  }
};

[[nodiscard]] inline std::vector<std::int64_t> shape_of(const nac::tensor& t) {
  std::vector<std::int64_t> out;
  for (std::uint32_t d = 0; d < t.shape.size(); ++d) out.push_back(t.shape[d]);
  return out;
}

/// Elements of `size` bytes as files have them, little-endian, in the order of this processor.
[[nodiscard]] inline std::vector<std::byte> in_native_order(std::span<const std::byte> from,
                                                            std::size_t size) {
  std::vector<std::byte> out(from.begin(), from.end());
  if constexpr (std::endian::native == std::endian::big)
    for (std::size_t i = 0; i + size <= out.size(); i += size)
      std::reverse(out.data() + i, out.data() + i + size);
  return out;
}
[[nodiscard]] inline std::vector<std::byte> elements_of(const nac::tensor& t) {
  return in_native_order(t.data, nac::size_of(t.type));
}

[[nodiscard]] inline double value_at(nac::data_type type, const std::byte* data, std::size_t i) {
  const auto load = [&]<class T>(T) {
    T v;
    std::memcpy(&v, data + i * sizeof v, sizeof v);
    return v;
  };
  switch (type) {
    case nac::data_type::float32: return static_cast<double>(load(float{}));
    case nac::data_type::float64: return load(double{});
    case nac::data_type::float16:
      return static_cast<double>(float_from_half(load(std::uint16_t{})));
    case nac::data_type::bfloat16:
      return static_cast<double>(float_from_bfloat16(load(std::uint16_t{})));
    case nac::data_type::int64: return static_cast<double>(load(std::int64_t{}));
    case nac::data_type::int32: return load(std::int32_t{});
    case nac::data_type::int16: return load(std::int16_t{});
    case nac::data_type::int8: return load(std::int8_t{});
    case nac::data_type::uint8:
    case nac::data_type::boolean: return load(std::uint8_t{});
  }
  return 0;
}

/// The largest difference, against the largest finite magnitude that is expected.
[[nodiscard]] inline double distance(const vm::array_view& got, bytes wanted) {
  double worst = 0, largest = 0;
  const std::size_t count = wanted.size() / nac::size_of(got.type);
  for (std::size_t i = 0; i < count; ++i) {
    const double a = value_at(got.type, got.bytes.data(), i);
    const double b = value_at(got.type, wanted.data(), i);
    if (std::isfinite(b)) largest = std::max(largest, std::abs(b));
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a != b) worst = std::max(worst, std::isfinite(a - b) ? std::abs(a - b) : 1e300);
  }
  return largest == 0 ? worst : worst / largest;
}

[[nodiscard]] inline double tolerance(nac::data_type type) noexcept {
  switch (type) {
    case nac::data_type::float32: return 1e-5;
    case nac::data_type::float64: return 1e-10;
    case nac::data_type::float16: return 1e-3;
    case nac::data_type::bfloat16: return 1e-2;
    case nac::data_type::int64:
    case nac::data_type::int32:
    case nac::data_type::int16:
    case nac::data_type::int8:
    case nac::data_type::uint8:
    case nac::data_type::boolean: return 0;
  }
  return 0;
}

inline void check_run(vn::machine& machine, const std::string& prefix, const expectations& all) {
  INFO(prefix);
  for (std::size_t i = 0;; ++i) {
    const auto in = all.find(prefix + ".in" + std::to_string(i));
    if (!in) break;
    const std::vector<std::int64_t> shape = shape_of(*in);
    const std::vector<std::byte> elements = elements_of(*in);
    REQUIRE(machine.set_input(i, vm::array_view(in->type, shape, elements)));
  }
  const vn::outcome done = machine.run();
  INFO(error{done.code}.name() << " at v" << done.instruction << ' ' << done.text);
  REQUIRE(done);
  std::size_t i = 0;
  for (;; ++i) {
    const auto wanted = all.find(prefix + ".out" + std::to_string(i));
    if (!wanted) break;
    INFO("output " << i);
    REQUIRE(i < machine.outputs());
    const vm::array_view got = machine.output(i);
    CHECK(nac::name(got.type) == nac::name(wanted->type));
    const std::vector<std::int64_t> shape = shape_of(*wanted);
    REQUIRE(std::vector<std::int64_t>(got.shape.begin(), got.shape.end()) == shape);
    REQUIRE(got.type == wanted->type);
    CHECK(distance(got, elements_of(*wanted)) <= tolerance(wanted->type));
  }
  CHECK(i == machine.outputs());
}

/// All runs of a network: later ones find what the ones before left in the buffers.
inline void check_runs(const nac::program& p, const std::string& name, const expectations& all) {
  vn::machine machine(p);
  check_run(machine, name, all);
  for (int k = 1; all.find(name + ".run" + std::to_string(k) + ".out0"); ++k)
    check_run(machine, name + ".run" + std::to_string(k), all);
}

}  // namespace import_tests

#endif  // TESSERA_TESTS_IMPORT_RECORDED_HPP
