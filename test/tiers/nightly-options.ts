import { parseArgs } from 'node:util';

/** In the order in which they are run: what takes longest comes last, so that it robs no other of the night. */
export const nightlyParts = ['audit', 'seeds', 'fuzz', 'soak', 'chain', 'failover', 'mutations', 'faults'] as const;

export type NightlyPartName = (typeof nightlyParts)[number];

export interface NightlyOptions {
  parts: readonly NightlyPartName[];
  /** For all of them together. */
  hours: number;
  shards: number;
  atOnce: number;
  soakMinutes: number;
  seeds: number;
  fuzzRuns: number;
  chainRounds: number;
}

/** @throws what an option may not be: a part that is asked for nothing would pass */
export function readNightlyOptions(args: readonly string[]): NightlyOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      parts: { type: 'string', default: nightlyParts.join(',') },
      hours: { type: 'string', default: '10' },
      shards: { type: 'string', default: '4' },
      'at-once': { type: 'string', default: '1' },
      'soak-minutes': { type: 'string', default: '30' },
      seeds: { type: 'string', default: '20000' },
      'fuzz-runs': { type: 'string', default: '1000' },
      'chain-rounds': { type: 'string', default: '5' },
    },
  });
  const named = values.parts.split(',');
  const unknown = named.filter((name) => !nightlyParts.some((part) => part === name));
  if (unknown.length > 0)
    throw new Error(
      `no such part: ${unknown.map((name) => `"${name}"`).join(', ')}; there are ${nightlyParts.join(', ')}`,
    );
  return {
    parts: nightlyParts.filter((name) => named.includes(name)),
    hours: above0('hours', values.hours),
    shards: wholeFrom1('shards', values.shards),
    atOnce: wholeFrom1('at-once', values['at-once']),
    soakMinutes: above0('soak-minutes', values['soak-minutes']),
    seeds: wholeFrom1('seeds', values.seeds),
    fuzzRuns: wholeFrom1('fuzz-runs', values['fuzz-runs']),
    chainRounds: wholeFrom1('chain-rounds', values['chain-rounds']),
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
