#include "store/toml_files.hpp"
#include "tenant/names.hpp"
#include "tenant/spec.hpp"

#include <doctest/doctest.h>

using namespace tenantctl;

namespace {

SiteSpec site(const std::string& tenant, const std::string& domain,
              std::vector<std::string> aliases = {}) {
    return {domain, std::move(aliases), "8.2", site_directory(tenant, domain) + "/public"};
}

TenantSpec tenant(const std::string& name, std::vector<SiteSpec> sites) {
    TenantSpec spec;
    spec.name = name;
    spec.sites = std::move(sites);
    return spec;
}

Desired two_tenants() {
    Desired desired;
    desired.plans = {builtin_plan()};
    desired.tenants = {tenant("alpha", {site("alpha", "blog.example", {"www.blog.example"})}),
                       tenant("beta", {site("beta", "shop.example")})};
    return desired;
}

std::string refusal(const TenantSpec& spec, const Desired& desired) {
    const auto result = validate_tenant(spec, desired, {"8.2"});
    if (result)
        return "";
    CHECK(result.error().code == Errc::invalid);
    return result.error().message;
}

} // namespace

TEST_CASE("a tenant's own file is read back the same") {
    auto spec = tenant("alpha", {site("alpha", "blog.example", {"www.blog.example", "b.example"}),
                                 site("alpha", "shop.example")});
    spec.limits.memory_max = 768ULL * 1024 * 1024;
    spec.limits.cpu_quota = 150;
    spec.limits.tasks_max = 64;
    spec.limits.memory_swap_max = unlimited;
    const auto back = parse_tenant_file(format_tenant_file(spec), "alpha.toml");
    REQUIRE_MESSAGE(back, back.error().message);
    CHECK(*back == spec);
}

TEST_CASE("a domain belongs to one site of the box, also as an alias") {
    const auto desired = two_tenants();
    CHECK(refusal(tenant("gamma", {site("gamma", "new.example")}), desired).empty());
    CHECK(refusal(tenant("gamma", {site("gamma", "blog.example")}), desired) ==
          "blog.example is already a site of tenant alpha");
    CHECK(refusal(tenant("gamma", {site("gamma", "www.blog.example")}), desired) ==
          "www.blog.example is already an alias of blog.example (tenant alpha)");
    CHECK(refusal(tenant("gamma", {site("gamma", "new.example", {"shop.example"})}), desired) ==
          "shop.example is already a site of tenant beta");
    CHECK(refusal(tenant("gamma", {site("gamma", "a.example", {"a.example"})}), desired) ==
          "a.example is already taken within tenant gamma");
}

TEST_CASE(
    "a PHP version that is not installed, a root outside the site, a plan that is not there") {
    const auto desired = two_tenants();
    auto spec = tenant("gamma", {site("gamma", "new.example")});
    spec.sites[0].php = "7.4";
    CHECK(refusal(spec, desired).find("PHP 7.4 is not installed (found: 8.2)") == 0);

    spec = tenant("gamma", {site("gamma", "new.example")});
    for (const auto* root : {"/etc", "/srv/tenants/alpha/sites/blog.example/public",
                             "/srv/tenants/gamma/sites/new.example/publicity"}) {
        spec.sites[0].root = root;
        CHECK_MESSAGE(refusal(spec, desired).find("is outside") != std::string::npos, root);
    }
    spec.sites[0].root = "/srv/tenants/gamma/sites/new.example/public/web";
    CHECK(refusal(spec, desired).empty());

    spec.plan = "gold";
    CHECK(refusal(spec, desired).find("There is no plan \"gold\"") == 0);
}

TEST_CASE("errors of a spec name the file, the line and the key") {
    const auto error = [](const char* text) {
        const auto result = parse_tenant_file(text, "alpha.toml");
        REQUIRE(!result);
        CHECK(result.error().code == Errc::invalid);
        return result.error().message;
    };
    CHECK(error("name = \"alpha\"\n[limits]\nmemory_hihg = \"1G\"\n") ==
          "alpha.toml:3: limits.memory_hihg: unknown key; did you mean memory_high?");
    CHECK(error("name = \"alpha\"\n[limits]\nmemory_high = 512\n").find("has no unit") !=
          std::string::npos);
    CHECK(error("name = \"a-b\"\n").find("alpha.toml:1: name:") == 0);
    CHECK(error("name = ").find("alpha.toml:1:") == 0);
    CHECK(error("name = \"alpha\"\n[[site]]\ndomain = \"b.example\\n[other]\"\n")
              .find("site.domain") != std::string::npos);
    CHECK(error("name = \"alpha\"\nsite = 3\n").find("not a table") != std::string::npos);
}

TEST_CASE("the box's configuration is checked") {
    const auto box = parse_box_file("uid_first = 30000\nuid_last = 30010\n", "tenantctl.toml");
    REQUIRE(box);
    CHECK(box->uid_first == 30000);
    CHECK(!parse_box_file("uid_first = 0\n", "t"));
    CHECK(!parse_box_file("uid_first = 2000\nuid_last = 1999\n", "t"));
    CHECK(!parse_box_file("default_php = \"8.2; x\"\n", "t"));
    CHECK(!parse_plan_file("name = \"../x\"\n", "p"));
}
