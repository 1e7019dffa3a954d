import { randomInt } from 'node:crypto';
import { mutations } from '../mutations/mutations.ts';
import type { NightlyOptions } from './nightly-options.ts';
import type { PieceOutcome, PieceWork } from './nightly-pieces.ts';
import { allShards, itemsOfShard, shardName, type NightlyShard } from './nightly-shard.ts';
import { linesOf, runAndShow, type Displayed } from './run-and-show.ts';

/** Every protection that the lists name is taken out of the source, one at a time. */
export function planMutations({ shard }: NightlyOptions): PieceWork {
  return {
    ...shardsOf(shard),
    what: 'every listed protection taken out of the source, one at a time, by shards',
    run: async (_, withinMs) => judgeMutations(await runMutations(shard, withinMs)),
  };
}

/** Share of random changes that has to be noticed. */
const goal = 0.85;
/**
 * Most of the API is tested on Postgres alone. A change that the nearest files do not notice is hardly noticed by one
 * further away, and all of them would take half an hour.
 */
const tests = ['--integration', '--nearest', '12'];

/** Changes drawn at random, each run against the tests that import the changed file. */
export function planMutants({ shard, mutants }: NightlyOptions): PieceWork {
  const seed = randomInt(1, 2 ** 31);
  return {
    ...shardsOf(shard),
    what: `random changes of the source, by shards; of each shard ${goal * 100} % have to be noticed`,
    run: async (_, withinMs) => {
      const args = ['--count', String(mutants), '--seed', String(seed), '--shard', shardName(shard)];
      return judgeMutants(await runAndShow(['test/mutations/random.ts', ...tests, ...args], withinMs), seed);
    },
  };
}

function shardsOf(shard: NightlyShard) {
  const keys = allShards(shard.of);
  return { keys, chosen: [shardName(shard)], atOnce: 1, isAlone: () => true, limitMs: 300 * 60_000 };
}

/** A mutation of the database's tests takes about this many times as long as one of a unit test. */
const integrationMinutes = 3;

function runMutations(shard: NightlyShard, withinMs: number): Promise<Displayed> {
  const chosen = itemsOfShard(mutations, shard, ({ project }) => (project === 'unit' ? 1 : integrationMinutes));
  // Without a word, all of them.
  const words = shard.of === 1 ? [] : chosen.map(({ takesAway }) => takesAway);
  return runAndShow(['test/mutations/run.ts', ...words], withinMs);
}

const closing = /^(\d+) of (\d+)\b.*\bnoticed\b/m;

export function judgeMutations({ code, words }: Displayed): PieceOutcome {
  const { noticed, all, note } = readClosing(words);
  const unnoticed = linesOf(words, /^UNNOTICED\b|^Error: /);
  return {
    verdict: code === 0 && noticed === all && all > 0 ? 'passed' : 'FAILED',
    passed: noticed,
    failed: all - noticed,
    note,
    details: unnoticed === '' ? [] : unnoticed.split('\n'),
  };
}

export function judgeMutants({ code, words }: Displayed, seed: number): PieceOutcome {
  const { noticed, all, note } = readClosing(words);
  const table = linesOf(words, /^\||^UNNOTICED\b|^Error: /);
  const share = all > 0 ? noticed / all : 0;
  return {
    verdict: code !== null && share >= goal ? 'passed' : 'FAILED',
    passed: noticed,
    failed: all - noticed,
    note: note === '' ? `seed ${seed}, ${(share * 100).toFixed(1)} % noticed` : note,
    details: table === '' ? [] : table.split('\n'),
  };
}

/** A run that was cut off has no closing line. */
function readClosing(words: string): { noticed: number; all: number; note: string } {
  const [line, noticed = '0', all = '0'] = closing.exec(words) ?? [];
  return { noticed: Number(noticed), all: Number(all), note: line === undefined ? 'did not come to its end' : '' };
}
