// The tenant that golden files show and that the real programs are asked about.
#pragma once

#include "tenant/names.hpp"
#include "tenant/spec.hpp"

#include <cstdlib>
#include <string>

namespace tenantctl {

inline SiteSpec example_site() {
    SiteSpec site;
    site.domain = "my-blog.example";
    site.aliases = {"www.my-blog.example", "xn--bcher-kva.example"};
    site.php = "8.2";
    site.root = site_directory("alpha", site.domain) + "/public";
    return site;
}

inline ResolvedTenant example_tenant() {
    ResolvedTenant tenant;
    tenant.spec.name = "alpha";
    tenant.spec.sites = {example_site()};
    tenant.plan = builtin_plan();
    tenant.plan.disable_functions = {"exec", "passthru", "shell_exec"};
    tenant.limits = tenant.plan.limits;
    tenant.limits.cpu_quota = 150;
    tenant.limits.cpu_weight = 50;
    tenant.uid = 20000;
    return tenant;
}

// A file of the source tree. The tests are run with TENANTCTL_SOURCE_DIR set.
inline std::string source_file(const std::string& path) {
    const char* directory = std::getenv("TENANTCTL_SOURCE_DIR");
    return std::string(directory == nullptr ? "." : directory) + "/" + path;
}

} // namespace tenantctl
