// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// nac::parts_of, write and convert: what is written is read as the same parts and written as the
// same bytes; other versions hold the same, and conversion is a fixpoint.
// nac::verify gives a program or errors inside, and all paths of nac::resolve find the same.

#include <tessera/core/bytes.hpp>
#include <tessera/nac/all.hpp>

#include "mutate_nac.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

[[nodiscard]] bytes bytes_of(const pool<std::byte>& p) noexcept { return {p.data(), p.size()}; }
[[nodiscard]] bool same(bytes a, bytes b) noexcept { return as_text(a) == as_text(b); }

struct tally {
  std::uint64_t bytes = 0, calls = 0, last_call = ~std::uint64_t{0};
};

/// A sink that counts, and stops at a call.
bool count(void* to, bytes piece) {
  auto& t = *static_cast<tally*>(to);
  fuzz::require(t.calls <= t.last_call, "nothing is written after a stop");
  fuzz::require(!piece.empty(), "no piece is empty");
  t.bytes += piece.size();
  return t.calls++ != t.last_call;
}

/// The bytes of parts, after what must hold of them.
[[nodiscard]] result<pool<std::byte>> written(const nac::parts& p) {
  auto out = nac::write(p);
  const auto size = nac::written_size(p);
  fuzz::require(size.error() == out.error(), "the size has the errors of writing");
  if (!out) return out;
  fuzz::require(nac::check(p).code == errc::ok, "what can be written passes the check");
  fuzz::require(*size == out->size(), "a container is as long as its size says");
  const result<nac::model> file = nac::read(bytes_of(*out));
  fuzz::require(static_cast<bool>(file), "what was written can be read");
  fuzz::require(file->header() == p.form, "what was written has its header");
  for (std::size_t s = 0; s < nac::section_count; ++s)
    fuzz::require(file->slack(static_cast<nac::section>(s)) == 0, "what was written has no slack");
  const auto again = nac::write(nac::parts_of(*file));
  fuzz::require(again && same(bytes_of(*again), bytes_of(*out)), "writing is a fixpoint");
  return out;
}

void check_sink(const nac::parts& p, std::uint64_t size) {
  tally all;
  fuzz::require(nac::write(p, nac::sink{&all, count}).code == errc::ok && all.bytes == size,
                "a sink gets the whole container");
  tally some;
  some.last_call = all.calls / 2;
  fuzz::require(nac::write(p, nac::sink{&some, count}).code == errc::nac_write_stopped,
                "a sink can stop");
}

void check_conversions(const nac::parts& p) {
  for (const nac::header to : {nac::header::v1_6, nac::header::v1_7, nac::header::v1_8}) {
    const result<nac::parts> there = nac::convert(p, to);
    if (!there) {
      fuzz::require(there.error().code >= errc::nac_convert_training, "a refusal is named");
      continue;
    }
    fuzz::require(there->instructions.size() == p.instructions.size(), "instructions stay");
    const auto bytes_there = written(*there);
    if (!bytes_there) continue;  // the parts of what can be read may be too much to be written
    const result<nac::model> file = nac::read(bytes_of(*bytes_there));
    fuzz::require(file && file->header() == to, "a conversion has the form that was wanted");
    const result<nac::parts> twice = nac::convert(nac::parts_of(*file), to);
    fuzz::require(static_cast<bool>(twice), "what was converted can be again");
    const auto bytes_twice = nac::write(*twice);
    fuzz::require(bytes_twice && same(bytes_of(*bytes_twice), bytes_of(*bytes_there)),
                  "conversion is a fixpoint");
  }
}

[[nodiscard]] bool same(const nac::step& a, const nac::step& b) noexcept {
  return a.offset == b.offset && a.a == b.a && a.b == b.b && a.arguments == b.arguments &&
         a.first == b.first;
}

/// All ways to resolve a list find the same, or all that something is wrong; and so does decode.
void check_paths(const nac::model& file, const nac::instructions& list) {
  const auto plain = nac::resolve(file, list, {.path = nac::resolve_path::plain});
  const auto steps = nac::decode(file, list);
  fuzz::require(steps && steps->size() == list.size(), "all instructions can be decoded");
  for (std::size_t i = 0; plain && i < list.size(); ++i)
    fuzz::require(same((*steps)[i], plain->steps[i]), "decode finds what the plain path finds");
  for (const auto path : {nac::resolve_path::portable, nac::resolve_path::best}) {
    const auto fast = nac::resolve(file, list, {.path = path});
    fuzz::require(fast.error() == plain.error(), "all paths find the same errors");
    if (!plain) continue;
    fuzz::require(fast->arguments == plain->arguments, "all paths find the same arguments");
    fuzz::require(fast->steps.size() == list.size(), "all paths find all instructions");
    for (std::size_t i = 0; i < list.size(); ++i)
      fuzz::require(same(fast->steps[i], plain->steps[i]), "all paths find the same instructions");
  }
}

/// A program, or errors, the first of which is returned; and a program keeps what it says.
void check_verified(const nac::model& file, std::size_t size) {
  tessera::report found;
  const result<nac::program> program = nac::verify(file, {.weights_elsewhere = true}, &found);
  fuzz::require(static_cast<bool>(program) == (found.errors == 0), "errors refuse a program");
  const tessera::diagnostic* first = nullptr;
  for (const tessera::diagnostic& d : found.diagnostics) {
    fuzz::require(d.code != errc::ok && d.where.offset <= size,
                  "a finding's offset is inside the container");
    if (first == nullptr && d.severity == tessera::severity::error) first = &d;
  }
  if (!program) {
    fuzz::require_error(program.error(), size);
    fuzz::require(first == nullptr || program.error() == error{first->code, first->where.offset},
                  "the first error is the one that is returned");
    return;
  }
  fuzz::require(program->size() == file.instructions().size(), "a program has all instructions");
  for (std::size_t i = 0; i < program->size(); ++i) {
    const nac::step& s = program->code().steps[i];
    fuzz::require(program->last_use(i) >= i && program->last_use(i) < program->size(),
                  "a result's last use isn't before it");
    if (s.a < nac::first_regular_op) continue;
    for (const nac::argument a : program->code().arguments_of(s))
      fuzz::require(a.is_constant() ? program->has_constant(a.id()) : a.index() < i,
                    "arguments are there and come before");
  }
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_nac)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const result<nac::model> file = nac::read(as_bytes(fuzz::as_text(data, size)));
  if (!file) return 0;
  fuzz::turns turn(fuzz::as_text(data, size));
  if (turn.one_in(8)) check_paths(*file, file->instructions());
  if (turn.one_in(8)) check_paths(*file, file->training());
  if (turn.one_in(4)) check_verified(*file, size);
  if (!turn.one_in(4)) return 0;
  const nac::parts p = nac::parts_of(*file);
  const auto own = written(p);
  if (!own) {
    fuzz::require(own.error().code >= errc::nac_too_many_instructions &&
                      own.error().code < errc::nac_write_stopped,
                  "a refusal is named");
  } else if (turn.one_in(4)) {
    check_sink(p, own->size());
  }
  if (turn.one_in(8)) check_conversions(p);
  return 0;
}
