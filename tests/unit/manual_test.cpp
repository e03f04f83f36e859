// The manual and the completions say what the program does, no more and no less.
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "example_tenant.hpp"
#include "store/toml_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

using namespace tenantctl;

namespace {

using Words = std::set<std::string>;

std::string source(const std::string& path) {
    const auto text = read_file(source_file(path));
    REQUIRE_MESSAGE(text, path);
    return *text;
}

std::string shown(const Words& words) {
    return join({words.begin(), words.end()}, " ");
}

// All that the first group of the expression matches.
Words matches(const std::string& text, const char* expression) {
    Words found;
    const std::regex pattern(expression, std::regex::ECMAScript | std::regex::multiline);
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
        found.insert((*match)[1]);
    return found;
}

Words long_options(const std::string& text) {
    return matches(text, "(--[a-z][a-z-]*)");
}

// Heading to text, of the headings that begin with the marker ("# " or "## ").
std::map<std::string, std::string> sections(const std::string& page, const std::string& marker) {
    std::map<std::string, std::string> all;
    std::string* current = nullptr;
    bool literal = false;
    for (const auto& line : split(page, '\n')) {
        if (line.starts_with("```"))
            literal = !literal;
        if (!literal && line.starts_with(marker))
            current = &all[line.substr(marker.size())];
        else if (current != nullptr)
            *current += line + "\n";
    }
    return all;
}

// The terms of a section: lines that begin in bold and have an indented text below them.
Words terms(const std::string& section) {
    Words found;
    const auto lines = split(section, '\n');
    for (std::size_t i = 0; i + 1 < lines.size(); ++i)
        if (lines[i].starts_with("*") && lines[i + 1].starts_with("\t"))
            found.merge(matches(lines[i], "\\*([^*]+)\\*"));
    return found;
}

// The texts between lines of three backticks.
std::vector<std::string> literal_blocks(const std::string& section) {
    std::vector<std::string> all;
    bool literal = false;
    for (const auto& line : split(section, '\n')) {
        if (line.starts_with("```")) {
            literal = !literal;
            if (literal)
                all.emplace_back();
        } else if (literal)
            all.back() += line + "\n";
    }
    return all;
}

// Verb ("add site") to its own long options, and "" to those of every verb.
std::map<std::string, Words> verbs() {
    std::map<std::string, Words> all;
    for (const auto& verb : all_verbs())
        all[verb.name] = Words(verb.options.begin(), verb.options.end());
    for (auto& [name, options] : all)
        if (!name.empty())
            options.erase("--help"); // told once
    return all;
}

Words united(Words a, const Words& b) {
    a.insert(b.begin(), b.end());
    return a;
}

// What bash would offer after the words, the last of which is being typed.
Words offered(const std::vector<std::string>& line) {
    const auto script = ". \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _tenantctl; "
                        "printf '%s\\n' \"${COMPREPLY[@]}\"";
    std::vector<std::string> argv = {
        "/bin/bash", "--norc", "-c", script, source_file("completions/bash/tenantctl"),
        "tenantctl"};
    argv.insert(argv.end(), line.begin(), line.end());
    const auto result = run_process(argv);
    REQUIRE_MESSAGE(result, result.error().message);
    Words found;
    for (auto word : split(result->output, '\n')) {
        if (word.ends_with("="))
            word.pop_back();
        if (!word.empty())
            found.insert(word);
    }
    return found;
}

// The text between a line and the first line after it that is only the closing bracket.
std::string block(const std::string& text, const std::string& opening, const std::string& closing) {
    const auto start = text.find("\n" + opening);
    REQUIRE_MESSAGE(start != std::string::npos, opening);
    return text.substr(start, text.find("\n" + closing + "\n", start) - start);
}

// What zsh would offer inside of a function of the completion.
Words offered_by_zsh(const std::string& text, const std::string& function) {
    const auto body = block(text, function + "() {", "}");
    auto found = long_options(body);
    for (const char* shared : {"_tenantctl_everywhere", "_tenantctl_root", "_tenantctl_limits"})
        if (body.find(std::string("$") + shared) != std::string::npos)
            found.merge(long_options(block(text, std::string(shared) + "=(", ")")));
    return found;
}

// The lines of a text that are commands of ours, as words.
std::vector<std::vector<std::string>> examples(const std::string& text) {
    std::vector<std::vector<std::string>> all;
    for (const auto& line : split(text, '\n')) {
        const auto command = line.starts_with("# ") || line.starts_with("$ ") ? line.substr(2) : "";
        const auto plain = command.starts_with("sudo ") ? command.substr(5) : command;
        if (!plain.starts_with("tenantctl "))
            continue;
        auto words = split(plain, ' ');
        words.erase(std::remove(words.begin(), words.end(), ""), words.end());
        all.push_back(words);
    }
    return all;
}

bool is_accepted(const std::vector<std::string>& words) {
    std::vector<const char*> argv(words.size());
    std::transform(words.begin(), words.end(), argv.begin(),
                   [](const std::string& word) { return word.c_str(); });
    return bool(parse_options(static_cast<int>(argv.size()), argv.data()));
}

// All literals of the sources, with those that the compiler joins joined.
std::string all_sources() {
    std::string all;
    for (const auto& file : std::filesystem::recursive_directory_iterator(source_file("src")))
        if (file.path().extension() == ".cpp")
            all += *read_file(file.path().string());
    return std::regex_replace(all, std::regex("\"\\s*\n\\s*\""), "");
}

} // namespace

TEST_CASE("the manual has a section for every verb, with its options and no others") {
    const auto page = source("man/tenantctl.8.scd");
    const auto known = verbs();
    std::map<std::string, std::string> documented;
    for (const auto& [heading, text] : sections(sections(page, "# ").at("VERBS"), "## "))
        documented[std::regex_replace(heading, std::regex(" [A-Z\\[].*"), "")] = text;
    for (const auto& entry : known) {
        const auto& verb = entry.first;
        const auto& options = entry.second;
        if (verb.empty())
            continue;
        INFO(verb);
        REQUIRE(documented.count(verb) == 1);
        Words named;
        for (const auto& term : terms(documented[verb]))
            named.merge(long_options(term));
        CHECK(shown(named) == shown(options));
    }
    for (const auto& entry : documented)
        CHECK_MESSAGE(known.count(entry.first) == 1, entry.first);
}

TEST_CASE("the manual has every option of the program, and every limit with its option") {
    const auto all = sections(source("man/tenantctl.8.scd"), "# ");
    Words named;
    for (const auto& term : terms(all.at("OPTIONS")))
        named.merge(long_options(term));
    CHECK(shown(named) == shown(verbs().at("")));

    Words limits;
    for (const auto& kind : limit_kinds) {
        std::string option = "--" + std::string(kind.key);
        std::replace(option.begin(), option.end(), '_', '-');
        limits.insert(option);
        CHECK_MESSAGE(all.at("LIMITS").find(std::string(kind.directive) + "=.") !=
                          std::string::npos,
                      kind.directive);
    }
    CHECK(shown(terms(all.at("LIMITS"))) != "");
    Words terms_of_limits;
    for (const auto& term : terms(all.at("LIMITS")))
        terms_of_limits.merge(long_options(term));
    CHECK(shown(terms_of_limits) == shown(limits));
}

TEST_CASE("no page sets an option in bold that does not exist") {
    Words known;
    for (const auto& [verb, options] : verbs())
        known = united(known, options);
    for (const char* page : {"man/tenantctl.8.scd", "man/tenant.toml.5.scd"})
        for (const auto& option : matches(source(page), "\\*(--[a-z-]+)"))
            CHECK_MESSAGE(known.count(option) == 1, page, ": ", option);
}

TEST_CASE("the commands in the manual and the README are accepted") {
    for (const char* page : {"man/tenantctl.8.scd", "README.md"}) {
        const auto commands = examples(source(page));
        CHECK_MESSAGE(commands.size() >= 3, page);
        for (const auto& words : commands)
            CHECK_MESSAGE(is_accepted(words), page, ": ", join(words, " "));
    }
}

TEST_CASE("the manual has every exit status") {
    Words statuses = {"0"};
    for (const auto code : {Errc::failure, Errc::usage, Errc::not_found, Errc::invalid})
        statuses.insert(std::to_string(exit_status(code)));
    CHECK(shown(terms(sections(source("man/tenantctl.8.scd"), "# ").at("EXIT STATUS"))) ==
          shown(statuses));
}

TEST_CASE("the messages that the manual explains are the program's") {
    const auto text = all_sources();
    const auto page = sections(source("man/tenantctl.8.scd"), "# ");
    const auto messages = terms(page.at("TROUBLESHOOTING"));
    CHECK(messages.size() > 10);
    for (const auto& message : messages)
        for (const auto& piece :
             split(std::regex_replace(message, std::regex(" *\\.\\.\\. *"), "\n"), '\n'))
            CHECK_MESSAGE(text.find(piece) != std::string::npos, piece);
}

TEST_CASE("tenant.toml(5) has the keys that the files may have, table by table") {
    std::set<std::string> accepted;
    const auto text = source("src/store/toml_files.cpp");
    const std::regex list("only\\(\\{([^}]*)\\}\\)");
    for (std::sregex_iterator table(text.begin(), text.end(), list), end; table != end; ++table)
        accepted.insert(shown(matches((*table)[1], "\"([a-z_]+)\"")));
    CHECK(accepted.size() == 5);

    std::set<std::string> documented;
    for (const auto& [heading, section] : sections(source("man/tenant.toml.5.scd"), "# "))
        if (const auto keys = terms(section); !keys.empty())
            documented.insert(shown(keys));
    CHECK(documented == accepted);
}

TEST_CASE("tenant.toml(5) has the defaults of the program") {
    auto all = sections(source("man/tenant.toml.5.scd"), "# ");
    const auto has = [&](const char* section, const std::string& text) {
        CHECK_MESSAGE(all.at(section).find(text) != std::string::npos, section, ": ", text);
    };
    const BoxSpec box;
    has("THE MACHINE",
        "Default: " + std::to_string(box.uid_first) + " and " + std::to_string(box.uid_last));
    has("THE MACHINE", "Default: " + std::to_string(box.connections_per_tenant));
    has("THE MACHINE", "Default: \"" + box.body_max + "\"");
    const auto plan = builtin_plan().limits;
    has("PLANS", "MemoryMax=" + format_size(*plan.memory_max));
    has("PLANS", "MemoryHigh=" + format_size(*plan.memory_high));
    has("PLANS", "TasksMax=" + std::to_string(*plan.tasks_max));
}

TEST_CASE("the examples in tenant.toml(5) are valid, together") {
    const auto page = source("man/tenant.toml.5.scd");
    const auto blocks = literal_blocks(sections(page, "# ").at("EXAMPLES"));
    REQUIRE(blocks.size() == 3);
    const auto tenant = parse_tenant_file(blocks[0], "alpha.toml");
    const auto plan = parse_plan_file(blocks[1], "small.toml");
    const auto box = parse_box_file(blocks[2], "tenantctl.toml");
    REQUIRE_MESSAGE(tenant, tenant.error().message);
    REQUIRE_MESSAGE(plan, plan.error().message);
    REQUIRE_MESSAGE(box, box.error().message);
    const Desired desired{*box, {*plan}, {*tenant}};
    const auto limits = validate_tenant(*tenant, desired, {"8.2"});
    CHECK_MESSAGE(limits, limits.error().message);
}

TEST_CASE("the bash completion offers the verbs, and the options of each") {
    const auto known = verbs();
    Words first;
    for (const auto& entry : known) {
        const auto& verb = entry.first;
        const auto& options = entry.second;
        if (verb.empty())
            continue;
        const auto words = split(verb, ' ');
        first.insert(words.front());
        if (words.size() > 1)
            CHECK_MESSAGE(offered({words.front(), ""}).count(words.back()) == 1, verb);
        auto line = words;
        line.emplace_back("--");
        auto expected = united(options, known.at(""));
        expected.erase("--version");
        INFO(verb);
        CHECK(shown(offered(line)) == shown(expected));
    }
    CHECK(shown(offered({""})) == shown(first));
    CHECK(shown(offered({"--"})) == shown(known.at("")));
    CHECK(shown(offered({"--json", "=", ""})) == "off pretty short");
}

TEST_CASE("the zsh completion offers the verbs, and the options of each") {
    const auto text = source("completions/zsh/_tenantctl");
    const auto known = verbs();
    for (const auto& entry : known) {
        const auto& verb = entry.first;
        const auto& options = entry.second;
        if (verb.empty())
            continue;
        const auto words = split(verb, ' ');
        const auto function = "_tenantctl_" + join(words, "_");
        const auto offering = words.size() > 1 ? "_tenantctl_" + words.front() : "_tenantctl";
        INFO(verb);
        CHECK(block(text, offering + "() {", "}").find("'" + words.back() + ":") !=
              std::string::npos);
        auto expected = united(options, known.at(""));
        expected.erase("--version");
        CHECK(shown(offered_by_zsh(text, function)) == shown(expected));
    }
    CHECK(shown(offered_by_zsh(text, "_tenantctl_words")) == shown(known.at("")));
}
