// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC assembly: any text is assembled or refused at a place in it, and what is assembled and can be
// written reads back and prints as itself; a container printed and assembled is what it was, with
// its payloads in the text or by reference.

#include <tessera/core/bytes.hpp>
#include <tessera/nac/all.hpp>

#include "require.hpp"

using namespace tessera;

namespace {

constexpr nac::print_options::payloads ways[] = {nac::print_options::automatic,
                                                 nac::print_options::inline_hex,
                                                 nac::print_options::by_reference};

/// Finds bytes of the one file that texts refer to.
bool find(void* context, const nac::payload_reference& which, bytes& out) {
  const bytes source = *static_cast<const bytes*>(context);
  if (which.name != "it" || which.offset > source.size() ||
      which.size > source.size() - which.offset)
    return false;
  out =
      source.subspan(static_cast<std::size_t>(which.offset), static_cast<std::size_t>(which.size));
  return true;
}

/// A container through its text is the same one.
void check_file(bytes source) {
  fuzz::turns turn(as_text(source));
  const auto file = nac::read(source);
  if (!file) return;
  const auto wanted = nac::write(nac::parts_of(*file));
  for (const auto way : ways) {
    for (const bool named : {false, true}) {
      if (!turn.one_in(24)) continue;
      const text listing = nac::print(
          *file,
          {.source_name = named ? "it" : "", .payload = way, .schedule_beside = way != ways[0]});
      const fuzz::exact copy(listing.view());
      const auto parts = nac::assemble(copy.text(), {.resolver = {&source, find}});
      fuzz::require(static_cast<bool>(parts), "what is printed can be assembled");
      const auto written = nac::write(*parts);
      fuzz::require(written.error() == wanted.error(),
                    "and can be written where it could be before");
      fuzz::require(!written || *written == *wanted, "as what it was");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  if (source.substr(0, 3) == "NAC") return check_file(as_bytes(source)), 0;
  nac::text_map map;
  const auto parts = nac::assemble(source, {}, &map);
  if (!parts) return fuzz::require_error(parts.error(), size), 0;
  const auto written = nac::write(*parts);
  if (!written || !fuzz::turns(source).one_in(8)) return 0;
  const bytes container(written->data(), written->size());
  const auto file = nac::read(container);
  fuzz::require(static_cast<bool>(file), "what is assembled and written can be read");
  fuzz::require(map.offset_of(*file, fuzz::below(source, container.size())) <= size,
                "a byte of a container has a place in its text");
  const text listing = nac::print(*file);
  const auto again = nac::assemble(listing);
  fuzz::require(static_cast<bool>(again), "and printed, and assembled again");
  const auto same = nac::write(*again);
  fuzz::require(same && *same == *written, "as the same container");
  check_file(container);
  return 0;
}
