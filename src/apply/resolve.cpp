#include "apply/resolve.hpp"

#include "apply/uids.hpp"
#include "apply/verify.hpp"
#include "base/files.hpp"
#include "store/store.hpp"
#include "store/toml_files.hpp"
#include "systemd/unit_files.hpp"
#include "tenant/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace tenantctl {

namespace {

Result<std::string> read_template(const Paths& paths, std::string_view name) {
    const std::vector<std::string> places = {
        fmt::format("{}/{}", paths.on_disk(box_path::template_overrides), name),
        fmt::format("{}/{}", paths.on_disk(box_path::templates), name),
        fmt::format("{}/{}", box_path::templates, name),
    };
    for (const auto& place : places)
        if (auto text = TRY(read_file_if_exists(place)))
            return *std::move(text);
    return Error{Errc::failure,
                 fmt::format("There is no template {} (looked for {}); is tenantctl installed?",
                             name, fmt::join(places, ", "))};
}

void append(Steps& steps, Steps more) {
    steps.insert(steps.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

// The part of a file name between a prefix and a suffix, when it has both.
std::optional<std::string> middle(const std::string& name, std::string_view prefix,
                                  std::string_view suffix) {
    if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) ||
        !name.ends_with(suffix))
        return std::nullopt;
    return name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
}

// Files whose writing was interrupted.
Result<Steps> unfinished_files(const Paths& paths) {
    std::vector<std::string> directories = {
        std::string(box_path::tenants), std::string(box_path::pools), std::string(box_path::vhosts),
        std::string(box_path::units), std::string(box_path::state)};
    for (const auto& name : TRY(list_directory(paths.on_disk(box_path::units))))
        if (middle(name, "php-fpm@", ".service.d"))
            directories.push_back(fmt::format("{}/{}", box_path::units, name));
    Steps steps;
    for (const auto& directory : directories)
        for (const auto& name : TRY(list_directory(paths.on_disk(directory))))
            if (is_unfinished_file(name))
                steps.emplace_back(RemoveFile{fmt::format("{}/{}", directory, name)});
    return steps;
}

// Whose files are there, whichever of them an interrupted removal left. A drop-in directory that
// holds only others' files is not ours.
Result<std::set<std::string>> domains_on_disk(const Paths& paths) {
    std::set<std::string> domains;
    const auto units = paths.on_disk(box_path::units);
    for (const auto& name : TRY(list_directory(units)))
        if (const auto domain = middle(name, "php-fpm@", ".service.d")) {
            const auto files = TRY(list_directory(fmt::format("{}/{}", units, name)));
            if (path_exists(paths.on_disk(service_drop_in_file(*domain))) ||
                std::all_of(files.begin(), files.end(), is_unfinished_file))
                domains.insert(*domain);
        }
    for (const auto directory : {box_path::pools, box_path::vhosts})
        for (const auto& name : TRY(list_directory(paths.on_disk(directory))))
            if (auto domain = middle(name, "", ".conf"))
                domains.insert(*std::move(domain));
    return domains;
}

// By their slices; by their users, where the ledger says that they are tenants'.
Result<std::set<std::string>> tenants_on_disk(const Paths& paths) {
    std::set<std::string> tenants;
    for (const auto& name : TRY(list_directory(paths.on_disk(box_path::units))))
        if (auto tenant = middle(name, "tenant-", ".slice"))
            tenants.insert(*std::move(tenant));
    const auto ledger = TRY(UidLedger::load(paths));
    for (const auto& [name, uid] : ledger.entries())
        if (const auto user = TRY(find_user(paths, name)); user && user->uid == uid)
            tenants.insert(name);
    return tenants;
}

} // namespace

Result<UserIds> web_server_ids(const Paths& paths) {
    const auto ids = TRY(find_user(paths, web_user));
    if (ids)
        return *ids;
    return Error{Errc::failure, fmt::format("There is no user {} for the web server; apt-get "
                                            "install nginx",
                                            web_user)};
}

Result<BoxFacts> read_box_facts(const Paths& paths) {
    BoxFacts facts;
    facts.templates.pool = TRY(read_template(paths, "php-fpm/pool.conf"));
    facts.templates.vhost = TRY(read_template(paths, "nginx/site.conf"));
    facts.web_gid = TRY(web_server_ids(paths)).gid;
    return facts;
}

Result<ResolvedTenant> resolve_tenant(const Paths& paths, const Desired& desired,
                                      const TenantSpec& tenant) {
    const auto versions = TRY(installed_php_versions(paths));
    ResolvedTenant resolved;
    resolved.limits = TRY(validate_tenant(tenant, desired, versions));
    if (resolved.limits.io_weight && paths.live())
        TRY(check_io_weight_enforced());
    resolved.spec = tenant;
    resolved.plan = *desired.find_plan(tenant.plan);
    resolved.uid = TRY(choose_uid(paths, desired.box, tenant.name));
    return resolved;
}

Result<Steps> steps_for_tenant(const Paths& paths, const Desired& desired,
                               const TenantSpec& tenant) {
    const auto resolved = TRY(resolve_tenant(paths, desired, tenant));
    const auto facts = TRY(read_box_facts(paths));
    Steps steps = box_steps(facts);
    steps.emplace_back(WriteFile{tenant_file(tenant.name), format_tenant_file(tenant), {}});
    append(steps, tenant_steps(resolved));
    for (const auto& site : tenant.sites)
        append(steps, TRY(site_steps(resolved, site, desired.box, facts, false)));
    return steps;
}

Result<Steps> steps_for_orphans(const Paths& paths, const Desired& desired) {
    Steps steps = TRY(unfinished_files(paths));
    for (const auto& domain : TRY(domains_on_disk(paths))) {
        SiteSpec site;
        site.domain = domain;
        if (parse_domain(domain) && desired.owner_of(domain, false) == nullptr)
            append(steps, site_removal_steps("", site, false));
    }
    for (const auto& name : TRY(tenants_on_disk(paths))) {
        TenantSpec tenant;
        tenant.name = name;
        if (parse_tenant_name(name) && desired.find_tenant(name) == nullptr)
            append(steps, tenant_removal_steps(tenant, false));
    }
    return steps;
}

} // namespace tenantctl
