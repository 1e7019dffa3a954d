import { v7 as uuidv7 } from 'uuid';
import { stepLines } from '../../shared/domain/step/outcomes.ts';
import { violations } from '../support/evidence.ts';
import type { MemoryDatabase } from '../support/memory/memory-database.ts';
import type { FeedRow } from '../support/memory/feed-tables.ts';
import type { RunRow } from '../support/memory/run-tables.ts';
import { createMemoryRetries } from '../support/memory/retries.ts';
import { totalsOf } from '../support/memory/totals.ts';

type Effects = readonly ReadonlyMap<string, number>[];

const everybody = { steps: null, countries: null, reasons: null };

/** Starts the retry that a person requests after a run has ended with failures. Null if no user failed. */
export async function retryFailed(database: MemoryDatabase, parent: RunRow): Promise<string | null> {
  const retries = createMemoryRetries({ database });
  if ((await retries.groups(parent.id, everybody)).length === 0) return null;
  const runId = uuidv7();
  const { kind } = await retries.create({ runId, parentRunId: parent.id, filter: everybody, deadlineSeconds: null });
  if (kind !== 'created') throw new Error(`the failed users could not be tried again: ${kind}`);
  return runId;
}

/**
 * Returns the faults of a child run. Each of its feeds is judged like a run that begins with the failed step, and over
 * both runs no user has two effects.
 * @param steps of the chain
 * @param effects of both runs by step, and of the child alone
 */
export function childFindings(
  database: MemoryDatabase,
  [parent, child]: readonly [RunRow, RunRow],
  steps: number,
  { ofBoth, ofChild }: { ofBoth: Effects; ofChild: Effects },
): string[] {
  const feeds = feedsOf(database, child);
  const served = new Set(feeds.flatMap(({ feedId }) => database.retryUsers.get(feedId) ?? []));
  const strangers = ofChild.flatMap((byUser) => [...byUser.keys()].filter((user) => !served.has(user)));
  const twice = ofBoth.flatMap((byUser) => [...byUser].flatMap(([user, times]) => (times > 1 ? [user] : [])));
  return [
    ...wronglyTaken(database, parent, feeds),
    ...strangers.map((user) => `C2: effect for ${user}, whom the child run did not take on`),
    ...twice.map((user) => `C3: two effects for ${user} in both runs together`),
    ...feeds.flatMap((feed) => findingsOf(database, child, feed, steps, ofChild)),
  ];
}

/** C1: failed users, and no others, are in the feed of their country and step. */
function wronglyTaken(database: MemoryDatabase, parent: RunRow, feeds: readonly FeedRow[]): string[] {
  const countryOf = new Map(feedsOf(database, parent).map(({ feedId, country }) => [feedId, country]));
  const failed = database.failures.flatMap(({ feedId, step, user, outcome }) => {
    const country = countryOf.get(feedId);
    return country !== undefined && outcome === 'failed' ? [`${country}/${step}/${user}`] : [];
  });
  const taken = feeds.flatMap(({ feedId, country, fromStep }) =>
    (database.retryUsers.get(feedId) ?? []).map((user) => `${country}/${fromStep}/${user}`),
  );
  return [...new Set([...failed, ...taken])]
    .filter((entry) => failed.includes(entry) !== taken.includes(entry))
    .map((entry) => `C1: ${entry} ${failed.includes(entry) ? 'was not taken on' : 'had not failed'}`);
}

function findingsOf(
  database: MemoryDatabase,
  { state }: RunRow,
  { feedId, country, fromStep, fedUsers, heldOutUsers }: FeedRow,
  steps: number,
  effects: Effects,
): string[] {
  const users = database.retryUsers.get(feedId) ?? [];
  const own = new Set(users);
  const earlier = fromStep - 1;
  const lines = stepLines(fedUsers, totalsOf(database, feedId), steps, heldOutUsers, fromStep).slice(earlier);
  const failures = database.failures.flatMap(({ feedId: of, user, step, reason, outcome }) =>
    of === feedId && outcome !== 'succeeded' ? [{ user, step: step - earlier, country, reason, outcome }] : [],
  );
  return violations({
    audience: new Map([[country, users]]),
    runState: state,
    lines: new Map([[country, lines.map((line) => ({ ...line, step: line.step - earlier }))]]),
    effects: effects.slice(earlier).map((byUser) => new Map([...byUser].filter(([user]) => own.has(user)))),
    failures,
  }).map((found) => `child, from step ${fromStep}: ${found}`);
}

function feedsOf({ feeds }: MemoryDatabase, { id }: RunRow): FeedRow[] {
  return [...feeds.values()].filter(({ runId }) => runId === id);
}
