#include "php/value.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tenantctl {

namespace {

constexpr std::size_t max_identifier = 64;
constexpr std::size_t max_hostname = 253;
constexpr std::size_t max_label = 63;
constexpr std::size_t max_path = 4095;
constexpr std::size_t max_size_digits = 9;

// Not <cctype>: what a letter is does not depend on a locale here.
bool digit(char c) {
    return c >= '0' && c <= '9';
}

bool lower(char c) {
    return c >= 'a' && c <= 'z';
}

bool letter(char c) {
    return lower(c) || (c >= 'A' && c <= 'Z');
}

template <class Predicate>
bool all(std::string_view text, Predicate allowed) {
    return std::all_of(text.begin(), text.end(), allowed);
}

bool is_identifier(std::string_view text) {
    return !text.empty() && text.size() <= max_identifier && !digit(text.front()) &&
           all(text, [](char c) { return letter(c) || digit(c) || c == '_'; });
}

bool is_label(std::string_view text) {
    return !text.empty() && text.size() <= max_label && text.front() != '-' && text.back() != '-' &&
           all(text, [](char c) { return lower(c) || digit(c) || c == '-'; });
}

bool is_hostname(std::string_view text) {
    const auto labels = split(text, '.');
    return text.size() <= max_hostname && std::all_of(labels.begin(), labels.end(), is_label);
}

bool is_component(std::string_view text) {
    return !text.empty() && text != "." && text != ".." && all(text, [](char c) {
        return letter(c) || digit(c) || c == '.' || c == '_' || c == '-';
    });
}

bool is_path(std::string_view text) {
    if (text.empty() || text.front() != '/' || text.size() > max_path)
        return false;
    const auto components = split(text.substr(1), '/');
    return std::all_of(components.begin(), components.end(), is_component);
}

bool is_size(std::string_view text) {
    constexpr std::string_view units = "kKmMgG";
    if (!text.empty() && units.find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    return !text.empty() && text.size() <= max_size_digits && text.front() != '0' &&
           all(text, digit);
}

Error refused(std::string_view field, std::string_view text, std::string_view what) {
    return Error{Errc::invalid,
                 fmt::format("{} \"{}\" is not {}", field, escaped(text, 100), what)};
}

} // namespace

Result<Value> Value::identifier(std::string_view field, std::string_view text) {
    if (!is_identifier(text))
        return refused(field, text, "an identifier: letters, digits and _, no digit first");
    return Value(std::string(text));
}

Result<Value> Value::identifiers(std::string_view field, const std::vector<std::string>& texts) {
    for (const auto& text : texts)
        TRY(identifier(field, text));
    return Value(join(texts, ","));
}

Result<Value> Value::hostname(std::string_view field, std::string_view text) {
    if (!is_hostname(text))
        return refused(field, text, "a host name in lower case and punycode");
    return Value(std::string(text));
}

Result<Value> Value::hostnames(std::string_view field, const std::vector<std::string>& texts) {
    if (texts.empty())
        return refused(field, "", "a list of host names: it is empty");
    for (const auto& text : texts)
        TRY(hostname(field, text));
    return Value(join(texts, " "));
}

Result<Value> Value::path(std::string_view field, std::string_view text) {
    if (!is_path(text))
        return refused(field, text,
                       "a plain absolute path: letters, digits and ._-/, no \".\" or \"..\" in it");
    return Value(std::string(text));
}

Result<Value> Value::size(std::string_view field, std::string_view text) {
    if (!is_size(text))
        return refused(field, text, "a size above 0; write it as 512k or 64m");
    return Value(std::string(text));
}

Value Value::integer(std::uint64_t number) {
    return Value(std::to_string(number));
}

} // namespace tenantctl
