import type { ChainStep } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { Catalogue } from '../../../../shared/contracts/endpoints/engine-config.ts';
import type { CampaignEstimate } from '../../../../shared/contracts/campaigns/estimates.ts';
import type { LoadLine } from '../../../../shared/contracts/campaigns/load-lines.ts';
import type { ShardShape } from '../shards/shards.contract.ts';

export interface ExpectedLoadFacts {
  chain: readonly Pick<ChainStep, 'action' | 'check'>[];
  countries: CampaignEstimate['countries'];
  /** Percentage from 0 to 99. */
  holdOutPercent: number;
  paceUsersPerSecond: number | undefined;
  actionTypes: Catalogue['actionTypes'];
  shards: readonly ShardShape[];
  /**
   * Returns the counted number of users of a step; the first step has number 1. Undefined if users were not counted.
   */
  usersInStep?: (step: number, country: string) => number;
  /** Returns the users per second of an earlier run, for a shard that has no work now. */
  earlierRate?: (actionType: string, country: string) => number | undefined;
}

export interface ExpectedLoad {
  /** Users in one batch; null if no action of the chain is known. */
  batchUsers: number | null;
  lines: LoadLine[];
  /** Expected duration in seconds; null if no rate is known. */
  takes: { atLeast: number; atMost: number | null } | null;
}

/** Computes the load of a campaign on the shards, on the assumption that all users complete the chain. */
export function expectedLoadOf(facts: ExpectedLoadFacts): ExpectedLoad {
  const batchUsers = batchUsersOf(facts);
  if (batchUsers === null) return { batchUsers, lines: [], takes: null };
  const most = linesFor(facts, batchUsers, ({ atMost }) => atMost);
  const least = linesFor(facts, batchUsers, ({ atLeast }) => atLeast);
  return { batchUsers, lines: most, takes: takesOf(least, most) };
}

/** Returns the smallest batch size of the chain, because a run uses this size for all its steps. */
function batchUsersOf({ chain, actionTypes }: ExpectedLoadFacts): number | null {
  const called = chain.flatMap(({ action, check }) => (check ? [action, check.type] : [action]));
  const sizes = called.flatMap((name) => (Object.hasOwn(actionTypes, name) ? actionTypes[name] : []));
  return sizes.length === 0 ? null : Math.min(...sizes.flatMap((type) => type?.batchSize ?? []));
}

type Bound = (users: CampaignEstimate['countries'][number]['users']) => number | null;

function linesFor(facts: ExpectedLoadFacts, batchUsers: number, bound: Bound): LoadLine[] {
  const { chain, countries, holdOutPercent } = facts;
  const served = new Map(
    countries.map(({ country, users }) => {
      const counted = bound(users);
      return [country, counted === null ? null : Math.round(counted * (1 - holdOutPercent / 100))];
    }),
  );
  const ofRun = sumOf([...served.values()]);
  const usersIn = (step: number, country: string) =>
    facts.usersInStep ? facts.usersInStep(step, country) : (served.get(country) ?? null);
  const usersOfAction = (wanted: string) =>
    sumOf(
      chain.flatMap(({ action }, index) =>
        action === wanted ? countries.map(({ country }) => usersIn(index + 1, country)) : [],
      ),
    );
  return chain.flatMap(({ action }, index) =>
    countries.map(({ country }) => {
      const users = usersIn(index + 1, country);
      const shard = facts.shards.find((each) => each.actionType === action && each.country === country);
      const atWork = shardSeconds(users, shard, batchUsers);
      return {
        step: index + 1,
        action,
        country,
        users,
        calls: users === null ? null : Math.ceil(users / batchUsers),
        ...slowest([
          ['pace', secondsFor(ofRun, facts.paceUsersPerSecond)],
          ['rate', secondsFor(usersOfAction(action), usersPerSecondOf(facts.actionTypes, action, batchUsers))],
          ['shard', atWork],
          ['earlier-run', atWork === null ? secondsFor(users, facts.earlierRate?.(action, country)) : null],
        ]),
        breaker: shard?.breaker ?? 'closed',
      };
    }),
  );
}

function usersPerSecondOf(types: Catalogue['actionTypes'], action: string, batchUsers: number): number | undefined {
  const rate = Object.hasOwn(types, action) ? types[action]?.ratePerSecond : undefined;
  const limits = [rate?.users, rate?.calls === undefined ? undefined : rate.calls * batchUsers];
  const known = limits.filter((limit) => limit !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Returns the seconds that the shard needs at its current rate; null if the shard has no work now. */
function shardSeconds(users: number | null, shard: ShardShape | undefined, batchUsers: number): number | null {
  if (!shard || shard.lag.aheadBatches === 0) return null;
  const seconds = secondsFor(users, shard.batchesPerSecond * batchUsers);
  return seconds === null || shard.lag.aheadSeconds === null ? null : seconds + shard.lag.aheadSeconds;
}

function secondsFor(users: number | null, perSecond: number | undefined): number | null {
  return users === null || perSecond === undefined || perSecond === 0 ? null : users / perSecond;
}

function slowest(limits: readonly (readonly [NonNullable<LoadLine['limit']>, number | null])[]) {
  const known = limits.flatMap(([limit, seconds]) => (seconds === null ? [] : [{ limit, seconds: rounded(seconds) }]));
  return known.sort((a, b) => b.seconds - a.seconds)[0] ?? { limit: null, seconds: null };
}

/**
 * Returns the expected duration. Steps run concurrently, so the slowest step determines it. If the duration of a step
 * is unknown, this step may be the slowest.
 */
function takesOf(least: readonly LoadLine[], most: readonly LoadLine[]): ExpectedLoad['takes'] {
  const longest = (lines: readonly LoadLine[]) => Math.max(0, ...lines.flatMap(({ seconds }) => seconds ?? []));
  if (least.every(({ seconds }) => seconds === null)) return null;
  const isKnown = most.every(({ seconds, users }) => seconds !== null || users === 0);
  return { atLeast: longest(least), atMost: isKnown ? longest(most) : null };
}

function sumOf(counts: readonly (number | null)[]): number | null {
  return counts.reduce<number | null>((sum, count) => (sum === null || count === null ? null : sum + count), 0);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
