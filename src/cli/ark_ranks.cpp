// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "ark_ranks.hpp"

#include <algorithm>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

[[nodiscard]] element_type element_of_ark(ark::data_type t) noexcept {
  switch (t) {
    case ark::data_type::fp32: return element_type::f32;
    case ark::data_type::fp16: return element_type::f16;
    case ark::data_type::bf16: return element_type::bf16;
    case ark::data_type::int32: return element_type::i32;
    case ark::data_type::uint32: return element_type::u32;
    case ark::data_type::int8: return element_type::i8;
    case ark::data_type::uint8:
    case ark::data_type::byte:
    case ark::data_type::fp8_e4m3:
    case ark::data_type::fp8_e5m2: break;
  }
  return element_type::u8;
}
[[nodiscard]] element_shape tensor_elements(const ark::model& g, std::uint32_t tensor) {
  const ark::layout& l = layout_of(g, tensor);
  const ark::data_type type = g.tensors[tensor].type;
  element_shape out{element_of_ark(type), ark::info(type).name};
  for (std::uint32_t d = 0; d < l.rank; ++d)
    out.shape.push_back(static_cast<std::uint64_t>(l.shape[d]));
  return out;
}

[[nodiscard]] bool is_number(std::string_view s) noexcept {
  return !s.empty() && s.size() < 20 &&
         std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}
[[nodiscard]] std::int64_t number_of(std::string_view s) noexcept {
  std::uint64_t v = 0;
  for (const char c : s) v = v * 10 + static_cast<std::uint64_t>(c - '0');
  return v > static_cast<std::uint64_t>(INT64_MAX) ? -1 : static_cast<std::int64_t>(v);
}

/// A plan's operations as a verified model; without one, the errors have been reported.
[[nodiscard]] verify_outcome verify_plan_model(const source& file, const reporting& to) {
  const plan_outcome in = verify_plan(file, to);
  if (!in.plan) return {std::nullopt, in.code};
  tessera::report found;
  result<ark::program> p =
      ark::verify(ark::plan_model(*in.plan), {.of_plan = true, .hazards = false}, &found);
  if (p) return {std::move(*p), success};
  return {std::nullopt, to.fail(diagnose(found, file), file.what)};
}

}  // namespace

exit_code ark_ranks::add(source content, const std::string& path, const reporting& to) {
  if (content.what != format::ark_model && content.what != format::ark_plan)
    return wrong_format(content, to, "run with several files", "the ranks of an ARK model");
  verify_outcome v = content.what == format::ark_plan ? verify_plan_model(content, to)
                                                      : verify_ark(content, to, {.hazards = false});
  if (!v.program) return v.code;
  files_.push_back({std::move(content), std::move(*v.program), path});
  return success;
}

exit_code ark_ranks::load(const std::vector<std::string>& paths, source first, bool as_json) {
  exit_code code = add(std::move(first), paths[0], {paths[0], as_json});
  for (std::size_t i = 1; i < paths.size() && code == success; ++i) {
    const reporting to{paths[i], as_json};
    loaded in = load_source(to);
    code = in ? add(std::move(*in.file), paths[i], to) : in.code;
  }
  return code;
}

std::optional<ark::world> ark_ranks::world(bool as_json) {
  std::vector<const ark::program*> programs;
  std::vector<std::string_view> sources;
  for (const file& f : files_) {
    programs.push_back(&f.program);
    sources.push_back(f.content.characters());
  }
  tessera::report found;
  if (!ark::verify_ranks({programs.data(), programs.size()},
                         {.sources = {sources.data(), sources.size()}}, &found)) {
    std::vector<source_file> shown;
    for (const file& f : files_) shown.push_back(f.content.shown());
    const std::vector<std::vector<diagnostic>> all = diagnose_ranks(found, shown);
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (has_errors(all[i]))
        (void)reporting{files_[i].path, as_json}.fail(all[i], files_[i].content.what);
    return std::nullopt;
  }
  // The machine needs the programs in the order of Rank; files are in any order.
  std::sort(files_.begin(), files_.end(), [](const file& a, const file& b) {
    return a.program.model().rank < b.program.model().rank;
  });
  programs.clear();
  for (const file& f : files_) programs.push_back(&f.program);
  for (std::size_t r = 0; r < files_.size(); ++r) flows_.emplace_back(graph(r));
  result<ark::world> sorted = ark::verify_ranks({programs.data(), programs.size()});
  if (!sorted) return std::nullopt;
  return std::move(*sorted);
}

std::optional<ark_target> ark_ranks::resolve(std::string_view name, std::string& wrong) const {
  const std::string whole(name);
  std::size_t first = 0, last = files_.size();
  if (const std::size_t colon = name.find(':');
      colon != name.npos && colon > 1 && name[0] == 'r' && is_number(name.substr(1, colon - 1))) {
    const std::int64_t r = number_of(name.substr(1, colon - 1));
    bool known = false;
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (graph(i).rank == r) {
        first = i;
        last = i + 1;
        known = true;
      }
    if (!known) {
      wrong = "rank " + std::to_string(r) + " has no file";
      return std::nullopt;
    }
    name.remove_prefix(colon + 1);
  }
  std::vector<ark_target> found;
  for (std::size_t r = first; r < last; ++r) find(r, name, found);
  if (found.size() == 1) return found[0];
  if (found.empty())
    wrong = "unknown tensor, buffer or operation '" + shown_name(whole) +
            "'; expected a tensor's Id (12 or t12), a buffer's (b3), or the name of the operation "
            "that makes a tensor" +
            (files_.size() > 1 ? ", after its rank (r0:t12)" : "");
  else if (last - first > 1)
    wrong = "'" + shown_name(whole) + "' matches " + std::to_string(found.size()) +
            " tensors; expected its rank first, as in r0:" + shown_name(name);
  else
    wrong = "'" + shown_name(whole) + "' is the name of " + std::to_string(found.size()) +
            " operations; expected the tensor's Id";
  return std::nullopt;
}

void ark_ranks::find(std::size_t r, std::string_view name, std::vector<ark_target>& found) const {
  const ark::model& g = graph(r);
  const std::size_t before = found.size();
  // 12, t12 and %12 (of `tessera print`) are a tensor; b3 and @3 are a buffer.
  const char kind = name.empty() ? '\0' : name[0];
  const bool is_buffer = kind == 'b' || kind == '@';
  const std::string_view id = is_buffer || kind == 't' || kind == '%' ? name.substr(1) : name;
  if (is_number(id)) {
    const std::int64_t number = number_of(id);
    if (is_buffer) {
      for (const inspect::storage& s : flows_[r].storages())
        if (s.id == number && s.is_local) found.push_back({r, ark::none, s.buffer});
    } else {
      for (std::uint32_t t = 0; t < g.tensors.size() && found.size() == before; ++t)
        if (g.tensors[t].id == number && is_local(g, buffer_of(g, t)))
          found.push_back({r, t, ark::none});
    }
    if (found.size() != before) return;
  }
  for (const ark::op& o : g.ops) {
    if (tessera::ark::name(g, o) != name) continue;
    const view<std::uint32_t> made = results(g, o).empty() ? writes(g, o) : results(g, o);
    if (!made.empty() && is_local(g, buffer_of(g, made[0])))
      found.push_back({r, made[0], ark::none});
  }
}

std::vector<ark_target> ark_ranks::ends(bool inputs) const {
  std::vector<ark_target> out;
  for (std::size_t r = 0; r < files_.size(); ++r)
    for (const std::uint32_t t : inputs ? flows_[r].inputs() : flows_[r].outputs())
      out.push_back({r, t, ark::none});
  return out;
}

std::string ark_ranks::name_of(const ark_target& t) const {
  const ark::model& g = graph(t.rank);
  const std::string id = t.tensor == ark::none ? 'b' + std::to_string(g.buffers[t.buffer].id)
                                               : 't' + std::to_string(g.tensors[t.tensor].id);
  return files_.size() == 1 ? id : 'r' + std::to_string(g.rank) + ':' + id;
}

element_shape ark_ranks::elements_of(const ark_target& t) const {
  if (t.tensor != ark::none) return tensor_elements(graph(t.rank), t.tensor);
  const ark::program& p = files_[t.rank].program;
  element_shape out{element_type::u8, ark::info(ark::data_type::byte).name};
  out.shape.push_back(p.bytes(p.storage(t.buffer)));
  out.any_type = true;
  return out;
}

std::uint32_t ark_ranks::storage_of(const ark_target& t) const {
  return t.tensor != ark::none ? flows_[t.rank].storage_of_tensor(t.tensor)
                               : flows_[t.rank].storage_of_buffer(t.buffer);
}

std::vector<std::byte> ark_ranks::random_elements(const ark_target& t, std::uint64_t& state) const {
  const ark::model& g = graph(t.rank);
  const element_shape what = elements_of(t);
  double low = -1, high = 1;
  const bool whole = what.type > element_type::bf16;
  if (whole) {
    const bool is_signed = what.type == element_type::i32 || what.type == element_type::i8;
    low = is_signed ? -8 : 0;
    high = is_signed ? 7 : 15;
  }
  for (const ark::op& o : g.ops) {
    if (o.type == ark::op_type::embedding && o.reads == 2 && reads(g, o)[0] == t.tensor) {
      low = 0;
      high = static_cast<double>(layout_of(g, reads(g, o)[1]).shape[0] - 1);
    }
    if (o.type == ark::op_type::kv_cache_slot && o.reads == 2 && reads(g, o)[1] == t.tensor)
      low = high = 0;
  }
  std::vector<std::byte> out(static_cast<std::size_t>(what.bytes()));
  for (std::size_t i = 0; i < what.count(); ++i)
    (void)store_element(out, what.type, i, random_number(state, low, high, whole));
  return out;
}

std::string_view ark_ranks::maker(const ark_target& t) const {
  const ark::model& g = graph(t.rank);
  for (const ark::op& o : g.ops)
    for (const std::uint32_t made : results(g, o))
      if (made == t.tensor) return tessera::ark::name(g, o);
  return {};
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
