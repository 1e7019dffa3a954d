import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { LoadLine } from '../../../shared/contracts/campaigns/load-lines.ts';
import type { RunForecast } from '../../../shared/contracts/runs/forecasts.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import { expectedLoadOf } from '../installation/scheduler/expected-load.ts';
import type { RunSnapshot } from './run-reports.port.ts';
import type { ShardReader } from '../installation/shards/shard-reader.ts';
import type { ShardShape } from '../installation/shards/shards.contract.ts';
import type { EarlierRate, EarlierRates } from './postgres/earlier-rates.ts';

export interface ForecastDeps {
  catalogue: CatalogueReader;
  shardReader: Pick<ShardReader, 'read'>;
  earlierRates: EarlierRates;
}

/** Returns the forecast of a dry run: what the same campaign would do in a live run. Returns null for other runs. */
export async function forecastOf(run: RunSnapshot, deps: ForecastDeps): Promise<RunForecast | null> {
  if (run.kind !== 'dry-run') return null;
  const [{ actionTypes }, shards, earlier, pace] = await Promise.all([
    deps.catalogue.refresh(),
    deps.shardReader.read(),
    deps.earlierRates.list(),
    deps.earlierRates.paceOf(run.runId),
  ]);
  return forecastFrom(run, { actionTypes, shards, earlier, pace });
}

export interface ForecastFacts {
  actionTypes: Catalogue['actionTypes'];
  shards: readonly ShardShape[];
  earlier: readonly EarlierRate[];
  /** Maximum number of users per second according to the campaign; null means no limit. */
  pace: number | null;
}

export function forecastFrom(
  { chain, countries }: Pick<RunSnapshot, 'chain' | 'countries'>,
  { actionTypes, shards, earlier, pace }: ForecastFacts,
): RunForecast {
  const { batchUsers, lines, takes } = expectedLoadOf({
    chain,
    countries: countries.map(({ country, fedUsers, heldOutUsers }) => {
      const served = fedUsers - heldOutUsers;
      return { country, include: [], exclude: [], users: { atLeast: served, atMost: served } };
    }),
    holdOutPercent: 0,
    paceUsersPerSecond: pace ?? undefined,
    actionTypes,
    shards,
    // The dry run has counted these users.
    usersInStep: (step, country) =>
      countries
        .filter((feed) => feed.country === country)
        .flatMap(({ totals }) => totals.find((line) => line.step === step)?.succeeded ?? [])
        .reduce((sum, users) => sum + users, 0),
    earlierRate: (actionType, country) =>
      earlier.find((each) => each.actionType === actionType && each.country === country)?.usersPerSecond,
  });
  return { batchUsers, load: lines, takesSeconds: takes, restsOn: wordsFor(lines, shards) };
}

function wordsFor(lines: readonly LoadLine[], shards: readonly ShardShape[]): string {
  const used = lines.filter(({ users }) => users !== 0);
  const [slowest] = used.toSorted((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0));
  const unknown = used.filter(({ seconds }) => seconds === null);
  const unserved = used.filter(({ action, country }) => {
    const shard = shards.find((each) => each.actionType === action && each.country === country);
    return (shard?.workers.length ?? 0) === 0;
  });
  return [
    ...(slowest?.limit ? [`The slowest known part is ${reasonOf(slowest)}.`] : []),
    ...(slowest?.limit ? ['Failures, waits, checks and other runs are not included.'] : []),
    ...(unknown.length > 0 ? [`The speed of ${placesOf(unknown)} is unknown.`] : []),
    ...(unserved.length > 0 ? [`No worker serves ${placesOf(unserved)} now.`] : []),
  ].join(' ');
}

function reasonOf({ limit, action, country }: LoadLine): string {
  switch (limit) {
    case 'pace':
      return 'the pace of the campaign';
    case 'rate':
      return `the rate of ${action}, over all countries`;
    case 'shard':
      return `${action} in ${country} at its current speed, behind the work ahead there`;
    case 'earlier-run':
      return `${action} in ${country} at the speed of the fastest run of the last 30 days`;
    case null:
      return 'nothing';
  }
}

const mostNamed = 5;

/**
 * Returns the action types and countries of the lines without duplicates, because a chain may contain the same action
 * twice.
 */
function placesOf(lines: readonly LoadLine[]): string {
  const places = [...new Set(lines.map(({ action, country }) => `${action} in ${country}`))];
  const more = places.length - mostNamed;
  return `${places.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
