#include "render/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tenantctl {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 8;

std::string fit(const std::string& text, std::size_t width, bool right, bool last) {
    if (text.size() > width)
        return text.substr(0, width - 3) + "...";
    if (last && !right)
        return text;
    return right ? fmt::format("{:>{}}", text, width) : fmt::format("{:<{}}", text, width);
}

} // namespace

std::string Table::render(bool legend, std::size_t width) const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t widest = legend ? columns_[i].heading.size() : 0;
        for (const auto& row : rows_)
            widest = std::max(widest, row[i].size());
        widths.push_back(widest);
    }
    const auto total = [&] {
        std::size_t sum = gap * (widths.size() - 1);
        for (const auto each : widths)
            sum += each;
        return sum;
    };
    // The widest elastic column gives way first.
    while (width != 0 && total() > width) {
        std::size_t* widest = nullptr;
        for (std::size_t i = 0; i < columns_.size(); ++i)
            if (columns_[i].elastic && widths[i] > narrowest &&
                (widest == nullptr || widths[i] > *widest))
                widest = &widths[i];
        if (widest == nullptr)
            break;
        --*widest;
    }

    std::string out;
    const auto line = [&](const auto& cell) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const bool last = i + 1 == columns_.size();
            out += fit(cell(i), widths[i], columns_[i].right, last);
            out += last ? "\n" : std::string(gap, ' ');
        }
    };
    if (legend)
        line([&](std::size_t i) { return columns_[i].heading; });
    for (const auto& row : rows_)
        line([&](std::size_t i) { return row[i]; });
    return out;
}

} // namespace tenantctl
