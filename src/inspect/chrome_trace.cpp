// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "chrome_trace.hpp"

#include <tessera/core/json_write.hpp>

#include "label.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

json::writer chrome_trace::begin(char phase, std::uint32_t process, std::uint32_t thread, double at,
                                 std::string_view name) {
  out_ << (first_ ? "\n" : ",\n");
  first_ = false;
  json::writer w(out_);
  w.begin_object().key("ph").string({&phase, 1}).key("pid").integer(process);
  w.key("tid").integer(thread).key("ts").number(at).key("name").string(as_utf8(name));
  return w;
}

void chrome_trace::end(json::writer& w, std::span<const argument> more) {
  if (more.size() != 0) {
    w.key("args").begin_object();
    for (const auto& [key, value] : more) w.key(key).string(as_utf8(value));
    w.end();
  }
  w.end();
}

void chrome_trace::metadata(std::string_view what, std::uint32_t process, std::uint32_t thread,
                            std::string_view name) {
  json::writer w = begin('M', process, thread, 0, what);
  const argument named[] = {{"name", name}};
  end(w, named);
}

void chrome_trace::span(std::uint32_t process, std::uint32_t thread, double start, double duration,
                        std::string_view name, arguments more) {
  span_with(process, thread, start, duration, name, {more.begin(), more.size()});
}

void chrome_trace::span_with(std::uint32_t process, std::uint32_t thread, double start,
                             double duration, std::string_view name,
                             std::span<const argument> more) {
  json::writer w = begin('X', process, thread, start, name);
  w.key("dur").number(duration);
  end(w, more);
}

void chrome_trace::instant(std::uint32_t process, std::uint32_t thread, double at,
                           std::string_view name, arguments more) {
  json::writer w = begin('i', process, thread, at, name);
  w.key("s").string("t");
  end(w, {more.begin(), more.size()});
}

void chrome_trace::counter(std::uint32_t process, double at, std::string_view name,
                           std::string_view unit, std::uint64_t value) {
  json::writer w = begin('C', process, 0, at, name);
  w.key("args").begin_object().key(unit).integer(value).end();
  w.end();
}

void chrome_trace::finish(arguments more) {
  out_ << "\n],\"displayTimeUnit\":\"ns\"";
  if (more.size() != 0) {
    out_ << ",\"otherData\":";
    json::writer w(out_);
    w.begin_object();
    for (const auto& [key, value] : more) w.key(key).string(as_utf8(value));
    w.end();
  }
  out_ << "}\n";
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
