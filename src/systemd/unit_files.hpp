// The unit files that are generated: a tenant's slice, a site's drop-in. Pure.
#pragma once

#include "tenant/spec.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tenantctl {

// tenant-NAME.slice with its limits.
std::string render_slice(const ResolvedTenant& tenant);

// php-fpm@DOMAIN.service.d/tenant.conf: user, slice, PHP version and name spaces of the site.
std::string render_service_drop_in(const ResolvedTenant& tenant, const SiteSpec& site);

// The tenant that a file was generated for, by the line that each generated file begins with, be it
// a unit, a pool or a virtual host; std::nullopt when it is somebody else's file.
std::optional<std::string> generated_for(std::string_view text);

std::string slice_file(std::string_view tenant); // /etc/systemd/system/tenant-NAME.slice
std::string
service_drop_in_file(std::string_view domain);  // .../php-fpm@DOMAIN.service.d/tenant.conf
std::string pool_file(std::string_view domain); // /etc/tenantctl/php-fpm/DOMAIN.conf

} // namespace tenantctl
