// From specs to steps, unconditionally: what a tenant or a site consists of, and how it goes. What
// a box has already is left out later, by prune(). Pure.
#pragma once

#include "php/render.hpp"
#include "tenant/spec.hpp"
#include "tenant/step.hpp"

namespace tenantctl {

// What the steps need to know of the box besides the spec.
struct BoxFacts {
    Templates templates;
    std::uint32_t web_gid = 33;
};

// The directories that all tenants share; before a tenant's spec, which lies in one of them.
Steps box_steps(const BoxFacts& facts);

// User, home and slice of a tenant; its limits verified.
Steps tenant_steps(const ResolvedTenant& tenant);

// A site of the tenant: directories, pool, unit, socket, virtual host, verified; fetched over HTTP
// too with `check_http`.
Result<Steps> site_steps(const ResolvedTenant& tenant, const SiteSpec& site, const BoxSpec& box,
                         const BoxFacts& facts, bool check_http);

// The site goes; its directory and logs only with `purge`. The spec is the caller's.
Steps site_removal_steps(const std::string& tenant, const SiteSpec& site, bool purge);

// All of a tenant's sites, then its slice and, when it has a uid, its user; with `purge` its home
// and the sites' logs, last and for good.
Steps tenant_removal_steps(const TenantSpec& tenant, std::optional<std::uint32_t> uid, bool purge);

// True for a name that data is moved to, beside where it was, before it is deleted.
bool is_condemned(std::string_view name);

} // namespace tenantctl
