// Which uid a new tenant gets.
#pragma once

#include "base/paths.hpp"
#include "base/result.hpp"
#include "tenant/spec.hpp"

#include <cstdint>
#include <string>

namespace tenantctl {

// The tenant's uid: the one that its name was ever given, else the lowest of the box's range that
// no user, group, ledger entry or left-over home has. Errc::failure when a user, group or slice of
// that name exists that is no tenant's, or when the range is used up.
Result<std::uint32_t> choose_uid(const Paths& paths, const BoxSpec& box, const std::string& name);

} // namespace tenantctl
