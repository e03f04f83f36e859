#include "php/template.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tenantctl {

namespace {

constexpr std::string_view hole_start = "@{";

// The error at a place in the template, with its line.
Error invalid_at(std::string_view text, std::size_t place, std::string_view problem) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(place), '\n');
    return Error{Errc::invalid, fmt::format("line {}: {}", line, problem)};
}

std::string unknown_name(std::string_view name, const TemplateValues& values) {
    std::vector<std::string> known;
    for (const auto& entry : values)
        known.push_back(entry.first);
    const auto near = nearest(name, known);
    if (near.empty())
        return fmt::format("unknown value \"{}\" (known: {})", escaped(name, 40),
                           join(known, ", "));
    return fmt::format("unknown value \"{}\"; did you mean \"{}\"?", escaped(name, 40), near);
}

} // namespace

Result<std::string> expand_template(std::string_view text, const TemplateValues& values) {
    std::string out;
    std::size_t copied = 0;
    for (auto hole = text.find(hole_start); hole != std::string_view::npos;
         hole = text.find(hole_start, copied)) {
        const auto name_start = hole + hole_start.size();
        const auto end = text.find_first_of("}\n", name_start);
        if (end == std::string_view::npos || text[end] != '}')
            return invalid_at(text, hole, "\"@{\" without its \"}\"");
        const auto name = text.substr(name_start, end - name_start);
        const auto value = values.find(name);
        if (value == values.end())
            return invalid_at(text, hole, unknown_name(name, values));
        out += text.substr(copied, hole - copied);
        out += value->second.text();
        copied = end + 1;
    }
    out += text.substr(copied);
    return out;
}

} // namespace tenantctl
