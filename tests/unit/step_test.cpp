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

TEST_CASE("an undo never removes a customer's files") {
    MakeDirectory publics{"/p", {}, AclAccess::none, true};
    CHECK(std::holds_alternative<RemoveEmptyDirectory>(*undo_of(publics, {})));
}

TEST_CASE("a removal without --purge removes no tree, and its data's owner is recorded for good") {
    TenantSpec tenant;
    tenant.name = "alpha";
    tenant.sites = {{"blog.example", {}, "8.2", "/srv/tenants/alpha/sites/blog.example/public"}};
    const auto is_tree = [](const Step& step) { return std::holds_alternative<RemoveTree>(step); };
    const auto kept = tenant_removal_steps(tenant, false);
    CHECK(std::none_of(kept.begin(), kept.end(), is_tree));
    const auto purged = tenant_removal_steps(tenant, true);
    CHECK(std::count_if(purged.begin(), purged.end(), is_tree) == 3);
    // The last word is the data's: by then nothing of the tenant runs that could race it.
    CHECK(std::holds_alternative<RemoveTree>(purged.back()));
}

TEST_CASE("every step says what it does") {
    const Steps all = {WriteFile{"/x", "", {}},
                       RemoveFile{"/x"},
                       MakeDirectory{"/x", {}},
                       RestoreDirectory{"/x", {}},
                       RemoveEmptyDirectory{"/x"},
                       RemoveTree{"/x"},
                       RecordUid{1, "x"},
                       CreateUser{"x", 1, "/x"},
                       RemoveUser{"x", "/x"},
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
