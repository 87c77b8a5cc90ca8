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
    {0, "\xff\xd8\xff"sv, "a JPEG picture"},
    {0, "SQLite format 3"sv, "an SQLite database"},
    {0, "Obj\x01"sv, "an Avro file"},
    {0, "PAR1"sv, "a Parquet table"},
    {0, "\x1f\x8b"sv, "gzip"},
    {0, "\x28\xb5\x2f\xfd"sv, "Zstandard"},
    {0, "BZh"sv, "bzip2"},
    {0,
     "\xfd"
     "7zXZ"sv,
     "xz"},
    {257, "ustar"sv, "a tar archive"},
    {0, "builtin.module"sv, "MLIR"},
    {0, "module {"sv, "MLIR"},
};

/// ModelProto: the version of the format, 1 to 31, then one of its first fields. In a SavedModel the
/// field after its version is a whole graph, longer than the name of a producer.
[[nodiscard]] std::string protobuf(std::string_view s) {
  if (s.size() < 4 || s[0] != '\x08' || s[1] <= 0 || s[1] >= 32) return {};
  if (s[1] == 1 && s[2] == '\x12' && s[3] < 0) return "a TensorFlow SavedModel (protobuf)";
  return "\x12\x1a\x22\x28\x32\x3a\x42"sv.find(s[2]) == s.npos ? "" : "ONNX (protobuf)";
}

/// A zip archive, by the names of its files.
[[nodiscard]] std::string zip(std::string_view s) {
  if (!s.starts_with("PK\x03\x04")) return {};
  struct row {
    std::string_view name, what;
  };
  constexpr std::size_t near = 4096;
  const std::string_view ends = s.substr(s.size() - std::min(s.size(), near));
  s = s.substr(0, near);
  for (const row& r : {row{"/data.pkl", "a PyTorch zip (.pt, .pth)"},
                       {"/constants.pkl", "TorchScript"},
                       {"model.weights.h5", "a Keras model"},
                       {"saved_model.pb", "a zipped TensorFlow SavedModel"},
                       {"mlmodel", "a Core ML package"},
                       {".npy", "NumPy arrays (.npz)"},
                       {"[Content_Types].xml", "an Office document"},
                       {"META-INF/", "a Java archive"}})
    if (s.find(r.name) != s.npos || ends.find(r.name) != s.npos) return std::string(r.what);
  return "a zip archive";
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
  for (const auto look : {protobuf, zip})
    if (std::string what = look(s); !what.empty()) return what;
  if (s.starts_with("\xEF\xBB\xBF")) s.remove_prefix(3);
  s.remove_prefix(std::min(s.find_first_not_of(" \t\r\n"), s.size()));
  if (is_markdown(s)) return "Markdown";
  return s.starts_with('{') ? json_object(s) : std::string();
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
