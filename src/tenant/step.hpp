// The steps that change a box. A verb makes a list of them from values alone; what carries them
// out, describes them or leaves out those already done sees nothing but the list.
#pragma once

#include "base/files.hpp"
#include "tenant/limits.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tenantctl {

// Paths are the box's own; owners are numeric, except for the web server's user.

struct WriteFile {
    std::string path;
    std::string content;
    FileOwner owner;
};
struct RemoveFile {
    std::string path;
};
// Makes a directory or corrects its owner, mode and ACL.
struct MakeDirectory {
    std::string path;
    FileOwner owner;
    AclAccess web_access = AclAccess::none; // of the web server's user
    bool scratch = false;                   // an undo removes what is in it, too
};
// The undo of a correction.
struct RestoreDirectory {
    std::string path;
    DirectoryAccess access;
};
struct RemoveEmptyDirectory {
    std::string path;
};
// For good: what comes after the first of these in a list is not undone any more, see apply_steps.
struct RemoveTree {
    std::string path;
};
// Renames a directory within its file system, to a name that nothing has.
struct MoveTree {
    std::string from;
    std::string to;
};
struct CreateUser {
    std::string name;
    std::uint32_t uid;
    std::string home;
};
// Removes the user and the group of this name and number; others of the name are not ours.
struct RemoveUser {
    std::string name;
    std::uint32_t uid;
    std::string home; // for the undo
};
// Writes down for good that the uid was given to this name, so that no other name ever gets it.
struct RecordUid {
    std::uint32_t uid;
    std::string name;
};
// php-fpm -t of the site's pool, as the tenant.
struct CheckPool {
    std::string php;
    std::string pool_file;
    std::uint32_t uid;
};
struct CheckWebServer {};
struct ReloadWebServer {};
struct EnableUnit {
    std::string unit;
};
struct DisableUnit {
    std::string unit;
};
struct StartUnit {
    std::string unit;
    std::string makes = {}; // a socket's file; an active unit that lacks it is started anew
};
struct StopUnit {
    std::string unit;
};
// Forgets a unit: its failed state, and the properties that were set on it for good.
struct ForgetUnit {
    std::string unit;
};
// daemon-reload, and only when a unit among these is loaded from a file that changed or vanished.
struct ReloadManagerIfStale {
    std::vector<std::string> units;
};
// Wakes the slice, compares what the kernel has with the limits, and lets go.
struct VerifySlice {
    std::string tenant;
    Limits limits;
};
// Starts the site, compares the live process's user, sandbox and cgroup, and lets it sleep again.
struct VerifySite {
    std::string tenant;
    std::string domain;
    std::uint32_t uid;
};
// Fetches the site through the web server by its Host name; any answer below 500 will do that the
// site's own server block gives.
struct VerifyHttp {
    std::string domain;
};

using Step =
    std::variant<WriteFile, RemoveFile, MakeDirectory, RestoreDirectory, RemoveEmptyDirectory,
                 RemoveTree, MoveTree, RecordUid, CreateUser, RemoveUser, CheckPool, CheckWebServer,
                 ReloadWebServer, EnableUnit, DisableUnit, StartUnit, StopUnit, ForgetUnit,
                 ReloadManagerIfStale, VerifySlice, VerifySite, VerifyHttp>;
using Steps = std::vector<Step>;

// One line for the dry run, the log and error messages: "write /etc/...", "StartUnit(...)".
std::string describe(const Step& step);

// What a box shows of the things that a list of steps names.
struct Observed {
    std::map<std::string, std::string> files;      // path to content; absent: no such file
    std::map<std::string, FileOwner> owners;       // of these files
    std::map<std::string, bool> directories;       // path to "as the step wants it"
    std::map<std::string, bool> trees;             // path to "is there"
    std::map<std::string, DirectoryAccess> access; // of the directories that are there
    std::map<std::string, std::uint32_t> users;    // name to uid
    std::map<std::string, std::uint32_t> groups;   // name to gid
    std::map<std::string, std::uint32_t> recorded_uids;
    std::map<std::string, bool> enabled; // unit to "enabled"
    std::map<std::string, bool> active;  // unit to "active or starting"
};

// True when the box shows already what the step would bring about. Checks and reloads never are:
// they are left out by `prune` when nothing before them is left to do.
bool satisfied(const Step& step, const Observed& observed);

// The steps that are left to do.
Steps prune(const Steps& steps, const Observed& observed);

// True when the step needs the system to run: it is left out below --root=.
bool needs_running_system(const Step& step);

// What takes a finished step back, given what was there before it. std::nullopt for steps that
// change nothing or whose change goes with another one's undo.
std::optional<Step> undo_of(const Step& step, const Observed& before);

} // namespace tenantctl
