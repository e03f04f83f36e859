#include "cli/verb_parser.hpp"

#include <algorithm>

namespace tenantctl {

namespace {

std::string option_name(const LimitKind& kind) {
    std::string name = "--" + std::string(kind.key);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

} // namespace

Result<Limits> parse_limits(const LimitTexts& texts) {
    Limits limits;
    for (const auto& kind : limit_kinds) {
        const auto text = texts.find(std::string(kind.key));
        if (text != texts.end() && text->second)
            limits.*kind.member = TRY(parse_limit(kind, *text->second));
    }
    return limits;
}

LimitTexts& VerbParser::limit_options(CLI::App* subcommand) {
    auto& texts = room<LimitTexts>();
    for (const auto& kind : limit_kinds)
        subcommand->add_option(option_name(kind), texts[std::string(kind.key)], kind.help)
            ->type_name(kind.unit == LimitKind::Unit::bytes     ? "SIZE"
                        : kind.unit == LimitKind::Unit::percent ? "PERCENT"
                                                                : "N")
            ->group("Limits");
    return texts;
}

Result<Command> VerbParser::command() const {
    for (const auto& [subcommand, make] : verbs_)
        if (subcommand->parsed())
            return make();
    return Error{Errc::usage, "No verb given; see tenantctl --help"};
}

} // namespace tenantctl
