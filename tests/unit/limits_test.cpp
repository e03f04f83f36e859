#include "tenant/limits.hpp"

#include <doctest/doctest.h>

using namespace tenantctl;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1024} * 1024;

Limits plan() {
    Limits limits;
    limits.memory_high = 448 * mib;
    limits.memory_max = 512 * mib;
    limits.tasks_max = 128;
    return limits;
}

} // namespace

TEST_CASE("a size has a unit") {
    CHECK(*parse_size("512M") == 512 * mib);
    CHECK(*parse_size("1.5G") == 1536 * mib);
    CHECK(*parse_size("64K") == 65536);
    CHECK(*parse_size("2T") == 2 * mib * mib);
    CHECK(*parse_size("0M") == 0);
    CHECK(*parse_size("infinity") == unlimited);
    const auto bare = parse_size("512");
    REQUIRE(!bare);
    CHECK(bare.error().message == "\"512\" has no unit; write 512M or 512G");
    for (const auto* bad : {"", "M", "-1M", "1.M", ".5M", "1,5G", "512MB", "0x10M", "1e3M", " 1M",
                            "99999999999999999999M", "18446744073709551615G", "1.2345G", "1M\n"})
        CHECK_MESSAGE(!parse_size(bad), bad);
}

TEST_CASE("sizes are shown as systemd shows them") {
    CHECK(format_size(512 * mib) == "512M");
    CHECK(format_size(1536 * mib) == "1.5G");
    CHECK(format_size(0) == "0B");
    CHECK(format_size(unlimited) == "infinity");
}

TEST_CASE("a limit that is written down is read back the same") {
    for (const auto& kind : limit_kinds)
        for (const std::uint64_t value :
             {std::uint64_t{64}, std::uint64_t{100}, std::uint64_t{9999}}) {
            const auto scaled = kind.unit == LimitKind::Unit::bytes ? value * 1024 : value;
            const auto back = parse_limit(kind, format_limit(kind, scaled));
            REQUIRE_MESSAGE(back, kind.key);
            CHECK(*back == scaled);
        }
}

TEST_CASE("the kernel's way to show a limit") {
    CHECK(kernel_value(*find_limit("memory_high"), 512 * mib) == "536870912");
    CHECK(kernel_value(*find_limit("memory_swap_max"), unlimited) == "max");
    CHECK(kernel_value(*find_limit("cpu_quota"), 150) == "150000 100000");
    CHECK(kernel_value(*find_limit("io_weight"), 200) == "default 200");
}

TEST_CASE("a tenant's own limits stand before its plan's") {
    Limits own;
    own.memory_high = 100 * mib;
    own.memory_max = 128 * mib;
    const auto all = resolve_limits(own, plan());
    REQUIRE(all);
    CHECK(*all->memory_high == 100 * mib);
    CHECK(*all->memory_max == 128 * mib);
    CHECK(*all->tasks_max == 128);
}

TEST_CASE("MemoryHigh that nobody gave follows MemoryMax") {
    Limits own;
    own.memory_max = 1024 * mib;
    CHECK(*resolve_limits(own, plan())->memory_high == 896 * mib);
    CHECK(*resolve_limits(Limits{}, plan())->memory_high == 448 * mib);
}

TEST_CASE("limits that make no sense together are refused") {
    Limits own;
    own.memory_high = 600 * mib;
    const auto above = resolve_limits(own, plan());
    REQUIRE(!above);
    CHECK(above.error().message.find("MemoryHigh 600M is above MemoryMax 512M") == 0);

    own = Limits{};
    own.memory_high = 31 * mib;
    REQUIRE(!resolve_limits(own, plan()));
    CHECK(resolve_limits(own, plan()).error().message.find("below the floor of 32M") !=
          std::string::npos);

    own = Limits{};
    own.memory_max = unlimited;
    CHECK(!resolve_limits(own, plan()));

    own = Limits{};
    own.memory_low = 450 * mib;
    CHECK(!resolve_limits(own, plan()));

    CHECK(!parse_limit(*find_limit("tasks_max"), "7"));
    CHECK(parse_limit(*find_limit("tasks_max"), "8"));
    CHECK(!parse_limit(*find_limit("cpu_quota"), "50"));
    CHECK(!parse_limit(*find_limit("cpu_quota"), "0%"));
    CHECK(!parse_limit(*find_limit("cpu_weight"), "10001"));
}
