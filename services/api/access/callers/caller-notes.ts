import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import { createLoop } from '../../../../shared/runtime/loop.ts';
import { createCounted, type Counted } from './counted.ts';

/** As seldom as the use of keys is written. */
const writeEveryMs = 60_000;

/** Each is a key that there is: more than so many that have ended and are used at once are not told apart. */
export const maxCounted = 1000;
/** Pairs of a key and an operation. */
export const maxCalls = 2000;
/** Each is one whom the issuer vouches for. */
export const maxPeople = 1000;

/** With nothing to write it is woken. */
const untilWokenMs = 3_600_000;

interface Last {
  /** How long ago the last one was. */
  lastAgoMs: number;
}

/** Of one key, since the last time they were written. */
export interface CountedRefusals extends Last {
  key: string;
  count: number;
  /** The address that connected; null where it is not known. */
  lastFrom: string | null;
}

/** Of one key and one operation of the API, since the last time they were written. */
export interface CountedCalls extends Last {
  key: string;
  operation: string;
  done: number;
  /** By a status of 400 to 499. */
  refused: number;
  /** By a status of 500 and more. */
  failed: number;
}

export type PersonRefusal = 'no-role' | 'shut-out';

/** Whom the issuer vouches for, and who was refused all the same. */
export interface RefusedPerson {
  issuer: string;
  subject: string;
  /** As the token says it; null where it does not. */
  name: string | null;
  code: PersonRefusal;
  /** The sentence that was answered. */
  detail: string;
}

export interface CountedPerson extends RefusedPerson, Last {
  count: number;
  lastFrom: string | null;
}

/** What is written at once. */
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

/** What is kept of those who call. None of it costs a statement when it is noted. */
export interface CallerNotes {
  start(): void;
  /** One request with a secret of a key that opens nothing any more. @param from the address that connected */
  refused(key: string, from: string | null): void;
  /** One answer. @param operation as the OpenAPI document names it */
  called(key: string, operation: string, status: number): void;
  /** One request, or sign-in, of a person who may not come in. @param from the address that connected */
  personRefused(person: RefusedPerson, from: string | null): void;
  /** Writes what is left. */
  stop(): Promise<void>;
}

type Kept<Count extends Last> = Omit<Count, 'lastAgoMs'> & { lastAtMs: number };

/**
 * Counts in memory, and writes what was counted in one statement a minute at most, however many came. Only keys that
 * there are count, and people whom the issuer has signed for, so that what is made up neither fills memory nor costs a
 * write.
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

  /** Woken by the first of them: thousands of requests a second may come. */
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
      // What no text can hold would keep all others from being written.
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

/** An IPv4 address that connected to a socket of IPv6 is written as IPv4. */
function plainAddress(address: string | null): string | null {
  return address === null ? null : address.replace(/^::ffff:(?=\d+\.)/i, '');
}
