import type { CampaignPreview, RunReport } from '#client/types.gen.ts';
import { formatCount, formatEstimate } from '../words/numbers.ts';

/**
 * A number of users with its kind. Every place that shows the size of an audience uses this type, so that one campaign
 * has one size.
 * - `counted`: by an exact count, a stored list or an earlier run.
 * - `dry-run`: counted by a dry run of the same revision.
 * - `estimated`: by the sources.
 * - `last-run`: estimated from the last run of the campaign.
 * - `so-far`: counted by a run that has not ended.
 * - `at-most`: the approved upper bound.
 */
export interface UserCount {
  kind: 'counted' | 'dry-run' | 'estimated' | 'last-run' | 'so-far' | 'at-most';
  atLeast: number;
  /** Upper bound of the number of users; null if no upper bound is known. */
  atMost: number | null;
  /** ISO time of the count or estimate; null if unknown. */
  at: string | null;
}

type Bounds = CampaignPreview['users'];

/** @param asOf time at which the sources reported their sizes */
export function userCountOf({ atLeast, atMost, countedAt }: Bounds, asOf: string | null): UserCount {
  return { kind: countedAt === undefined ? 'estimated' : 'counted', atLeast, atMost, at: countedAt ?? asOf };
}

/** Adds up all countries. The sum is counted if all countries are, and has the time of the oldest count. */
export function sumOfBounds(countries: readonly Bounds[]): Bounds {
  const times = countries.flatMap(({ countedAt }) => countedAt ?? []);
  const [oldest] = times.toSorted();
  const isCounted = oldest !== undefined && times.length === countries.length;
  return {
    atLeast: countries.reduce((sum, { atLeast }) => sum + atLeast, 0),
    atMost: countries.reduce<number | null>(
      (sum, { atMost }) => (sum === null || atMost === null ? null : sum + atMost),
      0,
    ),
    ...(isCounted && { countedAt: oldest }),
  };
}

type DryRun = Pick<RunReport, 'state' | 'revision' | 'audience' | 'startedAt'>;

/**
 * Returns the size by a dry run of the same revision that has read the whole audience. If something was counted after
 * that dry run, or there is none, returns the known size.
 */
export function bestKnownCount(known: UserCount, dryRun: DryRun | undefined, revision: number): UserCount {
  if (dryRun?.revision !== revision || !dryRun.audience.complete || dryRun.startedAt === null) return known;
  if (known.kind === 'counted' && known.at !== null && known.at > dryRun.startedAt) return known;
  const { counted } = dryRun.audience;
  return { kind: 'dry-run', atLeast: counted, atMost: counted, at: dryRun.startedAt };
}

/** Returns a part of an audience. Each user is drawn separately, so the part is an estimate. */
export function partOfCount(all: UserCount, share: number): UserCount {
  if (share === 1) return all;
  const atMost = all.atMost === null ? null : Math.round(all.atMost * share);
  return {
    ...all,
    kind: all.kind === 'at-most' ? 'at-most' : 'estimated',
    atLeast: Math.round(all.atLeast * share),
    atMost,
  };
}

/** Returns a number such as `121,315`, `about 93,200`, `121,313 to 125,005`, `at most 131,257` or `not known`. */
export function formatUserCount({ kind, atLeast, atMost }: UserCount): string {
  if (atMost === null) return atLeast === 0 ? 'not known' : `at least ${formatCount(atLeast)}`;
  if (kind === 'at-most') return `at most ${formatCount(atMost)}`;
  if (atLeast !== atMost) return `${formatCount(atLeast)} to ${formatCount(atMost)}`;
  return isExact(kind) ? formatCount(atMost) : formatAbout(atMost);
}

/** Returns an uncounted number, such as `about 118,800`. */
export function formatAbout(users: number): string {
  return `about ${formatEstimate(users)}`;
}

const kindNames = {
  counted: 'counted',
  'dry-run': 'counted by the dry run',
  estimated: 'estimated',
  'last-run': 'as in the last run',
  'so-far': 'so far',
  'at-most': 'approved',
} as const;

export function formatCountKind({ kind }: Pick<UserCount, 'kind'>): string {
  return kindNames[kind];
}

function isExact(kind: UserCount['kind']): boolean {
  return kind === 'counted' || kind === 'dry-run' || kind === 'so-far';
}
