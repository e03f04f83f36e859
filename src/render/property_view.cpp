#include "base/text.hpp"
#include "render/views.hpp"
#include "tenant/names.hpp"

namespace tenantctl {

namespace {

std::string number(const std::optional<std::uint64_t>& value) {
    return value ? (*value == unlimited ? "infinity" : std::to_string(*value)) : "";
}

} // namespace

Properties tenant_properties(const TenantStatus& tenant) {
    std::vector<std::string> domains;
    for (const auto& site : tenant.sites)
        domains.push_back(site.spec.domain);
    Properties all = {
        {"Tenant", tenant.spec.name},
        {"Plan", tenant.spec.plan},
        {"UID", tenant.uid ? std::to_string(*tenant.uid) : ""},
        {"Home", tenant_home(tenant.spec.name)},
        {"Slice", slice_unit(tenant.spec.name)},
        {"SliceState", tenant.slice_state},
        {"ControlGroup", slice_cgroup(tenant.spec.name)},
        {"Sites", join(domains, " ")},
    };
    for (const auto& kind : limit_kinds)
        if (const auto& value = tenant.limits.*kind.member) {
            all.emplace_back(std::string(kind.directive), kind.unit == LimitKind::Unit::bytes
                                                              ? number(value)
                                                              : format_limit(kind, *value));
            // What the kernel has; empty while the slice is asleep.
            const auto found = tenant.kernel_limits.find(std::string(kind.cgroup_file));
            all.emplace_back("Kernel" + std::string(kind.directive),
                             found != tenant.kernel_limits.end() ? found->second : "");
        }
    all.emplace_back("IOWeightInactive", tenant.io_weight_inactive ? "yes" : "no");
    all.emplace_back("MemoryCurrent", number(tenant.memory_current));
    all.emplace_back("MemoryPeak", number(tenant.memory_peak));
    all.emplace_back("SwapCurrent", number(tenant.swap_current));
    all.emplace_back("TasksCurrent", number(tenant.tasks));
    all.emplace_back("CPUUsageUSec", number(tenant.cpu_usec));
    for (const auto& [key, value] : tenant.memory_events)
        all.emplace_back("MemoryEvents_" + key, std::to_string(value));
    return all;
}

Properties site_properties(const TenantStatus& tenant, const SiteStatus& site) {
    const auto& domain = site.spec.domain;
    return {
        {"Site", domain},
        {"Tenant", tenant.spec.name},
        {"Aliases", join(site.spec.aliases, " ")},
        {"PHP", site.spec.php},
        {"Root", site.spec.root},
        {"Directory", site_directory(tenant.spec.name, domain)},
        {"State", to_text(site.state)},
        {"MainPID", std::to_string(site.main_pid)},
        {"Result", site.result.empty() ? "success" : site.result},
        {"Socket", socket_unit(domain)},
        {"Service", service_unit(domain)},
        {"Slice", slice_unit(tenant.spec.name)},
        {"SocketPath", socket_path(domain)},
        {"PoolFile", "/etc/tenantctl/php-fpm/" + domain + ".conf"},
        {"VirtualHost", "/etc/nginx/tenantctl/" + domain + ".conf"},
        {"WebLogs", "/var/log/tenantctl/" + domain},
    };
}

} // namespace tenantctl
