#include "tenant/spec.hpp"

#include "base/text.hpp"
#include "tenant/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tenantctl {

namespace {

constexpr std::uint64_t mib = std::uint64_t{1024} * 1024;

Error invalid(std::string message) {
    return Error{Errc::invalid, std::move(message)};
}

bool has_name(const SiteSpec& site, std::string_view domain, bool aliases) {
    return site.domain == domain || (aliases && std::find(site.aliases.begin(), site.aliases.end(),
                                                          domain) != site.aliases.end());
}

// Says who has the domain already, when somebody has.
Result<void> check_free(const std::string& domain, const TenantSpec& tenant,
                        const Desired& desired) {
    for (const auto& other : desired.tenants) {
        if (other.name == tenant.name)
            continue;
        for (const auto& site : other.sites)
            if (has_name(site, domain, true))
                return invalid(
                    site.domain == domain
                        ? fmt::format("{} is already a site of tenant {}", domain, other.name)
                        : fmt::format("{} is already an alias of {} (tenant {})", domain,
                                      site.domain, other.name));
    }
    return {};
}

Result<void> check_php(const SiteSpec& site, const std::vector<std::string>& versions) {
    TRY(parse_php_version(site.php));
    if (std::find(versions.begin(), versions.end(), site.php) != versions.end())
        return {};
    return invalid(fmt::format("PHP {} is not installed (found: {}); apt-get install php{}-fpm",
                               site.php, versions.empty() ? "none" : join(versions, ", "),
                               site.php));
}

Result<void> check_root(const TenantSpec& tenant, const SiteSpec& site) {
    const auto root = TRY(parse_document_root(site.root));
    const auto below = site_directory(tenant.name, site.domain) + "/public";
    if (root != site.root)
        return invalid(fmt::format("Document root {} of {} ends in \"/\"; leave it out", site.root,
                                   site.domain));
    if (root != below && root.rfind(below + "/", 0) != 0)
        return invalid(fmt::format("Document root {} of {} is outside {}; it must be that "
                                   "directory or one below it",
                                   root, site.domain, below));
    return {};
}

} // namespace

PlanSpec builtin_plan() {
    PlanSpec plan;
    plan.limits.memory_high = 448 * mib;
    plan.limits.memory_max = 512 * mib;
    plan.limits.memory_swap_max = 0;
    plan.limits.tasks_max = 128;
    return plan;
}

const TenantSpec* Desired::find_tenant(std::string_view name) const {
    const auto found = std::find_if(tenants.begin(), tenants.end(),
                                    [&](const auto& tenant) { return tenant.name == name; });
    return found == tenants.end() ? nullptr : &*found;
}

const PlanSpec* Desired::find_plan(std::string_view name) const {
    const auto found = std::find_if(plans.begin(), plans.end(),
                                    [&](const auto& plan) { return plan.name == name; });
    return found == plans.end() ? nullptr : &*found;
}

const Error* Desired::why_broken(std::string_view tenant) const {
    const auto found = std::find_if(broken_tenants.begin(), broken_tenants.end(),
                                    [&](const auto& broken) { return broken.name == tenant; });
    return found == broken_tenants.end() ? nullptr : &found->error;
}

const TenantSpec* Desired::owner_of(std::string_view domain, bool aliases) const {
    for (const auto& tenant : tenants)
        for (const auto& site : tenant.sites)
            if (has_name(site, domain, aliases))
                return &tenant;
    return nullptr;
}

Result<Limits> validate_tenant(const TenantSpec& tenant, const Desired& desired,
                               const std::vector<std::string>& php_versions) {
    TRY(parse_tenant_name(tenant.name));
    const auto* plan = desired.find_plan(tenant.plan);
    for (const auto& broken : desired.broken_plans)
        if (broken.name == tenant.plan)
            return wrap(fmt::format("Tenant {} has plan {}", tenant.name, tenant.plan),
                        broken.error);
    if (plan == nullptr)
        return invalid(fmt::format("There is no plan \"{}\" for tenant {}; plans are files in "
                                   "/etc/tenantctl/plans",
                                   escaped(tenant.plan), tenant.name));
    std::set<std::string> taken;
    for (const auto& site : tenant.sites) {
        std::vector<std::string> names = site.aliases;
        names.insert(names.begin(), site.domain);
        for (const auto& name : names) {
            if (TRY(parse_domain(name)) != name)
                return invalid(
                    fmt::format("\"{}\" is not written in lower case and punycode", escaped(name)));
            if (!taken.insert(name).second)
                return invalid(
                    fmt::format("{} is already taken within tenant {}", name, tenant.name));
            TRY(check_free(name, tenant, desired));
        }
        TRY(check_php(site, php_versions));
        TRY(check_root(tenant, site));
    }
    auto limits = resolve_limits(tenant.limits, plan->limits);
    if (!limits)
        return wrap(fmt::format("Tenant {}", tenant.name), limits.error());
    return limits;
}

} // namespace tenantctl
