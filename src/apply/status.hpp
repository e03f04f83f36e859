// Reading the observed state of tenants.
#pragma once

#include "apply/box.hpp"
#include "tenant/status.hpp"

namespace tenantctl {

// Wakes nobody and loads no unit.
Result<TenantStatus> read_status(const Box& box, const Desired& desired, const TenantSpec& tenant);

} // namespace tenantctl
