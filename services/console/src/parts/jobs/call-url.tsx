/**
 * URL of a call, such as `/hooks/paid shop.example`. A long host is truncated. The path is not, because calls to one
 * host differ by their paths.
 */
export function CallUrl({ url }: { url: string }) {
  const { host, path } = partsOfUrl(url);
  return (
    <span title={url}>
      <span className="mono">{path}</span> <span className="t3 sm">{host}</span>
    </span>
  );
}

/** Splits a URL into host and path. A URL with sealed parts cannot be parsed: its whole text is the path. */
export function partsOfUrl(url: string): { host: string; path: string } {
  if (url.startsWith('kafka:')) return { host: 'Kafka topic', path: url.slice('kafka:'.length) };
  const parsed = URL.parse(url);
  if (!parsed) return { host: '', path: url };
  return { host: parsed.host, path: `${parsed.pathname}${parsed.search}` };
}
