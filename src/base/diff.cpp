#include "base/diff.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tenantctl {

namespace {

struct Line {
    char mark; // ' ', '-' or '+'
    std::string text;
};

std::vector<std::string> lines_of(std::string_view text) {
    auto lines = split(text, '\n');
    if (lines.back().empty())
        lines.pop_back();
    return lines;
}

// The edit script by the longest common subsequence. Quadratic, for files of some hundred lines.
std::vector<Line> edit_script(const std::vector<std::string>& a,
                              const std::vector<std::string>& b) {
    std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                                 std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1
                                        : std::max(common[i + 1][j], common[i][j + 1]);
    std::vector<Line> script;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            script.push_back({' ', a[i]});
            ++i;
            ++j;
        } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
            script.push_back({'-', a[i++]});
        } else {
            script.push_back({'+', b[j++]});
        }
    }
    return script;
}

} // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::size_t context) {
    const auto script = edit_script(lines_of(before), lines_of(after));
    std::vector<bool> shown(script.size());
    for (std::size_t i = 0; i < script.size(); ++i)
        if (script[i].mark != ' ')
            for (std::size_t near = i - std::min(i, context);
                 near <= i + context && near < script.size(); ++near)
                shown[near] = true;

    std::string out;
    std::size_t old_line = 1;
    std::size_t new_line = 1;
    for (std::size_t i = 0; i < script.size(); ++i) {
        if (shown[i] && (i == 0 || !shown[i - 1])) {
            std::size_t olds = 0;
            std::size_t news = 0;
            for (std::size_t k = i; k < script.size() && shown[k]; ++k) {
                olds += script[k].mark != '+' ? 1 : 0;
                news += script[k].mark != '-' ? 1 : 0;
            }
            out += fmt::format("@@ -{},{} +{},{} @@\n", olds == 0 ? old_line - 1 : old_line, olds,
                               news == 0 ? new_line - 1 : new_line, news);
        }
        if (shown[i])
            out += fmt::format("{}{}\n", script[i].mark, script[i].text);
        old_line += script[i].mark != '+' ? 1 : 0;
        new_line += script[i].mark != '-' ? 1 : 0;
    }
    return out;
}

} // namespace tenantctl
