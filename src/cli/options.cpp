#include "cli/options.hpp"

#include "base/text.hpp"
#include "cli/verb_parser.hpp"
#include "version.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tenantctl {

namespace {

// The whole command line: the options of every verb, and the verbs.
class Line {
public:
    Line() {
        auto& app = parser_.app();
        app.require_subcommand(1);
        app.fallthrough();
        app.set_help_flag("-h,--help", "Show this help");
        app.set_version_flag("--version", "tenantctl " TENANTCTL_VERSION);
        app.add_option("--root", global_.root, "Work on the box below this directory")
            ->type_name("DIR");
        app.add_option("--json", json_, "Print JSON: pretty, short or off")
            ->check(CLI::IsMember({"pretty", "short", "off"}))
            ->type_name("MODE");
        app.add_flag("--no-legend", no_legend_, "Print no headings and no totals");
        app.add_flag("-n,--dry-run", global_.dry_run, "Print what would be done, and do nothing");
        app.add_flag("-v,--verbose", global_.verbose, "Print every step as it is done");
        define_add(parser_);
        define_remove(parser_);
        define_apply(parser_);
        define_views(parser_);
    }

    CLI::App& app() { return parser_.app(); }

    Result<Options> options() {
        if (json_ == "pretty")
            global_.json = JsonMode::pretty;
        else if (json_ == "short")
            global_.json = JsonMode::compact;
        global_.legend = !no_legend_;
        auto command = TRY(parser_.command());
        return Options{global_, std::move(command)};
    }

private:
    VerbParser parser_;
    GlobalOptions global_;
    std::string json_;
    bool no_legend_ = false;
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
    Line line;
    auto& app = line.app();
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
    auto options = TRY(line.options());
    return std::variant<Options, Information>(std::move(options));
}

std::vector<VerbHelp> all_verbs() {
    Line line;
    std::vector<VerbHelp> verbs;
    collect(line.app(), "", verbs);
    verbs.push_back({"", names_of_options(line.app())});
    return verbs;
}

} // namespace tenantctl
