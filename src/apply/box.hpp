// The box that steps are observed on and applied to.
#pragma once

#include "base/paths.hpp"
#include "base/result.hpp"
#include "systemd/unit_manager.hpp"

#include <cstdint>
#include <string>

namespace tenantctl {

struct Box {
    Paths paths;
    UnitManager& units;
    std::uint32_t web_uid = 33; // www-data, where ACLs name it
};

// The user's uid and primary group, from /etc/passwd below --root= or from NSS; std::nullopt when
// there is no such user.
struct UserIds {
    std::uint32_t uid;
    std::uint32_t gid;
};
Result<std::optional<UserIds>> find_user(const Paths& paths, const std::string& name);

// The group's number, likewise.
Result<std::optional<std::uint32_t>> find_group(const Paths& paths, const std::string& name);

// The name of the user or group that has this number already, or an empty string.
std::string holder_of_id(const Paths& paths, std::uint32_t id);

// Makes a user and a group with the same name and number, no password, no shell, no subuids.
Result<void> create_user(const Paths& paths, const std::string& name, std::uint32_t uid,
                         const std::string& home);

// Removes the user and the group of this name, each if `uid` is its number: another is not the
// tenant's. That they are gone is no error.
Result<void> remove_user(const Paths& paths, const std::string& name, std::uint32_t uid);

} // namespace tenantctl
