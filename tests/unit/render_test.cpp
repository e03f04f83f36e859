#include "render/table.hpp"
#include "render/views.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace tenantctl;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1024} * 1024;

TenantStatus alpha() {
    TenantStatus status;
    status.spec.name = "alpha";
    status.limits = builtin_plan().limits;
    status.uid = 20000;
    status.slice_state = "active";
    status.memory_current = 85 * mib;
    status.tasks = 5;
    status.memory_events = {{"high", 3}, {"max", 0}, {"oom", 0}, {"oom_kill", 0}};
    SiteStatus site;
    site.spec = {"blog.example",
                 {"www.blog.example"},
                 "8.2",
                 "/srv/tenants/alpha/sites/blog.example/public"};
    site.state = SiteState::running;
    site.main_pid = 812;
    status.sites = {site};
    return status;
}

std::size_t widest_line(const std::string& text) {
    std::size_t widest = 0;
    for (std::size_t start = 0; start < text.size();) {
        const auto end = text.find('\n', start);
        widest = std::max(widest, end - start);
        start = end + 1;
    }
    return widest;
}

} // namespace

TEST_CASE("the list is aligned and counts") {
    CHECK(render_list({alpha()}, true, {}) ==
          "TENANT  SITE          PHP  STATE    MEMORY  HIGH   MAX  TASKS\n"
          "alpha   blog.example  8.2  running     85M  448M  512M      5\n"
          "\n1 tenant, 1 site listed.\n");
    CHECK(render_list({alpha()}, false, {}) ==
          "alpha  blog.example  8.2  running  85M  448M  512M  5\n");
}

TEST_CASE("a wide table is shortened to the terminal where it may be") {
    auto status = alpha();
    status.sites[0].spec.domain =
        "a-very-long-name-of-a-site-that-somebody-has-registered.example.org";
    const auto text = render_list({status}, true, {false, 80});
    CHECK(widest_line(text) == 80);
    CHECK(text.find("...") != std::string::npos);
}

TEST_CASE("the status page fits 80 columns and has colours only when asked") {
    const auto text = render_status(alpha(), "", {});
    CHECK(widest_line(text) <= 80);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("85M (high: 448M, max: 512M, swap max: 0B)") != std::string::npos);
    CHECK(text.find("high 3, max 0, oom 0, oom_kill 0") != std::string::npos);
    CHECK(render_status(alpha(), "", {true, 80}).find("\x1b[32mrunning, PID 812\x1b[0m") !=
          std::string::npos);
}

TEST_CASE("JSON has numbers, and null for what is not known") {
    auto status = alpha();
    status.memory_current.reset();
    const auto json = status_json(status);
    CHECK(json["memory_current"].is_null());
    CHECK(json["limits"]["memory_high"] == 448 * mib);
    CHECK(json["sites"][0]["state"] == "running");
    CHECK(list_json({status})[0]["site"] == "blog.example");
}

TEST_CASE("a limit that the box does not enforce is shown as inactive") {
    auto status = alpha();
    status.limits.io_weight = 200;
    status.io_weight_inactive = true;
    CHECK(render_status(status, "", {}).find("IOWeight=200 (inactive") != std::string::npos);
}
