<?php
// What a page or a style sheet (--css) on stdin makes a browser fetch from the
// site's own host: style sheets, scripts, images, fonts. One absolute URL a line.
//
// usage: php assets.php [--css] URL-OF-IT

$is_css = $argv[1] === '--css';
$base = parse_url(end($argv));
$text = stream_get_contents(STDIN);

function urls_of_css(string $css): array
{
    preg_match_all('/url\(\s*[\'"]?([^\'")]+)/', $css, $found);
    return $found[1];
}

function urls_of_html(string $html): array
{
    libxml_use_internal_errors(true);
    $document = new DOMDocument();
    $document->loadHTML('<?xml encoding="UTF-8">' . $html);
    $path = new DOMXPath($document);
    $urls = [];
    foreach ($path->query('//script/@src | //img/@src | //link[contains("stylesheet icon preload", @rel)]/@href') as $attribute)
        $urls[] = $attribute->value;
    foreach ($path->query('//img/@srcset') as $set)
        foreach (explode(',', $set->value) as $candidate)
            $urls[] = strtok(trim($candidate), ' ');
    foreach ($path->query('//style/text() | //@style') as $style)
        $urls = [...$urls, ...urls_of_css($style->nodeValue)];
    return $urls;
}

function absolute(string $url, array $base): string
{
    $origin = $base['scheme'] . '://' . $base['host'];
    return match (true) {
        (bool) preg_match('/^https?:/', $url) => $url,
        str_starts_with($url, '//') => $base['scheme'] . ':' . $url,
        str_starts_with($url, '/') => $origin . $url,
        default => $origin . preg_replace('/[^\/]*$/', '', $base['path'] ?? '/') . $url,
    };
}

foreach ($is_css ? urls_of_css($text) : urls_of_html($text) as $url) {
    if (str_starts_with($url, 'data:') || str_starts_with($url, '#'))
        continue;
    $url = strtok(absolute(trim($url), $base), '#');
    if (parse_url($url, PHP_URL_HOST) === $base['host'])
        echo $url, "\n";
}
