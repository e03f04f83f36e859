#include "test_box.hpp"

using namespace tenantctl;

namespace {

// The example tenant with other limits: other files for units that are loaded already.
ResolvedTenant changed_tenant() {
    auto tenant = example_tenant();
    tenant.limits.memory_max = std::uint64_t{1} << 30U;
    tenant.limits.memory_high = std::uint64_t{1} << 29U;
    return tenant;
}

struct Case {
    const char* name;
    Steps before; // carried out first
    Steps steps;
};

std::vector<Case> all_cases() {
    return {{"a new tenant and site", {}, addition()},
            {"a change of a tenant", addition(), addition(changed_tenant())},
            {"a removal", addition(), removal(false)}};
}

} // namespace

TEST_CASE("whichever step fails, those before it are undone and the box is as it was") {
    for (const auto& each : all_cases()) {
        // clang has no captures of structured bindings, which INFO would need.
        INFO(each.name);
        const auto& [name, before, steps] = each;
        for (std::size_t count = 0; count <= steps.size(); ++count) {
            TestBox test;
            REQUIRE(apply_steps(test.box, before));
            const auto shown = test.shows();
            test.units.fail(std::string("start ") + impossible, "there is no such unit");
            const auto failed = apply_steps(test.box, failing_after(steps, count));
            INFO("failure after ", count, " steps");
            REQUIRE_FALSE(failed);
            CHECK(test.shows() == shown);
            CHECK(failed.error().message.starts_with("Failed to start impossible.service: "));
            CHECK(failed.error().message.find("Not undone") == std::string::npos);
        }
    }
}

TEST_CASE("whichever call of systemd fails, the box is as it was") {
    for (const auto& each : all_cases()) {
        // clang has no captures of structured bindings, which INFO would need.
        INFO(each.name);
        const auto& [name, before, steps] = each;
        for (std::size_t nth = 1;; ++nth) {
            TestBox test;
            REQUIRE(apply_steps(test.box, before));
            const auto shown = test.shows();
            test.units.fail_call(nth, "the bus is gone");
            const auto failed = apply_steps(test.box, steps);
            INFO("call ", nth, ": ", test.units.calls.back());
            if (failed) {
                CHECK(nth > 1);
                break;
            }
            CHECK(failed.error().message.find("the bus is gone") != std::string::npos);
            CHECK(test.shows() == shown);
        }
    }
}

TEST_CASE("whichever file cannot be written, the box is as it was") {
    const auto steps = addition();
    for (std::size_t number = 0; number < steps.size(); ++number) {
        const auto* file = std::get_if<WriteFile>(&steps[number]);
        if (file == nullptr)
            continue;
        TestBox test;
        REQUIRE(apply_steps(test.box, without_root(box_steps({}))));
        test.put(file->path + "/in-the-way", "");
        const auto shown = test.shows();
        const auto failed = apply_steps(test.box, steps);
        INFO(file->path);
        REQUIRE_FALSE(failed);
        CHECK(failed.error().message.find(file->path + ": ") != std::string::npos);
        CHECK(test.shows() == shown);
    }
}

TEST_CASE(
    "what cannot even be looked at is a failure like any other: the steps before are undone") {
    TestBox test;
    // A link is on the way, and nothing of ours goes through one.
    std::filesystem::create_directory_symlink(test.on_disk("/run"), test.on_disk("/srv/link"));
    std::filesystem::create_directory(test.on_disk("/run/sub"));
    const auto shown = test.shows();
    const Steps steps = {WriteFile{"/etc/first", "text", mine(0644)},
                         MakeDirectory{"/srv/link/sub", mine(0755)}};
    REQUIRE_FALSE(apply_steps(test.box, steps));
    CHECK(test.shows() == shown);
}

TEST_CASE("the error names what failed, what was undone and what could not be") {
    TestBox test;
    test.put("/etc/old", "old");
    test.units.fail("start a.socket", "boom");
    test.units.fail("disable a.socket", "no");
    const Steps steps = {WriteFile{"/etc/new", "new", mine(0644)},
                         WriteFile{"/etc/old", "changed", mine(0644)}, EnableUnit{"a.socket"},
                         StartUnit{"a.socket"}};
    const auto failed = apply_steps(test.box, steps);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message ==
          "Failed to start a.socket: boom\n"
          "Undone: StopUnit(a.socket)\n"
          "Not undone: DisableUnitFiles(a.socket): Failed to disable a.socket: no\n"
          "Undone: write /etc/old\n"
          "Undone: remove /etc/new");
    CHECK(read_file(test.on_disk("/etc/old")).value() == "old");
    CHECK_FALSE(path_exists(test.on_disk("/etc/new")));
}

TEST_CASE("a failure before any change says that nothing was changed") {
    TestBox test;
    test.units.fail("daemon-reload", "boom");
    test.units.units["a.slice"].need_daemon_reload = true;
    const auto failed = apply_steps(test.box, {ReloadManagerIfStale{{"a.slice"}}});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message.find("Failed to daemon-reload") == 0);
}

TEST_CASE("an undo publishes again what a reload had published, once and last") {
    TestBox test;
    test.units.fail("start a.socket", "boom");
    const Steps steps = {WriteFile{"/etc/vhost", "text", mine(0644)}, ReloadWebServer{},
                         StartUnit{"a.socket"}};
    REQUIRE_FALSE(apply_steps(test.box, steps));
    CHECK(std::count(test.units.calls.begin(), test.units.calls.end(), "reload nginx.service") ==
          2);
    CHECK(test.units.calls.back() == "reload nginx.service");
    CHECK_FALSE(path_exists(test.on_disk("/etc/vhost")));
}

TEST_CASE("a reload is made when a loaded unit's files are not those that it was loaded from") {
    const std::string slice = "/etc/systemd/system/tenant-alpha.slice";
    const std::string drop_in = slice + ".d/tenant.conf";
    const auto reloads = [&](bool file, bool drop_in_file, const std::string& fragment,
                             const std::vector<std::string>& drop_ins) {
        TestBox test;
        auto& state = test.units.units["tenant-alpha.slice"];
        state.fragment_path = fragment;
        state.drop_in_paths = drop_ins;
        if (file)
            test.put(slice, "");
        if (drop_in_file)
            test.put(drop_in, "");
        REQUIRE(apply_steps(test.box, {ReloadManagerIfStale{{"tenant-alpha.slice"}}}));
        return !test.units.calls.empty();
    };
    const std::string shared = "/lib/systemd/system/tenant-.slice.d/10-tenantctl.conf";
    CHECK_FALSE(reloads(true, true, slice, {shared, drop_in}));
    CHECK_FALSE(reloads(false, false, "/lib/systemd/system/tenant-alpha.slice", {shared}));
    CHECK(reloads(true, false, "", {}));
    CHECK(reloads(false, false, slice, {}));
    CHECK(reloads(true, true, slice, {shared}));
    CHECK(reloads(true, false, slice, {shared, drop_in}));
}

TEST_CASE("an undo gives a directory that was corrected its mode back") {
    TestBox test;
    std::filesystem::create_directories(test.on_disk("/srv/tenants"));
    REQUIRE(chmod(test.on_disk("/srv/tenants").c_str(), 0700) == 0);
    const auto shown = test.shows();
    test.units.fail(std::string("start ") + impossible, "there is no such unit");
    const auto failed = apply_steps(test.box, failing_after(addition(), addition().size()));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message.find("Undone: restore directory /srv/tenants (") !=
          std::string::npos);
    CHECK(test.shows() == shown);
}

TEST_CASE("an undo keeps what the customer put into a data directory meanwhile") {
    TestBox test;
    test.units.fail("start a.socket", "boom");
    const Steps steps = {MakeDirectory{"/srv/data", mine(0755)}, StartUnit{"a.socket"}};
    const auto customer = [&](const Step& step, bool undo) {
        if (is<StartUnit>(step) && !undo)
            test.put("/srv/data/page", "precious");
    };
    REQUIRE_FALSE(apply_steps(test.box, steps, customer));
    CHECK(read_file(test.on_disk("/srv/data/page")).value() == "precious");
}

TEST_CASE("applying twice changes nothing, and after it no step is left") {
    TestBox test;
    const auto steps = addition();
    REQUIRE(apply_steps(test.box, steps));
    const auto shown = test.shows();
    CHECK(test.left_of(steps) == 0);
    REQUIRE(apply_steps(test.box, steps));
    CHECK(test.shows() == shown);

    REQUIRE(apply_steps(test.box, removal(true)));
    CHECK(test.left_of(removal(true)) == 0);
    REQUIRE(apply_steps(test.box, removal(true)));
}

TEST_CASE("a file of the right content and the wrong owner or mode is written again") {
    TestBox test;
    const auto steps = addition();
    REQUIRE(apply_steps(test.box, steps));
    const auto shown = test.shows();
    std::filesystem::permissions(test.on_disk(pool_file("my-blog.example")),
                                 std::filesystem::perms(0604));
    CHECK(test.shows() != shown);
    REQUIRE(apply_steps(test.box, prune(steps, observe(test.box, steps).value())));
    CHECK(test.shows() == shown);
}

TEST_CASE("a crash after any step is finished by applying the whole again") {
    for (const auto& each : all_cases()) {
        // clang has no captures of structured bindings, which INFO would need.
        INFO(each.name);
        const auto& [name, before, steps] = each;
        TestBox whole;
        REQUIRE(apply_steps(whole.box, before));
        REQUIRE(apply_steps(whole.box, steps));
        for (std::size_t count = 0; count <= steps.size(); ++count) {
            TestBox crashed;
            REQUIRE(apply_steps(crashed.box, before));
            REQUIRE(apply_steps(crashed.box, first(steps, count)));
            const auto left = prune(steps, observe(crashed.box, steps).value());
            REQUIRE(apply_steps(crashed.box, left));
            INFO("crash after ", count, " steps");
            CHECK(crashed.shows() == whole.shows());
        }
    }
}
