#include "render/views.hpp"

#include <nlohmann/json.hpp>

namespace tenantctl {

namespace {

using Json = nlohmann::ordered_json;

// As systemd prints it in JSON: a number, and null for "infinity" and for what is not known.
Json number(const std::optional<std::uint64_t>& value) {
    return value && *value != unlimited ? Json(*value) : Json(nullptr);
}

Json limits_json(const Limits& limits) {
    Json json = Json::object();
    for (const auto& kind : limit_kinds)
        if (limits.*kind.member)
            json[std::string(kind.key)] = number(limits.*kind.member);
    return json;
}

Json site_json(const SiteStatus& site) {
    Json json;
    json["domain"] = site.spec.domain;
    json["aliases"] = site.spec.aliases;
    json["php"] = site.spec.php;
    json["root"] = site.spec.root;
    json["state"] = to_text(site.state);
    json["main_pid"] = site.main_pid != 0 ? Json(site.main_pid) : Json(nullptr);
    json["result"] = site.result.empty() ? Json(nullptr) : Json(site.result);
    return json;
}

} // namespace

Json status_json(const TenantStatus& tenant) {
    Json json;
    json["tenant"] = tenant.spec.name;
    json["plan"] = tenant.spec.plan;
    json["uid"] = tenant.uid ? Json(*tenant.uid) : Json(nullptr);
    json["slice_state"] = tenant.slice_state.empty() ? Json(nullptr) : Json(tenant.slice_state);
    json["limits"] = limits_json(tenant.limits);
    json["kernel_limits"] = tenant.kernel_limits;
    json["io_weight_inactive"] = tenant.io_weight_inactive;
    json["memory_current"] = number(tenant.memory_current);
    json["memory_peak"] = number(tenant.memory_peak);
    json["swap_current"] = number(tenant.swap_current);
    json["tasks"] = number(tenant.tasks);
    json["cpu_usec"] = number(tenant.cpu_usec);
    json["memory_events"] = tenant.memory_events;
    if (tenant.memory_pressure)
        json["memory_pressure"] = {{"some_avg10", tenant.memory_pressure->some_avg10},
                                   {"full_avg10", tenant.memory_pressure->full_avg10},
                                   {"some_total", tenant.memory_pressure->some_total},
                                   {"full_total", tenant.memory_pressure->full_total}};
    else
        json["memory_pressure"] = nullptr;
    json["sites"] = Json::array();
    for (const auto& site : tenant.sites)
        json["sites"].push_back(site_json(site));
    return json;
}

Json list_json(const std::vector<TenantStatus>& tenants) {
    Json rows = Json::array();
    for (const auto& tenant : tenants) {
        const auto add = [&](Json site, Json php, Json state) {
            rows.push_back({{"tenant", tenant.spec.name},
                            {"site", std::move(site)},
                            {"php", std::move(php)},
                            {"state", std::move(state)},
                            {"memory_current", number(tenant.memory_current)},
                            {"memory_high", number(tenant.limits.memory_high)},
                            {"memory_max", number(tenant.limits.memory_max)},
                            {"tasks", number(tenant.tasks)}});
        };
        for (const auto& site : tenant.sites)
            add(site.spec.domain, site.spec.php, to_text(site.state));
        if (tenant.sites.empty())
            add(nullptr, nullptr, nullptr);
    }
    return rows;
}

} // namespace tenantctl
