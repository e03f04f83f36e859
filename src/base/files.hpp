// Files and directories by descriptor. Nothing here follows a symbolic link that a tenant could
// have put into a path: root works in directories that tenants write to.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenantctl {

// Owner and permission bits of a file to be made.
struct FileOwner {
    uid_t uid = 0;
    gid_t gid = 0;
    mode_t mode = 0644;
    bool operator==(const FileOwner&) const = default;
};

// The text of errno, as "No such file or directory".
std::string errno_text(int error_number);

// The whole file; Errc::failure with the cause when it cannot be read.
Result<std::string> read_file(const std::string& path);

// The same, but std::nullopt when there is no such file.
Result<std::optional<std::string>> read_file_if_exists(const std::string& path);

// Who owns the file and its permission bits; std::nullopt when there is no such file.
Result<std::optional<FileOwner>> file_owner_if_exists(const std::string& path);

// Replaces or makes `path` so that a reader, a crash or a full disk sees the old or the new
// content and nothing between: a temporary file beside it, fsync, rename, fsync of the directory.
// Directories that are missing above it are made, root's and 0755.
Result<void> write_file(const std::string& path, std::string_view content, const FileOwner& owner);

// True for the name of such a temporary file, which a crash leaves behind.
bool is_unfinished_file(std::string_view name);

// Removes a file or a symbolic link. That it is gone already is no error.
Result<void> remove_file(const std::string& path);

// Removes an empty directory; that it is gone or not empty is no error.
Result<void> remove_directory_if_empty(const std::string& path);

// The directory, opened without following a symbolic link anywhere in its path (openat2(2),
// RESOLVE_NO_SYMLINKS). ENOENT and ELOOP are told apart in the message.
Result<UniqueFd> open_directory(const std::string& path);

// What a user besides the owner may do with a directory, by POSIX ACL (acl(5)).
enum class AclAccess {
    none,
    traverse,     // x on the directory itself
    read_inherit, // rx on it, and by default on all that is made in it later
    inherit_only, // nothing on it, rx on what is made in it and moved elsewhere
};

// Makes the directory, or gives an existing one this owner, mode and ACL entry for `acl_uid`.
// Its parent must exist.
Result<void> make_directory(const std::string& path, const FileOwner& owner, AclAccess access,
                            uid_t acl_uid);

// True when the directory exists with this owner, mode and ACL.
Result<bool> directory_matches(const std::string& path, const FileOwner& owner, AclAccess access,
                               uid_t acl_uid);

// Who may do what with a directory, as it was found, to be given back.
struct DirectoryAccess {
    FileOwner owner;
    std::string acl;         // acl_to_text(3) of the access ACL
    std::string default_acl; // the same; empty when there is none
    bool operator==(const DirectoryAccess&) const = default;
};

// std::nullopt when there is no such directory.
Result<std::optional<DirectoryAccess>> directory_access_if_exists(const std::string& path);

Result<void> restore_directory_access(const std::string& path, const DirectoryAccess& access);

// Renames a directory. Nothing may have the new name, which lies in the same file system; that the
// old one is gone already is no error. Neither path is followed through a symbolic link.
Result<void> move_directory(const std::string& from, const std::string& to);

// Removes a tree, whatever its depth, without following links and without leaving its file
// system. That it is gone already is no error; a mount point in it is one.
Result<void> remove_tree(const std::string& path);

// The names in a directory, sorted, without . and ..; empty when there is no such directory.
Result<std::vector<std::string>> list_directory(const std::string& path);

bool path_exists(const std::string& path);

} // namespace tenantctl
