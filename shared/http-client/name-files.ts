import { isIP } from 'node:net';

/** Returns the addresses of a name in a hosts file (hosts(5)). @param hostname in lower case */
export function addressesIn(hostsFile: string, hostname: string): string[] {
  return linesOf(hostsFile).flatMap(([address = '', ...names]) =>
    isIP(address) > 0 && names.some((name) => name.toLowerCase() === hostname) ? [address] : [],
  );
}

/** Returns the search domains of resolv.conf(5), by the last `search` or `domain` line. */
export function searchDomainsIn(resolverFile: string): string[] {
  const lines = linesOf(resolverFile).filter(([key]) => key === 'search' || key === 'domain');
  return (lines.at(-1) ?? []).slice(1).map((domain) => domain.replace(/\.$/, ''));
}

/**
 * Returns the names to look up for a host, in this order. A name without a dot is first looked up relative to the
 * caller's network. Other names are first looked up as absolute names, because trying each below all search domains
 * would cost a query for each.
 */
export function candidatesOf(hostname: string, searchDomains: readonly string[]): string[] {
  if (hostname.endsWith('.')) return [hostname.slice(0, -1)];
  const below = searchDomains.filter((domain) => domain !== '').map((domain) => `${hostname}.${domain}`);
  return hostname.includes('.') ? [hostname, ...below] : [...below, hostname];
}

/** Returns the words of each line, without comments. */
function linesOf(text: string): string[][] {
  return text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );
}
