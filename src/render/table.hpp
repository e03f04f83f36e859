// Aligned columns, as systemd's tools print them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tenantctl {

struct Column {
    std::string heading;
    bool right = false;   // align numbers to the right
    bool elastic = false; // may be shortened when the table is wider than the terminal
};

class Table {
public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    // One cell for each column; ASCII only, since domains and names are.
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    std::size_t rows() const { return rows_.size(); }

    // `width` columns at most, 0 for no bound; with or without the headings.
    std::string render(bool legend, std::size_t width) const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace tenantctl
