#include "cgroup/files.hpp"

#include <doctest/doctest.h>

using namespace tenantctl;

TEST_CASE("memory.events and other flat keyed files") {
    const auto events = parse_flat_keyed("low 0\nhigh 12\nmax 3\noom 1\noom_kill 2\nodd\nx -1\n");
    CHECK(events.at("high") == 12);
    CHECK(events.at("oom_kill") == 2);
    CHECK(events.count("odd") == 0);
    CHECK(events.count("x") == 0);
}

TEST_CASE("a file of one number") {
    CHECK(*parse_single("max\n") == unlimited);
    CHECK(*parse_single("4096\n") == 4096);
    CHECK(!parse_single("\n"));
    CHECK(!parse_single("12 13\n"));
}

TEST_CASE("memory.pressure") {
    const auto pressure = parse_pressure("some avg10=1.25 avg60=0.50 avg300=0.10 total=12345\n"
                                         "full avg10=0.75 avg60=0.30 avg300=0.05 total=678\n");
    REQUIRE(pressure);
    CHECK(pressure->some_avg10 == doctest::Approx(1.25));
    CHECK(pressure->some_total == 12345);
    CHECK(pressure->full_total == 678);
    CHECK(!parse_pressure(""));
}

TEST_CASE("/proc/PID/status") {
    const auto powers = parse_process_status(
        "Name:\tphp-fpm8.2\nUid:\t20000\t20000\t20000\t20000\nGid:\t20000\t20000\t20000\t20000\n"
        "CapEff:\t0000000000000000\nCapBnd:\t000001ffffffffff\nNoNewPrivs:\t1\nSeccomp:\t2\n");
    CHECK(powers.uids == std::vector<std::uint32_t>{20000, 20000, 20000, 20000});
    CHECK(powers.capabilities_effective == 0);
    CHECK(powers.capabilities_bounding == 0x1ffffffffff);
    CHECK(powers.no_new_privileges);
    CHECK(powers.seccomp == 2);
}

TEST_CASE("/proc/PID/mountinfo and /proc/PID/cgroup") {
    const auto mounts = parse_mountinfo(
        "36 35 98:0 / /srv/tenants ro,nosuid master:1 shared:2 - tmpfs tmpfs rw\n"
        "37 36 98:0 /srv/tenants/alpha /srv/tenants/alpha rw - ext4 /dev/vda rw\nbroken\n");
    REQUIRE(mounts.size() == 2);
    CHECK(mounts[0].type == "tmpfs");
    CHECK(mounts[1].root == "/srv/tenants/alpha");
    CHECK(parse_proc_cgroup("1:name=systemd:/x\n0::/tenant.slice/a\n") == "/tenant.slice/a");
    CHECK(parse_proc_cgroup("").empty());
}
