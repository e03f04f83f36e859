#include "cli/options.hpp"

#include "base/text.hpp"
#include "version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace tenantctl {

namespace {

// The limits as they were typed, by key; parsed when the rest of the line is known to be right.
using LimitTexts = std::map<std::string, std::optional<std::string>>;

Result<Limits> parse_limits(const LimitTexts& texts) {
    Limits limits;
    for (const auto& kind : limit_kinds) {
        const auto text = texts.find(std::string(kind.key));
        if (text != texts.end() && text->second)
            limits.*kind.member = TRY(parse_limit(kind, *text->second));
    }
    return limits;
}

std::string option_name(const LimitKind& kind) {
    std::string name = "--" + std::string(kind.key);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

// The whole command line: CLI11 writes into the members, `finish` makes one command of them.
class Parser {
public:
    Parser() {
        app_.require_subcommand(1);
        app_.fallthrough();
        app_.set_help_flag("-h,--help", "Show this help");
        app_.set_version_flag("--version", "tenantctl " TENANTCTL_VERSION);
        app_.add_option("--root", global_.root, "Work on the box below this directory")
            ->type_name("DIR");
        app_.add_option("--json", json_, "Print JSON: pretty, short or off")
            ->check(CLI::IsMember({"pretty", "short", "off"}))
            ->type_name("MODE");
        app_.add_flag("--no-legend", no_legend_, "Print no headings and no totals");
        app_.add_flag("-n,--dry-run", global_.dry_run, "Print what would be done, and do nothing");
        app_.add_flag("-v,--verbose", global_.verbose, "Print every step as it is done");
        define_add();
        define_remove();
        define_views();
    }

    CLI::App& app() { return app_; }

    Result<Options> finish() {
        if (json_ == "pretty")
            global_.json = JsonMode::pretty;
        else if (json_ == "short")
            global_.json = JsonMode::compact;
        global_.legend = !no_legend_;
        for (const auto& [subcommand, make] : commands_)
            if (subcommand->parsed()) {
                auto command = TRY(make());
                return Options{global_, std::move(command)};
            }
        return Error{Errc::usage, "No verb given; see tenantctl --help"};
    }

private:
    using Make = std::function<Result<Command>()>;

    void command(CLI::App* subcommand, Make make) {
        commands_.emplace_back(subcommand, std::move(make));
    }

    void limit_options(CLI::App* subcommand) {
        for (const auto& kind : limit_kinds)
            subcommand
                ->add_option(option_name(kind), limit_texts_[std::string(kind.key)], kind.help)
                ->type_name(kind.unit == LimitKind::Unit::bytes     ? "SIZE"
                            : kind.unit == LimitKind::Unit::percent ? "PERCENT"
                                                                    : "N")
                ->group("Limits");
    }

    void define_add() {
        auto* add = app_.add_subcommand("add", "Make a tenant or a site");
        add->require_subcommand(1);
        auto* tenant = add->add_subcommand("tenant", "Make a tenant: user, home, slice");
        tenant->add_option("NAME", add_tenant_.name, "The tenant's name")->required();
        tenant->add_option("--plan", add_tenant_.plan, "Inherit the limits of this plan");
        limit_options(tenant);
        command(tenant, [this]() -> Result<Command> {
            add_tenant_.limits = TRY(parse_limits(limit_texts_));
            return Command(add_tenant_);
        });

        auto* site = add->add_subcommand("site", "Make a site, and its tenant if need be");
        site->add_option("DOMAIN", add_site_.domain, "The site's domain")->required();
        site->add_option("--tenant", add_site_.tenant,
                         "The tenant that has the site (default: one named after the domain)")
            ->type_name("NAME");
        site->add_option("--plan", add_site_.plan, "Plan of a new tenant")->type_name("NAME");
        site->add_option("--php", add_site_.php, "PHP version (default: the newest installed)")
            ->type_name("VERSION");
        site->add_option("--alias", add_site_.aliases, "A further domain of the site")
            ->type_name("DOMAIN")
            ->allow_extra_args(false);
        site->add_option("--root", add_site_.root, "Document root within the site's public")
            ->type_name("DIR");
        site->add_flag("--check", add_site_.check, "Fetch the site over HTTP at the end");
        limit_options(site);
        command(site, [this]() -> Result<Command> {
            add_site_.limits = TRY(parse_limits(limit_texts_));
            return Command(add_site_);
        });
    }

    void define_remove() {
        auto* remove = app_.add_subcommand("remove", "Remove sites or tenants");
        remove->require_subcommand(1);
        auto* site = remove->add_subcommand("site", "Remove sites; their files stay");
        site->add_option("DOMAIN", remove_site_.domains, "Sites to remove")->required();
        site->add_flag("--purge", remove_site_.purge, "Delete the sites' files and logs too");
        command(site, [this]() -> Result<Command> { return Command(remove_site_); });

        auto* tenant = remove->add_subcommand("tenant", "Remove tenants; their files stay");
        tenant->add_option("NAME", remove_tenant_.names, "Tenants to remove")->required();
        tenant->add_flag("--with-sites", remove_tenant_.with_sites, "Remove their sites too");
        tenant->add_flag("--purge", remove_tenant_.purge, "Delete their homes and logs too");
        command(tenant, [this]() -> Result<Command> { return Command(remove_tenant_); });

        auto* apply = app_.add_subcommand(
            "apply", "Make the box match the specs; finish what was interrupted");
        apply->add_option("NAME", apply_.names, "Tenants (default: all)");
        command(apply, [this]() -> Result<Command> { return Command(apply_); });
    }

    void define_views() {
        auto* list = app_.add_subcommand("list", "List tenants and sites");
        list->add_option("PATTERN", list_.patterns, "Tenants or sites, with * and ?");
        command(list, [this]() -> Result<Command> { return Command(list_); });

        auto* status = app_.add_subcommand("status", "Show how tenants are doing");
        status->add_option("NAME|DOMAIN", status_.names, "Tenants or sites")->required();
        command(status, [this]() -> Result<Command> { return Command(status_); });

        auto* show = app_.add_subcommand("show", "Show tenants or sites as properties");
        show->add_option("NAME|DOMAIN", show_.names, "Tenants or sites")->required();
        show->add_option("-p,--property", show_.properties, "Only these properties")
            ->type_name("NAME")
            ->delimiter(',')
            ->allow_extra_args(false);
        command(show, [this]() -> Result<Command> { return Command(show_); });
    }

    CLI::App app_{"Manage tenants and PHP sites on a shared host"};
    GlobalOptions global_;
    std::string json_;
    bool no_legend_ = false;
    LimitTexts limit_texts_;
    AddTenant add_tenant_;
    AddSite add_site_;
    RemoveSite remove_site_;
    RemoveTenant remove_tenant_;
    Apply apply_;
    List list_;
    Status status_;
    Show show_;
    std::vector<std::pair<CLI::App*, Make>> commands_;
};

std::vector<std::string> names_of_options(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* option : app.get_options())
        for (const auto& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

std::vector<std::string> names_of_subcommands(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* subcommand : app.get_subcommands({}))
        names.push_back(subcommand->get_name());
    return names;
}

// The innermost subcommand that the line has reached.
const CLI::App& reached(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : reached(*parsed.front());
}

// What stands before a subcommand on the line: "tenantctl add". Empty for the program itself.
std::string words_before(const CLI::App& place) {
    std::string words;
    for (const auto* at = place.get_parent(); at != nullptr; at = at->get_parent())
        words = fmt::format("{}{}{}", at->get_parent() == nullptr ? "tenantctl" : at->get_name(),
                            words.empty() ? "" : " ", words);
    return words;
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error,
                  const std::vector<std::string>& words) {
    const auto& place = reached(app);
    auto known = names_of_options(app);
    for (const auto* at = &place; at != &app && at != nullptr; at = at->get_parent())
        for (auto& name : names_of_options(*at))
            known.push_back(std::move(name));
    const auto subcommands = names_of_subcommands(place);

    for (const auto& word : words) {
        const bool option = word.starts_with("--");
        const auto name = option ? word.substr(0, word.find('=')) : word;
        const auto& candidates = option ? known : subcommands;
        if (std::find(candidates.begin(), candidates.end(), name) != candidates.end())
            continue;
        if (!option && (subcommands.empty() || word.starts_with("-")))
            continue;
        if (&place != &app && !option && word == place.get_name())
            continue;
        const auto near = nearest(name, candidates);
        return Error{Errc::usage,
                     fmt::format("Unknown {} \"{}\"{}; see tenantctl --help",
                                 option ? "option" : "verb", escaped(name, 64),
                                 near.empty() ? "" : fmt::format(", did you mean \"{}\"?", near))};
    }
    return Error{Errc::usage, fmt::format("{}; see tenantctl {}--help", escaped(error.what(), 400),
                                          &place == &app ? "" : place.get_name() + " ")};
}

void collect(const CLI::App& app, const std::string& prefix, std::vector<VerbHelp>& verbs) {
    for (const auto* subcommand : app.get_subcommands({})) {
        const auto name =
            prefix.empty() ? subcommand->get_name() : prefix + " " + subcommand->get_name();
        if (!subcommand->get_subcommands({}).empty()) {
            collect(*subcommand, name, verbs);
            continue;
        }
        verbs.push_back({name, names_of_options(*subcommand)});
    }
}

} // namespace

Result<std::variant<Options, Information>> parse_options(int argc, const char* const* argv) {
    Parser parser;
    auto& app = parser.app();
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        const auto& place = reached(app);
        return std::variant<Options, Information>(Information{place.help(words_before(place))});
    } catch (const CLI::CallForVersion& version) {
        return std::variant<Options, Information>(Information{std::string(version.what()) + "\n"});
    } catch (const CLI::ParseError& error) {
        return usage_error(app, error, std::vector<std::string>(argv + 1, argv + argc));
    }
    auto options = TRY(parser.finish());
    return std::variant<Options, Information>(std::move(options));
}

std::vector<VerbHelp> all_verbs() {
    Parser parser;
    std::vector<VerbHelp> verbs;
    collect(parser.app(), "", verbs);
    verbs.push_back({"", names_of_options(parser.app())});
    return verbs;
}

} // namespace tenantctl
