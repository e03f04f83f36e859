// What on a box is a tenant's, by proof: the ledger of uids, and the line in generated files.
#pragma once

#include "base/paths.hpp"
#include "base/result.hpp"
#include "tenant/spec.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tenantctl {

// The tenant that a file on the box was generated for; std::nullopt when there is no such file or
// it is somebody else's.
Result<std::optional<std::string>> generated_file_of(const Paths& paths, const std::string& file);

// Errc::failure when the slice's file is there, says something, and is not ours.
Result<void> check_slice_is_ours(const Paths& paths, const std::string& tenant);

// Errc::failure when the site on the box was made for another tenant.
Result<void> check_site_is_ours(const Paths& paths, const std::string& tenant,
                                const std::string& domain);

// Errc::failure when there is a home of the tenant's name whose group is not the tenant's uid.
Result<void> check_home_is_ours(const Paths& paths, const std::string& tenant,
                                std::optional<std::uint32_t> uid);

// Looks for what a removal of the tenant would hit that is not the tenant's: a user or group of its
// name with another number than the ledger's, a slice that tenantctl did not write, a site that was
// generated for another tenant, processes of its user outside of its slice. Errc::failure with the
// first and its remedy; else the uid that the tenant was given, if it ever was.
Result<std::optional<std::uint32_t>> check_removable(const Paths& paths, const TenantSpec& tenant);

} // namespace tenantctl
