#include "apply/uids.hpp"

#include "apply/box.hpp"
#include "apply/ownership.hpp"
#include "base/files.hpp"
#include "store/store.hpp"
#include "tenant/names.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <set>

namespace tenantctl {

namespace {

// The groups of homes are their tenants' uids, also when the ledger was lost.
Result<std::set<std::uint32_t>> ids_of_homes(const Paths& paths, const std::string& except) {
    std::set<std::uint32_t> ids;
    for (const auto& name : TRY(list_directory(paths.on_disk(box_path::homes)))) {
        struct stat info {};
        if (name != except && lstat(paths.on_disk(tenant_home(name)).c_str(), &info) == 0)
            ids.insert(info.st_gid);
    }
    return ids;
}

std::optional<std::uint32_t> id_of_home(const Paths& paths, const std::string& name) {
    struct stat info {};
    if (lstat(paths.on_disk(tenant_home(name)).c_str(), &info) == 0 && info.st_gid != 0)
        return info.st_gid;
    return std::nullopt;
}

} // namespace

Result<std::uint32_t> choose_uid(const Paths& paths, const BoxSpec& box, const std::string& name) {
    const auto ledger = TRY(UidLedger::load(paths));
    const auto recorded = ledger.find(name);
    if (const auto user = TRY(find_user(paths, name))) {
        if (recorded && user->uid == *recorded)
            return *recorded;
        return Error{Errc::failure,
                     fmt::format("User {} (uid {}) exists already and is not a tenant's; take "
                                 "another tenant name",
                                 name, user->uid)};
    }
    if (const auto group = TRY(find_group(paths, name)); group && group != recorded)
        return Error{Errc::failure,
                     fmt::format("Group {} (gid {}) exists already and is not a tenant's; take "
                                 "another tenant name",
                                 name, *group)};
    if (recorded) {
        const auto holder = holder_of_id(paths, *recorded);
        if (!holder.empty() && holder != name)
            return Error{Errc::failure, fmt::format("uid {} is recorded as {}'s, but {} has it now",
                                                    *recorded, name, holder)};
        return *recorded;
    }
    // A slice of one that has its uid is the tenant's by that, and is mended.
    TRY(check_slice_is_ours(paths, name));
    const auto taken = TRY(ids_of_homes(paths, name));
    const auto is_free = [&](std::uint32_t uid) {
        return !ledger.has(uid) && taken.count(uid) == 0 && holder_of_id(paths, uid).empty();
    };
    if (const auto own = id_of_home(paths, name))
        if (is_free(*own))
            return *own;
    for (std::uint32_t uid = box.uid_first; uid <= box.uid_last; ++uid)
        if (is_free(uid))
            return uid;
    return Error{Errc::failure,
                 fmt::format("All uids from {} to {} were given out; widen uid_first and uid_last "
                             "in {}",
                             box.uid_first, box.uid_last, box_path::config)};
}

} // namespace tenantctl
