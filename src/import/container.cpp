// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "import/container.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

constexpr std::uint32_t first_id = nac::first_custom_op;
constexpr std::uint32_t most_ids = 256;   // an operation's id is a byte, and so is a signature's
constexpr std::int64_t farthest = 32768;  // a result is at most so many instructions back

}  // namespace

container_builder::container_builder(nac::header form, nac::parts rest)
    : parts(std::move(rest)), form_(form) {
  parts.form = nac::header::v1_8;
  parts.instructions.clear();
  parts.operations.clear();
  parts.signatures.clear();
  parts.constants.clear();
  (void)number(nac::constant_type::null, 0);
  (void)signature("");
}

template <class Make>
std::uint16_t container_builder::constant(nac::constant_type type, const std::string& key,
                                          const Make& make) {
  const auto [at, is_new] =
      constants_.emplace(std::pair(type, key), static_cast<std::uint16_t>(constants_.size() + 1));
  if (is_new) {
    nac::constant_part c;
    c.id = at->second;
    c.type = type;
    make(c);
    parts.constants.push_back(c);
  }
  return at->second;
}

std::uint16_t container_builder::number(nac::constant_type type, std::uint64_t bits) {
  return constant(type, std::to_string(bits), [&](nac::constant_part& c) { c.bits = bits; });
}

std::uint16_t container_builder::string(std::string_view s) {
  return constant(nac::constant_type::string, std::string(s),
                  [&](nac::constant_part& c) { c.values = parts.add_string(s); });
}

std::uint16_t container_builder::list(nac::constant_type type,
                                      const std::vector<std::uint32_t>& words) {
  std::string key;
  for (const std::uint32_t w : words) key += std::to_string(w) + ',';
  return constant(type, key, [&](nac::constant_part& c) {
    c.values = parts.add_numbers({words.data(), words.size()});
  });
}

std::uint8_t container_builder::signature(const std::string& letters) {
  const auto [at, is_new] =
      signatures_.emplace(letters, static_cast<std::uint32_t>(signatures_.size()));
  if (is_new && at->second < most_ids)
    parts.add_name(parts.signatures, static_cast<std::uint16_t>(at->second), letters);
  return static_cast<std::uint8_t>(at->second);
}

std::uint8_t container_builder::operation(const std::string& name) {
  const auto [at, is_new] =
      operations_.emplace(name, first_id + static_cast<std::uint32_t>(operations_.size()));
  if (is_new && at->second < most_ids)
    parts.add_name(parts.operations, static_cast<std::uint16_t>(at->second), name);
  return static_cast<std::uint8_t>(at->second);
}

std::uint32_t container_builder::add(std::uint8_t a, std::uint8_t b,
                                     const std::vector<std::uint16_t>& c,
                                     const std::vector<std::uint16_t>& d) {
  nac::instruction_part i;
  i.a = a;
  i.b = b;
  i.c = parts.add_words({c.data(), c.size()});
  i.d = parts.add_words({d.data(), d.size()});
  parts.instructions.push_back(i);
  return next() - 1;
}

std::uint16_t container_builder::back_to(std::uint32_t instruction) {
  const std::int64_t by = std::int64_t{instruction} - next();
  is_too_far_ = is_too_far_ || by < -farthest;
  return static_cast<std::uint16_t>(by);
}

std::uint32_t container_builder::call(const std::string& name, const operands& of) {
  std::string letters;
  std::vector<std::uint16_t> c, d;
  for (const operand& o : of) {
    letters += o.letter;
    d.push_back(o.result == none ? std::uint16_t{0} : back_to(o.result));
    if (o.result == none) c.push_back(o.constant);
  }
  return add(operation(name), signature(letters), c, d);
}

container_builder::excess container_builder::exceeds() const noexcept {
  if (next() > nac::max_instructions) return {"instructions", nac::max_instructions};
  if (operations_.size() + first_id > most_ids)
    return {"operations beyond the predefined ones", most_ids - first_id};
  if (signatures_.size() > most_ids) return {"signatures", most_ids};
  if (constants_.size() > nac::max_id) return {"constants", nac::max_id};
  if (is_too_far_) return {"instructions between a result and its use", farthest};
  return {};
}

result<nac::parts> container_builder::finish() { return nac::convert(std::move(parts), form_); }

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
