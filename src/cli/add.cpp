// tenantctl add tenant, tenantctl add site
#include "apply/preflight.hpp"
#include "apply/resolve.hpp"
#include "base/text.hpp"
#include "cli/context.hpp"
#include "store/store.hpp"
#include "store/toml_files.hpp"
#include "tenant/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tenantctl {

namespace {

std::string limits_in_words(const Limits& limits) {
    return fmt::format("memory high {}, max {}", format_size(*limits.memory_high),
                       format_size(*limits.memory_max));
}

void append(Steps& steps, Steps more) {
    steps.insert(steps.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

// The intent before all that is the tenant's own, so that what a crash leaves half made can be
// finished.
Result<Steps> intent_and_tenant(const BoxFacts& facts, const ResolvedTenant& tenant) {
    Steps steps = box_steps(facts);
    steps.emplace_back(
        WriteFile{tenant_file(tenant.spec.name), format_tenant_file(tenant.spec), {}});
    append(steps, tenant_steps(tenant));
    return steps;
}

// Limits and plan belong to the tenant: one that exists keeps its own.
Result<void> check_no_overrides(const TenantSpec& tenant, const AddSite& command) {
    if (command.plan && *command.plan != tenant.plan)
        return Error{Errc::usage, fmt::format("Tenant {} exists and has plan {}; leave --plan out",
                                              tenant.name, tenant.plan)};
    for (const auto& kind : limit_kinds)
        if (const auto& value = command.limits.*kind.member;
            value && value != tenant.limits.*kind.member)
            return Error{Errc::usage, fmt::format("Tenant {} exists and keeps its own {}; leave "
                                                  "the limits out",
                                                  tenant.name, kind.directive)};
    return {};
}

// The spec of the tenant that is to have the site, before the site is in it.
Result<TenantSpec> tenant_for(const Desired& desired, const AddSite& command,
                              const std::string& domain) {
    TenantSpec tenant;
    tenant.name =
        command.tenant ? TRY(parse_tenant_name(*command.tenant)) : TRY(tenant_name_for(domain));
    if (const auto* known = desired.find_tenant(tenant.name)) {
        if (!command.tenant)
            return Error{Errc::invalid,
                         fmt::format("Tenant {}, as {} would name it, exists already; say "
                                     "--tenant={} if the site is to share its limits, or name "
                                     "another",
                                     tenant.name, domain, tenant.name)};
        TRY(check_no_overrides(*known, command));
        return *known;
    }
    tenant.plan = command.plan.value_or(tenant.plan);
    tenant.limits = command.limits;
    return tenant;
}

Result<SiteSpec> site_for(const Desired& desired, const AddSite& command, const std::string& domain,
                          const std::string& tenant, const std::vector<std::string>& versions) {
    SiteSpec site;
    site.domain = domain;
    for (const auto& alias : command.aliases)
        site.aliases.push_back(TRY(parse_domain(alias)));
    if (command.php)
        site.php = TRY(parse_php_version(*command.php));
    else if (!desired.box.default_php.empty())
        site.php = desired.box.default_php;
    else if (!versions.empty())
        site.php = versions.back();
    else
        return Error{Errc::invalid, "No PHP-FPM is installed; apt-get install php-fpm"};
    const auto standard = site_directory(tenant, domain) + "/public";
    auto root = command.root.value_or(standard);
    if (!root.starts_with('/'))
        root = site_directory(tenant, domain) + "/" + root;
    site.root = TRY(parse_document_root(root));
    return site;
}

// The names on the command line, before anything of the box is looked at.
Result<std::string> check_names(const AddSite& command) {
    auto domain = TRY(parse_domain(command.domain));
    for (const auto& alias : command.aliases)
        TRY(parse_domain(alias));
    if (command.tenant)
        TRY(parse_tenant_name(*command.tenant));
    if (command.php)
        TRY(parse_php_version(*command.php));
    return domain;
}

} // namespace

Result<void> run(const Context& context, const AddTenant& command) {
    TenantSpec tenant;
    tenant.name = TRY(parse_tenant_name(command.name));
    tenant.plan = command.plan.value_or(tenant.plan);
    tenant.limits = command.limits;
    TRY(check_box(context.paths));
    const auto lock = TRY(StoreLock::take(context.paths, "add tenant " + tenant.name));
    const auto desired = TRY(load_whole_desired(context.paths));
    if (desired.find_tenant(tenant.name) != nullptr)
        return Error{Errc::invalid, fmt::format("Tenant {} exists already; if adding it was "
                                                "interrupted, \"tenantctl apply {}\" finishes it",
                                                tenant.name, tenant.name)};
    const auto resolved = TRY(resolve_tenant(context.paths, desired, tenant));
    const auto facts = TRY(read_box_facts(context.paths));
    const auto steps = TRY(intent_and_tenant(facts, resolved));
    const auto box = TRY(box_of(context));
    if (TRY(run_steps(context, box, steps)))
        say(context, fmt::format("Added tenant {} (uid {}, {}).", tenant.name, resolved.uid,
                                 limits_in_words(resolved.limits)));
    return {};
}

Result<void> run(const Context& context, const AddSite& command) {
    const auto domain = TRY(check_names(command));
    TRY(check_box(context.paths));
    const auto lock = TRY(StoreLock::take(context.paths, "add site " + domain));
    const auto desired = TRY(load_whole_desired(context.paths));
    if (const auto* owner = desired.owner_of(domain, true))
        return Error{Errc::invalid,
                     fmt::format("{} is taken already, as a site or an alias of tenant {}; if "
                                 "adding it was interrupted, \"tenantctl apply {}\" finishes it",
                                 domain, owner->name, owner->name)};
    auto tenant = TRY(tenant_for(desired, command, domain));
    const auto versions = TRY(installed_php_versions(context.paths));
    const auto site = TRY(site_for(desired, command, domain, tenant.name, versions));
    tenant.sites.push_back(site);

    const auto resolved = TRY(resolve_tenant(context.paths, desired, tenant));
    const auto facts = TRY(read_box_facts(context.paths));
    auto steps = TRY(intent_and_tenant(facts, resolved));
    append(steps, TRY(site_steps(resolved, site, desired.box, facts, command.check)));
    const auto box = TRY(box_of(context));
    if (TRY(run_steps(context, box, steps)))
        say(context,
            fmt::format("Added site {} to tenant {} ({}, PHP {}); document root {}.", domain,
                        tenant.name, limits_in_words(resolved.limits), site.php, site.root));
    return {};
}

} // namespace tenantctl
