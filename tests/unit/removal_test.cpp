#include "test_box.hpp"

using namespace tenantctl;

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

TEST_CASE("one directory that cannot be deleted keeps no other from it") {
    TestBox test;
    test.put("/srv/real/file", "");
    std::filesystem::create_directory_symlink(test.on_disk("/srv/real"), test.on_disk("/srv/link"));
    test.put("/srv/last/file", "");
    const auto failed = apply_steps(
        test.box, {RemoveTree{"/srv/link"}, RemoveTree{"/srv/last"}, RemoveTree{"/srv/gone"}});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message.find("Not done: remove directory /srv/link ") !=
          std::string::npos);
    CHECK(failed.error().message.find("/srv/last") == std::string::npos);
    CHECK(path_exists(test.on_disk("/srv/real/file")));
    CHECK_FALSE(path_exists(test.on_disk("/srv/last")));
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
