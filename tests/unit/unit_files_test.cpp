#include "base/files.hpp"
#include "base/text.hpp"
#include "example_tenant.hpp"
#include "hostile_text.hpp"
#include "systemd/unit_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

using namespace tenantctl;

namespace {

std::string source(const std::string& path) {
    const auto text = read_file(source_file(path));
    REQUIRE_MESSAGE(text, path);
    return *text;
}

bool has_line(const std::string& text, const std::string& line) {
    const auto lines = split(text, '\n');
    return std::find(lines.begin(), lines.end(), line) != lines.end();
}

Result<Limits> validate(const TenantSpec& tenant) {
    Desired desired;
    desired.plans = {builtin_plan()};
    return validate_tenant(tenant, desired, {"8.2"});
}

} // namespace

TEST_CASE("the slice is the golden one") {
    CHECK(render_slice(example_tenant()) == source("tests/golden/tenant-alpha.slice"));
}

TEST_CASE("the site's drop-in is the golden one") {
    CHECK(render_service_drop_in(example_tenant(), example_site()) ==
          source("tests/golden/tenant.conf"));
}

TEST_CASE("a slice has every limit that counts and no other") {
    auto tenant = example_tenant();
    tenant.limits = Limits{};
    for (const auto& kind : limit_kinds) {
        tenant.limits.*kind.member = 40 * 1024 * 1024;
        const auto text = render_slice(tenant);
        for (const auto& other : limit_kinds) {
            INFO(kind.directive, " and ", other.directive);
            const auto line = std::string("\n") + std::string(other.directive) + "=";
            CHECK((text.find(line) != std::string::npos) == (kind.member == other.member));
        }
        tenant.limits.*kind.member = std::nullopt;
    }
}

TEST_CASE("limits are written exactly and in systemd's words") {
    auto tenant = example_tenant();
    tenant.limits.memory_max = 1536ULL * 1024 * 1024;
    tenant.limits.tasks_max = unlimited;
    const auto text = render_slice(tenant);
    CHECK(has_line(text, "MemoryMax=1536M"));
    CHECK(has_line(text, "MemorySwapMax=0K"));
    CHECK(has_line(text, "TasksMax=infinity"));
    CHECK(has_line(text, "CPUQuota=150%"));
}

TEST_CASE("the drop-in replaces the template's ExecStart and binds only the tenant's own home") {
    const auto text = render_service_drop_in(example_tenant(), example_site());
    const auto reset = text.find("\nExecStart=\n");
    REQUIRE(reset != std::string::npos);
    CHECK(text.find("\nExecStart=/usr/sbin/php-fpm8.2 ") > reset);
    CHECK(has_line(text, "User=alpha"));
    CHECK(has_line(text, "Slice=tenant-alpha.slice"));
    CHECK(has_line(text, "Environment=TENANTCTL_SLICE=tenant-alpha.slice"));
    CHECK(has_line(text, "BindPaths=/srv/tenants/alpha"));
    CHECK(has_line(text, "NoExecPaths=/srv/tenants/alpha"));
}

TEST_CASE("no drop-in carries a limit") {
    const auto generated = render_service_drop_in(example_tenant(), example_site());
    const auto shared = source("units/tenant-.slice.d/10-tenantctl.conf");
    for (const auto& kind : limit_kinds) {
        const auto line = std::string("\n") + std::string(kind.directive) + "=";
        CHECK(generated.find(line) == std::string::npos);
        CHECK(shared.find(line) == std::string::npos);
    }
}

TEST_CASE("a spec that would bring syntax into a unit is not valid") {
    struct Field {
        const char* name;
        std::function<std::string&(TenantSpec&)> of;
    };
    const Field fields[] = {
        {"tenant", [](TenantSpec& t) -> std::string& { return t.name; }},
        {"domain", [](TenantSpec& t) -> std::string& { return t.sites[0].domain; }},
        {"alias", [](TenantSpec& t) -> std::string& { return t.sites[0].aliases[0]; }},
        {"php", [](TenantSpec& t) -> std::string& { return t.sites[0].php; }},
    };
    REQUIRE(validate(example_tenant().spec));
    for (const auto& field : fields) {
        auto tenant = example_tenant().spec;
        auto& text = field.of(tenant);
        for (const auto& hostile : hostile_variants(text)) {
            text = hostile;
            INFO(field.name, ": ", escaped(hostile));
            CHECK_FALSE(validate(tenant));
        }
    }
}

TEST_CASE("the bare template runs nothing of a site") {
    const auto unit = source("units/php-fpm@.service");
    CHECK(has_line(unit, "User=65534"));
    CHECK(has_line(unit, "ExecStart=/bin/false"));
    CHECK(has_line(unit, "ExecStartPre=/usr/lib/tenantctl/check-slice"));
    CHECK(unit.find("TENANTCTL_SLICE") == std::string::npos);
}

TEST_CASE("units never unescape the domain and never limit starts") {
    for (const char* path : {"units/php-fpm@.service", "units/php-fpm@.socket"})
        for (const auto& line : split(source(path), '\n'))
            if (line.empty() || line.front() != '#')
                CHECK(line.find("%I") == std::string::npos);
    CHECK(has_line(source("units/php-fpm@.socket"), "TriggerLimitIntervalSec=0"));
    CHECK(has_line(source("units/php-fpm@.service"), "StartLimitIntervalSec=0"));
}

TEST_CASE("generated files have their places") {
    CHECK(slice_file("alpha") == "/etc/systemd/system/tenant-alpha.slice");
    CHECK(service_drop_in_file("a.example") ==
          "/etc/systemd/system/php-fpm@a.example.service.d/tenant.conf");
    CHECK(pool_file("a.example") == "/etc/tenantctl/php-fpm/a.example.conf");
}
