import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import { createLoop } from '../../../../shared/runtime/loop.ts';
import { createCountsByName, type CountsByName } from './counts-by-name.ts';

/** Interval between two writes of counts, in milliseconds; the same as for the last use of keys. */
const writeEveryMs = 60_000;

/**
 * Maximum ended (expired or revoked) keys that are counted between two writes. Requests with further ended keys are not
 * counted.
 */
export const maxCountedKeys = 1000;
/** Maximum pairs of a key and an operation that are counted between two writes. */
export const maxCountedCalls = 2000;
/** Maximum refused people of the issuer that are counted between two writes. */
export const maxCountedPeople = 1000;

/** Longest pause of the loop, in milliseconds. The first count wakes it earlier. */
const maxIdleMs = 3_600_000;

interface Last {
  /** Age of the last request, in milliseconds. */
  lastAgoMs: number;
}

export interface CountedRefusals extends Last {
  key: string;
  count: number;
  /** Address of the connection; null if unknown. */
  lastFrom: string | null;
}

export interface CountedCalls extends Last {
  key: string;
  operation: string;
  done: number;
  /** Responses with a status of 400 to 499. */
  refused: number;
  /** Responses with a status of 500 or more. */
  failed: number;
}

export type PersonRefusal = 'no-role' | 'shut-out';

/** Person with a valid token of the issuer who was refused by the API. */
export interface RefusedPerson {
  issuer: string;
  subject: string;
  /** Name in the token; null if the token has none. */
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

/** Counts requests of callers. Counting executes no statement. */
export interface CallerCounter {
  start(): void;
  /** Counts a request with an expired or revoked key. @param from address of the connection */
  refused(key: string, from: string | null): void;
  /** Counts a response. @param operation `operationId` of the OpenAPI document */
  called(key: string, operation: string, status: number): void;
  /** Counts a request or sign-in of a person who is refused. @param from address of the connection */
  personRefused(person: RefusedPerson, from: string | null): void;
  /** Stops the loop and writes the remaining counts. */
  stop(): Promise<void>;
}

type Accumulated<Count extends Last> = Omit<Count, 'lastAgoMs'> & { lastAtMs: number };

/**
 * Counts in memory, and writes at most one statement a minute. Only existing keys and people with a signed token are
 * counted, so made-up secrets neither fill memory nor cost a write.
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

  /** Adds a count. Only the first one wakes the loop: thousands of requests a second may arrive. */
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
      // A subject that Postgres cannot store would make the write of all other counts fail.
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

/** Returns an IPv4 address that connected to an IPv6 socket in IPv4 notation. */
function plainAddress(address: string | null): string | null {
  return address === null ? null : address.replace(/^::ffff:(?=\d+\.)/i, '');
}
