// Running a program of the distribution and reading what it says.
#pragma once

#include "base/result.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tenantctl {

struct ProcessUser {
    uid_t uid;
    gid_t gid;
};

struct ProcessOutput {
    int status = 0;     // exit status, or 128 + signal
    std::string output; // stdout and stderr together, 64 KiB at most
};

// Runs argv[0] (an absolute path) in a session of its own with an empty environment but for PATH
// and LANG, /dev/null as input and no other descriptor; as `user` when given, with no
// supplementary groups and no new privileges. A program that outlives `limit` is killed, which is
// an error, and so is one that cannot be started.
Result<ProcessOutput> run_process(const std::vector<std::string>& argv,
                                  std::optional<ProcessUser> user = std::nullopt,
                                  std::chrono::seconds limit = std::chrono::seconds(60));

} // namespace tenantctl
