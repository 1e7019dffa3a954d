import { randomInt } from 'node:crypto';
import path from 'node:path';
import pLimit from 'p-limit';
import { guardedCommit } from '../../benchmarks/chain/guard.ts';
import { root, run, runVitest } from './commands.ts';
import { namedRows, renderRows } from './fault-rows.ts';
import type { NightlyOptions, NightlyPartName } from './nightly-options.ts';
import { outcomeOfCommand, outcomeOfTests, type PlannedPart } from './nightly-outcome.ts';
import { readResults, resultsVariable } from './results.ts';

/** Whatever a part has started: the next one has the machine for itself. */
const endsWhole = true;

/** @param folder for what they write down; it is theirs alone */
export function planNightly(options: NightlyOptions, folder: string): PlannedPart[] {
  const plans: Record<NightlyPartName, Omit<PlannedPart, 'name'>> = {
    audit: { limitMinutes: 5, needs: [], run: runAudit },
    seeds: { limitMinutes: 120, needs: [], run: (withinMs) => runSeeds(options, folder, withinMs) },
    fuzz: { limitMinutes: 180, needs: [], run: (withinMs) => runFuzz(options, folder, withinMs) },
    soak: { limitMinutes: options.soakMinutes + 45, needs: [], run: (withinMs) => runSoak(options, withinMs) },
    chain: { limitMinutes: 40 + 25 * options.chainRounds, needs: [], run: (withinMs) => runChain(options, withinMs) },
    failover: {
      limitMinutes: 90,
      needs: ['etcd', 'haproxy', 'python3'],
      run: (withinMs) => runFailover(folder, withinMs),
    },
    mutations: { limitMinutes: 240, needs: [], run: runMutations },
    faults: { limitMinutes: 600, needs: [], run: (withinMs) => runFaults(options, folder, withinMs) },
  };
  return options.parts.map((name) => ({ name, ...plans[name] }));
}

async function runAudit(withinMs: number) {
  const { code, words } = await runAndShow(['test/audit/main.ts'], withinMs);
  return outcomeOfCommand('what is known of the packages that an installation runs with', { code, withinMs }, words);
}

async function runSeeds({ seeds }: NightlyOptions, folder: string, withinMs: number) {
  const seed = randomInt(1, 2 ** 31);
  const results = path.join(folder, 'seeds.jsonl');
  const environment = {
    [resultsVariable]: results,
    MUSTER_SEED: String(seed),
    SEEDS_FROM: String(seed),
    SEEDS: String(seeds),
  };
  const code = await runVitest(['--project', 'unit', '--project', 'simulation'], { environment, withinMs, endsWhole });
  const what = `property tests with MUSTER_SEED=${seed}; ${seeds} random walks with SEEDS_FROM=${seed}`;
  return outcomeOfTests(what, [{ code, withinMs }], readResults(results));
}

async function runFuzz({ fuzzRuns }: NightlyOptions, folder: string, withinMs: number) {
  const seed = randomInt(1, 2 ** 31);
  const results = path.join(folder, 'fuzz.jsonl');
  const environment = { [resultsVariable]: results, FUZZ_SEED: String(seed), FUZZ_RUNS: String(fuzzRuns) };
  const code = await runVitest(['--project', 'integration', 'test/integration/openapi-fuzz'], {
    environment,
    withinMs,
    endsWhole,
  });
  const what = `${fuzzRuns} requests to each operation of the OpenAPI document with FUZZ_SEED=${seed}`;
  return outcomeOfTests(what, [{ code, withinMs }], readResults(results));
}

async function runSoak({ soakMinutes }: NightlyOptions, withinMs: number) {
  const seed = String(randomInt(1, 2 ** 31));
  const args = ['test/soak/main.ts', '--minutes', String(soakMinutes), '--seed', seed];
  const { code, words } = await runAndShow(args, withinMs);
  return outcomeOfCommand(
    `${soakMinutes} minutes of soak, seed ${seed}`,
    { code, withinMs },
    linesOf(words, /^\||Error: /),
  );
}

async function runChain({ chainRounds: rounds }: NightlyOptions, withinMs: number) {
  const options = ['--against', 'guarded', '--limit', '5', '--rounds', String(rounds)];
  const { code, words } = await runAndShow(['benchmarks/run.ts', 'chain', ...options], withinMs);
  const what = `a batch costs at most 5 % more CPU than at ${guardedCommit()}, over ${rounds} quiet rounds of each variant`;
  return outcomeOfCommand(what, { code, withinMs }, words);
}

async function runFailover(folder: string, withinMs: number) {
  const results = path.join(folder, 'failover.jsonl');
  const environment = { [resultsVariable]: results, MUSTER_FIGURES: path.join(folder, 'figures-failover') };
  const code = await runVitest(['--project', 'failover'], { environment, withinMs, endsWhole });
  const what = 'Postgres fails over under load: Patroni, etcd and HAProxy';
  return withRows(outcomeOfTests(what, [{ code, withinMs }], readResults(results)), 'failover', results);
}

async function runMutations(withinMs: number) {
  const { code, words } = await runAndShow(['test/mutations/run.ts'], withinMs);
  const what = 'every protection taken out of the source, one at a time';
  // What the tests say without any mutation is shown above, and stands on no page.
  const verdicts = linesOf(words, /^(noticed|UNNOTICED)\b|\d+ of \d+ noticed$|^Error: /);
  return outcomeOfCommand(what, { code, withinMs }, verdicts);
}

async function runFaults({ shards, atOnce }: NightlyOptions, folder: string, withinMs: number) {
  const results = path.join(folder, 'faults.jsonl');
  const limit = pLimit(atOnce);
  const untilMs = Date.now() + withinMs;
  const ended = await Promise.all(
    Array.from({ length: shards }, (_, index) =>
      limit(async () => {
        // Each clears the folder of its figures when it begins.
        const figures = path.join(folder, `figures-${index + 1}`);
        const environment = { [resultsVariable]: results, MUSTER_TESTS: 'nightly', MUSTER_FIGURES: figures };
        // A shard for which nothing is left is begun and ended at once: it counts as one that did not end.
        const leftMs = Math.max(1, untilMs - Date.now());
        const shard = ['--project', 'faults', '--shard', `${index + 1}/${shards}`];
        return { code: await runVitest(shard, { environment, withinMs: leftMs, endsWhole }), withinMs };
      }),
    ),
  );
  const what = `all faults, in ${shards} shards, ${atOnce} at once`;
  return withRows(outcomeOfTests(what, ended, readResults(results)), 'faults', results);
}

function withRows(came: ReturnType<typeof outcomeOfTests>, tier: string, results: string) {
  const rows = renderRows(readResults(results), namedRows(root, [tier]));
  return { ...came, shown: `${rows}\n\n${came.shown}` };
}

/** Runs a script of this repository; what it writes is shown as it comes, and kept. */
async function runAndShow(args: readonly string[], withinMs: number): Promise<{ code: number | null; words: string }> {
  let words = '';
  const onOutput = (text: string) => {
    process.stdout.write(text);
    words += text;
  };
  return { code: await run(process.execPath, args, { onOutput, withinMs, endsWhole }), words };
}

function linesOf(words: string, wanted: RegExp): string {
  return words
    .split('\n')
    .filter((line) => wanted.test(line))
    .join('\n');
}
