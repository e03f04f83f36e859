// Pool and virtual host files from a site's spec. Pure: templates and values in, text out.
#pragma once

#include "base/result.hpp"
#include "tenant/spec.hpp"

#include <string>

namespace tenantctl {

// The text of the template files, as read from disk by the caller.
struct Templates {
    std::string pool;  // php-fpm/pool.conf
    std::string vhost; // nginx/site.conf
};

// The complete configuration of the site's PHP-FPM master: [global] and one pool.
// Errc::invalid when a value cannot stand in a pool file or the template names an unknown value.
Result<std::string> render_pool(const std::string& pool_template, const BoxSpec& box,
                                const ResolvedTenant& tenant, const SiteSpec& site);

// The site's nginx server block.
Result<std::string> render_vhost(const std::string& vhost_template, const BoxSpec& box,
                                 const ResolvedTenant& tenant, const SiteSpec& site);

} // namespace tenantctl
