// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The optimizer of NAC containers: of whatever verify() accepts it makes a container that verifies,
// that it leaves as it is, and that computes the same where the other one runs.
//
// Passes that change rounding or the sign of zeros are compared where no result is infinite or no number;
// batch-norm isn't compared, for it takes images without a batch for others. Weights can be moved between
// all of them.

#include <cmath>
#include <optional>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/transform/optimize.hpp>
#include <tessera/transform/transplant.hpp>
#include <vector>

#include "mutate_nac.hpp"
#include "nac_input.hpp"
#include "require.hpp"
#include "transform/agreement.hpp"
#include "vm/nac/interpreter.hpp"

using namespace tessera;
using vm::nac::value;

namespace {

constexpr std::uint64_t max_memory = 1 << 22;
constexpr std::uint64_t max_steps = 1 << 20;

/// A container that borrows from nothing.
struct container {
  pool<std::byte> bytes_of;
  std::optional<nac::program> program;
};

[[nodiscard]] container optimized(const nac::program& p, std::uint32_t passes) {
  transform::optimize_options how;
  how.passes = passes;
  how.max_steps = 1 << 18;
  how.max_all_steps = 1 << 22;
  how.max_memory = max_memory;
  const result<transform::optimized> made = transform::optimize(p, how);
  container out;
  if (!made) {
    fuzz::require(
        made.error().code == errc::nac_write_range || made.error().code == errc::nac_write_id,
        "only what can't be numbered is refused");
    return out;
  }
  fuzz::require(made->rounds < how.max_rounds, "passes reach an end");
  result<pool<std::byte>> written = nac::write(made->parts);
  fuzz::require(static_cast<bool>(written), "what is optimized can be written");
  out.bytes_of = std::move(*written);
  const result<nac::model> model = nac::read(bytes(out.bytes_of.data(), out.bytes_of.size()));
  fuzz::require(static_cast<bool>(model), "what is optimized can be read");
  result<nac::program> program = nac::verify(*model);
  fuzz::require(static_cast<bool>(program), "what is optimized is valid");
  out.program.emplace(std::move(*program));
  return out;
}

/// Runs a program; none where it fails.
[[nodiscard]] std::optional<std::vector<value>> run(const nac::program& p, std::size_t seed,
                                                    vm::nac::memory& arena, errc& code) {
  vm::nac::interpreter machine(p, {.max_memory = max_memory, .arena = &arena});
  if (arena.live() < max_memory / 2)
    for (std::size_t i = 0; i < p.inputs().size() && i < 100; ++i)
      machine.set_input(i, fuzz::nac_input(arena, seed + i * 3));
  const vm::nac::outcome done = machine.run({.max_steps = max_steps});
  code = done.code;
  if (!done) return std::nullopt;
  return std::vector<value>(machine.outputs().begin(), machine.outputs().end());
}

[[nodiscard]] bool is_finite(const std::vector<value>& all) {
  for (const value& v : all) {
    if (!v.is_tensor() || !vm::nac::is_floating(v.as_tensor().type)) continue;
    const vm::nac::tensor& t = v.as_tensor();
    bool finite = true;
    vm::nac::visit_float(t.type, [&]<class T>(vm::nac::of<T>) {
      for (const T& x : t.elements<T>())
        finite = finite && std::isfinite(vm::nac::convert<double>(x));
    });
    if (!finite) return false;
  }
  return true;
}

[[nodiscard]] bool is_budget(errc code) noexcept {
  return code == errc::budget_steps || code == errc::budget_memory;
}

void compare(const nac::program& before, const nac::program& after, std::size_t seed,
             bool is_exact) {
  vm::nac::memory arena(2 * max_memory);
  errc first = errc::ok, second = errc::ok;
  const auto wanted = run(before, seed, arena, first);
  if (!wanted) return;
  const auto found = run(after, seed, arena, second);
  if (is_budget(second)) return;
  fuzz::require(found.has_value(), "what is optimized runs where the other one does");
  if (is_exact || is_finite(*wanted))
    fuzz::require(transform::difference(*wanted, *found).empty(),
                  "what is optimized computes the same");
}

/// The weights of one container for another one.
void transplant(const nac::program& donor, const nac::program& recipient, bool is_same) {
  const result<transform::transplanted> made =
      transform::transplant(donor, recipient, {.slice = true, .pad = true, .convert = true});
  if (!made) {
    fuzz::require(made.error().code == errc::too_many_items, "only what is too large is refused");
    return;
  }
  // Readers take a few containers that can't be written, such as those with larger ids.
  const result<pool<std::byte>> before = nac::write(nac::parts_of(recipient.model()));
  const result<pool<std::byte>> written = nac::write(made->parts);
  fuzz::require(written || !before, "what has other weights can be written");
  if (!written) return;
  const bytes all(written->data(), written->size());
  const result<nac::model> model = nac::read(all);
  fuzz::require(model && nac::verify(*model), "what has other weights is valid");
  if (!is_same) return;
  fuzz::require(before && as_text(bytes(before->data(), before->size())) == as_text(all),
                "a network's own weights change nothing");
}

}  // namespace

TESSERA_FUZZ_PROGRAM_MUTATOR(fuzz::mutate_nac)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  const result<nac::model> file = nac::read(as_bytes(source));
  if (!file) return fuzz::reject(), 0;
  const result<nac::program> p = nac::verify(*file);
  if (!p) return fuzz::reject(), 0;
  const std::size_t seed = fuzz::below(source, 1000);

  constexpr std::uint32_t rounds = transform::bit_of(transform::optimizer_pass::batch_norm),
                          signs = transform::bit_of(transform::optimizer_pass::algebra);
  const container all = optimized(*p, transform::all_passes);
  if (!all.program) return 0;
  fuzz::turns turn(source);
  if (turn.one_in(8)) transplant(*p, *p, true);
  if (turn.one_in(8)) transplant(*all.program, *p, false);
  if (turn.one_in(8)) {
    const container again = optimized(*all.program, transform::all_passes);
    fuzz::require(again.program && as_text(bytes(all.bytes_of.data(), all.bytes_of.size())) ==
                                       as_text(bytes(again.bytes_of.data(), again.bytes_of.size())),
                  "optimizing again changes nothing");
  }
  if (turn.one_in(8)) {
    const container without_rounding = optimized(*p, transform::all_passes & ~rounds);
    if (without_rounding.program) compare(*p, *without_rounding.program, seed, false);
  }
  if (turn.one_in(8)) {
    const container exact = optimized(*p, transform::all_passes & ~rounds & ~signs);
    if (exact.program) compare(*p, *exact.program, seed, true);
  }
  return 0;
}
