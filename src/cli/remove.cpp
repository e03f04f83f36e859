// tenantctl remove site, tenantctl remove tenant
#include "apply/compose.hpp"
#include "apply/ownership.hpp"
#include "apply/preflight.hpp"
#include "base/text.hpp"
#include "cli/context.hpp"
#include "store/store.hpp"
#include "store/toml_files.hpp"
#include "tenant/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tenantctl {

namespace {

Error no_such(std::string_view what, const std::string& name) {
    return Error{Errc::not_found,
                 fmt::format("There is no {} {}; see tenantctl list", what, escaped(name, 100))};
}

// What is deleted cannot be brought back by anything, so it is said before. What an earlier removal
// could not delete under the same names would be in the way.
Result<void> prepare_deletions(const Context& context, const Box& box, const Steps& steps) {
    std::vector<std::string> directories;
    Steps in_the_way;
    for (const auto& step : steps)
        if (const auto* move = std::get_if<MoveTree>(&step)) {
            directories.push_back(move->from);
            in_the_way.emplace_back(RemoveTree{move->to});
        }
    if (directories.empty() || context.options.dry_run)
        return {};
    TRY(run_steps(context, box, in_the_way));
    say(context,
        fmt::format("Deleting {} for good, after everything else.", join(directories, ", ")));
    return {};
}

Result<void> remove_site(const Context& context, const Box& box, Desired& desired,
                         const std::string& domain, bool purge) {
    const auto owner =
        std::find_if(desired.tenants.begin(), desired.tenants.end(), [&](const auto& tenant) {
            return &tenant == desired.owner_of(domain, false);
        });
    if (owner == desired.tenants.end())
        return no_such("site", domain);
    const auto site = std::find_if(owner->sites.begin(), owner->sites.end(),
                                   [&](const auto& each) { return each.domain == domain; });
    const SiteSpec gone = *site;
    owner->sites.erase(site);

    TRY(check_site_is_ours(context.paths, owner->name, domain));
    Steps steps = {WriteFile{tenant_file(owner->name), format_tenant_file(*owner), {}}};
    for (auto& step : site_removal_steps(owner->name, gone, purge))
        steps.push_back(std::move(step));
    TRY(prepare_deletions(context, box, steps));
    if (TRY(run_steps(context, box, steps)))
        say(context, purge ? fmt::format("Removed site {} with its files.", domain)
                           : fmt::format("Removed site {}; its files stay in {}.", domain,
                                         site_directory(owner->name, domain)));
    return {};
}

Result<void> remove_tenant(const Context& context, const Box& box, const TenantSpec& tenant,
                           std::optional<std::uint32_t> uid, const RemoveTenant& command) {
    if (!tenant.sites.empty() && !command.with_sites) {
        std::vector<std::string> domains;
        for (const auto& site : tenant.sites)
            domains.push_back(site.domain);
        return Error{Errc::failure, fmt::format("Tenant {} has sites ({}); remove them first, or "
                                                "say --with-sites",
                                                tenant.name, join(domains, ", "))};
    }
    Steps steps = {RemoveFile{tenant_file(tenant.name)}};
    for (auto& step : tenant_removal_steps(tenant, uid, command.purge))
        steps.push_back(std::move(step));
    TRY(prepare_deletions(context, box, steps));
    if (TRY(run_steps(context, box, steps)))
        say(context, command.purge ? fmt::format("Removed tenant {} with its files.", tenant.name)
                                   : fmt::format("Removed tenant {}; files that it had stay in {}.",
                                                 tenant.name, tenant_home(tenant.name)));
    return {};
}

} // namespace

Result<void> run(const Context& context, const RemoveSite& command) {
    std::vector<std::string> domains;
    for (const auto& domain : command.domains)
        domains.push_back(TRY(parse_domain(domain)));
    TRY(check_box(context.paths));
    const auto lock = TRY(StoreLock::take(context.paths, "remove site " + domains.front()));
    auto desired = TRY(load_desired(context.paths));
    for (const auto& domain : domains)
        if (desired.owner_of(domain, false) == nullptr)
            return no_such("site", domain);
    const auto box = TRY(box_of(context));
    for (const auto& domain : domains)
        TRY(remove_site(context, box, desired, domain, command.purge));
    return {};
}

Result<void> run(const Context& context, const RemoveTenant& command) {
    for (const auto& name : command.names)
        TRY(parse_tenant_name(name));
    TRY(check_box(context.paths));
    const auto lock = TRY(StoreLock::take(context.paths, "remove tenant " + command.names.front()));
    const auto desired = TRY(load_desired(context.paths));
    // Of all of them, before anything of the first is removed.
    std::vector<std::optional<std::uint32_t>> uids;
    for (const auto& name : command.names) {
        if (const auto* broken = desired.why_broken(name))
            return *broken;
        const auto* tenant = desired.find_tenant(name);
        if (tenant == nullptr)
            return no_such("tenant", name);
        uids.push_back(TRY(check_removable(context.paths, *tenant)));
        if (command.purge)
            TRY(check_home_is_ours(context.paths, name, uids.back()));
    }
    const auto box = TRY(box_of(context));
    for (std::size_t i = 0; i < command.names.size(); ++i)
        TRY(remove_tenant(context, box, *desired.find_tenant(command.names[i]), uids[i], command));
    return {};
}

} // namespace tenantctl
