import { median, percentile, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import { fewStored, storedSettings, storeFutureJobs } from '../stored-jobs.ts';
import { withFiring, type Lags } from './lags.ts';
import { offerSeconds, measureOffersTurn } from './offers.ts';

export { storedSettings };

const rate = 5000;
const targetRatio = 1.2;

/**
 * Compares the lag of due jobs between two installations: one stores few other jobs, the other many. They take turns.
 */
export async function measureStored(servers: Servers, rounds: number, many: number): Promise<Table[]> {
  return await withFiring(servers, (few) =>
    withFiring(servers, async (crowded) => {
      await storeFutureJobs(few.databaseUrl, fewStored);
      await storeFutureJobs(crowded.databaseUrl, many);
      const turns = { few: new Array<Lags>(), crowded: new Array<Lags>() };
      const take = (firing: typeof few) => measureOffersTurn(servers, firing, { rate, seconds: offerSeconds });
      // Each installation's first turn is not counted: its pages are not in memory yet.
      for (let round = 0; round <= rounds; round++) {
        const [a, b] = [await take(few), await take(crowded)];
        console.error(`round ${round} of ${rounds}: p99 ${p99Of(a)} and ${p99Of(b)} ms`);
        if (round === 0) continue;
        turns.few.push(a);
        turns.crowded.push(b);
      }
      const rows = [rowOf(fewStored, turns.few, turns.few), rowOf(many, turns.crowded, turns.few)];
      return [{ title: `${rate} due a second, onto the topic, while others are stored`, rows }, targetTable(turns)];
    }),
  );
}

const p99Of = ({ lagsMs }: Lags) => rounded(percentile(lagsMs, 0.99));

function rowOf(stored: number, own: readonly Lags[], few: readonly Lags[]): Row {
  const at = (turns: readonly Lags[], share: number) => turns.map(({ lagsMs }) => percentile(lagsMs, share));
  const micros = (turns: readonly Lags[], name: string) => turns.map(({ cpu }) => cpu[name] ?? 0);
  const ratio = (of: (turns: readonly Lags[]) => number[]) => rounded(ratioByRound(of(own), of(few)));
  return {
    stored,
    'p50, ms': rounded(median(at(own, 0.5))),
    'p99, ms': rounded(median(at(own, 0.99))),
    'p50 ratio': ratio((turns) => at(turns, 0.5)),
    'p99 ratio': ratio((turns) => at(turns, 0.99)),
    'scheduler µs': rounded(median(micros(own, 'scheduler'))),
    'Postgres µs': rounded(median(micros(own, 'postgres'))),
    'Postgres ratio': ratio((turns) => micros(turns, 'postgres')),
  };
}

function targetTable({ few, crowded }: { few: readonly Lags[]; crowded: readonly Lags[] }): Table {
  const p99s = (turns: readonly Lags[]) => turns.map(({ lagsMs }) => percentile(lagsMs, 0.99));
  const ratio = ratioByRound(p99s(crowded), p99s(few));
  const verdict = ratio <= targetRatio ? 'reached' : 'missed';
  const row = { target: 'p99 of the lag', asked: `at most ${targetRatio}`, measured: rounded(ratio), verdict };
  return { title: 'Target', rows: [row] };
}
