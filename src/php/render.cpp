#include "php/render.hpp"

#include "base/paths.hpp"
#include "php/pool_size.hpp"
#include "php/template.hpp"
#include "tenant/names.hpp"

#include <fmt/format.h>

namespace tenantctl {

namespace {

Result<TemplateValues> pool_values(const BoxSpec& box, const ResolvedTenant& tenant,
                                   const SiteSpec& site) {
    const auto& name = tenant.spec.name;
    const auto size = pool_size(tenant.limits);
    TemplateValues values;
    values.emplace("tenant", TRY(Value::identifier("Tenant", name)));
    values.emplace("domain", TRY(Value::hostname("Domain", site.domain)));
    values.emplace("socket", TRY(Value::path("Socket", socket_path(site.domain))));
    values.emplace("directory",
                   TRY(Value::path("Site directory", site_directory(name, site.domain))));
    values.emplace("memory_limit_mib", Value::integer(size.memory_limit_mib));
    values.emplace("max_children", Value::integer(size.max_children));
    values.emplace("least_spare_children", Value::integer(least_spare_children(size)));
    values.emplace("most_spare_children", Value::integer(least_spare_children(size) + 1));
    // What the web server lets through, PHP takes.
    values.emplace("body_max", TRY(Value::size("Body size", box.body_max)));
    values.emplace("disable_functions",
                   TRY(Value::identifiers("PHP function", tenant.plan.disable_functions)));
    return values;
}

Result<TemplateValues> vhost_values(const BoxSpec& box, const ResolvedTenant& tenant,
                                    const SiteSpec& site) {
    auto names = site.aliases;
    names.insert(names.begin(), site.domain);
    TemplateValues values;
    values.emplace("tenant", TRY(Value::identifier("Tenant", tenant.spec.name)));
    values.emplace("domain", TRY(Value::hostname("Domain", site.domain)));
    values.emplace("server_names", TRY(Value::hostnames("Domain", names)));
    values.emplace("root", TRY(Value::path("Document root", site.root)));
    values.emplace("socket", TRY(Value::path("Socket", socket_path(site.domain))));
    values.emplace("logs", TRY(Value::path("Log directory",
                                           fmt::format("{}/{}", box_path::web_logs, site.domain))));
    values.emplace("connections", Value::integer(box.connections_per_tenant));
    values.emplace("body_max", TRY(Value::size("Body size", box.body_max)));
    return values;
}

Result<std::string> expand(std::string_view what, std::string_view text,
                           const TemplateValues& values) {
    auto expanded = expand_template(text, values);
    if (!expanded)
        return wrap(fmt::format("Template {}", what), expanded.error());
    return expanded;
}

} // namespace

Result<std::string> render_pool(const std::string& pool_template, const BoxSpec& box,
                                const ResolvedTenant& tenant, const SiteSpec& site) {
    return expand("php-fpm/pool.conf", pool_template, TRY(pool_values(box, tenant, site)));
}

Result<std::string> render_vhost(const std::string& vhost_template, const BoxSpec& box,
                                 const ResolvedTenant& tenant, const SiteSpec& site) {
    return expand("nginx/site.conf", vhost_template, TRY(vhost_values(box, tenant, site)));
}

} // namespace tenantctl
