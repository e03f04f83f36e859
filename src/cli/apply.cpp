// tenantctl apply
#include "apply/preflight.hpp"
#include "apply/resolve.hpp"
#include "base/text.hpp"
#include "cli/context.hpp"
#include "store/store.hpp"

#include <fmt/format.h>

namespace tenantctl {

Result<void> run(const Context& context, const Apply& command) {
    TRY(check_box(context.paths));
    const auto lock = TRY(StoreLock::take(context.paths, "apply"));
    const auto desired = TRY(load_desired(context.paths));
    const auto box = TRY(box_of(context));
    std::vector<const TenantSpec*> tenants;
    for (const auto& name : command.names) {
        const auto* tenant = desired.find_tenant(name);
        if (tenant == nullptr)
            return Error{Errc::not_found, fmt::format("There is no tenant {}; see tenantctl list",
                                                      escaped(name, 100))};
        tenants.push_back(tenant);
    }
    if (command.names.empty())
        for (const auto& tenant : desired.tenants)
            tenants.push_back(&tenant);
    // All of them, before anything is done for one.
    for (const auto* tenant : tenants)
        TRY(resolve_tenant(context.paths, desired, *tenant));
    if (command.names.empty()) {
        if (TRY(run_steps(context, box, TRY(steps_for_orphans(context.paths, desired)))))
            say(context, "Removed what was left of removed sites and tenants.");
    }
    for (const auto* tenant : tenants)
        if (TRY(run_steps(context, box, TRY(steps_for_tenant(context.paths, desired, *tenant)))))
            say(context, fmt::format("Tenant {} matches its spec.", tenant->name));
    return {};
}

} // namespace tenantctl
