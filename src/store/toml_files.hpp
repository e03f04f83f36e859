// Specs, plans and the box's configuration as TOML. What is read is checked key by key; what is
// written is read back the same.
#pragma once

#include "base/result.hpp"
#include "tenant/spec.hpp"

#include <string>
#include <string_view>

namespace tenantctl {

// `file` is named in errors, which are Errc::invalid: a syntax error with its line, an unknown key
// with the nearest known one, a value of the wrong type.
Result<TenantSpec> parse_tenant_file(std::string_view text, const std::string& file);
Result<PlanSpec> parse_plan_file(std::string_view text, const std::string& file);
Result<BoxSpec> parse_box_file(std::string_view text, const std::string& file);

std::string format_tenant_file(const TenantSpec& tenant);

} // namespace tenantctl
