#include "render/table.hpp"
#include "render/views.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tenantctl {

namespace {

std::string size_or_dash(const std::optional<std::uint64_t>& bytes) {
    return bytes ? format_size(*bytes) : "-";
}

} // namespace

std::string render_list(const std::vector<TenantStatus>& tenants, bool legend, const Style& style) {
    Table table({{"TENANT", false, true},
                 {"SITE", false, true},
                 {"PHP"},
                 {"STATE"},
                 {"MEMORY", true},
                 {"HIGH", true},
                 {"MAX", true},
                 {"TASKS", true}});
    std::size_t sites = 0;
    for (const auto& tenant : tenants) {
        const auto row = [&](std::string site, std::string php, std::string state) {
            table.add({tenant.spec.name, std::move(site), std::move(php), std::move(state),
                       size_or_dash(tenant.memory_current), size_or_dash(tenant.limits.memory_high),
                       size_or_dash(tenant.limits.memory_max),
                       tenant.tasks ? std::to_string(*tenant.tasks) : "-"});
        };
        for (const auto& site : tenant.sites)
            row(site.spec.domain, site.spec.php, to_text(site.state));
        if (tenant.sites.empty())
            row("-", "-", "-");
        sites += tenant.sites.size();
    }
    auto out = table.render(legend, style.width);
    if (legend)
        out += fmt::format("\n{} tenant{}, {} site{} listed.\n", tenants.size(),
                           tenants.size() == 1 ? "" : "s", sites, sites == 1 ? "" : "s");
    return out;
}

} // namespace tenantctl
