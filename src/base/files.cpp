#include "base/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace tenantctl {

namespace {

// Between the name of a file that is being written and the process that writes it.
constexpr std::string_view temporary_mark = ".tenantctl-";

Error failed(std::string_view doing, const std::string& path, int error_number = errno) {
    return Error{Errc::failure,
                 fmt::format("Failed to {} {}: {}", doing, path, errno_text(error_number))};
}

int open_no_symlinks(int directory, const char* path, int flags) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return static_cast<int>(syscall(SYS_openat2, directory, path, &how, sizeof how));
}

struct SplitPath {
    std::string directory;
    std::string name;
};

SplitPath split_path(const std::string& path) {
    const std::filesystem::path whole(path);
    auto directory = whole.parent_path().string();
    return {directory.empty() ? "." : std::move(directory), whole.filename().string()};
}

Result<void> write_all(int fd, std::string_view content, const std::string& path) {
    while (!content.empty()) {
        const ssize_t written = write(fd, content.data(), content.size());
        if (written < 0) {
            if (errno == EINTR)
                continue;
            return failed("write", path);
        }
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

} // namespace

std::string errno_text(int error_number) {
    return std::generic_category().message(error_number);
}

Result<std::optional<std::string>> read_file_if_exists(const std::string& path) {
    const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd) {
        if (errno == ENOENT || errno == ENOTDIR)
            return std::optional<std::string>();
        return failed("read", path);
    }
    std::string content;
    std::string buffer(65536, '\0');
    for (;;) {
        const ssize_t got = read(fd.get(), buffer.data(), buffer.size());
        if (got < 0) {
            if (errno == EINTR)
                continue;
            return failed("read", path);
        }
        if (got == 0)
            return std::optional<std::string>(std::move(content));
        content.append(buffer, 0, static_cast<std::size_t>(got));
    }
}

Result<std::string> read_file(const std::string& path) {
    auto content = TRY(read_file_if_exists(path));
    if (!content)
        return failed("read", path, ENOENT);
    return *std::move(content);
}

Result<std::optional<FileOwner>> file_owner_if_exists(const std::string& path) {
    struct stat info {};
    if (stat(path.c_str(), &info) == 0)
        return std::optional(FileOwner{info.st_uid, info.st_gid, info.st_mode & 07777});
    if (errno == ENOENT || errno == ENOTDIR)
        return std::optional<FileOwner>();
    return failed("read the owner of", path);
}

Result<void> write_file(const std::string& path, std::string_view content, const FileOwner& owner) {
    const auto [directory, name] = split_path(path);
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error)
        return failed("make directory", directory, error.value());
    const UniqueFd parent(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!parent)
        return failed("open", directory);

    const std::string temporary = fmt::format(".{}{}{}", name, temporary_mark, getpid());
    const auto give_up = [&](Error cause) {
        unlinkat(parent.get(), temporary.c_str(), 0);
        return cause;
    };
    {
        const UniqueFd fd(openat(parent.get(), temporary.c_str(),
                                 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!fd)
            return failed("write", path);
        if (auto written = write_all(fd.get(), content, path); !written)
            return give_up(written.error());
        if ((owner.uid != geteuid() || owner.gid != getegid()) &&
            fchown(fd.get(), owner.uid, owner.gid) < 0)
            return give_up(failed("set the owner of", path));
        if (fchmod(fd.get(), owner.mode) < 0)
            return give_up(failed("set the mode of", path));
        if (fsync(fd.get()) < 0)
            return give_up(failed("write", path));
    }
    if (renameat(parent.get(), temporary.c_str(), parent.get(), name.c_str()) < 0)
        return give_up(failed("replace", path));
    if (fsync(parent.get()) < 0)
        return failed("sync", directory);
    return {};
}

bool is_unfinished_file(std::string_view name) {
    const auto mark = name.rfind(temporary_mark);
    if (!name.starts_with('.') || mark == std::string_view::npos || mark == 0)
        return false;
    const auto process = name.substr(mark + temporary_mark.size());
    return !process.empty() && process.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<void> remove_file(const std::string& path) {
    if (unlink(path.c_str()) < 0 && errno != ENOENT && errno != ENOTDIR)
        return failed("remove", path);
    return {};
}

Result<void> remove_directory_if_empty(const std::string& path) {
    if (rmdir(path.c_str()) < 0 && errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST)
        return failed("remove", path);
    return {};
}

Result<UniqueFd> open_directory(const std::string& path) {
    UniqueFd fd(open_no_symlinks(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY));
    if (fd)
        return fd;
    if (errno == ELOOP)
        return Error{Errc::failure,
                     fmt::format("Refusing to work in {}: a symbolic link is on the way", path)};
    return failed("open", path);
}

Result<std::vector<std::string>> list_directory(const std::string& path) {
    std::vector<std::string> names;
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator(path, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
        names.push_back(entry->path().filename().string());
    if (error && error != std::errc::no_such_file_or_directory)
        return failed("list", path, error.value());
    std::sort(names.begin(), names.end());
    return names;
}

bool path_exists(const std::string& path) {
    struct stat info {};
    return lstat(path.c_str(), &info) == 0;
}

} // namespace tenantctl
