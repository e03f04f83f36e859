<?php
// What pages and style sheets make a browser fetch from their own host: style
// sheets, scripts, images, fonts. One absolute URL a line.
//
// usage: php assets.php <LIST     with lines "html|css FILE URL-OF-IT"

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

while (sscanf((string) fgets(STDIN), '%s %s %s', $kind, $file, $address) === 3) {
    $base = parse_url($address);
    $text = file_get_contents($file);
    foreach ($kind === 'css' ? urls_of_css($text) : urls_of_html($text) as $url) {
        if (str_starts_with($url, 'data:') || str_starts_with($url, '#'))
            continue;
        $url = strtok(absolute(trim($url), $base), '#');
        if (parse_url($url, PHP_URL_HOST) === $base['host'])
            echo $url, "\n";
    }
}
