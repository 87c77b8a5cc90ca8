// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "nem/rule_check.hpp"
#include "nem/verbs.hpp"

#include <utility>

namespace rule_check {

checked check(std::string_view marked, nem::profile profile) {
  checked c;
  c.source = marked;
  c.mark = c.source.find('`');
  if (c.mark != std::string::npos) c.source.erase(c.mark, 1);
  nem::read_options reading;
  reading.profile = profile;
  auto document = nem_test::read(c.source, reading, &c.found);
  if (!document) return c;
  nem::verify_options options;
  options.profile = profile;
  (void)nem_test::verify(std::move(*document), options, &c.found);
  return c;
}

}  // namespace rule_check
