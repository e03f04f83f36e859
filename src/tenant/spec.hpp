// The desired state: what an administrator wants of the box. Values only.
#pragma once

#include "base/result.hpp"
#include "tenant/limits.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tenantctl {

// A domain served by PHP.
struct SiteSpec {
    std::string domain;               // punycode
    std::vector<std::string> aliases; // further names of the same site
    std::string php;                  // "8.2"
    std::string root;                 // document root, absolute, below the site's directory
    bool operator==(const SiteSpec&) const = default;
};

// An account: one Unix user, one slice, one set of limits, any number of sites.
struct TenantSpec {
    std::string name;
    std::string plan = "default";
    Limits limits; // the tenant's own; the plan's stand behind them
    std::vector<SiteSpec> sites;
    bool operator==(const TenantSpec&) const = default;
};

// Named defaults that tenants inherit and may override.
struct PlanSpec {
    std::string name = "default";
    Limits limits;
    std::vector<std::string> disable_functions; // of PHP
    bool operator==(const PlanSpec&) const = default;
};

// The plan that a box has without any file: MemoryMax 512M, MemoryHigh 448M, no swap, 128 tasks.
PlanSpec builtin_plan();

// The user and group of nginx's workers, as Debian has them and as the socket units say.
inline constexpr const char* web_user = "www-data";

// The box: what all tenants share.
struct BoxSpec {
    std::string default_php; // empty: the newest version that is installed
    // Above what useradd and adduser give out by themselves (UID_MAX 60000) and systemd's dynamic
    // users (65519), below the subordinate ids of login.defs (SUB_UID_MIN 100000).
    std::uint32_t uid_first = 70000;
    std::uint32_t uid_last = 99999;
    std::uint64_t connections_per_tenant = 128; // requests that a tenant may hold in nginx
    std::string body_max = "64m";               // client_max_body_size
    bool operator==(const BoxSpec&) const = default;
};

// A file of the desired state that could not be read or is not valid. What it wants is unknown:
// nothing is removed for it, and everything else goes on.
struct BrokenSpec {
    std::string name; // the tenant's or the plan's, by the file's name
    Error error;
};

// Everything that the desired state consists of.
struct Desired {
    BoxSpec box;
    std::vector<PlanSpec> plans;
    std::vector<TenantSpec> tenants; // by name
    std::vector<BrokenSpec> broken_plans = {};
    std::vector<BrokenSpec> broken_tenants = {};
    bool has_tenants_directory = true;

    const TenantSpec* find_tenant(std::string_view name) const;
    const PlanSpec* find_plan(std::string_view name) const;
    // Why the tenant of this name is not known; nullptr when its file is in order, or absent.
    const Error* why_broken(std::string_view tenant) const;
    // The tenant that has the domain as a site's name or, with `aliases`, as an alias.
    const TenantSpec* owner_of(std::string_view domain, bool aliases) const;
};

// A tenant with everything looked up that its units and files are made from.
struct ResolvedTenant {
    TenantSpec spec;
    PlanSpec plan;
    Limits limits;
    std::uint32_t uid = 0; // of the user and of its group
};

// Checks a tenant against the whole: name, plan, limits, every domain and alias unique on the box,
// roots within the sites, PHP among `php_versions`. Errc::invalid, or the limits that count.
Result<Limits> validate_tenant(const TenantSpec& tenant, const Desired& desired,
                               const std::vector<std::string>& php_versions);

} // namespace tenantctl
