// tenantctl list, tenantctl status, tenantctl show
#include "apply/status.hpp"
#include "base/text.hpp"
#include "cli/context.hpp"
#include "store/store.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tenantctl {

namespace {

// A name of the command line: a tenant, and which of its sites when a domain was given.
struct Named {
    const TenantSpec* tenant;
    std::string domain;
};

Result<Named> look_up(const Desired& desired, const std::string& name) {
    if (const auto* broken = desired.why_broken(name))
        return *broken;
    if (const auto* tenant = desired.find_tenant(name))
        return Named{tenant, {}};
    if (const auto* tenant = desired.owner_of(name, true)) {
        for (const auto& site : tenant->sites)
            if (site.domain == name ||
                std::find(site.aliases.begin(), site.aliases.end(), name) != site.aliases.end())
                return Named{tenant, site.domain};
    }
    std::vector<std::string> known;
    for (const auto& tenant : desired.tenants) {
        known.push_back(tenant.name);
        for (const auto& site : tenant.sites)
            known.push_back(site.domain);
    }
    const auto near = nearest(name, known);
    return Error{Errc::not_found, fmt::format("There is no tenant or site {}{}", escaped(name, 100),
                                              near.empty() ? "; see tenantctl list"
                                                           : "; did you mean " + near + "?")};
}

bool matches(const std::vector<std::string>& patterns, const std::string& name) {
    return patterns.empty() ||
           std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
               return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
           });
}

// The tenant as far as the patterns reach: all of it, or the sites that they name.
std::optional<TenantSpec> selected(const TenantSpec& tenant,
                                   const std::vector<std::string>& patterns) {
    if (matches(patterns, tenant.name))
        return tenant;
    TenantSpec some = tenant;
    some.sites.erase(
        std::remove_if(some.sites.begin(), some.sites.end(),
                       [&](const SiteSpec& site) { return !matches(patterns, site.domain); }),
        some.sites.end());
    return some.sites.empty() ? std::nullopt : std::optional(some);
}

Properties properties_of(const TenantStatus& status, const std::string& domain) {
    for (const auto& site : status.sites)
        if (site.spec.domain == domain)
            return site_properties(status, site);
    return tenant_properties(status);
}

Result<Properties> filtered(Properties all, const std::vector<std::string>& wanted) {
    if (wanted.empty())
        return all;
    Properties some;
    for (const auto& name : wanted) {
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const auto& each) { return each.first == name; });
        if (found == all.end())
            return Error{Errc::usage, fmt::format("There is no property {} here", escaped(name))};
        some.push_back(*found);
    }
    return some;
}

} // namespace

Result<void> run(const Context& context, const List& command) {
    const auto desired = TRY(load_desired(context.paths));
    const Box box{context.paths, *context.units};
    std::vector<TenantStatus> tenants;
    for (const auto& tenant : desired.tenants)
        if (const auto some = selected(tenant, command.patterns))
            tenants.push_back(TRY(read_status(box, desired, *some)));
    if (context.options.json != JsonMode::off)
        print_json(context, list_json(tenants));
    else
        fmt::print("{}", render_list(tenants, context.options.legend, context.style));
    for (const auto& broken : desired.broken_tenants)
        if (matches(command.patterns, broken.name))
            return wrap(fmt::format("Tenant {} is not listed", broken.name), broken.error);
    return {};
}

Result<void> run(const Context& context, const Status& command) {
    const auto desired = TRY(load_desired(context.paths));
    const Box box{context.paths, *context.units};
    auto all = nlohmann::ordered_json::array();
    bool first = true;
    for (const auto& name : command.names) {
        const auto named = TRY(look_up(desired, name));
        const auto status = TRY(read_status(box, desired, *named.tenant));
        if (context.options.json != JsonMode::off)
            all.push_back(status_json(status));
        else
            fmt::print("{}{}", first ? "" : "\n",
                       render_status(status, named.domain, context.style));
        first = false;
    }
    if (context.options.json != JsonMode::off)
        print_json(context, all);
    return {};
}

Result<void> run(const Context& context, const Show& command) {
    const auto desired = TRY(load_desired(context.paths));
    const Box box{context.paths, *context.units};
    auto all = nlohmann::ordered_json::array();
    bool first = true;
    for (const auto& name : command.names) {
        const auto named = TRY(look_up(desired, name));
        const auto status = TRY(read_status(box, desired, *named.tenant));
        const auto properties =
            TRY(filtered(properties_of(status, named.domain), command.properties));
        auto object = nlohmann::ordered_json::object();
        if (!first && context.options.json == JsonMode::off)
            fmt::print("\n");
        first = false;
        for (const auto& [key, value] : properties) {
            object[key] = value;
            if (context.options.json == JsonMode::off)
                fmt::print("{}={}\n", key, value);
        }
        all.push_back(std::move(object));
    }
    if (context.options.json != JsonMode::off)
        print_json(context, all);
    return {};
}

} // namespace tenantctl
