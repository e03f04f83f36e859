// Line differences, as diff -u shows them.
#pragma once

#include <string>
#include <string_view>

namespace tenantctl {

// The unified difference of two texts, without file headers; empty when they are equal. `context`
// lines stand around each change.
std::string unified_diff(std::string_view before, std::string_view after, std::size_t context = 3);

} // namespace tenantctl
