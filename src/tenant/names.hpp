// Names that reach units, paths, pools and vhosts: whatever passes here is safe in all of them.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace tenantctl {

// A tenant's name, ^[a-z][a-z0-9_]{0,30}$: a Unix user name without "-", which nests slices. Names
// that the distribution gives to users of its own are refused. Errc::invalid.
Result<std::string> parse_tenant_name(std::string_view text);

// A domain in lower case and punycode (IDNA 2008, UTS 46 non-transitional), without the final dot.
// At least two labels; 83 bytes at most, so that the socket's path fits sun_path. Errc::invalid.
Result<std::string> parse_domain(std::string_view text);

// The tenant that a site without --tenant is given: blog.example -> blog_example.
// Errc::invalid when no valid name can be made of the domain.
Result<std::string> tenant_name_for(std::string_view domain);

// A PHP version as Debian's packages number them: 8.2. Errc::invalid.
Result<std::string> parse_php_version(std::string_view text);

// A document root: absolute, without ".", "..", empty components, or bytes other than
// [A-Za-z0-9._/-]. Errc::invalid.
Result<std::string> parse_document_root(std::string_view text);

// "php-fpm@DOMAIN.socket" and so on. `%i` gives the domain back unescaped, so units use only `%i`.
std::string socket_unit(std::string_view domain);
std::string service_unit(std::string_view domain);
std::string slice_unit(std::string_view tenant);

// The slice's cgroup below /sys/fs/cgroup: /tenant.slice/tenant-NAME.slice.
std::string slice_cgroup(std::string_view tenant);

std::string tenant_home(std::string_view tenant);
std::string site_directory(std::string_view tenant, std::string_view domain);
std::string socket_path(std::string_view domain);

} // namespace tenantctl
