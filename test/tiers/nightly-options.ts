import { parseArgs } from 'node:util';
import { readShard, wholeShard, type NightlyShard } from './nightly-shard.ts';

/** In the order in which they are run: the longest come last, so that they take no time from the others. */
export const nightlyParts = [
  ...(['audit', 'seeds', 'fuzz', 'soak', 'chain', 'peers', 'failover', 'chart', 'lowest-node'] as const),
  ...(['mutants', 'mutations', 'faults'] as const),
] as const;

export type NightlyPartName = (typeof nightlyParts)[number];

/** Parts that keep the results of shards that are not run. */
export const shardedParts: readonly NightlyPartName[] = ['mutants', 'mutations', 'faults'];

export interface NightlyOptions {
  parts: readonly NightlyPartName[];
  /** For all of them together. */
  hours: number;
  shard: NightlyShard;
  /** Names of fault files; undefined for those of the shard. */
  files: readonly string[] | undefined;
  /** Fault files at once, but for those that compare times. */
  atOnce: number;
  soakMinutes: number;
  seeds: number;
  fuzzRuns: number;
  chainRounds: number;
  peersRounds: number;
  mutants: number;
}

/** @throws if a value is out of its range: a part that does nothing would pass */
export function readNightlyOptions(args: readonly string[]): NightlyOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      parts: { type: 'string', default: nightlyParts.join(',') },
      hours: { type: 'string', default: '10' },
      shard: { type: 'string' },
      files: { type: 'string' },
      'at-once': { type: 'string', default: '1' },
      'soak-minutes': { type: 'string', default: '30' },
      seeds: { type: 'string', default: '20000' },
      'fuzz-runs': { type: 'string', default: '1000' },
      'chain-rounds': { type: 'string', default: '5' },
      'peers-rounds': { type: 'string', default: '3' },
      mutants: { type: 'string', default: '200' },
    },
  });
  const named = values.parts.split(',');
  const unknown = named.filter((name) => !nightlyParts.some((part) => part === name));
  if (unknown.length > 0)
    throw new Error(
      `no such part: ${unknown.map((name) => `"${name}"`).join(', ')}; there are ${nightlyParts.join(', ')}`,
    );
  const parts = nightlyParts.filter((name) => named.includes(name));
  if (values.shard !== undefined && parts.some((name) => !shardedParts.includes(name)))
    throw new Error(`--shard ${values.shard}: only for --parts ${shardedParts.join(',')} or some of these`);
  if (values.files !== undefined && parts.join(',') !== 'faults')
    throw new Error(`--files ${values.files}: only for --parts faults`);
  return {
    parts,
    hours: above0('hours', values.hours),
    shard: values.shard === undefined ? wholeShard : readShard(values.shard),
    files: values.files?.split(','),
    atOnce: wholeFrom1('at-once', values['at-once']),
    soakMinutes: above0('soak-minutes', values['soak-minutes']),
    seeds: wholeFrom1('seeds', values.seeds),
    fuzzRuns: wholeFrom1('fuzz-runs', values['fuzz-runs']),
    chainRounds: wholeFrom1('chain-rounds', values['chain-rounds']),
    peersRounds: wholeFrom1('peers-rounds', values['peers-rounds']),
    mutants: wholeFrom1('mutants', values.mutants),
  };
}

function wholeFrom1(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} ${text}: has to be a whole number from 1`);
  return Number(text);
}

function above0(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0 && number < Infinity)) throw new Error(`--${name} ${text}: has to be a number above 0`);
  return number;
}
