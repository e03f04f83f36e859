// Writes what the example tenant's files look like into a directory: for native_syntax_test.sh, and
// into tests/golden when a change of the generated text is meant.
//
// usage: TENANTCTL_SOURCE_DIR=DIR render_example OUTPUT_DIRECTORY

#include "base/files.hpp"
#include "example_tenant.hpp"
#include "php/render.hpp"
#include "systemd/unit_files.hpp"

#include <fstream>
#include <iostream>

namespace tenantctl {

namespace {

// Not write_file(), which makes files root's: tests are run by anybody.
Result<void> write_text(const std::string& path, const std::string& text) {
    std::ofstream out(path);
    out << text << std::flush;
    if (out)
        return {};
    return Error{Errc::failure, "Failed to write " + path};
}

Result<void> write_example(const std::string& directory) {
    const auto tenant = example_tenant();
    const auto site = example_site();
    const auto pool_template = TRY(read_file(source_file("templates/php-fpm/pool.conf")));
    const auto vhost_template = TRY(read_file(source_file("templates/nginx/site.conf")));
    const auto pool = TRY(render_pool(pool_template, BoxSpec{}, tenant, site));
    const auto vhost = TRY(render_vhost(vhost_template, BoxSpec{}, tenant, site));
    TRY(write_text(directory + "/pool.conf", pool));
    TRY(write_text(directory + "/site.conf", vhost));
    TRY(write_text(directory + "/tenant-alpha.slice", render_slice(tenant)));
    return write_text(directory + "/tenant.conf", render_service_drop_in(tenant, site));
}

} // namespace

} // namespace tenantctl

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: render_example OUTPUT_DIRECTORY\n";
        return 2;
    }
    const auto written = tenantctl::write_example(argv[1]);
    if (!written)
        std::cerr << written.error().message << "\n";
    return written ? 0 : 1;
}
