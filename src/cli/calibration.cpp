// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "calibration.hpp"

#include <algorithm>
#include <bit>
#include <tessera/core/load_store.hpp>

#include "io/file.hpp"
#include "io/npy.hpp"
#include "runnable.hpp"
#include "values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// How many times a shape is in one whose first dimension is a multiple of its own; 0: never.
[[nodiscard]] std::uint64_t times(const std::vector<std::uint64_t>& whole,
                                  const std::vector<std::uint64_t>& part) noexcept {
  if (whole.size() != part.size()) return 0;
  if (part.empty()) return 1;
  if (!std::equal(whole.begin() + 1, whole.end(), part.begin() + 1)) return 0;
  return part[0] == 0 || whole[0] % part[0] != 0 ? 0 : whole[0] / part[0];
}

/// "float32"
[[nodiscard]] std::string numpy_name(io::element_kind k) {
  const std::string_view kind = k.kind == 'f'   ? "float"
                                : k.kind == 'i' ? "int"
                                : k.kind == 'u' ? "uint"
                                                : "bool";
  return std::string(kind) + (k.kind == 'b' ? "" : std::to_string(8 * k.size));
}

}  // namespace

std::string calibration_files::name_of(std::size_t input) const {
  const std::string_view name = program.inputs()[input].name;
  return name.empty() ? std::to_string(input) : "'" + shown_name(name) + "'";
}

exit_code calibration_files::take(const std::string& path, std::size_t input, const reporting& to,
                                  std::vector<std::vector<float>>& runs_of_input) const {
  const io::expected<io::content> file = io::load(path);
  if (!file) return to.fail(file.error());
  io::expected<io::array> a = io::read_npy_array(file->view());
  if (!a) {
    if (a.error().path.empty()) a.error().path = path;
    return to.fail(a.error());
  }
  const std::vector<std::uint64_t> shape(shapes[input].begin(), shapes[input].end());
  const std::uint64_t runs = times(a->shape, shape);
  if (a->type != npy_kind(element_type::f32) || runs == 0)
    return to.fail(
        diagnose(shown_name(path), "nac_lower_shape",
                 "it can't calibrate input " + name_of(input) + " for " + std::string(device) +
                     ": its elements are " + numpy_name(a->type) + " " + text_of(a->shape) +
                     "; expected float32 " + text_of(shape) +
                     (shape.empty() ? "" : ", or several of them along the first dimension")),
        bad_input, format::unknown);
  const std::size_t size = a->data.size() / sizeof(float) / runs;
  for (std::uint64_t k = 0; k < runs; ++k) {
    std::vector<float>& run = runs_of_input.emplace_back(size);
    for (std::size_t i = 0; i < size; ++i)
      run[i] = std::bit_cast<float>(
          load_le<std::uint32_t>(a->data.data() + (k * size + i) * sizeof(float)));
  }
  return success;
}

exit_code calibration_files::read(std::span<const std::string> words, std::string_view verb,
                                  const reporting& to,
                                  std::vector<std::vector<std::vector<float>>>& runs) const {
  const std::size_t count = program.inputs().size();
  std::size_t turn = 0;
  port_names names;
  names.find = [&](const std::string& name, std::string& wrong) -> std::optional<port> {
    for (std::size_t k = 0; k < count; ++k)
      if (program.inputs()[k].name == name || std::to_string(k) == name) return port{k};
    wrong = "unknown input '" + shown_name(name) + "'";
    return std::nullopt;
  };
  names.next = [&](const std::string&, std::string& wrong) -> std::optional<port> {
    wrong = "the program has no inputs";
    if (count == 0) return std::nullopt;
    return port{turn++ % count};
  };
  std::vector<bound_word> bound;
  if (const exit_code code = bind_words(verb, words, names, true, bound); code != success)
    return code;
  std::vector<std::vector<std::vector<float>>> by_input(count);
  for (const bound_word& b : bound) {
    const auto input = static_cast<std::size_t>(b.of);
    if (const exit_code code = take(b.word, input, to, by_input[input]); code != success)
      return code;
  }
  for (std::size_t k = 1; k < count; ++k)
    if (by_input[k].size() != by_input[0].size())
      return usage_error(verb, "input " + name_of(k) + " has " + plural(by_input[k].size(), "run") +
                                   " to calibrate, and input " + name_of(0) + " " +
                                   std::to_string(by_input[0].size()));
  for (std::size_t r = 0; count != 0 && r < by_input[0].size(); ++r) {
    runs.emplace_back();
    for (std::vector<std::vector<float>>& of : by_input) runs.back().push_back(std::move(of[r]));
  }
  return success;
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
