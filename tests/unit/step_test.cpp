#include "apply/compose.hpp"
#include "tenant/names.hpp"
#include "tenant/step.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tenantctl;

TEST_CASE("steps that are done already are left out, and with them the checks that follow") {
    const Steps steps = {WriteFile{"/a", "text", {}}, CheckWebServer{}, ReloadWebServer{},
                         StartUnit{"a.socket"}};
    Observed observed;
    CHECK(prune(steps, observed).size() == 4);
    observed.files["/a"] = "text";
    observed.owners["/a"] = {};
    observed.active["a.socket"] = true;
    CHECK(prune(steps, observed).empty());
    observed.owners["/a"].mode = 0600;
    CHECK(prune(steps, observed).size() == 3);
    observed.owners["/a"] = {};
    observed.files["/a"] = "other";
    CHECK(prune(steps, observed).size() == 3);
}

TEST_CASE("an undo brings back what was there before") {
    Observed before;
    CHECK(std::holds_alternative<RemoveFile>(*undo_of(WriteFile{"/a", "new", {}}, before)));
    before.files["/a"] = "old";
    before.owners["/a"] = {0, 20000, 0640};
    const auto restored = undo_of(WriteFile{"/a", "new", {}}, before);
    CHECK(std::get<WriteFile>(*restored).content == "old");
    CHECK(std::get<WriteFile>(*restored).owner == before.owners["/a"]);
    CHECK(std::get<WriteFile>(*undo_of(RemoveFile{"/a"}, before)).content == "old");
    CHECK(std::get<WriteFile>(*undo_of(RemoveFile{"/a"}, before)).owner == before.owners["/a"]);
}

TEST_CASE("an undo takes nothing that it did not make") {
    Observed before;
    before.users["alpha"] = 1000;
    CHECK(!undo_of(CreateUser{"alpha", 20000, "/h"}, before));
    before.access["/srv"].owner = {0, 0, 0700};
    const auto restored = undo_of(MakeDirectory{"/srv", {0, 0, 0711}}, before);
    CHECK(std::get<RestoreDirectory>(*restored).access == before.access["/srv"]);
    before.active["a.socket"] = true;
    CHECK(!undo_of(StartUnit{"a.socket"}, before));
    before.enabled["a.socket"] = true;
    CHECK(!undo_of(EnableUnit{"a.socket"}, before));
    CHECK(!undo_of(RecordUid{20000, "alpha"}, before));
}

TEST_CASE("an undo removes what is in a directory only where nothing can be that anybody misses") {
    CHECK(std::holds_alternative<RemoveEmptyDirectory>(*undo_of(MakeDirectory{"/p", {}}, {})));
    const MakeDirectory scratch{"/p", {}, AclAccess::none, true};
    CHECK(std::holds_alternative<RemoveTree>(*undo_of(scratch, {})));
    // Whatever was mounted on them meanwhile.
    for (const auto& step : box_steps({}))
        CHECK(std::holds_alternative<RemoveEmptyDirectory>(*undo_of(step, {})));
}

TEST_CASE("a removal without --purge removes no tree, and its data's owner is recorded for good") {
    TenantSpec tenant;
    tenant.name = "alpha";
    tenant.sites = {{"blog.example", {}, "8.2", "/srv/tenants/alpha/sites/blog.example/public"}};
    const auto is_tree = [](const Step& step) { return std::holds_alternative<RemoveTree>(step); };
    const auto kept = tenant_removal_steps(tenant, 70000, false);
    CHECK(std::none_of(kept.begin(), kept.end(), is_tree));
    const auto purged = tenant_removal_steps(tenant, 70000, true);
    // The home, in which the sites are, and the logs: moved first, deleted when nothing else is
    // left to fail.
    CHECK(std::count_if(purged.begin(), purged.end(), is_tree) == 2);
    CHECK(std::all_of(purged.end() - 2, purged.end(), is_tree));
    const auto moved = std::get<MoveTree>(*(purged.end() - 4));
    CHECK(moved.from == "/srv/tenants/alpha");
    CHECK(moved.to == std::get<RemoveTree>(*(purged.end() - 2)).path);
}

TEST_CASE("every step says what it does") {
    const Steps all = {WriteFile{"/x", "", {}},
                       RemoveFile{"/x"},
                       MakeDirectory{"/x", {}},
                       RestoreDirectory{"/x", {}},
                       RemoveEmptyDirectory{"/x"},
                       RemoveTree{"/x"},
                       MoveTree{"/x", "/y"},
                       RecordUid{1, "x"},
                       CreateUser{"x", 1, "/x"},
                       RemoveUser{"x", 70000, "/x"},
                       CheckPool{"8.2", "/x", 1},
                       EnableUnit{"x"},
                       DisableUnit{"x"},
                       StartUnit{"x"},
                       StopUnit{"x"},
                       ForgetUnit{"x"},
                       ReloadManagerIfStale{{"x"}},
                       VerifySlice{"x", {}},
                       VerifySite{"x", "x", 1},
                       VerifyHttp{"x"}};
    for (const auto& step : all)
        CHECK(describe(step).find('x') != std::string::npos);
}

TEST_CASE("an undo of a user takes back what has its name and its number, and nothing else") {
    Observed before;
    before.groups["alpha"] = 1001; // somebody's
    const auto undo = undo_of(CreateUser{"alpha", 70000, "/x"}, before);
    REQUIRE(undo);
    CHECK(std::get<RemoveUser>(*undo).uid == 70000);
    CHECK(satisfied(*undo, before));

    before.users["alpha"] = 1000;
    CHECK_FALSE(undo_of(CreateUser{"alpha", 70000, "/x"}, before));
    CHECK_FALSE(undo_of(RemoveUser{"alpha", 70000, "/x"}, before));
    before.users["alpha"] = 70000;
    CHECK(undo_of(RemoveUser{"alpha", 70000, "/x"}, before));
}
