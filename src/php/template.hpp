// Text with named holes. A hole is written @{name}: neither pool files, nor nginx, nor shells give
// that a meaning of their own.
#pragma once

#include "base/result.hpp"
#include "php/value.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tenantctl {

using TemplateValues = std::map<std::string, Value, std::less<>>;

// The text with every hole filled, verbatim and in one pass: what a value says is never read as a
// hole again. Errc::invalid with the template's line for a name that is not known and for a hole
// that is not closed on its line.
Result<std::string> expand_template(std::string_view text, const TemplateValues& values);

} // namespace tenantctl
