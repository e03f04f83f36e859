#include "apply/apply.hpp"
#include "apply/observe.hpp"
#include "apply/resolve.hpp"
#include "base/files.hpp"
#include "example_tenant.hpp"
#include "fake_unit_manager.hpp"
#include "store/store.hpp"
#include "store/toml_files.hpp"
#include "systemd/unit_files.hpp"
#include "temporary_directory.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace tenantctl;

namespace {

FileOwner mine(mode_t mode) {
    return {geteuid(), getegid(), mode};
}

// A box below a directory: files are real, systemd is the fake.
struct TestBox {
    TemporaryDirectory directory;
    fake::FakeUnitManager units;
    Box box{Paths(directory.path()), units, geteuid()};

    TestBox() {
        // What every Debian has.
        for (const auto* path : {"/etc/systemd/system", "/etc/nginx", "/srv", "/var/log", "/run"})
            std::filesystem::create_directories(on_disk(path));
        auto& nginx = units.units["nginx.service"];
        nginx.load_state = "loaded";
        nginx.active_state = "active";
    }

    std::string on_disk(const std::string& path) const { return box.paths.on_disk(path); }

    void put(const std::string& path, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(on_disk(path)).parent_path());
        std::ofstream(on_disk(path)) << text;
    }

    // Every file and directory with its mode and content, every unit that is enabled or active.
    std::vector<std::string> shows() const {
        std::vector<std::string> lines;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path())) {
            struct stat info {};
            REQUIRE(lstat(entry.path().c_str(), &info) == 0);
            const auto content =
                S_ISREG(info.st_mode) ? read_file(entry.path().string()).value() : "";
            lines.push_back(fmt::format("{} {:o} {}:{} {}",
                                        entry.path().string().substr(directory.path().size()),
                                        info.st_mode, info.st_uid, info.st_gid, content));
        }
        for (const auto& unit : units.enabled_units)
            lines.push_back("enabled " + unit);
        for (const auto& [name, state] : units.units)
            if (state.active_state == "active")
                lines.push_back("active " + name);
        std::sort(lines.begin(), lines.end());
        return lines;
    }

    std::size_t left_of(const Steps& steps) const {
        return prune(steps, observe(box, steps).value()).size();
    }
};

template <class Kind>
bool is(const Step& step) {
    return std::holds_alternative<Kind>(step);
}

// Without root there are no users to make and no other owner to give to; nginx, PHP and the kernel
// are asked in the guest.
Steps without_root(const Steps& steps) {
    Steps possible;
    for (auto step : steps) {
        if (is<CreateUser>(step) || is<RemoveUser>(step) || is<RecordUid>(step) ||
            is<CheckPool>(step) || is<CheckWebServer>(step) || is<VerifySlice>(step) ||
            is<VerifySite>(step) || is<VerifyHttp>(step))
            continue;
        if (auto* file = std::get_if<WriteFile>(&step))
            file->owner = mine(file->owner.mode);
        if (auto* made = std::get_if<MakeDirectory>(&step))
            made->owner = mine(made->owner.mode);
        possible.push_back(std::move(step));
    }
    return possible;
}

void append(Steps& steps, const Steps& more) {
    steps.insert(steps.end(), more.begin(), more.end());
}

Steps addition(const ResolvedTenant& tenant = example_tenant()) {
    BoxFacts facts;
    facts.templates.pool = read_file(source_file("templates/php-fpm/pool.conf")).value();
    facts.templates.vhost = read_file(source_file("templates/nginx/site.conf")).value();
    Steps steps = box_steps(facts);
    append(steps, {WriteFile{tenant_file(tenant.spec.name), format_tenant_file(tenant.spec), {}}});
    append(steps, tenant_steps(tenant));
    append(steps, site_steps(tenant, example_site(), BoxSpec{}, facts, false).value());
    return without_root(steps);
}

Steps removal(bool purge) {
    const auto tenant = example_tenant();
    Steps steps = {RemoveFile{tenant_file(tenant.spec.name)}};
    append(steps, tenant_removal_steps(tenant.spec, tenant.uid, purge));
    return without_root(steps);
}

// All that `tenantctl apply` would clear away when no tenant had a spec.
Steps clearing(const TestBox& test) {
    Steps steps = steps_for_leftovers(test.box.paths).value();
    const auto orphans = find_orphans(test.box.paths, Desired{}).value();
    for (const auto& orphan : orphans)
        append(steps, orphan.steps.value());
    return steps;
}

// The example tenant with other limits: other files for units that are loaded already.
ResolvedTenant changed_tenant() {
    auto tenant = example_tenant();
    tenant.limits.memory_max = std::uint64_t{1} << 30U;
    tenant.limits.memory_high = std::uint64_t{1} << 29U;
    return tenant;
}

constexpr const char* impossible = "impossible.service";

// The first `count` steps, then one that fails.
Steps failing_after(const Steps& steps, std::size_t count) {
    Steps cut(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(count));
    cut.emplace_back(StartUnit{impossible});
    return cut;
}

Steps first(const Steps& steps, std::size_t count) {
    return {steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(count)};
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

TEST_CASE("a crash after any step of a removal is finished by what is left on disk alone") {
    const auto steps = removal(false);
    for (std::size_t count = 1; count <= steps.size(); ++count) {
        TestBox test;
        REQUIRE(apply_steps(test.box, addition()));
        REQUIRE(apply_steps(test.box, first(steps, count)));
        REQUIRE(apply_steps(test.box, without_root(clearing(test))));
        INFO("crash after ", count, " steps");
        for (const auto& line : test.shows()) {
            const bool data = line.find("/srv/tenants/") != std::string::npos ||
                              line.find("/var/log/tenantctl/") != std::string::npos;
            const bool about = line.find("my-blog") != std::string::npos ||
                               line.find("alpha") != std::string::npos;
            if (about && !data)
                FAIL_CHECK("still there: ", line);
        }
        CHECK(clearing(test).empty());
    }
}

TEST_CASE("a user that an interrupted removal left is found by the ledger") {
    TestBox test;
    test.put("/etc/passwd", "alpha:x:20000:20000::/srv/tenants/alpha:/usr/sbin/nologin\n"
                            "other:x:20001:20001::/home/other:/bin/sh\n"
                            "taken:x:1000:1000::/home/taken:/bin/sh\n");
    test.put("/var/lib/tenantctl/uids", "20000 alpha\n20002 taken\n");
    const auto steps = clearing(test);
    std::vector<std::string> users;
    for (const auto& step : steps)
        if (const auto* gone = std::get_if<RemoveUser>(&step))
            users.push_back(gone->name);
    CHECK(users == std::vector<std::string>{"alpha"});
}

TEST_CASE("from the first deletion on nothing is taken back, and what is left is cleared later") {
    TestBox test;
    REQUIRE(apply_steps(test.box, addition()));
    test.units.fail(std::string("start ") + impossible, "there is no such unit");
    auto steps = removal(true);
    const auto deletion = std::find_if(steps.begin(), steps.end(), is<RemoveTree>);
    REQUIRE(deletion != steps.end());
    // One step earlier all comes back.
    const auto shown = test.shows();
    const auto count = static_cast<std::size_t>(deletion - steps.begin());
    REQUIRE_FALSE(apply_steps(test.box, failing_after(steps, count)));
    CHECK(test.shows() == shown);

    const auto failed = apply_steps(test.box, failing_after(steps, count + 1));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message.find("Undone") == std::string::npos);
    CHECK_FALSE(path_exists(test.on_disk("/srv/tenants/alpha")));
    CHECK(path_exists(test.on_disk("/var/log/tenantctl/.removed.my-blog.example")));
    REQUIRE(apply_steps(test.box, clearing(test)));
    CHECK(std::filesystem::is_empty(test.on_disk("/var/log/tenantctl")));
}

TEST_CASE("nothing is an orphan while it is not known what the specs say") {
    TestBox test;
    REQUIRE(apply_steps(test.box, addition()));
    const auto refused = [&](const Desired& desired) {
        const auto orphans = find_orphans(test.box.paths, desired).value();
        return !orphans.empty() &&
               std::none_of(orphans.begin(), orphans.end(),
                            [](const auto& each) { return static_cast<bool>(each.steps); });
    };
    Desired desired;
    CHECK_FALSE(refused(desired));
    desired.has_tenants_directory = false;
    CHECK(refused(desired));
    desired.has_tenants_directory = true;
    desired.broken_tenants = {{"other", {}}};
    CHECK(refused(desired));
    // Its own file cannot be read: it has a spec.
    desired.broken_tenants = {{"alpha", {}}};
    CHECK(find_orphans(test.box.paths, desired).value().empty());
}

TEST_CASE("a directory is moved to a name that is free, and through no link") {
    TestBox test;
    test.put("/srv/a/file", "a");
    test.put("/srv/b/file", "b");
    CHECK_FALSE(move_directory(test.on_disk("/srv/a"), test.on_disk("/srv/b")));
    CHECK(read_file(test.on_disk("/srv/b/file")).value() == "b");
    REQUIRE(move_directory(test.on_disk("/srv/a"), test.on_disk("/srv/c")));
    CHECK(read_file(test.on_disk("/srv/c/file")).value() == "a");
    REQUIRE(move_directory(test.on_disk("/srv/a"), test.on_disk("/srv/d")));
    std::filesystem::create_directory_symlink(test.on_disk("/srv/b"), test.on_disk("/srv/link"));
    CHECK_FALSE(move_directory(test.on_disk("/srv/c"), test.on_disk("/srv/link/c")));
}

TEST_CASE("what an administrator keeps beside ours is no orphan") {
    TestBox test;
    test.put("/etc/systemd/system/php-fpm@theirs.example.service.d/override.conf", "[Unit]\n");
    test.put("/etc/systemd/system/tenant.slice", "[Slice]\n");
    test.put("/etc/systemd/system/tenant-deploy.slice", "[Slice]\nMemoryMax=1G\n");
    test.put("/etc/passwd", "deploy:x:1000:1000::/home/deploy:/bin/sh\n");
    CHECK(clearing(test).empty());
}

TEST_CASE("a file that was being written when a crash came is cleared away") {
    TestBox test;
    test.put("/etc/tenantctl/tenants/.alpha.toml.tenantctl-4711", "name = ");
    test.put("/etc/systemd/system/php-fpm@new.example.service.d/.tenant.conf.tenantctl-4711", "");
    test.put("/etc/systemd/system/.theirs.swp", "");
    REQUIRE(apply_steps(test.box, clearing(test)));
    REQUIRE(apply_steps(test.box, clearing(test)));
    CHECK(std::filesystem::is_empty(test.on_disk("/etc/tenantctl/tenants")));
    CHECK_FALSE(path_exists(test.on_disk("/etc/systemd/system/php-fpm@new.example.service.d")));
    CHECK(path_exists(test.on_disk("/etc/systemd/system/.theirs.swp")));
}

TEST_CASE("a removal with its data is the inverse of an addition") {
    TestBox test;
    BoxFacts facts;
    REQUIRE(apply_steps(test.box, without_root(box_steps(facts))));
    const auto shown = test.shows();
    REQUIRE(apply_steps(test.box, addition()));
    CHECK(test.shows() != shown);
    // As it is done: only what is left to do, by what there is before the first step.
    REQUIRE(apply_steps(test.box, prune(removal(true), observe(test.box, removal(true)).value())));
    CHECK(test.shows() == shown);
}

TEST_CASE("a removal without --purge leaves the customer's files and nothing of ours") {
    TestBox test;
    REQUIRE(apply_steps(test.box, without_root(box_steps({}))));
    REQUIRE(apply_steps(test.box, addition()));
    const auto page = site_directory("alpha", "my-blog.example") + "/public/index.php";
    test.put(page, "<?php");
    REQUIRE(apply_steps(test.box, removal(false)));
    CHECK(read_file(test.on_disk(page)).value() == "<?php");
    for (const auto* path : {"/etc/systemd/system", "/etc/tenantctl/tenants",
                             "/etc/tenantctl/php-fpm", "/etc/nginx/tenantctl"})
        CHECK(std::filesystem::is_empty(test.on_disk(path)));
}
