// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "convert_parts.hpp"

#include <algorithm>
#include <cmath>
#include <tessera/core/shortest.hpp>

#include "tessera/core/json_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

std::string_view name_of(genome::command c) noexcept {
  return genome::command_names[static_cast<std::size_t>(c)];
}

std::string json_of(double v) {
  if (std::isnan(v)) return "\"nan\"";
  if (std::isinf(v)) return v < 0 ? "\"-inf\"" : "\"inf\"";
  text out;
  append_double(out, v, double_style::python);
  return std::string(out.view());
}

std::uint32_t control_flow_kind(vocabulary& names, std::uint8_t b, std::uint64_t first_block,
                                std::uint64_t second_block) {
  const std::string sizes = std::to_string(first_block) + ',' + std::to_string(second_block);
  const argument blocks{"", "blocks", sizes};
  return names.kind(name_of(genome::command::control_flow), b == genome::if_else ? "IF" : "WHILE",
                    {&blocks, 1});
}

std::string utf8_of(std::string_view s) {
  std::string clean;
  const char* const end = s.data() + s.size();
  for (const char* at = s.data(); at != end;) {
    const unsigned length = utf8_length(at, end);
    if (length == 0)
      clean.append("\xef\xbf\xbd");
    else
      clean.append(at, length);
    at += length == 0 ? 1 : length;
  }
  return clean;
}

std::string json_of(std::string_view s) {
  text out;
  json::append_quoted(out, utf8_of(s));
  return std::string(out.view());
}

std::string key_of(std::uint32_t position) { return "arg" + std::to_string(position); }

std::string key_of(std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || std::string_view("'\"\\=;,()%").find(c) != std::string_view::npos)
      out.append({'%', digits[byte >> 4], digits[byte & 15]});
    else
      out += c;
  }
  return out.empty() ? "%" : out;
}

void node_parts::clear() {
  tensors_.clear();
  owned_.clear();
  inputs_.clear();
  variation_.clear();
  arguments_.clear();
}

void node_parts::constant(std::string key, std::string_view type, std::string value) {
  owned_.push_back({std::move(key), std::string(type), std::move(value)});
}

void node_parts::finish() {
  for (const tensor_argument& t : tensors_) inputs_.push_back(t.node);
  std::sort(inputs_.begin(), inputs_.end());
  inputs_.erase(std::unique(inputs_.begin(), inputs_.end()), inputs_.end());

  std::stable_sort(
      tensors_.begin(), tensors_.end(), [](const tensor_argument& x, const tensor_argument& y) {
        return (x.position < 10 && y.position < 10) ? x.position < y.position
                                                    : key_of(x.position) < key_of(y.position);
      });
  for (const tensor_argument& t : tensors_) {
    const auto at = std::lower_bound(inputs_.begin(), inputs_.end(), t.node);
    if (!variation_.empty()) variation_ += ',';
    variation_.append("in").append(std::to_string(at - inputs_.begin()));
  }

  const auto by_key = [](const owned& x, const owned& y) { return x.key < y.key; };
  const auto same_key = [](const owned& x, const owned& y) { return x.key == y.key; };
  std::stable_sort(owned_.begin(), owned_.end(), by_key);
  owned_.erase(std::unique(owned_.begin(), owned_.end(), same_key), owned_.end());
  for (const owned& o : owned_) arguments_.push_back({o.key, o.type, o.value});
}

std::string node_parts::operation(std::string_view target, bool keywords) const {
  std::string out = utf8_of(target);
  out.append(":node_args(").append(std::to_string(inputs_.size())).append("):kwargs(");
  if (keywords) {
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      out.append(i == 0 ? "'" : ", '").append(arguments_[i].key).append("'");
    if (arguments_.size() == 1) out += ',';
  }
  return out + ')';
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
