import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { setImmediate as nextCheck } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Clock } from '../ports/clock.ts';
import { knownAddresses } from '../runtime/egress/address-guard.ts';
import { addressesIn, candidatesOf, searchDomainsIn } from './name-files.ts';

/** Upper bound on the concurrent look-ups of one caller. Further look-ups wait, without delaying other callers. */
const lookupsOfCaller = 20;
const maxCallers = 1000;
const maxNames = 10_000;
const maxTtlMs = 3_600_000;
/** Milliseconds after which failed look-ups and names from the hosts file, which may change, are renewed. */
const failedForMs = 1000;
/** Milliseconds to wait for IPv6 after IPv4 addresses: a server that drops IPv6 queries must not delay names. */
const ipv6GraceMs = 50;
/** Time-outs of one query to one server: 3 s in total. */
const resolverTerms = { timeout: 1000, tries: 2, maxTimeout: 2000 };

/**
 * Failure to find an address of a name. `ENOTFOUND`: a server reports that there is none. `EAI_AGAIN`: no server
 * answered in time.
 */
export class LookupFailedError extends Error {
  override readonly name = 'LookupFailedError';
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN';

  constructor(code: 'ENOTFOUND' | 'EAI_AGAIN') {
    super(`no address was found (${code})`);
    this.code = code;
  }
}

export interface HostNamesDeps {
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  /** Name servers, with or without a port; by default the machine's name servers. */
  servers?: readonly string[] | undefined;
  hostsFile?: string;
  resolverFile?: string;
}

export interface Lookup {
  /** Name of the caller: a client, an action type, or the segmentation service. */
  caller: string;
  hostname: string;
  withinMs: number;
}

/** Look-up of host names, first in the hosts file, then by DNS. */
export interface HostNames {
  /** Returns all addresses, at least one, IPv4 first. Rejects with a LookupFailedError within `withinMs`. */
  addressesOf(lookup: Lookup): Promise<readonly string[]>;
  close(): void;
}

interface Answer {
  addresses: readonly string[];
  /** True if a server answered, even if it reported no address. */
  isAnswered: boolean;
  /** Monotonic time of expiry. */
  untilMs: number;
}

const nothingKnown: Answer = { addresses: [], isAnswered: false, untilMs: 0 };

/**
 * Creates the look-up of names. `dns.lookup` would block one of libuv's four threads while a name server is silent:
 * four dead names of one caller would stop the calls of all others. c-ares blocks no thread. Each caller has a channel
 * of its own, so that servers that fail for its names are not avoided for others.
 */
export function createHostNames(deps: HostNamesDeps): HostNames {
  const { clock, servers, hostsFile = '/etc/hosts', resolverFile = '/etc/resolv.conf' } = deps;
  const channels = new LRUCache<string, { resolver: Resolver; limit: ReturnType<typeof pLimit> }>({
    max: maxCallers,
    dispose: ({ resolver }) => resolver.cancel(),
  });
  const known = new LRUCache<string, Answer>({ max: maxNames });
  const underWay = new Map<string, { answer: Promise<Answer>; wantedUntilMs: number }>();

  function channelOf(caller: string) {
    const found = channels.get(caller);
    if (found) return found;
    const channel = { resolver: new Resolver(resolverTerms), limit: pLimit(lookupsOfCaller) };
    if (servers) channel.resolver.setServers(servers);
    channels.set(caller, channel);
    return channel;
  }

  async function ask(resolver: Resolver, hostname: string): Promise<Answer> {
    const soonMs = clock.monotonicMs() + failedForMs;
    const inFile = addressesIn(await textOf(hostsFile), hostname);
    const here = inFile.length > 0 ? inFile : knownAddresses(hostname);
    if (here.length > 0) return { addresses: here, isAnswered: true, untilMs: soonMs };
    for (const name of candidatesOf(hostname, searchDomainsIn(await textOf(resolverFile)))) {
      const { addresses, isAnswered, ttlMs } = await query(resolver, name, clock);
      if (addresses.length > 0) return { addresses, isAnswered, untilMs: clock.monotonicMs() + ttlMs };
      if (!isAnswered) return { ...nothingKnown, untilMs: clock.monotonicMs() + failedForMs };
    }
    return { addresses: [], isAnswered: true, untilMs: clock.monotonicMs() + failedForMs };
  }

  function lookUp({ caller, hostname, withinMs }: Lookup, key: string): Promise<Answer> {
    const wantedUntilMs = clock.monotonicMs() + withinMs;
    const running = underWay.get(key);
    if (running) {
      running.wantedUntilMs = Math.max(running.wantedUntilMs, wantedUntilMs);
      return running.answer;
    }
    const { resolver, limit } = channelOf(caller);
    const lookup = { answer: Promise.resolve(nothingKnown), wantedUntilMs };
    // A look-up that no caller waits for any more is skipped. Otherwise look-ups of unreachable names would delay
    // new ones.
    lookup.answer = limit(() =>
      clock.monotonicMs() >= lookup.wantedUntilMs ? nothingKnown : ask(resolver, hostname),
    ).then((answer) => {
      known.set(key, answer);
      underWay.delete(key);
      return answer;
    });
    underWay.set(key, lookup);
    return lookup.answer;
  }

  async function inTime(answer: Promise<Answer>, withinMs: number): Promise<Answer> {
    const over = new AbortController();
    // Timers run before sockets are read: after a pause of the process, an answer that has arrived still counts.
    const late = clock.sleep(withinMs, over.signal).then(() => nextCheck(nothingKnown));
    return await Promise.race([answer, late]).finally(() => over.abort());
  }

  return {
    addressesOf: async (lookup) => {
      const key = `${lookup.caller} ${lookup.hostname}`;
      const before = known.get(key);
      const isFresh = before !== undefined && before.untilMs > clock.monotonicMs();
      const { addresses, isAnswered } = isFresh ? before : await inTime(lookUp(lookup, key), lookup.withinMs);
      if (addresses.length === 0) throw new LookupFailedError(isAnswered ? 'ENOTFOUND' : 'EAI_AGAIN');
      return addresses;
    },
    close: () => channels.clear(),
  };
}

interface Found {
  addresses: string[];
  isAnswered: boolean;
  ttlMs: number;
}

async function query(resolver: Resolver, name: string, clock: Pick<Clock, 'sleep'>): Promise<Found> {
  const ipv6 = found(resolver.resolve6(name, { ttl: true }));
  const four = await found(resolver.resolve4(name, { ttl: true }));
  const none: Found = { addresses: [], isAnswered: true, ttlMs: maxTtlMs };
  const grace = () => clock.sleep(ipv6GraceMs).then(() => nextCheck(none));
  const six = await (four.addresses.length > 0 ? Promise.race([ipv6, grace()]) : ipv6);
  return {
    addresses: [...four.addresses, ...six.addresses],
    isAnswered: four.isAnswered && six.isAnswered,
    ttlMs: Math.min(four.ttlMs, six.ttlMs),
  };
}

function found(records: Promise<{ address: string; ttl: number }[]>): Promise<Found> {
  return records.then(
    (all) => ({
      addresses: all.map(({ address }) => address),
      isAnswered: true,
      ttlMs: Math.min(maxTtlMs, ...all.map(({ ttl }) => ttl * 1000)),
    }),
    (error: unknown) => ({ addresses: [], isAnswered: isNegativeAnswer(error), ttlMs: maxTtlMs }),
  );
}

/** Returns true if a server reports no such name, no record of this type, or an invalid name; all else is no answer. */
function isNegativeAnswer(error: unknown): boolean {
  return error instanceof Error && 'code' in error && noAddress.has(error.code);
}

const noAddress: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

async function textOf(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch(() => '');
}
