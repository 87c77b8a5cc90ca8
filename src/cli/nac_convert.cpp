// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera convert` for NAC containers, in memory that doesn't grow with the weights; and between NAC
// and ARK.

#include <algorithm>
#include <cerrno>
#include <tessera/core/describe.hpp>

#include "ark.hpp"
#include "io/file.hpp"
#include "nac_values.hpp"
#include "tessera/transform/convert.hpp"
#include "vm/nac/schedule.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// Writes pieces of a file, and evicts the pages of the mapped files that they come from.
class destination {
 public:
  destination(io::file_writer& to, std::uint64_t total, const std::vector<const source*>& from)
      : to_(to), from_(from), shown_(total) {}

  [[nodiscard]] nac::sink sink() {
    return {this,
            [](void* self, bytes piece) { return static_cast<destination*>(self)->put(piece); }};
  }

 private:
  [[nodiscard]] bool put(bytes piece) {
    constexpr std::size_t part = std::size_t{1} << 22;
    while (!piece.empty()) {
      const bytes now = piece.first(std::min(part, piece.size()));
      if (!to_.put(now)) return false;
      shown_.advance(now.size());
      since_ += now.size();
      if (since_ >= part) {
        since_ = 0;
        for (const source* s : from_) s->content.forget(s->data());
      }
      piece = piece.subspan(now.size());
    }
    return true;
  }

  io::file_writer& to_;
  const std::vector<const source*>& from_;
  progress shown_;
  std::size_t since_ = 0;
};

/// Reports an error of a writer; its offset is an index into the parts.
[[nodiscard]] exit_code fail_parts(error e, const source& from, const reporting& to) {
  diagnostic d;
  d.rule = e.name();
  d.message = e.message();
  if (e.index == error_index::none) e.index = error_index::record;
  const text shown = describe(e, bytes(), from.name);
  d.shown = shown.view();
  return to.fail(d, bad_input, from.what);
}

/// The files of a conversion, which appear together. `from` are the mapped files that they are made
/// from; the first is the one that errors are about.
class result_files {
 public:
  result_files(std::vector<const source*> from, const reporting& to)
      : from_(std::move(from)), to_(to) {}

  /// A file of `total` bytes, for the progress.
  template <class Write>
  [[nodiscard]] exit_code stream(const std::string& path, std::uint64_t total, const Write& write) {
    io::expected<io::file_writer> out = io::file_writer::open(path);
    if (!out) return fail_result(out.error(), path, to_);
    destination to(*out, total, from_);
    const error e = write(to.sink());
    if (e.code != errc::ok && out->ok()) return fail_parts(e, *from_[0], to_);
    return keep(std::move(out), path);
  }
  /// A file that is in memory, compressed if its name ends in .gz or .zst.
  [[nodiscard]] exit_code add(const std::string& path, bytes data) {
    if (path == "-") {  // which may be a terminal
      const exit_code code = finish();
      return code == success ? write_result(path, data, to_) : code;
    }
    return keep(io::stage(path, data), path);
  }
  [[nodiscard]] exit_code finish() {
    for (io::file_writer& f : staged_)
      if (const io::expected<io::done> done = f.finish(); !done) return to_.fail(done.error());
    staged_.clear();
    return success;
  }

 private:
  [[nodiscard]] exit_code keep(io::expected<io::file_writer> out, const std::string& path) {
    if (!out) return fail_result(out.error(), path, to_);
    const io::expected<io::done> wrote = out->prepare();
    if (!wrote) return fail_result(wrote.error(), path, to_);
    staged_.push_back(*std::move(out));
    return success;
  }

  const std::vector<const source*> from_;
  const reporting& to_;
  std::vector<io::file_writer> staged_;
};

/// Writes a container, compressed if its name ends in .gz or .zst.
[[nodiscard]] exit_code write_nac(const nac::parts& parts, const std::string& output,
                                  result_files& files, const source& from, const reporting& to) {
  const result<std::uint64_t> size = nac::written_size(parts);
  if (!size) return fail_parts(size.error(), from, to);
  if (io::codec_of_name(output) != io::codec::none) {  // compressed in one piece
    const result<pool<std::byte>> all = nac::write(parts);
    return all ? files.add(output, {all->data(), all->size()}) : fail_parts(all.error(), from, to);
  }
  return files.stream(output, *size,
                      [&](const nac::sink& sink) { return nac::write(parts, sink); });
}

/// A safetensors file; `total` bytes of weights.
[[nodiscard]] exit_code write_weights(const nac::external_parts& weights, std::uint64_t total,
                                      const std::string& path, result_files& files,
                                      const source& file, const reporting& to) {
  // Checked before anything is written: this sink refuses the first piece.
  const nac::sink nowhere{nullptr, [](void*, bytes) { return false; }};
  if (const error e = nac::write_safetensors(weights, nowhere);
      e.code != errc::ok && e.code != errc::nac_write_stopped)
    return fail_parts(e, file, to);
  return files.stream(path, total,
                      [&](const nac::sink& sink) { return nac::write_safetensors(weights, sink); });
}

/// So that warnings don't hide errors.
constexpr std::uint64_t max_errors = std::uint64_t{1} << 20;

/// Verifies a container as `check` does, with the external weights in its folder unless others are
/// given, and reports its errors. With --schedule, replaces the schedule in `parts`.
[[nodiscard]] exit_code verify_to_convert(const nac::model& file, const source& from,
                                          const reporting& to, const nac_convert_options& options,
                                          nac::parts& parts) {
  weights_outcome external;
  nac::verify_options how{.weights_elsewhere = true, .max_diagnostics = max_errors};
  if (!file.has_internal_weights() && !file.parameters().empty() && options.weights_in.empty()) {
    if (const std::string path = default_weights(to.path); !path.empty()) {
      external = load_weights({path});
      if (!external.weights) return external.code;
      how.weights = &*external.weights;
    }
  }
  tessera::report report;
  const result<nac::program> program = nac::verify(file, how, &report);
  if (!program) return fail_findings(report, from, to);
  if (!options.schedule) return success;
  const error e = vm::nac::schedule(*program, parts);
  return e.code == errc::ok ? success : fail_parts(e, from, to);
}

}  // namespace

exit_code write_parts(nac::parts parts, const nac_convert_options& options,
                      const std::string& output, const std::vector<const source*>& from,
                      const reporting& to) {
  const source& file = *from[0];
  std::optional<nac::conversion> made;  // computes elements while they are written
  if (!options.quantize.empty() || options.dequantize) {
    if (!parts.internal_weights && !parts.parameters.empty())
      return usage_error("convert",
                         "'" + file.name + "' has external weights; give them with --weights-in");
    nac::quantization method = nac::quantization::none;
    for (std::size_t i = 0; i < nac::quantization_count; ++i)
      if (nac::quantization_names[i] == options.quantize)
        method = static_cast<nac::quantization>(i);
    const page_evictor evictor(from);
    result<nac::conversion> c =
        options.dequantize ? nac::dequantize(parts) : nac::quantize(parts, method);
    if (!c) return fail_parts(c.error(), file, to);
    made = std::move(*c);
    parts = std::move(made->model);
  }

  if (options.form && *options.form != parts.form) {
    result<nac::parts> other = nac::convert(std::move(parts), *options.form);
    if (!other) return fail_parts(other.error(), file, to);
    parts = std::move(*other);
  }

  result_files files(from, to);
  if (options.weights_out.empty()) {
    const exit_code code = write_nac(parts, output, files, file, to);
    return code == success ? files.finish() : code;
  }
  const result<nac::external_weights> apart = nac::externalise(parts);
  if (!apart) return fail_parts(apart.error(), file, to);
  if (const result<std::uint64_t> size = nac::written_size(apart->model); !size)
    return fail_parts(size.error(), file, to);
  std::uint64_t total = 0;
  for (const nac::tensor_part& t : parts.tensors) total += t.data.size;
  exit_code code = write_weights(apart->weights, total, options.weights_out, files, file, to);
  if (code == success) code = write_nac(apart->model, output, files, file, to);
  return code == success ? files.finish() : code;
}

exit_code convert_nac(const source& file, const reporting& to, const std::string& output,
                      const nac_convert_options& options) {
  const nac_outcome in = read_nac(file, to);
  if (!in.file) return in.code;
  std::vector<const source*> from = {&file};
  nac::parts parts = nac::parts_of(*in.file);
  if (const exit_code code = verify_to_convert(*in.file, file, to, options, parts); code != success)
    return code;

  weights_outcome outside;
  if (!options.weights_in.empty()) {
    outside = load_weights({options.weights_in});
    if (!outside.weights) return outside.code;
    from.push_back(&*outside.file);
    result<nac::parts> whole = nac::internalise(parts, *outside.weights);
    if (!whole) return fail_parts(whole.error(), file, to);
    parts = std::move(*whole);
  }

  return write_parts(std::move(parts), options, output, from, to);
}

// ---- to and from ARK

namespace {

/// The safetensors file of a network's weights.
[[nodiscard]] exit_code write_weights(const std::vector<transform::ark_weight>& weights,
                                      const std::string& path, result_files& files,
                                      const source& file, const reporting& to) {
  nac::external_parts out;
  std::uint64_t total = 0;
  for (const transform::ark_weight& w : weights) {
    const std::vector<std::uint32_t> shape(w.shape.begin(), w.shape.end());
    out.add(w.name, w.type, {shape.data(), shape.size()},
            nac::parts::borrow(bytes(w.data.data(), w.data.size())));
    total += w.data.size();
  }
  return write_weights(out, total, path, files, file, to);
}

}  // namespace

exit_code convert_nac_to_ark(const source& file, const reporting& to, const std::string& output,
                             ark::dialect dialect, const nac_convert_options& options) {
  if (!options.quantize.empty() || options.dequantize || options.schedule)
    return usage_error("convert",
                       "--quantize, --dequantize and --schedule are for containers; the output is "
                       "an ARK model");
  const nac_model in = verify_nac(file, to, options.weights_in);
  if (!in.program) return in.code;
  run_options run;
  run.nac.shapes = options.shapes;
  nac_inputs inputs("convert", run, to);
  std::vector<std::pair<std::string, tensor_form>> given;
  if (const exit_code code = inputs.bind_shapes(*in.program, given); code != success) return code;
  std::vector<transform::input_form> forms;
  for (const auto& [name, form] : given)
    forms.push_back({name, form.type, {form.dims.begin(), form.dims.end()}});
  tessera::report refused;
  const result<transform::ark_network> made =
      transform::to_ark(*in.program, {.inputs = forms}, &refused);
  if (!made && refused.errors != 0) return fail_findings(refused, file, to);
  if (!made) return to.fail(made.error(), file);
  const result<text> model = ark::write(made->model, {.to = dialect, .pretty = !options.compact});
  if (!model) return to.fail(diagnose_ark(model.error(), file), bad_input, file.what);
  result_files files({&file}, to);
  if (!options.weights_out.empty()) {
    const exit_code code = write_weights(made->weights, options.weights_out, files, file, to);
    if (code != success) return code;
  } else if (!made->weights.empty()) {
    show_note(plural(made->weights.size(), "weight") +
              " became inputs; --weights-out FILE writes their values, for run --weights");
  }
  const exit_code code = files.add(output, as_bytes(*model));
  return code == success ? files.finish() : code;
}

exit_code convert_ark_to_nac(const source& file, const reporting& to, const std::string& output,
                             const nac_convert_options& options) {
  const verify_outcome in = verify_ark(file, to, {.hazards = false});
  if (!in.program) return in.code;
  std::vector<const source*> from = {&file};
  transform::to_nac_options how;
  how.form = options.form.value_or(nac::header::v1_8);
  weights_outcome weights;
  if (!options.weights_in.empty()) {
    weights = load_weights({options.weights_in});
    if (!weights.weights) return weights.code;
    how.weights = &*weights.weights;
    from.push_back(&*weights.file);
  }
  tessera::report refused;
  result<nac::parts> made = transform::to_nac(*in.program, how, &refused);
  if (!made && refused.errors != 0) return to.fail(diagnose(refused, file), file.what);
  if (!made) return to.fail(made.error(), file);
  return write_parts(std::move(*made), {}, output, from, to);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
