#include "base/diff.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "temporary_directory.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

using namespace tenantctl;
namespace fs = std::filesystem;

namespace {

FileOwner mine(mode_t mode) {
    return {geteuid(), getegid(), mode};
}

} // namespace

TEST_CASE("a file is replaced whole, with its mode, and nothing is left beside it") {
    const TemporaryDirectory directory;
    const auto path = directory.path() + "/sub/file";
    REQUIRE(write_file(path, "one", mine(0640)));
    REQUIRE(write_file(path, "two", mine(0600)));
    CHECK(*read_file(path) == "two");
    struct stat info {};
    REQUIRE(stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0600);
    CHECK(list_directory(directory.path() + "/sub")->size() == 1);
}

TEST_CASE("a file that cannot be replaced stays as it was") {
    const TemporaryDirectory directory;
    fs::create_directory(directory.path() + "/file"); // a directory is in the way
    CHECK(!write_file(directory.path() + "/file", "text", mine(0600)));
    CHECK(list_directory(directory.path())->size() == 1);
    CHECK(!read_file(directory.path() + "/none"));
    CHECK(!*read_file_if_exists(directory.path() + "/none"));
}

TEST_CASE("a directory is never made through a symbolic link") {
    const TemporaryDirectory directory;
    fs::create_directory(directory.path() + "/elsewhere");
    fs::create_directory_symlink(directory.path() + "/elsewhere", directory.path() + "/link");
    const auto made =
        make_directory(directory.path() + "/link/new", mine(0755), AclAccess::none, 0);
    REQUIRE(!made);
    CHECK(made.error().message.find("symbolic link") != std::string::npos);
    CHECK(fs::is_empty(directory.path() + "/elsewhere"));
    // The last component neither.
    CHECK(!make_directory(directory.path() + "/link", mine(0700), AclAccess::none, 0));
}

TEST_CASE("a directory has the owner, mode and ACL that it was made with") {
    const TemporaryDirectory directory;
    const auto path = directory.path() + "/home";
    const uid_t web = 33;
    for (const auto access :
         {AclAccess::none, AclAccess::traverse, AclAccess::read_inherit, AclAccess::inherit_only}) {
        CHECK(!*directory_matches(path, mine(0750), access, web));
        REQUIRE(make_directory(path, mine(0750), access, web));
        CHECK(*directory_matches(path, mine(0750), access, web));
        CHECK(!*directory_matches(path, mine(0700), access, web));
        if (access != AclAccess::none)
            CHECK(!*directory_matches(path, mine(0750), access, web + 1));
        fs::remove(path);
    }
}

TEST_CASE("a directory's owner, mode and ACLs are given back as they were") {
    const TemporaryDirectory directory;
    const auto path = directory.path() + "/home";
    CHECK(!*directory_access_if_exists(path));
    for (const auto before : {AclAccess::none, AclAccess::traverse, AclAccess::read_inherit}) {
        REQUIRE(make_directory(path, mine(0710), before, 33));
        const auto access = directory_access_if_exists(path).value();
        REQUIRE(access);
        REQUIRE(make_directory(path, mine(0755), AclAccess::inherit_only, 34));
        CHECK(*directory_access_if_exists(path) != access);
        REQUIRE(restore_directory_access(path, *access));
        CHECK(*directory_access_if_exists(path) == access);
        CHECK(*directory_matches(path, mine(0710), before, 33));
        fs::remove(path);
    }
}

TEST_CASE("a tree is removed whatever its depth, and links in it lead nowhere") {
    const TemporaryDirectory directory;
    const auto outside = directory.path() + "/outside";
    REQUIRE(write_file(outside + "/kept", "x", mine(0600)));
    const auto tree = directory.path() + "/tree";
    fs::create_directory(tree);
    fs::create_directory_symlink(outside, tree + "/link");

    // Deeper than PATH_MAX and than the descriptors that a process may have.
    int at = open(tree.c_str(), O_RDONLY | O_DIRECTORY);
    for (int depth = 0; depth < 3000; ++depth) {
        REQUIRE(mkdirat(at, "nested-directory", 0700) == 0);
        const int next = openat(at, "nested-directory", O_RDONLY | O_DIRECTORY);
        close(at);
        at = next;
    }
    close(at);
    REQUIRE_MESSAGE(remove_tree(tree), remove_tree(tree).error().message);
    CHECK(!path_exists(tree));
    CHECK(*read_file(outside + "/kept") == "x");
    CHECK(remove_tree(tree)); // gone already
}

TEST_CASE("a tree is not reached through a symbolic link") {
    const TemporaryDirectory directory;
    REQUIRE(write_file(directory.path() + "/real/kept", "x", mine(0600)));
    fs::create_directory_symlink(directory.path() + "/real", directory.path() + "/link");
    CHECK(!remove_tree(directory.path() + "/link"));
    CHECK(path_exists(directory.path() + "/real/kept"));
}

TEST_CASE("a program's output and status come back") {
    const auto result = run_process({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"});
    REQUIRE(result);
    CHECK(result->status == 3);
    CHECK(result->output == "out\nerr\n");
    CHECK(!run_process({"/nonexistent/program"}));
    const auto slow = run_process({"/bin/sleep", "60"}, std::nullopt, std::chrono::seconds(1));
    REQUIRE(!slow);
    CHECK(slow.error().message.find("did not end within 1 s") != std::string::npos);
}

TEST_CASE("a program has no terminal, no environment and no descriptors of ours") {
    const auto result =
        run_process({"/bin/sh", "-c", "tty; ls /proc/self/fd | wc -l; echo ${HOME-none}"});
    REQUIRE(result);
    CHECK(result->output.find("not a tty") == 0);
    CHECK(result->output.find("none") != std::string::npos);
}

TEST_CASE("text from outside is made fit for a terminal") {
    CHECK(escaped("a\x1b[31m\nb") == "a\\x1b[31m\\x0ab");
    CHECK(escaped("abcdef", 3) == "abc...");
    CHECK(nearest("lsit", {"list", "status"}) == "list");
    CHECK(nearest("zzzz", {"list", "status"}).empty());
}

TEST_CASE("a diff shows what changed, with context") {
    CHECK(unified_diff("a\n", "a\n").empty());
    CHECK(unified_diff("", "a\nb\n") == "@@ -0,0 +1,2 @@\n+a\n+b\n");
    CHECK(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n") ==
          "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
}
