// Ownership, mode and ACL of one directory: made, compared, noted and given back.
#include "base/files.hpp"

#include <acl/libacl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/acl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <memory>

namespace tenantctl {

namespace {

struct AclFree {
    void operator()(void* object) const { acl_free(object); }
};
using Acl = std::unique_ptr<std::remove_pointer_t<acl_t>, AclFree>;
using AclText = std::unique_ptr<char, AclFree>;

Error failed(std::string_view doing, const std::string& path) {
    return Error{Errc::failure, fmt::format("Failed to {} {}: {}", doing, path, errno_text(errno))};
}

// The ACL that stands for `mode` and the entry of one more user. The mask is as wide as the group
// bits or the entry need, so the visible group bits may be wider than `mode` says.
Acl make_acl(mode_t mode, AclAccess access, uid_t acl_uid) {
    Acl acl(acl_from_mode(mode));
    if (access == AclAccess::none || !acl)
        return acl;
    acl_t raw = acl.release();
    acl_entry_t entry = nullptr;
    acl_permset_t permissions = nullptr;
    const bool made =
        acl_create_entry(&raw, &entry) == 0 && acl_set_tag_type(entry, ACL_USER) == 0 &&
        acl_set_qualifier(entry, &acl_uid) == 0 && acl_get_permset(entry, &permissions) == 0 &&
        acl_add_perm(permissions, ACL_EXECUTE) == 0 &&
        (access == AclAccess::traverse || acl_add_perm(permissions, ACL_READ) == 0) &&
        acl_calc_mask(&raw) == 0;
    acl.reset(raw);
    if (!made)
        acl.reset();
    return acl;
}

bool inherits(AclAccess access) {
    return access == AclAccess::read_inherit || access == AclAccess::inherit_only;
}

AclAccess on_itself(AclAccess access) {
    return access == AclAccess::inherit_only ? AclAccess::none : access;
}

// The access and the default ACL of a directory; libacl has no call for a default ACL by
// descriptor, so the descriptor's own path serves.
std::string path_of(int fd) {
    return fmt::format("/proc/self/fd/{}", fd);
}

Result<std::string> acl_text(int fd, acl_type_t type, const std::string& path) {
    const Acl acl(acl_get_file(path_of(fd).c_str(), type));
    const AclText text(acl ? acl_to_text(acl.get(), nullptr) : nullptr);
    return text ? Result<std::string>(text.get())
                : Result<std::string>(failed("read the ACL of", path));
}

Result<void> set_acl_text(int fd, acl_type_t type, const std::string& text,
                          const std::string& path) {
    const Acl acl(acl_from_text(text.c_str()));
    if (!acl || acl_set_file(path_of(fd).c_str(), type, acl.get()) < 0)
        return failed("set the ACL of", path);
    return {};
}

bool same_acl(int fd, acl_type_t type, acl_t wanted) {
    const Acl current(acl_get_file(path_of(fd).c_str(), type));
    if (!current)
        return false;
    if (wanted == nullptr)
        return acl_entries(current.get()) <= 0;
    return acl_cmp(current.get(), wanted) == 0;
}

Result<void> apply_owner(int fd, const std::string& path, const FileOwner& owner, AclAccess access,
                         uid_t acl_uid) {
    if (fchown(fd, owner.uid, owner.gid) < 0)
        return failed("set the owner of", path);
    if (fchmod(fd, owner.mode) < 0)
        return failed("set the mode of", path);
    if (access == AclAccess::none)
        return {};
    const auto own = make_acl(owner.mode, on_itself(access), acl_uid);
    if (!own || acl_set_file(path_of(fd).c_str(), ACL_TYPE_ACCESS, own.get()) < 0)
        return failed("set the ACL (is the file system mounted with acl?) of", path);
    if (!inherits(access))
        return {};
    const auto inherited = make_acl(owner.mode, access, acl_uid);
    if (!inherited || acl_set_file(path_of(fd).c_str(), ACL_TYPE_DEFAULT, inherited.get()) < 0)
        return failed("set the default ACL of", path);
    return {};
}

} // namespace

Result<void> make_directory(const std::string& path, const FileOwner& owner, AclAccess access,
                            uid_t acl_uid) {
    const std::filesystem::path whole(path);
    const auto parent = TRY(open_directory(whole.parent_path().string()));
    const auto name = whole.filename().string();
    // 0700 until the owner is right: nobody gets in between.
    const bool made = mkdirat(parent.get(), name.c_str(), 0700) == 0;
    if (!made && errno != EEXIST)
        return failed("make directory", path);
    const UniqueFd fd(
        openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    auto applied = fd ? apply_owner(fd.get(), path, owner, access, acl_uid)
                      : Result<void>(failed("open", path));
    if (!applied && made)
        unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR);
    return applied;
}

Result<bool> directory_matches(const std::string& path, const FileOwner& owner, AclAccess access,
                               uid_t acl_uid) {
    if (!path_exists(path))
        return false;
    const auto fd = TRY(open_directory(path));
    struct stat info {};
    if (fstat(fd.get(), &info) < 0)
        return failed("read the owner of", path);
    if (info.st_uid != owner.uid || info.st_gid != owner.gid)
        return false;
    if (access == AclAccess::none)
        return (info.st_mode & 07777) == owner.mode;
    const auto own = make_acl(owner.mode, on_itself(access), acl_uid);
    const auto inherited = make_acl(owner.mode, access, acl_uid);
    if (!own || !inherited)
        return failed("build the ACL of", path);
    return same_acl(fd.get(), ACL_TYPE_ACCESS, own.get()) &&
           same_acl(fd.get(), ACL_TYPE_DEFAULT, inherits(access) ? inherited.get() : nullptr);
}

Result<std::optional<DirectoryAccess>> directory_access_if_exists(const std::string& path) {
    if (!path_exists(path))
        return std::optional<DirectoryAccess>();
    const auto fd = TRY(open_directory(path));
    struct stat info {};
    if (fstat(fd.get(), &info) < 0)
        return failed("read the owner of", path);
    DirectoryAccess access;
    access.owner = {info.st_uid, info.st_gid, info.st_mode & 07777};
    access.acl = TRY(acl_text(fd.get(), ACL_TYPE_ACCESS, path));
    access.default_acl = TRY(acl_text(fd.get(), ACL_TYPE_DEFAULT, path));
    return std::optional<DirectoryAccess>(std::move(access));
}

Result<void> restore_directory_access(const std::string& path, const DirectoryAccess& access) {
    const auto fd = TRY(open_directory(path));
    if (fchown(fd.get(), access.owner.uid, access.owner.gid) < 0)
        return failed("set the owner of", path);
    // The mode before the ACL, whose mask it would change.
    if (fchmod(fd.get(), access.owner.mode) < 0)
        return failed("set the mode of", path);
    TRY(set_acl_text(fd.get(), ACL_TYPE_ACCESS, access.acl, path));
    if (!access.default_acl.empty())
        return set_acl_text(fd.get(), ACL_TYPE_DEFAULT, access.default_acl, path);
    if (acl_delete_def_file(path_of(fd.get()).c_str()) < 0)
        return failed("remove the default ACL of", path);
    return {};
}

} // namespace tenantctl
