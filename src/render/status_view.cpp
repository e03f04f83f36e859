#include "base/text.hpp"
#include "render/views.hpp"
#include "tenant/names.hpp"

#include <fmt/format.h>

namespace tenantctl {

namespace {

constexpr const char* green = "\x1b[32m";
constexpr const char* red = "\x1b[31m";
constexpr const char* plain = "\x1b[0m";

const char* colour_of(SiteState state) {
    switch (state) {
    case SiteState::running:
    case SiteState::starting:
        return green;
    case SiteState::failed:
    case SiteState::stopped:
        return red;
    case SiteState::sleeping:
    case SiteState::unknown:
        break;
    }
    return plain;
}

std::string coloured(const std::string& text, const char* colour, const Style& style) {
    return style.colour && colour != plain ? fmt::format("{}{}{}", colour, text, plain) : text;
}

std::string line(std::string_view label, const std::string& text) {
    return fmt::format("{:>10}: {}\n", label, text);
}

// "high: 384M, max: 448M, swap max: 0B"
std::string memory_limits(const TenantStatus& tenant) {
    std::vector<std::string> parts;
    for (const auto& [member, label] :
         {std::pair{&Limits::memory_low, "low"}, std::pair{&Limits::memory_high, "high"},
          std::pair{&Limits::memory_max, "max"}, std::pair{&Limits::memory_swap_max, "swap max"}})
        if (const auto& value = tenant.limits.*member)
            parts.push_back(fmt::format("{}: {}", label, format_size(*value)));
    if (tenant.memory_peak)
        parts.push_back(fmt::format("peak: {}", format_size(*tenant.memory_peak)));
    return join(parts, ", ");
}

std::string weights(const TenantStatus& tenant) {
    std::vector<std::string> parts;
    for (const auto* key : {"cpu_quota", "cpu_weight", "io_weight"}) {
        const auto& kind = *find_limit(key);
        if (const auto& value = tenant.limits.*kind.member)
            parts.push_back(
                fmt::format("{}={}{}", kind.directive, format_limit(kind, *value),
                            kind.member == &Limits::io_weight && tenant.io_weight_inactive
                                ? " (inactive: no bfq, no io.cost)"
                                : ""));
    }
    return join(parts, ", ");
}

std::string events(const TenantStatus& tenant) {
    std::vector<std::string> parts;
    for (const auto* key : {"high", "max", "oom", "oom_kill"})
        if (const auto found = tenant.memory_events.find(key); found != tenant.memory_events.end())
            parts.push_back(fmt::format("{} {}", key, found->second));
    return join(parts, ", ");
}

std::string render_resources(const TenantStatus& tenant) {
    const auto current =
        tenant.memory_current ? format_size(*tenant.memory_current) : std::string("-");
    std::string out = line("Memory", fmt::format("{} ({})", current, memory_limits(tenant)));
    out += line("Tasks",
                fmt::format("{} (limit: {})", tenant.tasks ? std::to_string(*tenant.tasks) : "-",
                            tenant.limits.tasks_max
                                ? format_limit(*find_limit("tasks_max"), *tenant.limits.tasks_max)
                                : "none"));
    if (tenant.cpu_usec)
        out += line("CPU", fmt::format("{:.3f}s", static_cast<double>(*tenant.cpu_usec) / 1e6));
    if (const auto text = weights(tenant); !text.empty())
        out += line("Shares", text);
    if (const auto text = events(tenant); !text.empty())
        out += line("Events", text);
    if (const auto& pressure = tenant.memory_pressure)
        out += line("Pressure", fmt::format("memory some {:.2f}%, full {:.2f}% of the last 10 s",
                                            pressure->some_avg10, pressure->full_avg10));
    return out;
}

std::string render_site(const TenantStatus& tenant, const SiteStatus& site, const Style& style) {
    std::string state = to_text(site.state);
    if (site.main_pid != 0)
        state += fmt::format(", PID {}", site.main_pid);
    if (!site.result.empty())
        state += fmt::format(", last result {}", site.result);
    const auto dot = coloured("*", colour_of(site.state), style);
    std::string out = fmt::format("\n{} {} ({}, PHP {})\n", dot, site.spec.domain,
                                  coloured(state, colour_of(site.state), style), site.spec.php);
    if (!site.spec.aliases.empty())
        out += line("Aliases", join(site.spec.aliases, ", "));
    out += line("Root", site.spec.root);
    out += line("Unit", fmt::format("{} in {}", service_unit(site.spec.domain),
                                    slice_unit(tenant.spec.name)));
    out += line("Logs", fmt::format("journalctl -u php-fpm@{}", site.spec.domain));
    return out;
}

} // namespace

std::string render_status(const TenantStatus& tenant, std::string_view domain, const Style& style) {
    std::string out = fmt::format("{} - tenant, plan {}\n", tenant.spec.name, tenant.spec.plan);
    out += line("User", tenant.uid ? fmt::format("{} (uid {}), home {}", tenant.spec.name,
                                                 *tenant.uid, tenant_home(tenant.spec.name))
                                   : std::string("missing; tenantctl apply makes it again"));
    if (!tenant.slice_state.empty())
        out +=
            line("Slice", fmt::format("{} ({})", slice_unit(tenant.spec.name),
                                      tenant.slice_state == "inactive" ? "inactive: all sites sleep"
                                                                       : tenant.slice_state));
    out += render_resources(tenant);
    for (const auto& site : tenant.sites)
        if (domain.empty() || site.spec.domain == domain)
            out += render_site(tenant, site, style);
    return out;
}

} // namespace tenantctl
