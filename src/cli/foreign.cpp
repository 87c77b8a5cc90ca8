// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "foreign.hpp"

#include <algorithm>
#include <string_view>
#include <tessera/core/json.hpp>

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

using namespace std::string_view_literals;

struct magic {
  std::size_t at;
  std::string_view bytes, what;
};
constexpr magic magics[] = {
    {0, "GGUF"sv, "GGUF"},
    {4, "TFL3"sv, "TFLite (FlatBuffers)"},
    {4, "ET12"sv, "ExecuTorch (FlatBuffers)"},
    {0, "PK\x03\x04"sv, "a zip archive, as torch.save writes (.pt)"},
    {0, "\x89HDF\r\n\x1a\n"sv, "HDF5, as Keras writes"},
    {0, "\x93NUMPY"sv, "a NumPy array (.npy); arrays are given with --input"},
    {0, "\x80\x02"sv, "a Python pickle, as PyTorch wrote before version 1.6"},
    {0, "\x80\x04"sv, "a Python pickle"},
    {0, "ML\xefR"sv, "MLIR bytecode"},
    {0, "BC\xc0\xde"sv, "LLVM bitcode"},
    {0,
     "\x7f"
     "ELF"sv,
     "an ELF program or library"},
    {0, "\x89PNG"sv, "a PNG picture"},
    {0, "%PDF-"sv, "a PDF"},
    {0, "#!"sv, "a script"},
    {0, "<?xml"sv, "XML, as OpenVINO writes"},
    {0, "<!DOCTYPE"sv, "HTML"},
    {0, "builtin.module"sv, "MLIR"},
    {0, "module {"sv, "MLIR"},
};

/// ModelProto: the version of the format, 1 to 31, then one of its first fields.
[[nodiscard]] bool is_onnx(std::string_view s) {
  return s.size() > 3 && s[0] == '\x08' && s[1] > 0 && s[1] < 32 &&
         "\x12\x1a\x22\x28\x32\x3a\x42"sv.find(s[2]) != s.npos;
}

/// A heading and an empty line or, later, a link or code.
[[nodiscard]] bool is_markdown(std::string_view s) {
  const std::string_view hashes = s.substr(0, s.find_first_not_of('#'));
  if (hashes.empty() || hashes.size() > 6 || !s.substr(hashes.size()).starts_with(' '))
    return false;
  constexpr std::size_t near = 4096;
  s = s.substr(std::min(s.find('\n'), s.size()), near);
  return s.starts_with("\n\n") || s.find("\n```") != s.npos || s.find("](http") != s.npos;
}

/// The first keys of an object that is JSON to its end.
[[nodiscard]] std::string json_object(std::string_view s) {
  constexpr int shown = 4;
  json::reader in(s);
  std::string_view key;
  std::string out;
  int members = 0;
  for (in.object(); in.key(key); ++members) {
    if (members < shown)
      out.append(members == 0 ? "" : ", ").append("\"").append(key.substr(0, 40)).append("\"");
    in.skip();
  }
  if (in.failed() || members == 0) return {};
  return "a JSON object with the key" + std::string(members == 1 ? " " : "s ") + out +
         (members > shown ? ", ..." : "");
}

}  // namespace

std::string foreign_format(bytes content) {
  std::string_view s = as_text(content);
  for (const magic& m : magics)
    if (s.size() >= m.at && s.substr(m.at).starts_with(m.bytes)) return std::string(m.what);
  if (is_onnx(s)) return "ONNX (protobuf)";
  if (s.starts_with("\xEF\xBB\xBF")) s.remove_prefix(3);
  s.remove_prefix(std::min(s.find_first_not_of(" \t\r\n"), s.size()));
  if (is_markdown(s)) return "Markdown";
  return s.starts_with('{') ? json_object(s) : std::string();
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
