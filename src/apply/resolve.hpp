// From the desired state to what steps are made of, by looking at the box.
#pragma once

#include "apply/box.hpp"
#include "apply/compose.hpp"
#include "base/paths.hpp"

#include <string>
#include <vector>

namespace tenantctl {

// Templates and the web server's group. An administrator's template in /etc counts before the
// one that came with the program.
Result<BoxFacts> read_box_facts(const Paths& paths);

// The web server's user, whom ACLs let in. Errc::failure with the remedy if there is none.
Result<UserIds> web_server_ids(const Paths& paths);

// The tenant, validated against the whole, with its plan, limits and uid.
Result<ResolvedTenant> resolve_tenant(const Paths& paths, const Desired& desired,
                                      const TenantSpec& tenant);

// All that the tenant consists of, its spec included: what makes the box match it.
Result<Steps> steps_for_tenant(const Paths& paths, const Desired& desired,
                               const TenantSpec& tenant);

// What interrupted commands left that nobody can miss: files half written, data to be deleted.
Result<Steps> steps_for_leftovers(const Paths& paths);

// A site or a tenant that there are generated files of and that no spec has: its removal was
// interrupted, or its spec was deleted by hand.
struct Orphan {
    std::string name;    // "Site blog.example", "Tenant alpha"
    Result<Steps> steps; // its removal; data stays. Or why it cannot be removed.
};
Result<std::vector<Orphan>> find_orphans(const Paths& paths, const Desired& desired);

} // namespace tenantctl
