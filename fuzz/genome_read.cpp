// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// genome::read and read_base64: for any bytes a stream or an error with an offset inside; a stream is
// written as the bytes that it was read from, and a part of one is a stream up to its last whole node.

#include <cstring>
#include <tessera/genome.hpp>

#include "require.hpp"

using namespace tessera;

namespace {

void require_same(bytes a, bytes b, const char* law) {
  fuzz::require(
      a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0), law);
}

void check_bytes(bytes source) {
  const result<genome::stream> s = genome::read(source, {.encoding = genome::encoding::bytes});
  if (!s) return fuzz::require_error(s.error(), source.size());
  const genome::stream_view v = *s;
  fuzz::require(genome::offset_of(v, v.size()) == source.size(), "nodes fill a stream");
  std::size_t inputs = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    fuzz::require(v.nodes[i].first == inputs, "inputs are in the order of the nodes");
    inputs += v.nodes[i].count;
    fuzz::require(v.references(i).size() <= v.inputs_of(i).size(), "references are inputs");
  }
  const result<pool<std::byte>> again = genome::write(*s);
  fuzz::require(static_cast<bool>(again), "what was read can be written");
  require_same({again->data(), again->size()}, source, "write gives the bytes that were read");

  const result<text> base64 = genome::write_base64(*s);
  fuzz::require(static_cast<bool>(base64), "what was read can be written in base64");
  const result<genome::stream> same = genome::read_base64(*base64);
  fuzz::require(same && *same == *s, "base64 reads as what was written");
  const result<genome::stream> recognised = genome::read(base64->view());
  fuzz::require(recognised && *recognised == *s, "base64 is recognised");
}

void check_base64(std::string_view source) {
  const result<genome::stream> s = genome::read_base64(source);
  if (!s) return fuzz::require_error(s.error(), source.size());
  const result<text> again = genome::write_base64(*s);
  fuzz::require(static_cast<bool>(again), "what was read can be written in base64");
  const std::size_t first = source.find_first_not_of(" \t\r\n");
  const std::string_view inner =
      first == std::string_view::npos
          ? std::string_view{}
          : source.substr(first, source.find_last_not_of(" \t\r\n") + 1 - first);
  fuzz::require(again->view() == inner, "base64 has one form");
}

void check_detected(bytes source) {
  const genome::encoding form = genome::detect(source);
  const result<genome::stream> any = genome::read(source);
  const result<genome::stream> same = genome::read(source, {.encoding = form});
  fuzz::require(form != genome::encoding::automatic &&
                    static_cast<bool>(any) == static_cast<bool>(same) &&
                    (any ? *any == *same : any.error() == same.error()),
                "what is detected is read the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact source(std::string_view(reinterpret_cast<const char*>(data), size));
  fuzz::turns turn(source.text());
  check_bytes(source.bytes());
  if (turn.one_in(2)) check_base64(source.text());
  if (turn.one_in(8)) check_detected(source.bytes());
  if (!turn.one_in(8)) return 0;
  const fuzz::exact prefix(source.text().substr(0, fuzz::below(source.text(), size)));
  check_bytes(prefix.bytes());
  check_base64(prefix.text());
  return 0;
}
