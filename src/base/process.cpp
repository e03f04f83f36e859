#include "base/process.hpp"

#include "base/files.hpp"
#include "base/unique_fd.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace tenantctl {

namespace {

constexpr std::size_t max_output = 65536;

// Between fork and exec: system calls only. 126 and 127 as a shell would say it.
[[noreturn]] void become(const std::vector<char*>& argv, int output,
                         std::optional<ProcessUser> user) {
    static const std::array<const char*, 3> environment = {
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
        nullptr};
    const int null = open("/dev/null", O_RDONLY);
    setsid();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    static_cast<void>(signal(SIGPIPE, SIG_DFL)); // an ignored signal stays ignored beyond exec
    if (null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
        _exit(126);
    close_range(3, ~0U, 0);
    if (user && (setgroups(0, nullptr) < 0 || setgid(user->gid) < 0 || setuid(user->uid) < 0 ||
                 prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0))
        _exit(126);
    execve(argv[0], argv.data(), const_cast<char* const*>(environment.data()));
    _exit(errno == ENOENT ? 127 : 126);
}

// Reads until the other end closes; false when the deadline passes first.
bool drain(int fd, std::string& output, std::chrono::steady_clock::time_point deadline) {
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return false;
        pollfd waiting{fd, POLLIN, 0};
        if (poll(&waiting, 1, static_cast<int>(left.count())) <= 0)
            continue;
        const ssize_t got = read(fd, buffer.data(), buffer.size());
        if (got == 0 || (got < 0 && errno != EINTR))
            return true;
        if (got > 0 && output.size() < max_output)
            output.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

} // namespace

Result<ProcessOutput> run_process(const std::vector<std::string>& argv,
                                  std::optional<ProcessUser> user, std::chrono::seconds limit) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) < 0)
        return Error{Errc::failure, fmt::format("Failed to make a pipe: {}", errno_text(errno))};
    const UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);

    std::vector<char*> raw;
    raw.reserve(argv.size() + 1);
    for (const auto& argument : argv)
        raw.push_back(const_cast<char*>(argument.c_str()));
    raw.push_back(nullptr);

    const pid_t child = fork();
    if (child < 0)
        return Error{Errc::failure,
                     fmt::format("Failed to start {}: {}", argv[0], errno_text(errno))};
    if (child == 0)
        become(raw, writer.get(), user);
    writer.reset();

    ProcessOutput result;
    const bool in_time =
        drain(reader.get(), result.output, std::chrono::steady_clock::now() + limit);
    if (!in_time)
        kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!in_time)
        return Error{Errc::failure,
                     fmt::format("{} did not end within {} s", argv[0], limit.count())};
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (result.status == 127)
        return Error{Errc::failure, fmt::format("Failed to start {}: {}", argv[0],
                                                "no such program; is its package installed?")};
    return result;
}

} // namespace tenantctl
