// The unit files that are generated: a tenant's slice, a site's drop-in. Pure.
#pragma once

#include "tenant/spec.hpp"

#include <string>

namespace tenantctl {

// tenant-NAME.slice with its limits.
std::string render_slice(const ResolvedTenant& tenant);

// php-fpm@DOMAIN.service.d/tenant.conf: user, slice, PHP version and name spaces of the site.
std::string render_service_drop_in(const ResolvedTenant& tenant, const SiteSpec& site);

std::string slice_file(std::string_view tenant); // /etc/systemd/system/tenant-NAME.slice
std::string
service_drop_in_file(std::string_view domain);  // .../php-fpm@DOMAIN.service.d/tenant.conf
std::string pool_file(std::string_view domain); // /etc/tenantctl/php-fpm/DOMAIN.conf

} // namespace tenantctl
