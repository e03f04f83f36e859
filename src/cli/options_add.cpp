// add tenant, add site.
#include "cli/verb_parser.hpp"

namespace tenantctl {

namespace {

void define_add_tenant(VerbParser& parser, CLI::App* add) {
    auto* tenant = add->add_subcommand("tenant", "Make a tenant: user, home, slice");
    auto& new_tenant = parser.room<AddTenant>();
    tenant->add_option("NAME", new_tenant.name, "The tenant's name")->required();
    tenant->add_option("--plan", new_tenant.plan, "Inherit the limits of this plan");
    auto& tenant_limits = parser.limit_options(tenant);
    parser.verb(tenant, [&]() -> Result<Command> {
        new_tenant.limits = TRY(parse_limits(tenant_limits));
        return Command(new_tenant);
    });
}

void define_add_site(VerbParser& parser, CLI::App* add) {
    auto* site = add->add_subcommand("site", "Make a site, and its tenant if need be");
    auto& new_site = parser.room<AddSite>();
    site->add_option("DOMAIN", new_site.domain, "The site's domain")->required();
    site->add_option("--tenant", new_site.tenant,
                     "The tenant that has the site (default: one named after the domain)")
        ->type_name("NAME");
    site->add_option("--plan", new_site.plan, "Plan of a new tenant")->type_name("NAME");
    site->add_option("--php", new_site.php, "PHP version (default: the newest installed)")
        ->type_name("VERSION");
    site->add_option("--alias", new_site.aliases, "A further domain of the site")
        ->type_name("DOMAIN")
        ->allow_extra_args(false);
    site->add_option("--root", new_site.root, "Document root within the site's public")
        ->type_name("DIR");
    site->add_flag("--check", new_site.check, "Fetch the site over HTTP at the end");
    auto& site_limits = parser.limit_options(site);
    parser.verb(site, [&]() -> Result<Command> {
        new_site.limits = TRY(parse_limits(site_limits));
        return Command(new_site);
    });
}

} // namespace

void define_add(VerbParser& parser) {
    auto* add = parser.app().add_subcommand("add", "Make a tenant or a site");
    add->require_subcommand(1);
    define_add_tenant(parser, add);
    define_add_site(parser, add);
}

} // namespace tenantctl
