#include "apply/resolve.hpp"

#include "apply/ownership.hpp"
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
#include <map>
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

// Data that was to be deleted when the deletion was interrupted or failed.
Result<Steps> condemned_data(const Paths& paths) {
    std::vector<std::string> directories = {std::string(box_path::homes),
                                            std::string(box_path::web_logs)};
    for (const auto& name : TRY(list_directory(paths.on_disk(box_path::homes))))
        directories.push_back(fmt::format("{}/{}/sites", box_path::homes, name));
    Steps steps;
    for (const auto& directory : directories)
        for (const auto& name : TRY(list_directory(paths.on_disk(directory))))
            if (is_condemned(name))
                steps.emplace_back(RemoveTree{fmt::format("{}/{}", directory, name)});
    return steps;
}

// Which domains there are generated files of, and the tenants that they were made for; whichever of
// the files an interrupted removal left.
Result<std::map<std::string, std::string>> sites_on_disk(const Paths& paths) {
    std::map<std::string, std::string> sites;
    for (const auto& name : TRY(list_directory(paths.on_disk(box_path::units))))
        if (const auto domain = middle(name, "php-fpm@", ".service.d")) {
            if (const auto tenant = TRY(generated_file_of(paths, service_drop_in_file(*domain))))
                sites[*domain] = *tenant;
            // The directory is made before the file, and goes after it.
            else if (TRY(list_directory(fmt::format("{}/{}", paths.on_disk(box_path::units), name)))
                         .empty())
                sites.emplace(*domain, "");
        }
    for (const auto directory : {box_path::pools, box_path::vhosts})
        for (const auto& name : TRY(list_directory(paths.on_disk(directory))))
            if (const auto domain = middle(name, "", ".conf"))
                if (const auto tenant =
                        TRY(generated_file_of(paths, fmt::format("{}/{}", directory, name))))
                    sites.emplace(*domain, *tenant);
    return sites;
}

// By their slices, where tenantctl wrote them; by their users and groups, where the ledger says
// that they are tenants'.
Result<std::set<std::string>> tenants_on_disk(const Paths& paths) {
    std::set<std::string> tenants;
    for (const auto& name : TRY(list_directory(paths.on_disk(box_path::units))))
        if (const auto tenant = middle(name, "tenant-", ".slice"))
            if (TRY(generated_file_of(paths, slice_file(*tenant))) == tenant)
                tenants.insert(*tenant);
    const auto ledger = TRY(UidLedger::load(paths));
    for (const auto& [name, uid] : ledger.entries()) {
        const auto user = TRY(find_user(paths, name));
        const auto group = TRY(find_group(paths, name));
        if ((user && user->uid == uid) || (!user && group == uid))
            tenants.insert(name);
    }
    return tenants;
}

// Why it cannot be said that something is in no spec; std::nullopt when all specs are known.
std::optional<Error> specs_unknown(const Desired& desired) {
    if (!desired.has_tenants_directory)
        return Error{Errc::failure,
                     fmt::format("it is in no spec, but {} is missing, so that nothing is removed; "
                                 "bring the directory back",
                                 box_path::tenants)};
    for (const auto* broken : {&desired.broken_plans, &desired.broken_tenants})
        if (!broken->empty())
            return Error{Errc::invalid,
                         fmt::format("it is in no spec that can be read, and nothing is removed "
                                     "while one cannot ({})",
                                     broken->front().name)};
    return std::nullopt;
}

Result<Steps> removal_of_orphan(const Paths& paths, const Desired& desired,
                                const TenantSpec& tenant) {
    if (auto unknown = specs_unknown(desired))
        return *std::move(unknown);
    const auto uid = TRY(check_removable(paths, tenant));
    return tenant_removal_steps(tenant, uid, false);
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

Result<Steps> steps_for_leftovers(const Paths& paths) {
    Steps steps = TRY(unfinished_files(paths));
    append(steps, TRY(condemned_data(paths)));
    return steps;
}

Result<std::vector<Orphan>> find_orphans(const Paths& paths, const Desired& desired) {
    std::vector<Orphan> orphans;
    for (const auto& [domain, tenant] : TRY(sites_on_disk(paths))) {
        if (!parse_domain(domain) || desired.owner_of(domain, false) != nullptr ||
            desired.why_broken(tenant) != nullptr)
            continue;
        SiteSpec site;
        site.domain = domain;
        auto unknown = specs_unknown(desired);
        orphans.push_back(
            {"Site " + domain, unknown ? Result<Steps>(*std::move(unknown))
                                       : Result<Steps>(site_removal_steps("", site, false))});
    }
    for (const auto& name : TRY(tenants_on_disk(paths))) {
        if (!parse_tenant_name(name) || desired.find_tenant(name) != nullptr ||
            desired.why_broken(name) != nullptr)
            continue;
        TenantSpec tenant;
        tenant.name = name;
        orphans.push_back({"Tenant " + name, removal_of_orphan(paths, desired, tenant)});
    }
    return orphans;
}

} // namespace tenantctl
