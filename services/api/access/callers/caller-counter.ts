import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import { createLoop } from '../../../../shared/runtime/loop.ts';
import { createCountsByName, type CountsByName } from './counts-by-name.ts';

/** Interval in milliseconds between two writes of counts. It equals the precision of a key's last use. */
const writeEveryMs = 60_000;

/**
 * Maximum number of expired or revoked keys that are counted between two writes. Requests with others are not counted.
 */
export const maxCountedKeys = 1000;
/** Maximum number of pairs of a key and an operation that are counted between two writes. */
export const maxCountedCalls = 2000;
/** Maximum number of refused people that are counted between two writes. */
export const maxCountedPeople = 1000;

/** Maximum pause of the loop in milliseconds. The first count wakes the loop earlier. */
const maxIdleMs = 3_600_000;

interface Last {
  /** Milliseconds since the last request with the key. */
  lastAgoMs: number;
}

export interface CountedRefusals extends Last {
  key: string;
  count: number;
  /** IP address from which the last request came; null if unknown. */
  lastFrom: string | null;
}

export interface CountedCalls extends Last {
  key: string;
  operation: string;
  done: number;
  /** Number of responses with a status of 400 to 499. */
  refused: number;
  /** Number of responses with a status of 500 or more. */
  failed: number;
}

export type PersonRefusal = 'no-role' | 'shut-out';

/** Person with a valid token of the issuer whom the API has refused. */
export interface RefusedPerson {
  issuer: string;
  subject: string;
  /** Name in the person's token; null if there is none. */
  name: string | null;
  code: PersonRefusal;
  detail: string;
}

export interface CountedPerson extends RefusedPerson, Last {
  count: number;
  lastFrom: string | null;
}

export interface CallerCounts {
  refusals: readonly CountedRefusals[];
  calls: readonly CountedCalls[];
  people: readonly CountedPerson[];
}

export interface CallerCounterDeps {
  write: (counts: CallerCounts) => Promise<void>;
  clock: Clock;
  logger: Logger;
}

/** Counts requests by caller. Counting makes no database statement; counts are written later. */
export interface CallerCounter {
  start(): void;
  /**
   * Counts a request with an expired or revoked key.
   * @param from IP address of the connection
   */
  refused(key: string, from: string | null): void;
  /** Counts a response. @param operation `operationId` of the OpenAPI document */
  called(key: string, operation: string, status: number): void;
  /**
   * Counts a refused request or sign-in of a person.
   * @param from IP address of the connection
   */
  personRefused(person: RefusedPerson, from: string | null): void;
  /** Stops the loop and writes the remaining counts. */
  stop(): Promise<void>;
}

type Accumulated<Count extends Last> = Omit<Count, 'lastAgoMs'> & { lastAtMs: number };

/**
 * Counts in memory, and writes the counts with at most one statement a minute. Only existing keys and people with a
 * signed token are counted. Requests with made-up secrets therefore neither fill the memory nor cause writes.
 */
export function createCallerCounter({ write, clock, logger }: CallerCounterDeps): CallerCounter {
  const refusals = createCountsByName<Accumulated<CountedRefusals>>(maxCountedKeys, (before, more) => ({
    ...latestOf(before, more),
    count: before.count + more.count,
  }));
  const calls = createCountsByName<Accumulated<CountedCalls>>(maxCountedCalls, (before, more) => ({
    ...latestOf(before, more),
    done: before.done + more.done,
    refused: before.refused + more.refused,
    failed: before.failed + more.failed,
  }));
  const people = createCountsByName<Accumulated<CountedPerson>>(maxCountedPeople, (before, more) => ({
    ...latestOf(before, more),
    count: before.count + more.count,
  }));

  const isEmpty = () => refusals.size + calls.size + people.size === 0;

  async function writeAll(): Promise<number> {
    if (isEmpty()) return maxIdleMs;
    const taken = { refusals: refusals.take(), calls: calls.take(), people: people.take() };
    const nowMs = clock.monotonicMs();
    try {
      await write({
        refusals: withAges(taken.refusals, nowMs),
        calls: withAges(taken.calls, nowMs),
        people: withAges(taken.people, nowMs),
      });
    } catch (error) {
      restoreCounts(refusals, taken.refusals);
      restoreCounts(calls, taken.calls);
      restoreCounts(people, taken.people);
      throw error;
    }
    return isEmpty() ? maxIdleMs : 0;
  }

  /** Adds a count. Only the first count wakes the loop, because there may be thousands of requests a second. */
  function add<Count>(to: CountsByName<Count>, name: string, count: Count): void {
    const isFirst = isEmpty();
    to.add(name, count);
    if (isFirst) loop.poke();
  }

  const loop = createLoop({
    name: 'note-callers',
    turn: writeAll,
    minBetweenMs: writeEveryMs,
    afterErrorMs: writeEveryMs,
    clock,
    logger,
  });
  return {
    start: () => loop.start(),
    refused: (key, from) => {
      add(refusals, key, { key, count: 1, lastAtMs: clock.monotonicMs(), lastFrom: plainAddress(from) });
    },
    called: (key, operation, status) => {
      add(calls, `${key} ${operation}`, {
        key,
        operation,
        lastAtMs: clock.monotonicMs(),
        done: status < 400 ? 1 : 0,
        refused: status >= 400 && status < 500 ? 1 : 0,
        failed: status >= 500 ? 1 : 0,
      });
    },
    personRefused: (person, from) => {
      // If Postgres cannot store the subject, the write of all other counts would fail too.
      if (!isStorable(person.subject)) return;
      const counted = { ...person, count: 1, lastAtMs: clock.monotonicMs(), lastFrom: plainAddress(from) };
      add(people, `${person.issuer} ${person.subject}`, counted);
    },
    stop: async () => {
      await loop.stop();
      await writeAll().catch((error: unknown) =>
        logger.warn({ err: error }, 'could not write the last counts of callers'),
      );
    },
  };
}

function latestOf<Count extends { lastAtMs: number }>(one: Count, other: Count): Count {
  return other.lastAtMs >= one.lastAtMs ? other : one;
}

function withAges<Count extends { lastAtMs: number }>(counts: ReadonlyMap<string, Count>, nowMs: number) {
  return [...counts.values()].map(({ lastAtMs, ...count }) => ({ ...count, lastAgoMs: nowMs - lastAtMs }));
}

function restoreCounts<Count>(to: CountsByName<Count>, counts: ReadonlyMap<string, Count>): void {
  for (const [name, count] of counts) to.add(name, count);
}

/** Returns an IP address. If an IPv4 client is connected to an IPv6 socket, returns its address in IPv4 notation. */
function plainAddress(address: string | null): string | null {
  return address === null ? null : address.replace(/^::ffff:(?=\d+\.)/i, '');
}
