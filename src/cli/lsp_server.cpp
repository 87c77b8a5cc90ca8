// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "lsp_server.hpp"

#include <algorithm>
#include <utility>

#include "inspect/label.hpp"
#include "lsp_words.hpp"
#include "nem_includes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

const server::method_row server::methods[] = {
    {"initialize", &server::initialize, nullptr},
    {"initialized", nullptr, &server::ignore},
    {"shutdown", &server::shutdown, nullptr},
    {"exit", nullptr, &server::exit},
    {"$/setTrace", nullptr, &server::ignore},
    {"textDocument/didOpen", nullptr, &server::did_open},
    {"textDocument/didChange", nullptr, &server::did_change},
    {"textDocument/didClose", nullptr, &server::did_close},
    {"textDocument/didSave", nullptr, &server::did_save},
    {"workspace/didChangeWatchedFiles", nullptr, &server::files_changed},
    {"textDocument/hover", &server::hover, nullptr},
    {"textDocument/definition", &server::definition, nullptr},
    {"textDocument/references", &server::references, nullptr},
    {"textDocument/documentHighlight", &server::highlights, nullptr},
    {"textDocument/documentSymbol", &server::symbols, nullptr},
    {"textDocument/completion", &server::completion, nullptr},
    {"textDocument/formatting", &server::formatting, nullptr},
    {"textDocument/codeAction", &server::actions, nullptr},
    {"textDocument/inlayHint", &server::inlay_hints, nullptr},
    {"textDocument/semanticTokens/full", &server::tokens, nullptr},
    {"textDocument/semanticTokens/range", &server::tokens_of_range, nullptr},
};

std::string utf8(std::string_view s) { return is_utf8(s) ? std::string(s) : inspect::as_utf8(s); }

// ---- messages

int server::run() {
  while (state_ != state::ended && !is_broken_) {
    if (queue_.empty() && !frames_.is_waiting()) publish_all();
    if (!read()) break;
    const pending next = std::move(queue_.front());
    queue_.pop_front();
    queued_ -= next.what.size();
    dispatch(next);
    files_.settle();
  }
  return was_shut_down_ ? 0 : 1;
}

/// Waits for a message, unless there is one, and reads those that wait, too, so that what they cancel
/// isn't begun. False at the end of the input.
bool server::read() {
  constexpr std::size_t max_queue = 1000, max_bytes = std::size_t{1} << 24;
  while (queue_.empty() ||
         (queue_.size() < max_queue && queued_ < max_bytes && frames_.is_waiting())) {
    frame f = frames_.next();
    if (f.kind == frame::end) return !queue_.empty();
    take(std::move(f));
  }
  return true;
}

/// Requests that wait are cancelled; all else waits for its turn.
void server::take(frame&& f) {
  if (f.kind == frame::malformed) return send_error("null", parse_error, f.content);
  message m(std::move(f.content));
  if (m.method != "$/cancelRequest") {
    queued_ += m.size();
    queue_.push_back({std::move(m)});
    return;
  }
  const std::string id = m.id_of(field::cancelled_id);
  for (pending& p : queue_)
    if (!id.empty() && p.what.id == id) p.is_cancelled = true;
}

const server::method_row* server::find(std::string_view method) noexcept {
  for (const method_row& r : methods)
    if (r.name == method) return &r;
  return nullptr;
}

void server::dispatch(const pending& p) {
  const message& m = p.what;
  if (m.error != 0) return send_error(m.id.empty() ? "null" : m.id, m.error, m.why);
  if (m.is_response) return;
  const method_row* const row = find(m.method);
  if (m.id.empty()) {
    const bool is_exit = row != nullptr && row->act == &server::exit;
    if (row != nullptr && row->act != nullptr && (state_ == state::running || is_exit))
      (this->*row->act)(m);
    return;
  }
  if (p.is_cancelled) return send_error(m.id, request_cancelled, "the request was cancelled");
  const bool begins = m.method == "initialize";
  if (state_ == state::fresh && !begins)
    return send_error(m.id, server_not_initialized, "expected initialize first");
  if (state_ == state::shut_down)
    return send_error(m.id, invalid_request, "expected exit after shutdown");
  if (row == nullptr || row->answer == nullptr)
    return send_error(m.id, method_not_found, "unknown method " + m.method);
  answer(m, row->answer);
}

void server::answer(const message& m, request_handler handler) {
  tessera::text content;
  json::writer to(content);
  to.begin_object().key("jsonrpc").string("2.0").key("id").raw(m.id).key("result");
  const failure f = (this->*handler)(m, to);
  if (f.code != 0) return send_error(m.id, f.code, f.why);
  to.end();
  send(content);
}

void server::send(std::string_view content) {
  const tessera::text all = framed(content);
  if (!out_.write(all)) is_broken_ = true;
}

void server::send_error(std::string_view id, int code, std::string_view why) {
  tessera::text content;
  json::writer to(content);
  to.begin_object().key("jsonrpc").string("2.0").key("id").raw(id).key("error").begin_object();
  to.key("code").integer(code).key("message").string(utf8(why)).end().end();
  send(content);
}

void server::notify(std::string_view method, std::string_view params) {
  tessera::text content;
  json::writer to(content);
  to.begin_object().key("jsonrpc").string("2.0").key("method").string(method);
  to.key("params").raw(params).end();
  send(content);
}

void server::show_unchecked(std::string_view uri, std::string_view why) {
  const std::string text =
      std::string(uri) + std::string(why) + " to be checked here; `tessera check` checks it";
  tessera::text params;
  json::writer to(params);
  to.begin_object().key("type").integer(2).key("message").string(utf8(text)).end();
  notify("window/showMessage", params);
}

// ---- the session

failure server::initialize(const message& m, json::writer& to) {
  if (state_ != state::fresh) return {invalid_request, "initialize was called before"};
  state_ = state::running;
  const std::vector<std::string> formats = m.texts(field::hover_formats);
  has_markdown_ =
      formats.empty() || std::find(formats.begin(), formats.end(), "markdown") != formats.end();
  has_snippets_ = m.is_true(field::snippets);
  has_hierarchy_ = m.is_true(field::hierarchical);
  has_actions_ = m.has(field::action_literals);
  has_related_ = m.is_true(field::labels_in_definitions);
  for (const std::string& name : m.texts(field::encodings)) {
    const auto* const at = std::find(std::begin(encoding_names), std::end(encoding_names), name);
    if (at == std::end(encoding_names)) continue;
    encoding_ = static_cast<encoding>(at - std::begin(encoding_names));
    break;
  }
  files_.root = path_of(m.text(field::root_uri));
  if (const std::vector<std::string> folders = m.uris(field::folders); !folders.empty())
    files_.root = path_of(folders[0]);
  if (files_.root.empty()) files_.root = m.text(field::root_path);
  read_options(m);
  to.begin_object().key("capabilities");
  write_capabilities(to);
  to.key("serverInfo").begin_object().key("name").string("tessera");
  to.key("version").string(TESSERA_VERSION_STRING).end().end();
  return {};
}

void server::read_options(const message& m) {
  lsp_options& o = files_.options();
  if (m.has(field::device)) o.device = m.text(field::device);
  if (m.has(field::devices)) o.devices = m.text(field::devices);
  if (m.has(field::profile)) o.profile = m.text(field::profile);
  if (m.has(field::include)) o.include_folders = m.texts(field::include);
  if (m.has(field::anywhere)) o.includes_anywhere = m.is_true(field::anywhere);
}

void server::write_capabilities(json::writer& to) const {
  to.begin_object();
  to.key("positionEncoding").string(encoding_names[static_cast<std::size_t>(encoding_)]);
  to.key("textDocumentSync").begin_object();
  to.key("openClose").boolean(true).key("change").integer(2);  // incremental
  to.key("save").begin_object().key("includeText").boolean(false).end().end();
  for (const std::string_view name :
       {"hoverProvider", "definitionProvider", "referencesProvider", "documentHighlightProvider",
        "documentSymbolProvider", "documentFormattingProvider", "inlayHintProvider"})
    to.key(name).boolean(true);
  to.key("completionProvider").begin_object().key("triggerCharacters").begin_array();
  for (const std::string_view c : {"@", "=", "[", "(", ",", "\"", "<"}) to.string(c);
  to.end().end();
  to.key("codeActionProvider").begin_object().key("codeActionKinds").begin_array();
  to.string("quickfix").end().end();
  to.key("semanticTokensProvider").begin_object().key("legend");
  write_legend(to);
  to.key("full").boolean(true).key("range").boolean(true).end();
  to.end();
}

failure server::shutdown(const message&, json::writer& to) {
  state_ = state::shut_down;
  was_shut_down_ = true;
  to.null();
  return {};
}

void server::exit(const message&) { state_ = state::ended; }

void server::did_open(const message& m) {
  const std::string uri = m.text(field::uri);
  std::string text = m.text(field::text);
  if (uri.empty() || !m.has(field::text)) return;
  const lsp_options& o = files_.options();
  std::uint64_t open = text.size();
  for (const auto& [other, d] : documents_) open += other == uri ? 0 : d->text().view().size();
  const bool is_new = documents_.find(uri) == documents_.end();
  const std::string_view why = text.size() > o.max_document ? " is too long"
                               : open > o.max_open          ? ": too much is open"
                               : is_new && documents_.size() >= o.max_documents
                                   ? ": too many open documents"
                                   : "";
  if (!why.empty()) return show_unchecked(uri, why);
  std::unique_ptr<document>& d = documents_[uri];
  if (d != nullptr) files_.set_open(d->id(), nullptr);
  d = std::make_unique<document>(files_, uri, std::move(text), m.integer(field::version, 0));
  files_.set_open(d->id(), d.get());
  forget_all();
}

void server::did_change(const message& m) {
  const auto at = documents_.find(m.text(field::uri));
  std::vector<text_change> changes;
  if (at == documents_.end() || !m.changes(changes)) return;
  const std::int64_t version = m.integer(field::version, at->second->version);
  if (!at->second->change(changes, encoding_, version)) show_unchecked(at->first, " is too long");
  // Those that include it.
  for (const auto& [uri, d] : documents_)
    if (d != at->second && d->depends_on(at->second->id())) d->type();
}

void server::did_close(const message& m) {
  const std::string uri = m.text(field::uri);
  const auto at = documents_.find(uri);
  if (at == documents_.end()) return;
  files_.set_open(at->second->id(), nullptr);
  documents_.erase(at);
  forget_all();
  tessera::text params;
  json::writer to(params);
  to.begin_object().key("uri").string(uri).key("diagnostics").begin_array().end().end();
  notify("textDocument/publishDiagnostics", params);
}

void server::did_save(const message&) {
  for (const auto& [uri, d] : documents_) d->save();
}
void server::files_changed(const message&) { forget_all(); }
void server::forget_all() {
  for (const auto& [uri, d] : documents_) d->forget();
}

// ---- findings

void server::publish_all() {
  for (const auto& [uri, d] : documents_)
    if (!d->is_published) publish(*d);
}

void server::publish(document& d) {
  const tessera::report& found = d.report();
  tessera::text params;
  json::writer to(params);
  to.begin_object().key("uri").string(d.uri()).key("version").integer(d.version);
  to.key("diagnostics").begin_array();
  for (const diagnostic& x : found.diagnostics)
    if (!d.is_typed() || x.code != errc::nem_haz_005_partial) write_finding(to, d, found, x);
  if (!d.device_problem().empty()) write_remark(to, 1, d.device_problem());
  if (d.is_unverified())
    write_remark(to, 3, "too many statements to be verified here; `tessera check` verifies them");
  to.end().end();
  d.is_published = true;
  notify("textDocument/publishDiagnostics", params);
  files_.settle();
}

void server::write_remark(json::writer& to, int severity, std::string_view text) {
  to.begin_object().key("range").begin_object();
  for (const std::string_view end : {"start", "end"})
    to.key(end).begin_object().key("line").integer(0).key("character").integer(0).end();
  to.end().key("severity").integer(severity).key("source").string("tessera");
  to.key("message").string(utf8(text)).end();
}

place server::include_of(document& d, std::uint32_t file) const {
  const nem::model& m = d.model();
  const std::vector<std::string> all = d.included();
  place first;
  for (std::uint32_t i = 0; i < m.nodes.size(); i = m.nodes[i].next) {
    const nem::node& n = m.nodes[i];
    if (n.kind != nem::node_kind::include && n.kind != nem::node_kind::device_file) continue;
    const place here{0, n.offset, n.length};
    if (first.length == 0) first = here;
    if (file - 1 < all.size() && nem::base_name(all[file - 1]) == nem::base_name(m.name(n.value)))
      return here;
  }
  return first;
}

file_place server::place_of(document& d, const tessera::report& found, const place& at) {
  if (at.file == 0 || at.file > found.files.size())
    return {d.uri(), &d.text(), at.offset, at.length};
  const std::string_view id = found.text_of(found.files[at.file - 1]);
  return {files_.uri_of_id(id), nullptr, at.offset, at.length};
}

void server::write_related(json::writer& to, document& d, const tessera::report& found,
                           const place& at, std::string_view text) {
  file_place where = place_of(d, found, at);
  source_text other;
  if (where.text == nullptr) {
    other = source_text(std::string(files_.text_of(found.text_of(found.files[at.file - 1]))));
    where.text = &other;
  }
  to.begin_object().key("location");
  write_location(to, where);
  to.key("message").string(utf8(text)).end();
}

void server::write_finding(json::writer& to, document& d, const tessera::report& found,
                           const diagnostic& x) {
  const bool is_elsewhere = x.where.file != 0;
  const place at = is_elsewhere ? include_of(d, x.where.file) : x.where;
  std::string text(found.text_of(x.text));
  const bool shows_note = x.has_note && (x.related.length == 0 || !has_related_);
  if (is_elsewhere)
    text = std::string(nem::base_name(x.where.file <= found.files.size()
                                          ? found.text_of(found.files[x.where.file - 1])
                                          : std::string_view())) +
           ": " + text;
  if (shows_note) text += "\n" + std::string(found.text_of(x.note));
  to.begin_object().key("range");
  const std::uint64_t length = at.length != 0 ? at.length : at.offset < d.text().view().size();
  write_range(to, d.text(), at.offset, at.offset + length);
  to.key("severity").integer(static_cast<int>(x.severity) + 1);
  to.key("code").string(utf8(found.rule_of(x))).key("source").string("tessera");
  to.key("message").string(utf8(text));
  if (has_related_ && (is_elsewhere || (x.has_note && !shows_note))) {
    to.key("relatedInformation").begin_array();
    if (is_elsewhere) write_related(to, d, found, x.where, found.text_of(x.text));
    if (x.has_note && !shows_note) write_related(to, d, found, x.related, found.text_of(x.note));
    to.end();
  }
  to.end();
}

// ---- what requests share

document* server::find_document(const message& m, failure& why) {
  const std::string uri = m.text(field::uri);
  const auto at = documents_.find(uri);
  if (at != documents_.end()) return at->second.get();
  why = {invalid_params, uri.empty() ? "expected params.textDocument.uri" : uri + " isn't open"};
  return nullptr;
}

document* server::find_place(const message& m, std::uint32_t& offset, failure& why) {
  document* const d = find_document(m, why);
  position p;
  if (d == nullptr) return nullptr;
  if (!m.place(field::line, field::character, p)) {
    why = {invalid_params, "expected params.position"};
    return nullptr;
  }
  offset = d->text().offset_of(p, encoding_);
  return d;
}

void server::write_position(json::writer& to, const source_text& text, std::uint64_t offset) const {
  const position p = text.position_of(offset, encoding_);
  to.begin_object().key("line").integer(p.line).key("character").integer(p.character).end();
}

void server::write_range(json::writer& to, const source_text& text, std::uint64_t first,
                         std::uint64_t last) const {
  to.begin_object().key("start");
  write_position(to, text, first);
  to.key("end");
  write_position(to, text, last);
  to.end();
}

void server::write_location(json::writer& to, const file_place& at) const {
  to.begin_object().key("uri").string(at.uri).key("range");
  write_range(to, *at.text, at.offset, at.offset + at.length);
  to.end();
}

std::pair<std::uint32_t, std::uint32_t> server::range_of(const message& m,
                                                         const document& d) const {
  position first, last;
  const auto size = static_cast<std::uint32_t>(d.text().view().size());
  if (!m.place(field::first_line, field::first_character, first) ||
      !m.place(field::last_line, field::last_character, last))
    return {0, size};
  return {d.text().offset_of(first, encoding_), d.text().offset_of(last, encoding_)};
}

}  // namespace cli::lsp

namespace cli {
int serve_lsp(lsp_input& in, lsp_output& out, const lsp_options& options) {
  return lsp::server(in, out, options).run();
}
}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
