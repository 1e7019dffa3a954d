/** `/hooks/paid shop.example`: the path whole, as calls differ by it; the host is what is cut. */
export function CallUrl({ url }: { url: string }) {
  const { host, path } = partsOfUrl(url);
  return (
    <span title={url}>
      <span className="mono">{path}</span> <span className="t3 sm">{host}</span>
    </span>
  );
}

/** What is sealed of a URL is no URL any more: then all of it stands as its path. */
export function partsOfUrl(url: string): { host: string; path: string } {
  if (url.startsWith('kafka:')) return { host: 'Kafka topic', path: url.slice('kafka:'.length) };
  const parsed = URL.parse(url);
  if (!parsed) return { host: '', path: url };
  return { host: parsed.host, path: `${parsed.pathname}${parsed.search}` };
}
