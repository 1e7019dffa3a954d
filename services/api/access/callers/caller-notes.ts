import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import { createLoop } from '../../../../shared/runtime/loop.ts';
import { createCounted, type Counted } from './counted.ts';

/** Counts are written as rarely as the last use of keys, in milliseconds. */
const writeEveryMs = 60_000;

/** Ended keys counted between two writes. Requests with further ended keys are not counted. */
export const maxCounted = 1000;
/** Pairs of a key and an operation counted between two writes. */
export const maxCalls = 2000;
/** Refused people of the issuer counted between two writes. */
export const maxPeople = 1000;

/** Longest pause of the loop, in milliseconds. The first count wakes it earlier. */
const untilWokenMs = 3_600_000;

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

export interface NotedCallers {
  refusals: readonly CountedRefusals[];
  calls: readonly CountedCalls[];
  people: readonly CountedPerson[];
}

export interface CallerNotesDeps {
  write: (noted: NotedCallers) => Promise<void>;
  clock: Clock;
  logger: Logger;
}

/** Counts requests of callers. Counting executes no statement. */
export interface CallerNotes {
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

type Kept<Count extends Last> = Omit<Count, 'lastAgoMs'> & { lastAtMs: number };

/**
 * Counts in memory, and writes at most one statement a minute. Only existing keys and people with a signed token are
 * counted, so made-up secrets neither fill memory nor cost a write.
 */
export function createCallerNotes({ write, clock, logger }: CallerNotesDeps): CallerNotes {
  const refusals = createCounted<Kept<CountedRefusals>>(maxCounted, (before, more) => ({
    ...laterOf(before, more),
    count: before.count + more.count,
  }));
  const calls = createCounted<Kept<CountedCalls>>(maxCalls, (before, more) => ({
    ...laterOf(before, more),
    done: before.done + more.done,
    refused: before.refused + more.refused,
    failed: before.failed + more.failed,
  }));
  const people = createCounted<Kept<CountedPerson>>(maxPeople, (before, more) => ({
    ...laterOf(before, more),
    count: before.count + more.count,
  }));

  const isEmpty = () => refusals.size + calls.size + people.size === 0;

  async function writeAll(): Promise<number> {
    if (isEmpty()) return untilWokenMs;
    const taken = { refusals: refusals.take(), calls: calls.take(), people: people.take() };
    const nowMs = clock.monotonicMs();
    try {
      await write({
        refusals: agedBy(taken.refusals, nowMs),
        calls: agedBy(taken.calls, nowMs),
        people: agedBy(taken.people, nowMs),
      });
    } catch (error) {
      giveBack(refusals, taken.refusals);
      giveBack(calls, taken.calls);
      giveBack(people, taken.people);
      throw error;
    }
    return isEmpty() ? untilWokenMs : 0;
  }

  /** Adds a count. Only the first one wakes the loop: thousands of requests a second may arrive. */
  function add<Count>(to: Counted<Count>, of: string, count: Count): void {
    const isFirst = isEmpty();
    to.add(of, count);
    if (isFirst) loop.poke();
  }

  const loop = createLoop({
    ...{ name: 'note-callers', turn: writeAll, minBetweenMs: writeEveryMs, afterErrorMs: writeEveryMs },
    ...{ clock, logger },
  });
  return {
    start: () => loop.start(),
    refused: (key, from) => {
      add(refusals, key, { key, count: 1, lastAtMs: clock.monotonicMs(), lastFrom: plainAddress(from) });
    },
    called: (key, operation, status) => {
      add(calls, `${key} ${operation}`, {
        ...{ key, operation, lastAtMs: clock.monotonicMs() },
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
      await writeAll().catch((error: unknown) => logger.warn({ err: error }, 'what was counted of callers is lost'));
    },
  };
}

function laterOf<Count extends { lastAtMs: number }>(one: Count, other: Count): Count {
  return other.lastAtMs >= one.lastAtMs ? other : one;
}

function agedBy<Count extends { lastAtMs: number }>(counts: ReadonlyMap<string, Count>, nowMs: number) {
  return [...counts.values()].map(({ lastAtMs, ...count }) => ({ ...count, lastAgoMs: nowMs - lastAtMs }));
}

function giveBack<Count>(to: Counted<Count>, counts: ReadonlyMap<string, Count>): void {
  for (const [of, count] of counts) to.add(of, count);
}

/** Returns an IPv4 address that connected to an IPv6 socket in IPv4 notation. */
function plainAddress(address: string | null): string | null {
  return address === null ? null : address.replace(/^::ffff:(?=\d+\.)/i, '');
}
