// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// nac::read: for any bytes a container or an error with an offset inside; every record of a
// container can be read, to its last byte, and is inside its section.

#include <tessera/core/bytes.hpp>
#include <tessera/nac/all.hpp>

#include "require.hpp"

using namespace tessera;

namespace {

/// What a walk has seen, so that no byte's reading is left out as unused.
struct walk {
  std::uint64_t sum = 0;

  void of(bytes b) noexcept {
    if (b.empty()) return;
    sum += static_cast<std::uint8_t>(b.front());
    sum += static_cast<std::uint8_t>(b.back());
  }
  void of(std::string_view s) noexcept { of(as_bytes(s)); }
  template <class T>
  void of(const nac::packed<T>& values) noexcept {
    of(bytes(values.data(), values.size() * sizeof(T)));
  }
  void of(const nac::named& n) noexcept { of(n.text); }
  void of(const nac::command& c) noexcept { sum += c.target; }
  void of(const nac::tick& t) noexcept { all(t.commands); }
  void of(const nac::instruction& i) noexcept {
    of(i.c);
    of(i.d);
  }
  void of(const nac::constant& c) noexcept {
    switch (c.type) {
      case nac::constant_type::null: break;
      case nac::constant_type::boolean: sum += c.boolean() ? 1u : 0u; break;
      case nac::constant_type::int64:
      case nac::constant_type::float64: sum += static_cast<std::uint64_t>(c.int64()); break;
      case nac::constant_type::string: of(c.string()); break;
      case nac::constant_type::int32_list: of(c.int32_list()); break;
      case nac::constant_type::float32_list: of(c.float32_list()); break;
    }
  }
  void of(const nac::tensor& t) noexcept {
    of(t.shape);
    of(t.original_shape);
    of(t.scales);
    of(t.metadata);
    of(t.data);
  }
  void of(const nac::resource& r) noexcept {
    of(r.name);
    of(r.data);
  }
  void of(const nac::array& a) noexcept {
    of(a.name);
    of(a.shape);
    of(a.data);
  }
  template <class List>
  void all(const List& records) noexcept {
    std::uint32_t count = 0;
    for (const auto& r : records) {
      of(r);
      ++count;
    }
    fuzz::require(count == records.size(), "a list has as many records as it says");
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bytes source = as_bytes(fuzz::as_text(data, size));
  const result<nac::model> read = nac::read(source);
  if (!read) {
    fuzz::require_error(read.error(), size);
    return 0;
  }
  const nac::model& file = *read;
  walk seen;
  for (std::size_t i = 0; i < nac::section_count; ++i) {
    const auto s = static_cast<nac::section>(i);
    fuzz::require(
        file.has(s) ? as_text(file.section(s).first(4)) == tag(s) : file.section(s).empty(),
        "a section begins with its tag");
    fuzz::require(file.slack(s) <= file.section(s).size(), "slack is a part of its section");
    seen.of(file.section(s));
  }
  seen.all(file.schedule());
  seen.all(file.instructions());
  seen.all(file.training());
  seen.all(file.operations());
  seen.all(file.constants());
  seen.all(file.signatures());
  seen.all(file.parameters());
  seen.all(file.input_names());
  seen.all(file.tensors());
  seen.of(file.manifest());
  seen.of(file.execution_plan());
  seen.all(file.plan_constants());
  seen.all(file.resources());
  seen.all(file.arrays());
  for (const nac::instruction& i : file.instructions()) seen.of(file.operation_name(i.a));
  [[maybe_unused]] thread_local volatile std::uint64_t kept;
  kept = seen.sum;
  return 0;
}
