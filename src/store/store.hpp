// The desired state on disk, the lock on it, and the ledger of uids.
#pragma once

#include "base/paths.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "tenant/spec.hpp"

#include <map>
#include <string>
#include <vector>

namespace tenantctl {

// Reads tenantctl.toml, all plans and all tenants. Plans and tenants that cannot be read or are not
// valid are noted as such; an error is what keeps all of them from being known.
Result<Desired> load_desired(const Paths& paths);

// The same, for what needs to know all tenants: the first broken file is the error.
Result<Desired> load_whole_desired(const Paths& paths);

// The path of a tenant's file on the box.
std::string tenant_file(std::string_view name);

// The PHP versions whose FPM is installed, oldest first.
Result<std::vector<std::string>> installed_php_versions(const Paths& paths);

// Which uid every name was ever given. Entries are never removed: files may outlive their tenant.
class UidLedger {
public:
    static Result<UidLedger> load(const Paths& paths);

    // The uid of the name, or std::nullopt.
    std::optional<std::uint32_t> find(std::string_view name) const;
    bool has(std::uint32_t uid) const;
    const std::map<std::string, std::uint32_t>& entries() const { return uids_; }

    // Adds and writes the ledger; an entry that says otherwise is an error.
    Result<void> record(const Paths& paths, const std::string& name, std::uint32_t uid);

private:
    std::map<std::string, std::uint32_t> uids_;
};

// One tenantctl at a time changes the box. Held until destroyed; the kernel lets go of it when the
// process dies. `what` tells another tenantctl who holds it.
class StoreLock {
public:
    static Result<StoreLock> take(const Paths& paths, const std::string& what);

private:
    explicit StoreLock(UniqueFd fd) : fd_(std::move(fd)) {}
    UniqueFd fd_;
};

} // namespace tenantctl
