import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { guardedCommit } from '../../benchmarks/chain/guard.ts';
import { root, run, runVitest } from './commands.ts';
import { namedRows, renderRows } from './fault-rows.ts';
import { parseNightlyPage, renderNightlyPage, type NightlyPart } from './nightly-page.ts';
import { renderTiers } from './render-tiers.ts';
import { readResults, resultsVariable, summarize } from './results.ts';

/**
 * `npm run test:nightly`: what takes hours, and a page of what came of it. `-- --parts mutations,soak` runs these
 * alone; the page keeps what is known of the others, and when that was.
 */
const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: 'seeds,fuzz,mutations,faults,failover,soak,chain' },
    shards: { type: 'string', default: '4' },
    'at-once': { type: 'string', default: '1' },
    'soak-minutes': { type: 'string', default: '30' },
    seeds: { type: 'string', default: '20000' },
    'fuzz-runs': { type: 'string', default: '1000' },
    'chain-rounds': { type: 'string', default: '5' },
  },
});
const page = path.join(root, 'docs/nightly.md');
const folder = mkdtempSync(path.join(tmpdir(), 'muster-nightly-'));

const runs: Record<string, () => Promise<Omit<NightlyPart, 'name' | 'lastRun'>>> = {
  seeds: async () => {
    const seed = randomInt(1, 2 ** 31);
    const count = Number(values.seeds);
    const results = path.join(folder, 'seeds.jsonl');
    const environment = {
      [resultsVariable]: results,
      MUSTER_SEED: String(seed),
      SEEDS_FROM: String(seed),
      SEEDS: String(count),
    };
    const code = await runVitest(['--project', 'unit', '--project', 'simulation'], { environment });
    const what = `property tests with MUSTER_SEED=${seed}; ${count} random walks from seed ${seed} on`;
    return { passed: code === 0, what, shown: renderTiers(summarize(readResults(results))) };
  },
  fuzz: async () => {
    const seed = randomInt(1, 2 ** 31);
    const results = path.join(folder, 'fuzz.jsonl');
    const environment = { [resultsVariable]: results, FUZZ_SEED: String(seed), FUZZ_RUNS: values['fuzz-runs'] };
    const code = await runVitest(['--project', 'integration', 'test/integration/openapi-fuzz'], { environment });
    const what = `${values['fuzz-runs']} requests to each operation of the OpenAPI document with FUZZ_SEED=${seed}`;
    return { passed: code === 0, what, shown: renderTiers(summarize(readResults(results))) };
  },
  mutations: async () => {
    const { code, words: shown } = await runAndShow(['test/mutations/run.ts']);
    return { passed: code === 0, what: 'every protection taken out of the source, one at a time', shown };
  },
  faults: async () => {
    const shards = Number(values.shards);
    const results = path.join(folder, 'faults.jsonl');
    const limit = pLimit(Number(values['at-once']));
    const codes = await Promise.all(
      Array.from({ length: shards }, (_, index) =>
        limit(() =>
          runVitest(['--project', 'faults', '--shard', `${index + 1}/${shards}`], {
            environment: { [resultsVariable]: results, MUSTER_TESTS: 'nightly' },
          }),
        ),
      ),
    );
    const shown = `${renderRows(readResults(results), namedRows(root))}\n\n${renderTiers(summarize(readResults(results)))}`;
    return {
      passed: codes.every((code) => code === 0),
      what: `all faults, in ${shards} shards, ${values['at-once']} at once`,
      shown,
    };
  },
  failover: async () => {
    const results = path.join(folder, 'failover.jsonl');
    const code = await runVitest(['--project', 'failover'], { environment: { [resultsVariable]: results } });
    const what = 'Postgres fails over under load: Patroni, etcd and HAProxy';
    return { passed: code === 0, what, shown: renderRows(readResults(results), namedRows(root)) };
  },
  soak: async () => {
    const minutes = values['soak-minutes'];
    const seed = String(randomInt(1, 2 ** 31));
    const { code, words } = await runAndShow(['test/soak/main.ts', '--minutes', minutes, '--seed', seed]);
    const shown = words
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .join('\n');
    return { passed: code === 0, what: `${minutes} minutes of soak, seed ${seed}`, shown };
  },
  chain: async () => {
    const rounds = values['chain-rounds'];
    const options = ['--against', 'guarded', '--limit', '5', '--rounds', rounds];
    const { code, words: shown } = await runAndShow(['benchmarks/run.ts', 'chain', ...options]);
    const what = `a batch costs at most 5 % more CPU than at ${guardedCommit()}, over ${rounds} quiet rounds of each variant`;
    return { passed: code === 0, what, shown };
  },
};

const chosen = values.parts.split(',');
const unknown = chosen.filter((name) => !(name in runs));
if (unknown.length > 0)
  throw new Error(`no such part: ${unknown.join(', ')}; there are ${Object.keys(runs).join(', ')}`);

const known = new Map(parseNightlyPage(readPage()).map((part) => [part.name, part]));
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
let hasFailed = false;
for (const [name, runPart] of Object.entries(runs)) {
  if (!chosen.includes(name)) continue;
  const beganMs = Date.now();
  const came = await runPart();
  const minutes = ((Date.now() - beganMs) / 60_000).toFixed(0);
  const lastRun = `${new Date(beganMs).toISOString().slice(0, 16).replace('T', ' ')} UTC, at ${commit}, ${minutes} min`;
  known.set(name, { name, lastRun, ...came });
  hasFailed ||= !came.passed;
  // Written after each part: what comes next may take an hour, or be cut off.
  const parts = Object.keys(runs).map((each) => known.get(each) ?? { name: each, lastRun: null });
  writeFileSync(
    page,
    renderNightlyPage(parts, `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`),
  );
}
process.exitCode = hasFailed ? 1 : 0;

/** Runs a script of this repository; what it writes is shown as it comes, and kept. */
async function runAndShow(args: readonly string[]): Promise<{ code: number | null; words: string }> {
  let words = '';
  const onOutput = (text: string) => {
    process.stdout.write(text);
    words += text;
  };
  return { code: await run(process.execPath, args, { onOutput }), words };
}

function readPage(): string {
  try {
    return readFileSync(page, 'utf8');
  } catch {
    return '';
  }
}
