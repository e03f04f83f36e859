#include "base/files.hpp"
#include "base/text.hpp"
#include "example_tenant.hpp"
#include "hostile_text.hpp"
#include "php/pool_size.hpp"
#include "php/render.hpp"
#include "php/template.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace tenantctl;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

std::string source(const std::string& path) {
    const auto text = read_file(source_file(path));
    REQUIRE_MESSAGE(text, path);
    return *text;
}

struct Subject {
    ResolvedTenant tenant = example_tenant();
    SiteSpec site = example_site();
    BoxSpec box;

    bool renders() const {
        static const auto pool = source("templates/php-fpm/pool.conf");
        static const auto vhost = source("templates/nginx/site.conf");
        return render_pool(pool, box, tenant, site) && render_vhost(vhost, box, tenant, site);
    }
};

struct Field {
    const char* name;
    std::function<std::string&(Subject&)> of;
};

PoolSize size_for(std::uint64_t high_mib, std::optional<std::uint64_t> tasks = std::nullopt) {
    Limits limits;
    limits.memory_high = high_mib * mib;
    limits.memory_max = high_mib * mib * 2;
    limits.tasks_max = tasks;
    return pool_size(limits);
}

} // namespace

TEST_CASE("the pool file is the golden one") {
    const auto pool = render_pool(source("templates/php-fpm/pool.conf"), BoxSpec{},
                                  example_tenant(), example_site());
    REQUIRE(pool);
    CHECK(*pool == source("tests/golden/pool.conf"));
}

TEST_CASE("the virtual host is the golden one") {
    const auto vhost = render_vhost(source("templates/nginx/site.conf"), BoxSpec{},
                                    example_tenant(), example_site());
    REQUIRE(vhost);
    CHECK(*vhost == source("tests/golden/site.conf"));
}

TEST_CASE("no field of a spec can bring syntax into a pool or a virtual host") {
    const Field fields[] = {
        {"tenant", [](Subject& s) -> std::string& { return s.tenant.spec.name; }},
        {"domain", [](Subject& s) -> std::string& { return s.site.domain; }},
        {"first alias", [](Subject& s) -> std::string& { return s.site.aliases.front(); }},
        {"last alias", [](Subject& s) -> std::string& { return s.site.aliases.back(); }},
        {"root", [](Subject& s) -> std::string& { return s.site.root; }},
        {"function", [](Subject& s) -> std::string& { return s.tenant.plan.disable_functions[1]; }},
        {"body size", [](Subject& s) -> std::string& { return s.box.body_max; }},
    };
    REQUIRE(Subject{}.renders());
    for (const auto& field : fields) {
        Subject subject;
        auto& text = field.of(subject);
        for (const auto& hostile : hostile_variants(text)) {
            text = hostile;
            INFO(field.name, ": ", escaped(hostile));
            CHECK_FALSE(subject.renders());
        }
    }
}

TEST_CASE("no byte outside of the safe ones passes in any value") {
    for (int byte = 0; byte < 256; ++byte) {
        const auto c = static_cast<char>(byte);
        const std::string text = std::string("/a") + c + "b";
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
        INFO("byte ", byte);
        CHECK(bool(Value::path("path", text)) == (plain || c == '/'));
        if (!plain) {
            CHECK_FALSE(Value::identifier("identifier", text.substr(1)));
            CHECK_FALSE(Value::hostname("host name", text.substr(1)));
            CHECK_FALSE(Value::size("size", std::string("6") + c + "4m"));
        }
    }
}

TEST_CASE("a refused value is named with its field and shown without its control characters") {
    const auto refused = Value::identifier("Tenant", "a\nb");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::invalid);
    CHECK(refused.error().message.rfind("Tenant \"a\\x0ab\" is not an identifier", 0) == 0);
}

TEST_CASE("paths that climb or are not absolute are refused") {
    for (const char* path : {"", "a", "/", "/a/../b", "/..", "/a/./b", "/a//b", "/a/"}) {
        INFO(path);
        CHECK_FALSE(Value::path("path", path));
    }
    CHECK(Value::path("path", "/a/..b/.c"));
}

TEST_CASE("a body size of 0, which would lift the limit, is refused") {
    CHECK_FALSE(Value::size("size", "0"));
    CHECK_FALSE(Value::size("size", "0m"));
    CHECK_FALSE(Value::size("size", "m"));
    CHECK(Value::size("size", "64m"));
}

TEST_CASE("a template's holes are filled once and in one pass") {
    const TemplateValues values = {{"a", *Value::identifier("a", "one")}, {"b", Value::integer(2)}};
    CHECK(*expand_template("@{a}@{b} @ {a} @@{a} ${a} {a}", values) == "one2 @ {a} @one ${a} {a}");
    CHECK(expand_template("", values)->empty());
}

TEST_CASE("an unknown or open hole is an error with its line") {
    const TemplateValues values = {{"socket", Value::integer(1)}};
    const auto unknown = expand_template("x\ny\nz @{sockt}", values);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == Errc::invalid);
    CHECK(unknown.error().message == "line 3: unknown value \"sockt\"; did you mean \"socket\"?");
    for (const char* text : {"a\n@{socket", "a\n@{socket\n}", "a\n@{"})
        CHECK(expand_template(text, values).error().message == "line 2: \"@{\" without its \"}\"");
}

TEST_CASE("an override that names an unknown value says which template it is") {
    const auto pool = render_pool("[@{name}]", BoxSpec{}, example_tenant(), example_site());
    REQUIRE_FALSE(pool);
    CHECK(pool.error().message.rfind("Template php-fpm/pool.conf: line 1: ", 0) == 0);
}

TEST_CASE("the listen path is the one that the unit hands over, byte for byte") {
    const auto site = example_site();
    const auto pool =
        render_pool(source("templates/php-fpm/pool.conf"), BoxSpec{}, example_tenant(), site);
    const auto unit = source("units/php-fpm@.service");
    const std::string start = "Environment=FPM_SOCKETS=";
    const auto from = unit.find(start) + start.size();
    auto key = unit.substr(from, unit.find("=3\n", from) - from);
    key.replace(key.find("%i"), 2, site.domain);
    CHECK(pool->find("\nlisten = \"" + key + "\"\n") != std::string::npos);
}

TEST_CASE("a pool's size follows from what throttles the tenant") {
    CHECK(size_for(448, 128) == PoolSize{192, 8});
    CHECK(size_for(2048, 128) == PoolSize{256, 41});
    CHECK(size_for(32, 8) == PoolSize{12, 2});
    CHECK(size_for(8192, 20) == PoolSize{256, 10});
}

TEST_CASE("a pool always has two children, and workers of usual size fit its memory") {
    std::uint64_t last = 0;
    for (std::uint64_t high = 32; high < 65536; high += 32) {
        const auto size = size_for(high);
        CHECK(size.max_children >= 2);
        // FPM refuses a pool that does not hold to these.
        CHECK(least_spare_children(size) >= 1);
        CHECK(least_spare_children(size) + 1 <= size.max_children);
        CHECK(size.max_children >= last);
        last = size.max_children;
        CHECK(size.memory_limit_mib <= 256);
        CHECK(size.memory_limit_mib * 2 <= high);
        if (size.max_children > 2)
            CHECK(size.max_children * 48 <= high);
    }
}

TEST_CASE("a tenant without MemoryHigh is sized by its MemoryMax") {
    Limits limits;
    limits.memory_max = 448 * mib;
    CHECK(pool_size(limits) == PoolSize{192, 8});
    CHECK(pool_size(Limits{}).max_children == 256);
}
