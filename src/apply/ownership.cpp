#include "apply/ownership.hpp"

#include "apply/box.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cgroup/files.hpp"
#include "store/store.hpp"
#include "systemd/unit_files.hpp"
#include "tenant/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tenantctl {

namespace {

Error not_ours(std::string message) {
    return Error{Errc::failure, std::move(message)};
}

// A process, as an administrator would look for it.
std::string process_in_words(const std::string& pid, const std::string& cgroup) {
    const auto name = read_file_if_exists("/proc/" + pid + "/comm");
    return fmt::format("PID {} ({}) in {}", pid,
                       name && *name ? escaped(split(**name, '\n').front(), 40) : "?",
                       escaped(cgroup, 200));
}

// The processes that have the uid, as any of their four, and do not run in the tenant's slice.
Result<std::vector<std::string>> strays(const std::string& tenant, std::uint32_t uid) {
    const auto slice = slice_cgroup(tenant);
    std::vector<std::string> found;
    for (const auto& pid : TRY(list_directory("/proc"))) {
        if (pid.find_first_not_of("0123456789") != std::string::npos)
            continue;
        // Gone meanwhile, or being gone: no process any more.
        const auto status = read_file_if_exists("/proc/" + pid + "/status");
        const auto group = read_file_if_exists("/proc/" + pid + "/cgroup");
        if (!status || !*status || !group || !*group)
            continue;
        const auto uids = parse_process_status(**status).uids;
        const auto cgroup = parse_proc_cgroup(**group);
        if (std::find(uids.begin(), uids.end(), uid) != uids.end() && cgroup != slice &&
            !cgroup.starts_with(slice + "/"))
            found.push_back(process_in_words(pid, cgroup));
    }
    return found;
}

Result<void> check_no_strays(const std::string& tenant, std::uint32_t uid) {
    constexpr std::size_t shown = 5;
    auto found = TRY(strays(tenant, uid));
    if (found.empty())
        return {};
    const auto number = found.size();
    found.resize(std::min(number, shown));
    return Error{
        Errc::failure,
        fmt::format(
            "Processes of user {} run outside of the tenant's slice ({}): {}{}. Nothing was "
            "changed; end them first, by systemctl stop UNIT, kill PID, or for logins and "
            "lingering loginctl disable-linger {} and loginctl terminate-user {}",
            tenant, number, join(found, ", "), number > shown ? ", ..." : "", tenant, tenant)};
}

Result<void> check_user_is_ours(const Paths& paths, const std::string& name,
                                std::optional<std::uint32_t> recorded) {
    const auto record =
        recorded ? fmt::format("has uid {}", *recorded) : std::string("was never given a uid");
    if (const auto user = TRY(find_user(paths, name)); user && user->uid != recorded)
        return not_ours(fmt::format("User {} (uid {}) is not the tenant's, which {}: nothing is "
                                    "removed. If only the spec is to go, delete {}",
                                    name, user->uid, record, tenant_file(name)));
    if (const auto group = TRY(find_group(paths, name)); group && group != recorded)
        return not_ours(fmt::format("Group {} (gid {}) is not the tenant's, which {}: nothing is "
                                    "removed. If only the spec is to go, delete {}",
                                    name, *group, record, tenant_file(name)));
    return {};
}

} // namespace

Result<std::optional<std::string>> generated_file_of(const Paths& paths, const std::string& file) {
    const auto text = TRY(read_file_if_exists(paths.on_disk(file)));
    return text ? generated_for(*text) : std::nullopt;
}

Result<void> check_slice_is_ours(const Paths& paths, const std::string& tenant) {
    const auto file = paths.on_disk(slice_file(tenant));
    // A masked unit is a link to /dev/null.
    const auto text = TRY(read_file_if_exists(file));
    if (!text || text->empty() || generated_for(*text) == tenant)
        return {};
    return not_ours(fmt::format("{} was not written by tenantctl for tenant {}, which it would "
                                "belong to; move it away, or take another tenant name",
                                file, tenant));
}

Result<void> check_site_is_ours(const Paths& paths, const std::string& tenant,
                                const std::string& domain) {
    const auto owner = TRY(generated_file_of(paths, service_drop_in_file(domain)));
    if (!owner || *owner == tenant)
        return {};
    return not_ours(fmt::format("Site {} on this box was made for tenant {}, not {}: nothing is "
                                "removed; take it out of {}",
                                domain, escaped(*owner, 40), tenant, tenant_file(tenant)));
}

Result<void> check_home_is_ours(const Paths& paths, const std::string& tenant,
                                std::optional<std::uint32_t> uid) {
    const auto home = tenant_home(tenant);
    const auto access = TRY(directory_access_if_exists(paths.on_disk(home)));
    if (!access || access->owner.gid == uid)
        return {};
    return not_ours(fmt::format(
        "{} belongs to group {}, which is not the tenant's ({}): nothing is "
        "removed. Leave --purge out, and look whose files they are",
        home, access->owner.gid, uid ? fmt::format("uid {}", *uid) : "it was never given a uid"));
}

Result<std::optional<std::uint32_t>> check_removable(const Paths& paths, const TenantSpec& tenant) {
    const auto ledger = TRY(UidLedger::load(paths));
    const auto uid = ledger.find(tenant.name);
    TRY(check_slice_is_ours(paths, tenant.name));
    TRY(check_user_is_ours(paths, tenant.name, uid));
    for (const auto& site : tenant.sites)
        TRY(check_site_is_ours(paths, tenant.name, site.domain));
    if (uid && paths.live())
        TRY(check_no_strays(tenant.name, *uid));
    return uid;
}

} // namespace tenantctl
