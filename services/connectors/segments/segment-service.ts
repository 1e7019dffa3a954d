import type { SegmentDescription, SegmentPage, UserPage } from '../../../shared/contracts/endpoints/segmentation.ts';
import { largestPage } from '../../../shared/contracts/endpoints/segmentation.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { SourceError, type Source } from '../databases/source.port.ts';
import { failureOf } from './segment-failure.ts';
import type { SegmentSettings } from './segment-settings.ts';
import type { SnapshotBuilder } from './snapshot-builder.ts';
import type { Counts, PageQuery, SnapshotFailure, SnapshotStore } from './snapshot-store.port.ts';

export interface SegmentServiceDeps {
  segments: ReadonlyMap<string, SegmentSettings>;
  /** Databases by name. */
  sources: ReadonlyMap<string, Source>;
  store: SnapshotStore;
  builder: Pick<SnapshotBuilder, 'begin'>;
  clock: Clock;
}

/** @property retryAfterSeconds undefined if the answer does not suggest another try */
export interface Refusal {
  status: 404 | 410 | 422 | 503;
  code: string;
  message: string;
  retryAfterSeconds?: number;
}

export type Answer<Value> = { ok: true; value: Value } | { ok: false; refusal: Refusal };

export interface ListQuery {
  country?: string | undefined;
  search?: string | undefined;
  after?: string | undefined;
  limit: number;
}

/** The segments of the file, according to the contract in docs/segmentation.md. */
export interface SegmentService {
  list(query: ListQuery): Promise<SegmentPage>;
  describe(id: string, country: string): Promise<Answer<SegmentDescription>>;
  page(id: string, query: PageQuery & { snapshot: string }): Promise<Answer<UserPage>>;
}

/**
 * Longest wait for a snapshot: shorter than the 10 s that callers wait by default. So callers receive the answer that
 * the snapshot is being built.
 */
const waitMs = 3000;
const pollMs = 100;

export function createSegmentService({ segments, sources, store, builder, clock }: SegmentServiceDeps): SegmentService {
  const inOrder = [...segments.values()].sort((a, b) => (a.id < b.id ? -1 : 1));

  async function describe(id: string, country: string): Promise<Answer<SegmentDescription>> {
    const segment = segments.get(id);
    if (!segment) return noSuchSegment(id);
    const known = (await store.counts([segment])).get(id);
    try {
      const estimate = known ? (known.get(country) ?? 0) : await estimateOf(segment, country);
      return { ok: true, value: { id, country, estimate, snapshot: await store.current(segment) } };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return notBuilt(failureOf(segment, error));
    }
  }

  /**
   * Estimates the users of a segment. The estimate also shows if the query can run, so that errors are visible before a
   * campaign's run.
   */
  async function estimateOf(segment: SegmentSettings, country: string): Promise<number | null> {
    try {
      return (await sources.get(segment.database)?.estimate(segment.query, country)) ?? null;
    } catch (error) {
      if (error instanceof SourceError && error.kind === 'timed-out') return null;
      throw error;
    }
  }

  async function page(id: string, query: PageQuery & { snapshot: string }): Promise<Answer<UserPage>> {
    const segment = segments.get(id);
    if (!segment) return noSuchSegment(id);
    const untilMs = clock.monotonicMs() + waitMs;
    for (;;) {
      const snapshot = await store.read(query.snapshot, id);
      if (!snapshot) return gone(query.snapshot);
      if (snapshot.state === 'ready') {
        const users = await store.page(snapshot, { ...query, limit: query.limit + 1 });
        return users ? { ok: true, value: pageOf(users, query.limit) } : gone(query.snapshot);
      }
      if (snapshot.failure && snapshot.failure.retryInMs > 0) return notBuilt(snapshot.failure);
      await builder.begin(segment, snapshot.id);
      if (clock.monotonicMs() >= untilMs) return stillBuilding(id);
      await clock.sleep(pollMs);
    }
  }

  async function list({ country, search = '', after = '', limit }: ListQuery): Promise<SegmentPage> {
    const part = search.toLowerCase();
    const named = inOrder.filter((segment) =>
      [segment.id, segment.name].some((text) => text.toLowerCase().includes(part)),
    );
    const counts = await store.counts(named);
    const found = named.filter(({ id }) => id > after && hasUsersIn(counts.get(id), country));
    const onPage = found.slice(0, limit);
    return {
      segments: onPage.map(({ id, name, description }) => ({
        id,
        name,
        description: description ?? null,
        countries: countriesOf(counts.get(id)),
        estimate: estimateIn(counts.get(id), country),
      })),
      next: found.length > limit ? (onPage.at(-1)?.id ?? null) : null,
    };
  }

  return { list, describe, page };
}

function pageOf(users: readonly string[], limit: number): UserPage {
  const onPage = users.slice(0, limit);
  return { users: onPage, next: users.length > limit ? (onPage.at(-1) ?? null) : null, maxLimit: largestPage };
}

/**
 * Returns true if the segment has users in the country. Without a snapshot this is unknown, so the segment is listed
 * for each country.
 */
function hasUsersIn(counts: Counts | undefined, country: string | undefined): boolean {
  return counts === undefined || country === undefined || counts.has(country);
}

function countriesOf(counts: Counts | undefined): string[] | null {
  return counts ? [...counts.keys()].sort() : null;
}

function estimateIn(counts: Counts | undefined, country: string | undefined): number | null {
  if (!counts) return null;
  if (country !== undefined) return counts.get(country) ?? 0;
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function noSuchSegment(id: string): { ok: false; refusal: Refusal } {
  return {
    ok: false,
    refusal: { status: 404, code: 'no-such-segment', message: `there is no segment ${JSON.stringify(id)}` },
  };
}

function gone(snapshot: string): { ok: false; refusal: Refusal } {
  const message = `there is no snapshot ${JSON.stringify(snapshot)} of this segment any more`;
  return { ok: false, refusal: { status: 410, code: 'snapshot-gone', message } };
}

function stillBuilding(id: string): { ok: false; refusal: Refusal } {
  const message = `the query of segments.${id} is running`;
  return { ok: false, refusal: { status: 503, code: 'snapshot-building', message, retryAfterSeconds: 1 } };
}

function notBuilt({ cause, isRefused, retryInMs }: SnapshotFailure): { ok: false; refusal: Refusal } {
  const retryAfterSeconds = Math.ceil(retryInMs / 1000);
  return isRefused
    ? { ok: false, refusal: { status: 422, code: 'segment-refused', message: cause, retryAfterSeconds } }
    : { ok: false, refusal: { status: 503, code: 'segment-unavailable', message: cause, retryAfterSeconds } };
}
