<?php
// A small shop: three goods, an order form, orders kept in a file. The file's
// name starts with a dot, so the web server gives it to nobody.
declare(strict_types=1);

const GOODS = [
    'mug' => ['Mug, blue', 1250],
    'tea' => ['Tea, 100 g', 650],
    'pot' => ['Teapot', 4800],
];
const ORDERS = __DIR__ . '/.orders.jsonl';

session_start(['cookie_httponly' => true, 'cookie_samesite' => 'Lax', 'use_strict_mode' => true]);
$_SESSION['token'] ??= bin2hex(random_bytes(16));

function text(string $value): string
{
    return htmlspecialchars($value, ENT_QUOTES | ENT_SUBSTITUTE);
}

function money(int $cents): string
{
    return number_format($cents / 100, 2) . ' EUR';
}

function refuse(int $status, string $reason): never
{
    http_response_code($status);
    show('Not possible', '<p>' . text($reason) . '</p>');
    exit;
}

function show(string $title, string $body): void
{
    echo '<!DOCTYPE html><html lang="en"><meta charset="utf-8">',
        '<title>', text($title), '</title><link rel="stylesheet" href="/shop.css">',
        '<h1>', text($title), '</h1>', $body;
}

function show_form(): void
{
    $rows = '';
    foreach (GOODS as $id => [$name, $price])
        $rows .= '<tr><td>' . text($name) . '<td>' . money($price)
            . "<td><input type=\"number\" name=\"amount[$id]\" min=\"0\" max=\"99\" value=\"0\">";
    show('Shop of beta', '<form method="post" action="/order">'
        . '<input type="hidden" name="token" value="' . $_SESSION['token'] . '">'
        . "<table>$rows</table><label>Your name <input name=\"name\" required maxlength=\"80\"></label>"
        . '<button>Order</button></form>');
}

// What the form says, checked; prices are ours, never the form's.
function order_of_form(): array
{
    if (!hash_equals($_SESSION['token'], (string) ($_POST['token'] ?? '')))
        refuse(403, 'This form is not from here, or it is too old.');
    $name = trim((string) ($_POST['name'] ?? ''));
    if ($name === '' || strlen($name) > 80)
        refuse(422, 'Please give a name.');
    $lines = [];
    foreach (GOODS as $id => [, $price]) {
        $amount = filter_var($_POST['amount'][$id] ?? 0, FILTER_VALIDATE_INT, ['options' => ['min_range' => 0, 'max_range' => 99]]);
        if ($amount === false)
            refuse(422, 'Please give amounts from 0 to 99.');
        if ($amount > 0)
            $lines[$id] = $amount;
    }
    if (!$lines)
        refuse(422, 'Please order something.');
    return ['name' => $name, 'lines' => $lines];
}

function take_order(): void
{
    $order = order_of_form();
    $line = json_encode($order, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE) . "\n";
    if (file_put_contents(ORDERS, $line, FILE_APPEND | LOCK_EX) === false)
        refuse(500, 'The order could not be kept.');
    $_SESSION['order'] = $order;
    header('Location: /order', true, 303);
}

function show_order(): void
{
    $order = $_SESSION['order'] ?? refuse(404, 'You have ordered nothing yet.');
    $rows = '';
    $total = 0;
    foreach ($order['lines'] as $id => $amount) {
        [$name, $price] = GOODS[$id];
        $total += $amount * $price;
        $rows .= '<tr><td>' . text($name) . "<td>$amount<td>" . money($amount * $price);
    }
    show("Thank you, {$order['name']}", "<table>$rows<tr><th>Total<th><th>" . money($total) . '</table><a href="/">Back</a>');
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
match (true) {
    $path === '/order' && $_SERVER['REQUEST_METHOD'] === 'POST' => take_order(),
    $path === '/order' => show_order(),
    $path === '/' => show_form(),
    default => refuse(404, 'There is no such page.'),
};
