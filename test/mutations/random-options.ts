import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Shard } from './draw-mutants.ts';
import { testProjects, type TestProject } from './related-tests.ts';

export interface RandomOptions {
  count: number;
  seed: number;
  shard: Shard;
  /** Places, `file:line` or `file:line:kind`: their changes instead of a draw. Empty for a draw. */
  at: readonly string[];
  /** Test files that are run for one change, of each project: the nearest ones. Infinity for all. */
  nearest: number;
  /** Projects whose tests are run, in this order. */
  projects: readonly TestProject[];
}

/** @throws if an option would make an empty draw pass */
export function readRandomOptions(args: readonly string[]): RandomOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      count: { type: 'string', default: '200' },
      seed: { type: 'string', default: String(randomInt(1, 2 ** 31)) },
      shard: { type: 'string', default: '1/1' },
      at: { type: 'string', multiple: true, default: [] },
      nearest: { type: 'string' },
      integration: { type: 'boolean', default: false },
      only: { type: 'string' },
    },
  });
  const { at, nearest } = values;
  return {
    count: wholeFrom1('count', values.count),
    seed: wholeFrom1('seed', values.seed),
    shard: readShard(values.shard),
    at,
    nearest: nearest === undefined ? Infinity : wholeFrom1('nearest', nearest),
    projects: readProjects(values),
  };
}

/** Unit tests and simulation; with `--integration` also integration tests, for what no other test notices. */
function readProjects({ only, integration }: { only?: string | undefined; integration: boolean }): TestProject[] {
  if (only === undefined) return testProjects.filter((project) => integration || project !== 'integration');
  const named = testProjects.filter((project) => project === only);
  if (named.length === 0) throw new Error(`--only ${only}: expected one of ${testProjects.join(', ')}`);
  return named;
}

function readShard(text: string): Shard {
  const [index = 0, of = 0] = text.split('/').map(Number);
  if (!/^\d+\/\d+$/.test(text) || index < 1 || index > of)
    throw new Error(`--shard ${text}: expected <part>/<parts>, such as 2/4`);
  return { index, of };
}

function wholeFrom1(name: string, text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`--${name} ${text}: expected a whole number from 1`);
  return Number(text);
}
