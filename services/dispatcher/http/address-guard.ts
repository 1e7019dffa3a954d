import { BlockList, isIP } from 'node:net';
import type { EgressRule } from '../ports/callback-endpoint.ts';

/**
 * What is not public, by the special-purpose registries of IANA (RFC 6890 and its successors). Of IPv6 only 2000::/3 is
 * handed out, so all else is refused without a list: loopback, link-local, unique-local, and what carries an IPv4
 * address inside (::ffff:0:0/96, 64:ff9b::/96).
 */
const reserved = blockListOf([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
]);
const handedOut = blockListOf(['2000::/3']);

/**
 * Where clouds hand out the keys of their machines, beside 169.254.169.254: Azure, Alibaba, Oracle; AWS and Google by
 * IPv6.
 */
const metadata = ['168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32', 'fd00:ec2::/32', 'fd20:ce::254/128'];

/** Not even a rule opens these: all hosts, no host, and IPv6 that carries an IPv4 address inside, which may be any. */
const never = blockListOf([
  ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/128', 'fe80::/10', 'ff00::/8', '64:ff9b::/96', '2001::/32', '2002::/16'],
  ...metadata,
]);

export interface Destination {
  /** As the URL has it, in small letters, without the brackets of an IPv6 address. */
  hostname: string;
  port: number;
  /** What it was resolved to. */
  address: string;
}

/** True for what the whole internet could call too. */
export function isPublic(address: string): boolean {
  const family = familyOf(address);
  if (family === undefined || reserved.check(address, family) || never.check(address, family)) return false;
  return family === 'ipv4' || handedOut.check(address, 'ipv6');
}

/** Judges the address that is really connected to: a name may resolve to another one every time. */
export function createEgressGuard(rules: readonly EgressRule[]): (destination: Destination) => boolean {
  const parsed = rules.map((rule) => ({ ...rule, range: rule.cidr === undefined ? null : blockListOf([rule.cidr]) }));
  return ({ hostname, port, address }) => {
    const family = familyOf(address);
    if (family === undefined || never.check(address, family)) return false;
    if (parsed.length === 0) return isPublic(address);
    return parsed.some(
      (rule) =>
        (rule.port === undefined || rule.port === port) &&
        (rule.host === undefined || fitsHost(rule.host, hostname)) &&
        (rule.range === null ? isPublic(address) : rule.range.check(address, family)),
    );
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
