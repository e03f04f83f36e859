// How tenants and sites are shown: as a table, as a page, as properties, as JSON. Pure.
#pragma once

#include "tenant/status.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tenantctl {

// What the terminal can do.
struct Style {
    bool colour = false;
    std::size_t width = 0; // 0: no bound
};

// A row a site; a tenant without sites has a row too.
std::string render_list(const std::vector<TenantStatus>& tenants, bool legend, const Style& style);
nlohmann::ordered_json list_json(const std::vector<TenantStatus>& tenants);

// A tenant and its sites, as systemctl status shows a unit. With `domain`, that site only.
std::string render_status(const TenantStatus& tenant, std::string_view domain, const Style& style);
nlohmann::ordered_json status_json(const TenantStatus& tenant);

// The properties of a tenant or of one of its sites, in order.
using Properties = std::vector<std::pair<std::string, std::string>>;
Properties tenant_properties(const TenantStatus& tenant);
Properties site_properties(const TenantStatus& tenant, const SiteStatus& site);

} // namespace tenantctl
