// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "lsp_document.hpp"

#include <algorithm>
#include <system_error>
#include <tessera/core/bytes.hpp>
#include <utility>

#include "io/compress.hpp"
#include "nem_includes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

namespace fs = std::filesystem;

// ---- positions

namespace {

/// The bytes of the character at `at`, and the units that it counts.
struct character {
  std::uint32_t bytes, units;
};
[[nodiscard]] character character_at(std::string_view s, std::size_t at, encoding e) noexcept {
  const unsigned length = utf8_length(s.data() + at, s.data() + s.size());
  const std::uint32_t bytes = length == 0 ? 1 : length;  // what isn't UTF-8, clients see as U+FFFD
  switch (e) {
    case encoding::utf8: return {bytes, bytes};
    case encoding::utf16: return {bytes, bytes == 4 ? 2u : 1u};
    case encoding::utf32: break;
  }
  return {bytes, 1};
}

}  // namespace

void source_text::find_lines(std::size_t first) {
  marks_.clear();
  is_ascii_ = std::all_of(text_.begin(), text_.end(),
                          [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  lines_.resize(std::min(first, lines_.size()));
  if (lines_.empty()) lines_.push_back(0);
  for (std::size_t at = lines_.back();;) {
    at = text_.find_first_of("\r\n", at);
    if (at == text_.npos) return;
    at += text_[at] == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n' ? 2u : 1u;
    lines_.push_back(static_cast<std::uint32_t>(at));
  }
}

std::uint32_t source_text::line_at(std::uint32_t line) const noexcept {
  return line < lines_.size() ? lines_[line] : static_cast<std::uint32_t>(text_.size());
}

std::uint32_t source_text::end_of(std::size_t line) const noexcept {
  if (line + 1 >= lines_.size()) return static_cast<std::uint32_t>(text_.size());
  std::uint32_t end = lines_[line + 1] - 1;
  if (text_[end] == '\n' && end > lines_[line] && text_[end - 1] == '\r') --end;
  return end;
}

void source_text::make_marks(encoding e) const {
  constexpr std::uint32_t distance = 256;
  if (!marks_.empty() && marked_ == e) return;
  marked_ = e;
  marks_.assign(1, {0, 0});
  mark here{0, 0};
  while (here.offset < text_.size()) {
    const character c = character_at(text_, here.offset, e);
    here = {here.offset + c.bytes, here.units + c.units};
    if (here.offset - marks_.back().offset >= distance) marks_.push_back(here);
  }
}

std::uint32_t source_text::units_before(std::uint32_t offset, encoding e) const {
  if (is_ascii_ || e == encoding::utf8) return offset;
  make_marks(e);
  mark at = *(std::upper_bound(marks_.begin(), marks_.end(), offset,
                               [](std::uint32_t o, const mark& m) { return o < m.offset; }) -
              1);
  while (at.offset < offset) {
    const character c = character_at(text_, at.offset, e);
    if (at.offset + c.bytes > offset) break;  // inside of a character: before it
    at = {at.offset + c.bytes, at.units + c.units};
  }
  return at.units;
}

std::uint32_t source_text::offset_with(std::uint32_t units, std::uint32_t at, std::uint32_t last,
                                       encoding e) const {
  mark here{at, units_before(at, e)};
  if (!is_ascii_ && e != encoding::utf8) {
    const mark near =
        *(std::upper_bound(marks_.begin(), marks_.end(), units,
                           [](std::uint32_t u, const mark& m) { return u < m.units; }) -
          1);
    if (near.offset > here.offset) here = near;
  }
  while (here.offset < last) {
    const character c = character_at(text_, here.offset, e);
    if (here.units + c.units > units) break;
    here = {here.offset + c.bytes, here.units + c.units};
  }
  return std::min(here.offset, last);
}

position source_text::position_of(std::uint64_t offset, encoding e) const {
  const auto at = static_cast<std::uint32_t>(std::min<std::uint64_t>(offset, text_.size()));
  const std::size_t line = static_cast<std::size_t>(
      std::upper_bound(lines_.begin(), lines_.end(), at) - lines_.begin() - 1);
  const std::uint32_t last = std::min(at, end_of(line));
  return {static_cast<std::uint32_t>(line), units_before(last, e) - units_before(lines_[line], e)};
}

std::uint32_t source_text::units_of(std::uint32_t first, std::uint32_t last, encoding e) const {
  if (is_ascii_) return last - first;
  std::uint32_t units = 0;
  while (first < last) {
    const character c = character_at(text_, first, e);
    first += c.bytes;
    units += c.units;
  }
  return units;
}

std::uint32_t source_text::offset_of(position p, encoding e) const {
  if (p.line >= lines_.size()) return static_cast<std::uint32_t>(text_.size());
  const std::uint32_t first = lines_[p.line], last = end_of(p.line);
  const std::uint32_t before = units_before(first, e);
  if (p.character >= units_before(last, e) - before) return last;
  if (is_ascii_) return first + p.character;
  return offset_with(before + p.character, first, last, e);
}

void source_text::apply(const text_change& c, encoding e) {
  if (!c.has_range) {
    text_ = c.text;
    return find_lines(0);
  }
  const std::uint32_t first = offset_of(c.first, e);
  const std::uint32_t last = std::max(first, offset_of(c.last, e));
  text_.replace(first, last - first, c.text);
  // From the line before, whose CR may now precede an LF.
  const std::size_t line = std::min<std::size_t>(c.first.line, lines_.size() - 1);
  find_lines(line);
}

// ---- names of files

std::string path_of(std::string_view uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) return {};
  uri.remove_prefix(scheme.size());
  const std::size_t slash = uri.find('/');  // after an authority, which is empty or this machine
  if (slash == uri.npos) return {};
  uri.remove_prefix(slash);
  uri = uri.substr(0, uri.find_first_of("?#"));
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size() && digit(uri[i + 1]) >= 0 && digit(uri[i + 2]) >= 0) {
      path += static_cast<char>(digit(uri[i + 1]) * 16 + digit(uri[i + 2]));
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path.find('\0') == path.npos ? path : std::string();
}

std::string uri_of(std::string_view path) {
  constexpr std::string_view plain = "-._~/";
  std::string uri = "file://";
  for (const char c : path) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                          (c >= 'a' && c <= 'z') || plain.find(c) != plain.npos;
    if (is_plain) {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += '%';
    uri += "0123456789ABCDEF"[byte >> 4];
    uri += "0123456789ABCDEF"[byte & 15];
  }
  return uri;
}

// ---- files

void file_table::settle() {
  replaced_.clear();
  if (bytes_ <= options_.max_included / 2) return;
  loaded_.clear();
  bytes_ = 0;
}

void file_table::set_open(const std::string& id, document* d) {
  if (id.empty()) return;
  if (d == nullptr)
    documents_.erase(id);
  else
    documents_[id] = d;
}

document* file_table::open_document(std::string_view id) const {
  const auto at = documents_.find(id);
  return at == documents_.end() ? nullptr : at->second;
}

bool file_table::open(std::string_view from, std::string_view path, nem::resolver::file& to) {
  std::vector<fs::path> folders;
  if (!from.empty()) folders.push_back(fs::path(from).parent_path());
  folders.insert(folders.end(), options_.include_folders.begin(), options_.include_folders.end());
  if (!root.empty()) folders.emplace_back(root);
  if (!options_.devices.empty()) folders.emplace_back(options_.devices);
  const auto accept = [&](const std::string& id, const fs::path&) {
    if (const auto open = documents_.find(id); open != documents_.end()) {
      to = {open->first, open->second->text().view()};
      return true;
    }
    const std::string* const text = load(id, why_);
    if (text == nullptr) return false;
    to = {loaded_.find(id)->first, *text};
    return true;
  };
  if (find_include(folders, path, options_.includes_anywhere, why_, accept)) return true;
  to.why = why_;
  return false;
}

const std::string* file_table::load(const std::string& id, std::string& why) {
  if (!options_.reads_files) return nullptr;
  std::error_code unknown;
  if (!fs::exists(id, unknown)) return nullptr;
  // Before it is opened: that could wait for ever at a pipe.
  if (!fs::is_regular_file(id, unknown)) {
    why = "it isn't a regular file";
    return nullptr;
  }
  const fs::file_time_type time = fs::last_write_time(id, unknown);
  const std::uint64_t size = fs::file_size(id, unknown);
  if (size > options_.max_document) {
    why = "it is too long";
    return nullptr;
  }
  if (const auto known = loaded_.find(id);
      known != loaded_.end() && known->second.time == time && known->second.size == size)
    return known->second.text.get();
  if (bytes_ + size > options_.max_included) {
    why = "the included files are too long together";
    return nullptr;
  }
  const io::expected<io::content> content =
      io::load(id, limits{.max_bytes = options_.max_document}, io::side_input);
  if (!content) {
    why = content.error().what;
    return nullptr;
  }
  loaded& to = loaded_[id];
  if (to.text != nullptr) replaced_.push_back(std::move(to.text));
  bytes_ += content->view().size();
  to = {std::make_unique<const std::string>(as_text(content->view())), time, size};
  return to.text.get();
}

nem::resolver::file file_table::device_file(std::string& why) {
  const named_device device = device_of(options_.device);
  why.clear();
  if (device.file.empty()) return {};
  const std::string id = include_id(device.file);
  if (const document* const d = open_document(id))
    return {documents_.find(id)->first, d->text().view()};
  const std::string* const text = load(id, why);
  if (text != nullptr) return {loaded_.find(id)->first, *text};
  why = "can't read the device " + device.file + (why.empty() ? "" : ": " + why);
  return {};
}

std::string_view file_table::text_of(std::string_view id) const {
  if (const document* const d = open_document(id)) return d->text().view();
  const auto at = loaded_.find(id);
  return at == loaded_.end() ? std::string_view() : std::string_view(*at->second.text);
}

std::string file_table::uri_of_id(std::string_view id) const {
  const document* const d = open_document(id);
  return d != nullptr ? d->uri() : uri_of(id);
}

// ---- documents

document::document(file_table& files, std::string uri, std::string text, std::int64_t v)
    : version(v),
      files_(files),
      uri_(std::move(uri)),
      path_(path_of(uri_)),
      text_(std::move(text)) {
  if (!path_.empty()) id_ = include_id(path_);
}

bool document::change(const std::vector<text_change>& all, encoding e, std::int64_t v) {
  version = v;
  type();
  for (const text_change& c : all) {
    if (is_too_long_ && c.has_range) continue;
    const std::uint64_t kept = c.has_range ? text_.view().size() : 0;
    is_too_long_ = kept + c.text.size() > files_.options().max_document;
    if (is_too_long_)
      text_ = source_text();
    else
      text_.apply(c, e);
  }
  return !is_too_long_;
}

void document::type() {
  forget();
  is_typed_ = true;
}

void document::save() {
  forget();
  is_typed_ = false;
}

void document::forget() {
  is_published = is_read_ = is_whole_ = is_verified_ = is_unverified_ = false;
  was_tried_without_races_ = false;
  found_ = {};
  partial_ = {};
  model_ = {};
  symbols_.reset();
  facts_.reset();
  program_.reset();
}

bool document::resolve(void* self, std::string_view from, std::string_view path,
                       nem::resolver::file& to) {
  document& d = *static_cast<document*>(self);
  return d.files_.open(from.empty() || from == d.id_ ? std::string_view(d.path_) : from, path, to);
}

nem::verify_options document::options() {
  const std::string& profile = files_.options().profile;
  nem::verify_options o;
  o.profile = profile == "strict"     ? nem::profile::strict
              : profile == "upstream" ? nem::profile::upstream
                                      : nem::profile::standard;
  o.resolver = {resolve, this};
  o.id = id_;
  o.device_file = files_.device_file(device_problem_);
  if (device_problem_.empty()) device_name_ = device_of(files_.options().device).name;
  o.device = device_name_;
  if (is_typed_) {
    o.max_instances = typed_instances;
    o.hazard_steps = typed_hazard_steps;
  }
  return o;
}

void document::read() {
  if (is_read_) return;
  is_read_ = true;
  nem::read_options how;
  how.profile = options().profile;
  how.max_errors = 100;
  result<nem::model> d = nem::read(text_.view(), how, &found_);
  is_whole_ = d.has_value();
  model_ = d ? std::move(*d) : inspect::read_partly(text_.view(), how);
}

void document::verify() {
  if (is_verified_) return;
  read();
  is_verified_ = true;
  is_unverified_ = model_.nodes.size() > max_verified;
  if (is_unverified_) return;
  result<nem::program> p = nem::verify(model_, options(), is_whole_ ? &found_ : &partial_);
  if (p) program_ = std::move(*p);
}

const tessera::report& document::report() {
  read();
  if (is_whole_) verify();
  return found_;
}
bool document::is_whole() {
  read();
  return is_whole_;
}
const nem::model& document::model() {
  read();
  return model_;
}
const inspect::nem_symbols& document::symbols() {
  if (!symbols_) symbols_.emplace(model(), text_.view());
  return *symbols_;
}

const nem::program* document::program() {
  verify();
  if (!program_ && !is_unverified_ && !was_tried_without_races_) {
    was_tried_without_races_ = true;
    nem::verify_options how = options();
    how.hazard_steps = 0;
    if (result<nem::program> p = nem::verify(model_, how)) program_ = std::move(*p);
  }
  return program_ ? &*program_ : nullptr;
}

const inspect::nem_facts& document::facts() {
  if (!facts_) {
    const nem::program* const p = program();
    if (is_unverified_)
      facts_.emplace();
    else
      facts_.emplace(model_, options(), p);
  }
  return *facts_;
}

std::vector<std::string> document::included() {
  verify();
  const tessera::report& r = is_whole_ ? found_ : partial_;
  std::vector<std::string> out;
  for (const text_range& f : r.files) out.emplace_back(r.text_of(f));
  return out;
}

bool document::depends_on(std::string_view id) const {
  for (const tessera::report* const r : {&found_, &partial_})
    for (const text_range& f : r->files)
      if (r->text_of(f) == id) return true;
  return false;
}

bool document::verify_for(const nem::resolver::file& file, const std::string& name,
                          tessera::report& found) {
  nem::verify_options how = options();
  how.device_file = file;
  how.device = name;
  return nem::verify(model(), how, &found).has_value();
}

}  // namespace cli::lsp
}  // namespace tessera::inline TESSERA_ABI
