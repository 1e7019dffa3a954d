import type { LimitFunction } from 'p-limit';
import {
  countKeyOf,
  sumOfParts,
  type CountedCountry,
  type StoredCountry,
  type SegmentSnapshot,
} from '../../../shared/contracts/campaigns/exact-counts.ts';
import { isStorable } from '../../../shared/domain/ids/stored-text.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';
import type { StoredAudiences } from '../../../shared/ports/stored-audiences.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createAudiencePages } from '../pages/audience-pages.ts';
import { audienceIn, foundSources, resolvePlaces } from '../prepare/resolve-places.ts';
import type { SourcePlace } from '../../../shared/contracts/runs/feed-audience.ts';
import type { CountEnd, CountPlace, CountStore, OwnedCount } from '../ports/count-store.ts';
import { countOne, countTwo, type CountedPage, type CountedPages } from './counted-pages.ts';

/**
 * Rate of a count in users per second, which is also the rate of a dry run. The segmentation service has to serve these
 * requests in addition to those of runs that send.
 */
const usersPerSecond = 20_000;
const saveEveryMs = 2000;
/** Number of consecutive unavailable pages from which the count fails, so that a person must act. */
const maxStalls = 10;
const maxStallMs = 60_000;
/** Maximum number of restarts of a country whose snapshot was deleted during the count. */
const maxRestarts = 3;

export interface CountingDeps {
  counts: CountStore;
  segmentation: Segmentation;
  storedAudiences: StoredAudiences;
  /** Limiter that all counts of this process share, so that counts do not delay feeds. */
  requestLimit: LimitFunction;
  /** Users requested per page. */
  pageSize: number;
  clock: Clock;
  /** Random number in [0, 1). */
  random: () => number;
  logger: Logger;
}

/** Result of one step. `waited`: the request failed and must be repeated. */
type Step = CountEnd | 'go-on' | 'waited' | 'stopped';

/** Creates a count that continues from its stored position. */
export function createCounting(count: OwnedCount, deps: CountingDeps) {
  const { question, countId } = count;
  const { counts, clock } = deps;
  const sides = question.with ? [question.audience, question.with] : [question.audience];
  const counted = new Map<string, StoredCountry>(count.countries.map((line) => [line.country, line]));
  let { place, resolved } = count;
  let isResolvedSaved = resolved !== null;
  let savedMs = clock.monotonicMs();
  let stalls = 0;

  /**
   * Saves the count. Returns false if another trigger owns it. If the last user's id cannot be stored as text, nothing
   * is saved until the next page, because the stored figures must match the stored position.
   */
  async function save(cause: string | null): Promise<boolean> {
    if (!isStorable(place?.cursor ?? '')) return true;
    savedMs = clock.monotonicMs();
    const saved = { countries: [...counted.values()], place, resolved: isResolvedSaved ? null : resolved, cause };
    isResolvedSaved = true;
    return await counts.save(count, saved);
  }

  async function rest(cause: string, retryInMs: number, signal: AbortSignal): Promise<Step> {
    stalls++;
    if (stalls > maxStalls) return { state: 'failed', cause };
    if (!(await save(cause))) return 'stopped';
    await clock.sleep(Math.min(maxStallMs, Math.max(retryInMs, 250 * 2 ** stalls)), signal);
    return signal.aborted ? 'stopped' : 'waited';
  }

  async function resolve(countries: readonly string[], signal: AbortSignal): Promise<Step> {
    const found: SourcePlace[][] = [];
    for (const audience of sides) {
      const places = await resolvePlaces({ countries, audience }, deps, signal);
      if (signal.aborted) return 'stopped';
      const answers = places.map((each) => each.resolved);
      const missing = answers.find((answer) => answer.kind === 'missing');
      if (missing) return { state: 'failed', cause: missing.reason };
      const later = answers.find((answer) => answer.kind === 'later');
      if (later) return rest(later.cause, later.retryAfterMs, signal);
      found.push(foundSources(places));
    }
    resolved = found.map((sources, side) => [
      ...(resolved?.[side] ?? []).filter(({ country }) => !countries.includes(country)),
      ...sources,
    ]);
    isResolvedSaved = false;
    return 'go-on';
  }

  function pagesOf({ country, cursor }: CountPlace, sources: readonly SourcePlace[][]): CountedPages {
    const [one, other] = sources.map((ofSide) =>
      createAudiencePages({
        ...deps,
        feed: {
          country,
          runId: countId,
          stalls: 0,
          cursor,
          audience: audienceIn(country, ofSide, null),
          isDry: true,
        },
        limiter: { request: (_requester, send) => deps.requestLimit(send) },
        maxBufferedUsers: () => deps.pageSize,
        countsParts: sides.length === 1,
      }),
    );
    if (!one) throw new Error(`the count ${countId} names no audience`);
    return other ? countTwo(one, other) : countOne(one);
  }

  async function countCountry(from: CountPlace, signal: AbortSignal): Promise<Step> {
    if (!resolved) throw new Error(`the count ${countId} was never resolved`);
    const pages = pagesOf(from, resolved);
    const isStopped = () => signal.aborted;
    while (!isStopped()) {
      const startedMs = clock.monotonicMs();
      const page = await pages.next(signal);
      if (isStopped()) return 'stopped';
      if (page.kind === 'stalled') return rest(page.cause, page.retryInMs, signal);
      if (page.kind === 'gone') return restart(from, signal);
      stalls = 0;
      add(from, page);
      if (page.isLast) return (await save(null)) ? 'go-on' : 'stopped';
      if (clock.monotonicMs() - savedMs >= saveEveryMs && !(await save(null))) return 'stopped';
      const atLeastMs = ((page.users + page.excluded + (page.withUsers ?? 0)) / usersPerSecond) * 1000;
      await clock.sleep(Math.max(0, atLeastMs - (clock.monotonicMs() - startedMs)), signal);
    }
    return 'stopped';
  }

  async function restart({ country, restarts }: CountPlace, signal: AbortSignal): Promise<Step> {
    const cause = `its snapshot in ${country} went ${maxRestarts + 1} times before it was counted`;
    if (restarts >= maxRestarts) return { state: 'failed', cause };
    const step = await resolve([country], signal);
    counted.delete(country);
    place = { country, cursor: null, restarts: step === 'waited' ? restarts : restarts + 1 };
    return step;
  }

  function add({ country, restarts }: CountPlace, page: CountedPage): void {
    const before = counted.get(country);
    const line = before ?? nothingOf(country, sides.length);
    const plus = (sum: number | null, more: number | null) => (sum === null || more === null ? null : sum + more);
    counted.set(country, {
      country,
      done: page.isLast,
      users: line.users + page.users,
      excluded: line.excluded + page.excluded,
      shared: line.shared + page.shared,
      withUsers: plus(line.withUsers, page.withUsers),
      both: plus(line.both, page.both),
      // If the line has no parts, a trigger of an earlier version of Muster began this count.
      parts: before ? sumOfParts(before.parts, page.parts) : page.parts,
    });
    place = page.isLast ? null : { country, cursor: page.cursor ?? place?.cursor ?? null, restarts };
  }

  function nextPlace(): CountPlace | null {
    if (place) return place;
    const country = question.countries.find((each) => counted.get(each)?.done !== true);
    return country === undefined ? null : { country, cursor: null, restarts: 0 };
  }

  return {
    countries: (): StoredCountry[] => [...counted.values()],
    /** Counts to the end. Returns null if the count was stopped before its end, or belongs to another trigger. */
    run: async (signal: AbortSignal): Promise<CountEnd | null> => {
      for (;;) {
        const next = nextPlace();
        if (!next) return { state: 'done', key: countKeyOf(question, snapshotsOf(resolved ?? [])) };
        place = next;
        const step = resolved ? await countCountry(next, signal) : await resolve(question.countries, signal);
        if (step === 'stopped') return null;
        if (step !== 'go-on' && step !== 'waited') return step;
      }
    },
  };
}

function nothingOf(country: string, sides: number): CountedCountry {
  const other = sides > 1 ? 0 : null;
  return { country, done: false, users: 0, excluded: 0, shared: 0, withUsers: other, both: other, parts: null };
}

function snapshotsOf(resolved: readonly SourcePlace[][]): SegmentSnapshot[] {
  return resolved.flat().flatMap(({ source, country }) => {
    return 'segment' in source ? [{ segment: source.segment, country, snapshot: source.snapshot }] : [];
  });
}
