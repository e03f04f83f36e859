// A value or an Error. std::expected needs C++23; this is the part of it that is used here.
#pragma once

#include "base/error.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace tenantctl {

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }

    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const& { return std::get<1>(state_); }
    Error&& error() && { return std::get<1>(std::move(state_)); }

private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    explicit operator bool() const { return !error_; }
    void value() const {}

    const Error& error() const& { return *error_; }
    Error&& error() && { return *std::move(error_); }

private:
    std::optional<Error> error_;
};

} // namespace tenantctl

// Not within braces or beside other arguments that own memory: g++ 12 does not destroy what was
// built of them when a statement expression returns.
// The value of a Result, or return its error from the enclosing function. The counter gives nested
// uses names of their own.
#define TRY(expression) TRY_NAMED(expression, __COUNTER__)
#define TRY_NAMED(expression, number) TRY_NUMBERED(expression, number)
#define TRY_NUMBERED(expression, number) TRY_EXPANDED(expression, try_result_##number)
#define TRY_EXPANDED(expression, name)                                                             \
    __extension__({                                                                                \
        auto name = (expression);                                                                  \
        if (!name)                                                                                 \
            return std::move(name).error();                                                        \
        std::move(name).value();                                                                   \
    })
