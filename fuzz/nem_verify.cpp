// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// nem::verify: for any model a program or errors; what a program's tasks consist of lies inside
// its buffers, and loops that are proven are as their expansion is. Files that it includes are the built-in ones and the model itself.

#include <tessera/core/bytes.hpp>
#include <tessera/nem.hpp>

#include "mutate_nem.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

struct visitor : nem::visitor {
  std::uint64_t tasks = 0;

  void loop(const nem::values&, std::uint32_t, std::int64_t first, std::int64_t last,
            std::int64_t in_flight) const {
    fuzz::require(first <= last && in_flight >= 1, "a loop has iterations");
  }
  void wait(std::uint32_t, view<std::uint32_t> of) const {
    for (const std::uint32_t t : of) fuzz::require(t < tasks, "a wait is for an earlier task");
  }
  void task(const nem::values& v, const nem::task& t) {
    fuzz::require(t.index == tasks++, "tasks are numbered in their order");
    for (const std::uint32_t d : v.tasks_before(t))
      fuzz::require(d < t.index, "a task depends on earlier ones");
    for (const auto& operands : {v.inputs(t), v.outputs(t)})
      for (const nem::operand& o : operands) {
        fuzz::require(o.region < v.regions.size(), "an operand is a region");
        const nem::region& r = v.regions[o.region];
        fuzz::require(r.buffer < v.buffers.size(), "a region is of a buffer");
        const nem::buffer& b = v.buffers[r.buffer];
        fuzz::require(r.offset >= 0 && r.extent >= 1 && r.extent <= b.size - r.offset,
                      "a region lies in its buffer");
        if (r.has_shape)
          for (const std::int64_t d : v.shape(r)) fuzz::require(d >= 1, "dimensions are positive");
      }
  }
};

struct one_file {
  std::string_view text;
  static bool open(void* self, std::string_view, std::string_view path, nem::resolver::file& to) {
    if (path != "self.nem") return false;
    to = {"self.nem", static_cast<one_file*>(self)->text};
    return true;
  }
};

/// What verification finds: the places of errors.
struct verdict {
  bool is_valid = false, is_complete = false;
  tessera::report found;
};
[[nodiscard]] verdict verify(std::string_view source, nem::verify_options options,
                             std::uint64_t& instances) {
  verdict out;
  result<nem::model> d = nem::read(source);
  if (!d) return out;
  const result<nem::program> p = nem::verify(std::move(*d), options, &out.found);
  out.is_valid = static_cast<bool>(p);
  out.is_complete = true;
  for (const tessera::diagnostic& x : out.found.diagnostics)
    out.is_complete = out.is_complete && x.code != errc::nem_haz_005_partial;
  instances = p ? p->tasks() + p->iterations() + p->proven_tasks() + p->proven_iterations() : 0;
  if (p) fuzz::require(out.is_complete == p->has_all_hazards(), "what is partial is said");
  return out;
}
/// Loops that are proven have the findings that they have when they are expanded.
void compare_proofs(std::string_view source, nem::verify_options options) {
  constexpr std::uint64_t most = 5000;
  std::uint64_t proven = 0, expanded = 0;
  options.max_instances = 1 + fuzz::below(source, 60);
  options.hazard_steps = 1'000'000;
  const verdict a = verify(source, options, proven);
  if (!a.is_complete || proven > most) return;
  options.max_instances = most;
  options.proves = false;
  const verdict b = verify(source, options, expanded);
  if (!b.is_complete) return;
  fuzz::require(a.is_valid == b.is_valid, "a proof and an expansion agree");
  if (a.is_valid) fuzz::require(proven == expanded, "a proof counts instances");
  const auto has = [](const tessera::report& r, const tessera::diagnostic& x) {
    for (const tessera::diagnostic& y : r.diagnostics)
      if (x.code == y.code && x.where.offset == y.where.offset && x.where.file == y.where.file)
        return true;
    return false;
  };
  for (const tessera::diagnostic& x : a.found.diagnostics)
    fuzz::require(x.severity != severity::error || has(b.found, x), "a proof has no other errors");
  if (!a.is_valid) return;
  for (const tessera::diagnostic& x : b.found.diagnostics)
    fuzz::require(has(a.found, x), "a proof has all warnings");
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_nem)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  result<nem::model> d = nem::read(source);
  if (!d) return 0;
  one_file itself{source};
  nem::verify_options options;
  options.resolver = {one_file::open, &itself};
  options.profile = static_cast<nem::profile>(fuzz::below(source, 3));
  options.max_instances = 500;
  options.hazard_steps = 20000;
  fuzz::turns turn(source);
  if (turn.one_in(16)) compare_proofs(source, options);
  if (turn.one_in(16)) {
    std::uint32_t target = 0;
    const nem::catalog all = nem::load_catalog(*d, options, target);
    fuzz::require(target == nem::no_index || target < all.devices.size(), "a target is a device");
  }
  tessera::report found;
  const result<nem::program> p = nem::verify(std::move(*d), options, &found);
  const auto lies_in = [&](const tessera::place& x) {
    // Other files are this one, once more, and the built-in ones, whose size nobody asks for.
    return x.file <= found.files.size() &&
           (x.file > 1 || (x.offset <= size && x.length <= size - x.offset));
  };
  for (const tessera::diagnostic& x : found.diagnostics) {
    fuzz::require(lies_in(x.where), "a finding lies in its source");
    fuzz::require(lies_in(x.related), "a note lies in its source");
    fuzz::require(lies_in(x.fix), "a fix lies in its source");
    fuzz::require(x.text.size != 0 && x.text.size < 10000, "a finding says something");
    fuzz::require(x.has_note == (x.note.size != 0), "a note says something");
    fuzz::require(x.has_fix || x.replacement.size == 0, "only fixes replace");
  }
  const tessera::source_file file{"input", source};
  const tessera::listing list(found, {&file, 1});
  for (const tessera::diagnostic& x : found.diagnostics)
    if (turn.one_in(16)) fuzz::require(!list.describe(x).empty(), "a finding can be shown");
  if (!p) {
    fuzz::require_error(p.error(), 0xffffffff);
    fuzz::require(found.errors != 0, "what isn't a program has errors");
    return 0;
  }
  fuzz::require(found.errors == 0, "a program has no errors");
  visitor v;
  nem::for_each_task(*p, v, 1000);
  return 0;
}
