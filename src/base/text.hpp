// Small operations on text that several layers need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenantctl {

// The pieces of `text` between `separator`s; an empty text gives one empty piece.
std::vector<std::string> split(std::string_view text, char separator);

std::string join(const std::vector<std::string>& pieces, std::string_view separator);

// `text` with every byte that is not printable ASCII written as \xNN, and at most `max_bytes` of
// it: what may be shown of a string that came from outside.
std::string escaped(std::string_view text, std::size_t max_bytes = 256);

// The candidate nearest to `word` by edit distance, or an empty string when none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// A line on standard error. That nobody can read it, as with a full disk, a pipe without a reader
// or a session that is gone, is no error and throws nothing: it must not end a change half-way.
void print_message(const std::string& line);

} // namespace tenantctl
