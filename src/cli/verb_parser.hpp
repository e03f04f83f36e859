// What the files options_*.cpp define the verbs with. CLI11 is confined to these files.
#pragma once

#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tenantctl {

// Limits as they were typed, by key; parsed when the rest of the line is known to be right.
using LimitTexts = std::map<std::string, std::optional<std::string>>;

// The verbs of the command line: CLI11 writes into values that the parser keeps, and `make` turns
// them into one command once the whole line is read.
class VerbParser {
public:
    using Make = std::function<Result<Command>()>;

    CLI::App& app() { return app_; }

    // Room for what a verb's words are written into; lives as long as the parser.
    template <class T>
    T& room() {
        auto value = std::make_shared<T>();
        kept_.push_back(value);
        return *value;
    }

    void verb(CLI::App* subcommand, Make make) { verbs_.emplace_back(subcommand, std::move(make)); }

    // A verb that is its words and nothing else.
    template <class T>
    void verb_of(CLI::App* subcommand, const T& command) {
        verb(subcommand, [&command]() -> Result<Command> { return Command(command); });
    }

    // The options --memory-high and so on; what they are given is in the texts.
    LimitTexts& limit_options(CLI::App* subcommand);

    // The command of the verb that the line has.
    Result<Command> command() const;

private:
    CLI::App app_{"Manage tenants and PHP sites on a shared host"};
    std::vector<std::pair<CLI::App*, Make>> verbs_;
    std::vector<std::shared_ptr<void>> kept_;
};

Result<Limits> parse_limits(const LimitTexts& texts);

void define_add(VerbParser& parser);
void define_remove(VerbParser& parser);
void define_apply(VerbParser& parser);
void define_views(VerbParser& parser); // list, status, show

} // namespace tenantctl
