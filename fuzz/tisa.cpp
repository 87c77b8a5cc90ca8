// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tokenizers: whatever manifest, vocabulary and merges there are, making one, encoding and decoding
// end within small budgets, the same way each time.
//
//   a container      begins with "NAC"; what is encoded is a few texts and its own last bytes
//   anything else    u8 forms, 3 × u16 sizes, manifest, vocabulary, merges, the text
//     forms          bits 0 and 1: vocab.b, tokenizer.json, vocab.json, none; bit 2: merges.txt for
//                    merges.b; bit 3: without merges; bit 4: the merges are vidx.b

#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/nac/all.hpp>
#include <vector>

#include "require.hpp"
#include "vm/tokenizer/tokenizer.hpp"

using namespace tessera;

namespace {

constexpr std::uint64_t max_memory = 1 << 22, max_steps = 1 << 21;

[[nodiscard]] bool is_budget(errc code) {
  return code == errc::budget_memory || code == errc::budget_steps;
}

/// Whether an id isn't of a token and may still be: what encoders have for unknown text, what
/// compose has for unknown tokens, and its own numbers.
[[nodiscard]] bool is_added(bytes manifest, std::int32_t id) {
  if (id == 0 || id == 2 || id == 100) return true;
  nac::manifest_reader in(manifest);
  for (nac::tokenizer_instruction i; in.next(i);) {
    if (i.op() != nac::tokenizer_op::compose) continue;
    nac::item_reader items(i);
    for (nac::compose_item item; items.next(item);)
      if (item.kind == nac::compose_item::id && item.number == id) return true;
  }
  return false;
}

void decode(const vm::nac::tokenizer& t, const std::vector<std::int64_t>& ids, fuzz::turns& turn) {
  for (const bool special : {false, true}) {
    if (!turn.one_in(8)) continue;
    std::string text, again;
    const vm::nac::trouble done = t.decode(ids, text, special);
    fuzz::require(done.code == errc::ok || is_budget(done.code), "any ids have a text");
    fuzz::require(is_utf8(text), "a text is UTF-8");
    fuzz::require(t.decode(ids, again, special).code == done.code && text == again,
                  "the same ids have the same text");
  }
}

void encode(const vm::nac::tokenizer& t, bytes manifest, std::string_view text, fuzz::turns& turn) {
  const fuzz::exact copy(text);
  std::vector<std::int32_t> ids;
  const vm::nac::trouble done = t.encode(copy.text(), ids);
  if (turn.one_in(8)) {
    std::vector<std::int32_t> again;
    fuzz::require(t.encode(copy.text(), again).code == done.code && ids == again,
                  "the same text has the same ids");
  }
  fuzz::require((done.code == errc::nac_tokenizer_utf8) == !is_utf8(text), "a text is UTF-8");
  fuzz::require(done.code == errc::ok || is_budget(done.code) ||
                    done.code == errc::nac_tokenizer_utf8 || done.code == errc::nac_tokenizer_match,
                "encoding fails for known reasons");
  fuzz::require(done.code == errc::ok || ids.empty(), "no ids of a failure");
  for (std::size_t i = 0; i < ids.size() && i < 1000; ++i)
    fuzz::require(t.token_of(ids[i]).has_value() || is_added(manifest, ids[i]),
                  "an id is a token's");
  decode(t, {ids.begin(), ids.end()}, turn);
}

void tokenize(bytes container, std::string_view text) {
  const result<nac::model> file = nac::read(container);
  if (!file) return fuzz::require_error(file.error(), container.size());
  vm::nac::tokenizer_options how;
  how.max_memory = max_memory;
  how.max_steps = max_steps;
  how.match_limit = 2000;
  const vm::nac::tokenizer t(*file, how);
  if (!t.made()) {
    fuzz::require(t.size() == 0 && t.made().code != errc::ok, "what isn't made has no tokens");
    return;
  }
  fuzz::turns turn(as_text(container));
  encode(t, file->manifest(), text, turn);
  for (const std::string_view s : {"", "Hello,  world's [CLS]e\u0301\u2581 12<s> \u4e2d\n"})
    if (turn.one_in(4)) encode(t, file->manifest(), s, turn);
  if (!turn.one_in(8)) return;
  std::vector<std::int64_t> ids = {-1, INT64_MIN, INT64_MAX, INT64_C(1) << 32};
  for (std::int64_t id = 0; id < 40; ++id) ids.push_back(id);
  decode(t, ids, turn);
  for (std::int64_t id = 0; id < 40; ++id)
    if (const auto token = t.token_of(id))
      fuzz::require(t.id_of(*token) == static_cast<std::int32_t>(id), "a token has its id");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::as_text(data, size);
  if (input.starts_with("NAC")) {
    tokenize(as_bytes(input), input.substr(input.size() - input.size() / 8));
    return 0;
  }
  if (size < 7) return 0;
  const unsigned forms = data[0];
  std::string_view rest = input.substr(7), pieces[3];
  for (std::size_t i = 0; i < 3; ++i) {
    pieces[i] = rest.substr(0, load_le<std::uint16_t>(data + 1 + 2 * i));
    rest.remove_prefix(pieces[i].size());
  }
  nac::parts parts;
  parts.has_manifest = true;
  parts.manifest = nac::parts::borrow(as_bytes(pieces[0]));
  const auto add = [&parts](std::string_view name, std::string_view content) {
    parts.resources.push_back({parts.add_string(name), nac::parts::borrow(as_bytes(content))});
  };
  constexpr std::string_view vocabularies[] = {"vocab.b", "tokenizer.json", "vocab.json"};
  if ((forms & 3) != 3) add(vocabularies[forms & 3], pieces[1]);
  if ((forms & 16) != 0)
    add("vidx.b", pieces[2]);
  else if ((forms & 8) == 0)
    add((forms & 4) != 0 ? "merges.txt" : "merges.b", pieces[2]);
  const result<pool<std::byte>> container = nac::write(parts);
  fuzz::require(static_cast<bool>(container), "parts of any payloads can be written");
  tokenize(bytes(container->data(), container->size()), rest);
  return 0;
}
