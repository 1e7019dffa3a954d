import { isIP } from 'node:net';

/** What a hosts file (hosts(5)) says of a name; it has to be in small letters. */
export function addressesIn(hostsFile: string, hostname: string): string[] {
  return linesOf(hostsFile).flatMap(([address = '', ...names]) =>
    isIP(address) > 0 && names.some((name) => name.toLowerCase() === hostname) ? [address] : [],
  );
}

/** Of a resolver's configuration (resolv.conf(5)): the last line that names any counts. */
export function searchDomainsIn(resolverFile: string): string[] {
  const lines = linesOf(resolverFile).filter(([key]) => key === 'search' || key === 'domain');
  return (lines.at(-1) ?? []).slice(1).map((domain) => domain.replace(/\.$/, ''));
}

/**
 * Under which names a host is looked up, one after the other. One without a dot is meant within the network it is
 * called from; others are whole names first: looking for each below all domains would cost a question for each.
 */
export function candidatesOf(hostname: string, searchDomains: readonly string[]): string[] {
  if (hostname.endsWith('.')) return [hostname.slice(0, -1)];
  const below = searchDomains.filter((domain) => domain !== '').map((domain) => `${hostname}.${domain}`);
  return hostname.includes('.') ? [hostname, ...below] : [...below, hostname];
}

/** The words of each line, without remarks. */
function linesOf(text: string): string[][] {
  return text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );
}
