// remove_tree: a tree that a hostile owner may have shaped and may still be changing.
#include "base/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace tenantctl {

namespace {

// Directories nested deeper than this are first moved up to the top of the tree, so that neither
// descriptors nor the stack run out, however deep a tenant nests.
constexpr int max_depth = 64;

struct DirClose {
    void operator()(DIR* directory) const { closedir(directory); }
};

class TreeRemover {
public:
    TreeRemover(std::string path, int top, dev_t device)
        : path_(std::move(path)), top_(top), device_(device) {}

    // Removes what is in `directory`; the caller removes the directory itself.
    Result<void> empty(UniqueFd directory, int depth) {
        const int fd = directory.get();
        std::unique_ptr<DIR, DirClose> stream(fdopendir(fd));
        if (!stream)
            return failed("open a directory in");
        directory.release(); // the stream owns it now
        for (;;) {
            errno = 0;
            const dirent* entry = readdir(stream.get()); // NOLINT(concurrency-mt-unsafe)
            if (entry == nullptr)
                return errno == 0 ? Result<void>() : Result<void>(failed("list"));
            const std::string name = entry->d_name;
            if (name != "." && name != "..")
                TRY(remove(fd, name, depth));
        }
    }

private:
    Error failed(std::string_view doing) const {
        return Error{Errc::failure,
                     fmt::format("Failed to {} {}: {}", doing, path_, errno_text(errno))};
    }

    Result<void> remove(int parent, const std::string& name, int depth) {
        if (unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT)
            return {};
        if (errno != EISDIR && errno != EPERM)
            return failed("remove a file in");
        if (depth >= max_depth)
            return move_up(parent, name);
        UniqueFd child(
            openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!child)
            return errno == ENOENT ? Result<void>() : Result<void>(failed("open a directory in"));
        struct stat info {};
        if (fstat(child.get(), &info) < 0)
            return failed("look into");
        if (info.st_dev != device_)
            return Error{
                Errc::failure,
                fmt::format("Failed to remove {}: {} in it is a mount point", path_, name)};
        TRY(empty(std::move(child), depth + 1));
        if (unlinkat(parent, name.c_str(), AT_REMOVEDIR) < 0 && errno != ENOENT)
            return failed("remove a directory in");
        return {};
    }

    // The top is read again until it is empty, so what lands there is removed in a later pass.
    Result<void> move_up(int parent, const std::string& name) {
        const std::string higher = fmt::format(".tenantctl-removing-{}-{}", getpid(), moved_++);
        if (renameat(parent, name.c_str(), top_, higher.c_str()) < 0 && errno != ENOENT)
            return failed("flatten");
        return {};
    }

    std::string path_;
    int top_;
    dev_t device_;
    unsigned moved_ = 0;
};

} // namespace

Result<void> move_directory(const std::string& from, const std::string& to) {
    if (!path_exists(from))
        return {};
    const std::filesystem::path old_path(from);
    const std::filesystem::path new_path(to);
    const auto old_parent = TRY(open_directory(old_path.parent_path().string()));
    const auto new_parent = TRY(open_directory(new_path.parent_path().string()));
    if (renameat2(old_parent.get(), old_path.filename().c_str(), new_parent.get(),
                  new_path.filename().c_str(), RENAME_NOREPLACE) == 0)
        return {};
    const int error = errno;
    return Error{Errc::failure,
                 fmt::format("Failed to move {} to {}: {}{}", from, to, errno_text(error),
                             error == EBUSY ? "; is a file system mounted there?" : "")};
}

Result<void> remove_tree(const std::string& path) {
    if (!path_exists(path))
        return {};
    const auto top = TRY(open_directory(path));
    struct stat info {};
    if (fstat(top.get(), &info) < 0)
        return Error{Errc::failure,
                     fmt::format("Failed to look at {}: {}", path, errno_text(errno))};
    TreeRemover remover(path, top.get(), info.st_dev);
    const std::filesystem::path whole(path);
    const auto parent = TRY(open_directory(whole.parent_path().string()));
    for (;;) {
        UniqueFd again(openat(top.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!again)
            return Error{Errc::failure,
                         fmt::format("Failed to open {}: {}", path, errno_text(errno))};
        TRY(remover.empty(std::move(again), 0));
        if (unlinkat(parent.get(), whole.filename().c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT)
            return {};
        if (errno != ENOTEMPTY && errno != EEXIST)
            return Error{Errc::failure,
                         fmt::format("Failed to remove {}: {}", path, errno_text(errno))};
    }
}

} // namespace tenantctl
