// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "nac.hpp"

#include <chrono>
#include <utility>

#include "nac_values.hpp"
#include "tessera/inspect/nac/dot.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

nac_outcome read_nac(const source& from, const reporting& to) {
  const bytes data = from.data();
  result<nac::model> f = nac::read(data);
  if (f) return {*f, success};
  return {std::nullopt, to.fail(f.error(), from)};
}

nac_outcome read_nac_for_lookup(const source& from, const reporting& to) {
  nac_outcome in = read_nac(from, to);
  if (!in.file) return in;
  for (const nac::section s : {nac::section::ops, nac::section::trng}) {
    const std::uint32_t count =
        s == nac::section::ops ? in.file->instructions().size() : in.file->training().size();
    if (count <= nac::max_instructions) continue;
    return {std::nullopt, to.fail({errc::nac_too_many_instructions, in.file->offset(s) + 4}, from)};
  }
  return in;
}

page_evictor::page_evictor(std::vector<const source*> of)
    : of_(std::move(of)), thread_([this] {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, std::chrono::milliseconds(20), [this] { return done_; }))
          for (const source* s : of_) s->content.forget(s->data());
      }) {}

page_evictor::~page_evictor() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

weights_outcome load_weights(const reporting& to) {
  weights_outcome out;
  io::expected<io::content> content = io::load(to.path, {}, io::side_input);
  if (!content) {
    out.code = to.fail(content.error());
    return out;
  }
  out.file = source{shown_name(to.path), std::move(*content), format::safetensors};
  const bytes data = out.file->data();
  result<nac::safetensors> weights = nac::read_safetensors(data);
  if (weights)
    out.weights = std::move(*weights);
  else
    out.code = to.fail(weights.error(), *out.file);
  return out;
}

exit_code graph_nac(const source& file, const reporting& to, const picture_output& output,
                    const nac_graph_options& options) {
  const nac_outcome in = read_nac_for_lookup(file, to);
  if (!in.file) return in.code;
  std::vector<std::string> shapes;
  if (options.run.nac.any() || !options.run.inputs.empty())
    if (const exit_code code = measure_shapes(options.run, file, to, shapes); code != success)
      return code;
  const inspect::lookup at(*in.file);
  return output.write(inspect::draw(at, {.schedule = options.schedule,
                                         .parameters = !options.no_parameters,
                                         .fold = options.fold,
                                         .shapes = shapes}));
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
