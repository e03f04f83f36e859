// What may be put into a pool file or a virtual host. A Value exists only when its text has passed
// the check of its type, and no type admits a byte that is special to either syntax: quotes,
// backslash, "$", ";", "#", "%", brackets, braces, spaces, control characters. This check is on
// purpose independent of the names' own: a fault in one of them is not yet an injection.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenantctl {

// Each maker takes the name of the field for its message and fails with Errc::invalid.
class Value {
public:
    // [A-Za-z_][A-Za-z0-9_]*, 64 bytes at most: users, PHP functions.
    static Result<Value> identifier(std::string_view field, std::string_view text);
    // Identifiers with commas between them; may be empty.
    static Result<Value> identifiers(std::string_view field, const std::vector<std::string>& texts);
    // Labels of a-z, 0-9 and inner dashes with dots between them, 253 bytes at most.
    static Result<Value> hostname(std::string_view field, std::string_view text);
    // Host names with spaces between them, at least one: nginx's server_name.
    static Result<Value> hostnames(std::string_view field, const std::vector<std::string>& texts);
    // Absolute, of [A-Za-z0-9._/-], without empty, "." and ".." components.
    static Result<Value> path(std::string_view field, std::string_view text);
    // A number above 0, with k, m or g after it or not, as nginx writes sizes.
    static Result<Value> size(std::string_view field, std::string_view text);
    static Value integer(std::uint64_t number);

    const std::string& text() const { return text_; }

private:
    explicit Value(std::string text) : text_(std::move(text)) {}
    std::string text_;
};

} // namespace tenantctl
