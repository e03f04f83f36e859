#include "tenant/names.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace tenantctl;

TEST_CASE("a tenant's name is a Unix name without a dash") {
    for (const auto* good : {"alpha", "a", "a_b", "shop24", "abcdefghijklmnopqrstuvwxyz01234"})
        CHECK_MESSAGE(parse_tenant_name(good), good);
    for (const auto* bad : {"", "Alpha", "1a", "_a", "a-b", "a.b", "a b", "a/b", "a\n", "-rf", "..",
                            "a.slice", "a@b", "\xc3\xa4", "abcdefghijklmnopqrstuvwxyz012345"})
        CHECK_MESSAGE(!parse_tenant_name(bad), bad);
}

TEST_CASE("names of the distribution's users are reserved") {
    for (const auto* name : {"root", "mail", "www", "mysql", "nobody", "tenant"}) {
        const auto result = parse_tenant_name(name);
        REQUIRE_MESSAGE(!result, name);
        CHECK(result.error().code == Errc::invalid);
        CHECK(result.error().message.find("reserved") != std::string::npos);
    }
}

TEST_CASE("a domain becomes lower case and punycode") {
    CHECK(*parse_domain("Blog.Example") == "blog.example");
    CHECK(*parse_domain("blog.example.") == "blog.example");
    CHECK(*parse_domain("m\xc3\xbcller.example") == "xn--mller-kva.example");
    CHECK(*parse_domain("fa\xc3\x9f.example") == "xn--fa-hia.example"); // non-transitional
    CHECK(*parse_domain("xn--mller-kva.example") == "xn--mller-kva.example");
}

TEST_CASE("what is not a domain is refused") {
    for (const std::string& bad :
         {std::string(""), std::string("localhost"), std::string("a..b"), std::string(".a.b"),
          std::string("-a.example"), std::string("a-.example"), std::string("a_b.example"),
          std::string("a b.example"), std::string("a.example\n"), std::string("a.example;"),
          std::string("*.example"), std::string("../etc"), std::string("127.0.0.1"),
          std::string("a%i.example"), std::string("a\0.example", 10), std::string("\xff.example")})
        CHECK_MESSAGE(!parse_domain(bad), bad);
}

TEST_CASE("the longest domain fits into sun_path with its socket's path") {
    const std::string label(39, 'a');
    const auto longest = label + "." + label + ".abc"; // 83 bytes
    REQUIRE(longest.size() == 83);
    REQUIRE(parse_domain(longest));
    CHECK(socket_path(longest).size() == 107);
    const auto over = parse_domain(longest + "d");
    REQUIRE(!over);
    CHECK(over.error().message.find("84 bytes") != std::string::npos);
}

TEST_CASE("a tenant is named after its domain") {
    CHECK(*tenant_name_for("blog.example") == "blog_example");
    CHECK(*tenant_name_for("a-b.example") == "a_b_example");
    CHECK(*tenant_name_for("24h.example") == "t_24h_example");
    CHECK(tenant_name_for("a-very-long-name-of-a-domain-indeed.example")->size() == 31);
}

TEST_CASE("a document root has no way out") {
    CHECK(*parse_document_root("/srv/tenants/a/sites/b.c/public/") ==
          "/srv/tenants/a/sites/b.c/public");
    for (const auto* bad : {"", "public", "/a/../b", "/a/./b", "/a//b", "/a b", "/a\nb", "/a;b",
                            "/a$b", "/a\"b", "/a%b", "/a'b"})
        CHECK_MESSAGE(!parse_document_root(bad), bad);
}

TEST_CASE("a PHP version is two numbers") {
    CHECK(parse_php_version("8.2"));
    for (const auto* bad : {"8", "8.", ".2", "8.2.1", "a.b", "8.2/../x", "", "8.222"})
        CHECK_MESSAGE(!parse_php_version(bad), bad);
}
