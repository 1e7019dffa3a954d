import { BlockList, isIP } from 'node:net';
import type { EgressRule } from '../../contracts/jobs/endpoint-terms.ts';

/**
 * Addresses that are not public, by the special-purpose registries of IANA (RFC 6890 and its successors). Only 2000::/3
 * of IPv6 is allocated, so all other IPv6 is refused without a list: loopback, link-local, unique-local, and addresses
 * that embed an IPv4 address (::ffff:0:0/96, 64:ff9b::/96).
 */
const reserved = blockListOf([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
]);
const handedOut = blockListOf(['2000::/3']);

/**
 * Addresses of the clouds' metadata services, which hand out credentials, besides 169.254.0.0/16 and fe80::/10. IPv4:
 * Azure, Alibaba, Oracle; IPv6: AWS, Google, Oracle, Scaleway, Linode, Alibaba.
 */
const metadata = [
  ...['168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32'],
  ...['fd00:ec2::/32', 'fd20:ce::254/128', 'fd00:c1::/32', 'fd00:42::42/128'],
  ...['fd00:a9fe:a9fe::1/128', 'fd00:100::100:200/128'],
];

/**
 * IPv6 ranges that embed an IPv4 address, which may be any: compatible, translated, NAT64 (two prefixes), Teredo, 6to4.
 * A mapped address (::ffff:0:0/96) is judged as its IPv4 address.
 */
const carriers = ['::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'];

/** Addresses that no rule can open: unspecified, multicast, reserved, link-local, metadata, and embedding ranges. */
const never = blockListOf([
  ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/128', 'fe80::/10', 'ff00::/8'],
  ...metadata,
  ...carriers,
]);
// ::/96 except ::1, which is this machine and can be opened.
never.addRange('::2', '::ffff:ffff', 'ipv6');

export interface Destination {
  /** Host name as in the URL, in lower case, without the brackets of an IPv6 address. */
  hostname: string;
  port: number;
  address: string;
}

/** Egress rules of one owner, named for people: `the egress rules of the client "orders"`. */
export interface RuleList {
  of: string;
  /** Rules of which at least one must match. */
  rules: readonly EgressRule[];
}

/** Decides which addresses may be called, at registration and again at each connection. */
export interface EgressGuard {
  /** Judges the address of the connection itself: a name may resolve to another address every time. */
  mayConnect(destination: Destination): boolean;
  /**
   * Returns the reason why no call can go to this URL, for people, to follow `may not be called: `; null if a call may.
   * Addresses are judged, names are not looked up.
   */
  whyNot(url: URL): string | null;
}

/** The empty rule, which matches every public address. */
export const anyPublic: EgressRule = {};

/** Creates a client's guard. A client without rules may call every public address. */
export function createClientGuard(installation: RuleList, rules: readonly EgressRule[], name: string): EgressGuard {
  const of = `the egress rules of the client ${JSON.stringify(name)}`;
  return createEgressGuard([installation, { of, rules: rules.length === 0 ? [anyPublic] : rules }]);
}

/** Returns true if the address is reachable from the whole internet. */
export function isPublic(address: string): boolean {
  const family = familyOf(address);
  if (family === undefined || reserved.check(address, family) || never.check(address, family)) return false;
  return family === 'ipv4' || handedOut.check(address, 'ipv6');
}

/** Creates a guard that allows a call only if each of the lists allows it. */
export function createEgressGuard(lists: readonly RuleList[]): EgressGuard {
  const fits = lists.map(({ rules }) => rules.map(fitOf));
  const refusing = (isFit: (fit: Fit) => boolean) => lists[fits.findIndex((each) => !each.some(isFit))];

  function whyNotAddress(destination: Destination): string | null {
    const family = familyOf(destination.address);
    if (family === undefined || never.check(destination.address, family))
      return `${destination.address} is never called`;
    const list = refusing((fit) => fit.name(destination) && fit.address(destination.address, family));
    return list ? `${destination.address} is none that ${list.of} may open` : null;
  }

  return {
    mayConnect: (destination) => whyNotAddress(destination) === null,
    whyNot: (url) => {
      const place = placeOf(url);
      const addresses = isIP(place.hostname) === 0 ? knownAddresses(place.hostname) : [place.hostname];
      const refusals = addresses.map((address) => whyNotAddress({ ...place, address }));
      if (refusals.length > 0) return refusals.every((refusal) => refusal !== null) ? (refusals[0] ?? null) : null;
      const list = refusing((fit) => fit.name(place));
      return list ? `no rule of ${list.of} names ${place.hostname} with port ${place.port}` : null;
    },
  };
}

/** Returns the addresses of names that always mean this machine (RFC 6761). */
export function knownAddresses(hostname: string): readonly string[] {
  const name = hostname.replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost') ? ['127.0.0.1', '::1'] : [];
}

/** Returns host and port of a URL. IPv6 addresses have no brackets. @param usualPort port of a URL without one */
export function placeOf(
  { hostname, port, protocol }: Pick<URL, 'hostname' | 'port' | 'protocol'>,
  usualPort = protocol === 'https:' ? 443 : 80,
): { hostname: string; port: number } {
  return { hostname: hostname.replace(/^\[|\]$/g, '').toLowerCase(), port: Number(port) || usualPort };
}

interface Fit {
  name(place: Omit<Destination, 'address'>): boolean;
  address(address: string, family: 'ipv4' | 'ipv6'): boolean;
}

function fitOf({ host, port, cidr }: EgressRule): Fit {
  const range = cidr === undefined ? null : blockListOf([cidr]);
  return {
    name: (place) =>
      (port === undefined || port === place.port) && (host === undefined || fitsHost(host, place.hostname)),
    address: (address, family) => (range === null ? isPublic(address) : range.check(address, family)),
  };
}

function fitsHost(pattern: string, hostname: string): boolean {
  return pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern;
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? 'ipv4' : 'ipv6';
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
