// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tokenizers of Hugging Face: for any text a manifest and its resources, or an error inside that can
// be described, with everything as it was. What was made verifies, can be written and read, and encodes
// within its budget, twice to the same ids.

#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/nac/all.hpp>
#include <tessera/transform/tokenizer.hpp>
#include <vector>

#include "mutate_json.hpp"
#include "require.hpp"
#include "vm/tokenizer/tokenizer.hpp"

using namespace tessera;

namespace {

void check_encoding(const nac::model& file, std::string_view source) {
  vm::nac::tokenizer_options how;
  how.max_memory = 1 << 22;
  how.max_steps = 1 << 20;
  const vm::nac::tokenizer t(file, how);
  for (const std::string_view words :
       {std::string_view("Hello, wide world 12!"), source.substr(0, 40)}) {
    std::vector<std::int32_t> ids, again;
    const vm::nac::trouble done = t.encode(words, ids);
    fuzz::require(t.encode(words, again).code == done.code && ids == again,
                  "a text always has the same ids");
  }
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact memory(fuzz::as_text(data, size));
  const std::string_view source = memory.text();
  nac::parts made;
  report found;
  const error e = transform::import_tokenizer(source, made, &found);
  fuzz::turns turn(source);
  nac::parts quiet;
  if (turn.one_in(16))
    fuzz::require(transform::import_tokenizer(source, quiet) == e,
                  "without a report it is the same");
  if (turn.one_in(16)) fuzz::require_report(found, e, {"tokenizer.json", source});
  if (e.code != errc::ok) {
    fuzz::require_error(e, size);
    return 0;
  }
  const result<pool<std::byte>> written = nac::write(made);
  fuzz::require(static_cast<bool>(written), "what was made can be written");
  const result<nac::model> file = nac::read(bytes(written->data(), written->size()));
  fuzz::require(static_cast<bool>(file), "and read");
  fuzz::require(nac::verify_manifest(file->manifest(), 0).code == errc::ok, "a manifest verifies");
  if (turn.one_in(4)) check_encoding(*file, source);
  return 0;
}
