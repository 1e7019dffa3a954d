import { randomInt } from 'node:crypto';
import path from 'node:path';
import { guardedCommit } from '../../benchmarks/chain/guard.ts';
import { root, runVitest } from './commands.ts';
import { namedRows, renderRows } from './fault-rows.ts';
import { parseEntries } from './nightly-entries.ts';
import { planFaults } from './nightly-faults.ts';
import { runLowestNode } from './nightly-lowest-node.ts';
import { planMutants, planMutations } from './nightly-mutations.ts';
import type { NightlyPart } from './nightly-page.ts';
import { runPieces, type PieceWork } from './nightly-pieces.ts';
import { linesOf, runAndShow } from './run-and-show.ts';
import type { NightlyOptions, NightlyPartName } from './nightly-options.ts';
import { outcomeOfCommand, outcomeOfTests, type PlannedPart } from './nightly-outcome.ts';
import { readResults, resultsVariable } from './results.ts';

/** Ends whatever a part has started: the next one has the machine for itself. */
const endsWhole = true;

export interface NightlyContext {
  /** Folder for the files that the parts write; nothing else uses it. */
  folder: string;
  commit: string;
  /** The sections of the page, as earlier runs left them. */
  known: ReadonlyMap<string, NightlyPart>;
}

export function planNightly(options: NightlyOptions, context: NightlyContext): PlannedPart[] {
  const { folder } = context;
  const inPieces = (name: NightlyPartName, workOf: () => PieceWork): PlannedPart['run'] => {
    const known = parseEntries(context.known.get(name)?.view ?? '');
    return (withinMs, report) =>
      runPieces(workOf(), { known, commit: context.commit, withinMs, nowMs: Date.now, report });
  };
  const plans: Record<NightlyPartName, Omit<PlannedPart, 'name'>> = {
    audit: { limitMinutes: 5, needs: [], run: runAudit },
    seeds: { limitMinutes: 120, needs: [], run: (withinMs) => runSeeds(options, folder, withinMs) },
    fuzz: { limitMinutes: 180, needs: [], run: (withinMs) => runFuzz(options, folder, withinMs) },
    soak: { limitMinutes: options.soakMinutes + 45, needs: [], run: (withinMs) => runSoak(options, withinMs) },
    chain: { limitMinutes: 40 + 25 * options.chainRounds, needs: [], run: (withinMs) => runChain(options, withinMs) },
    peers: { limitMinutes: 30 + 20 * options.peersRounds, needs: [], run: (withinMs) => runPeers(options, withinMs) },
    failover: {
      limitMinutes: 90,
      needs: ['etcd', 'haproxy', 'python3'],
      run: (withinMs) => runFailover(folder, withinMs),
    },
    chart: { limitMinutes: 20, needs: ['promtool'], run: (withinMs) => runChart(folder, withinMs) },
    'lowest-node': { limitMinutes: 60, needs: ['npm'], run: (withinMs) => runLowestNode(folder, withinMs) },
    mutants: { limitMinutes: 300, needs: [], run: inPieces('mutants', () => planMutants(options)) },
    mutations: { limitMinutes: 300, needs: [], run: inPieces('mutations', () => planMutations(options)) },
    faults: { limitMinutes: 600, needs: ['pgbouncer'], run: inPieces('faults', () => planFaults(options, folder)) },
  };
  return options.parts.map((name) => ({ name, ...plans[name] }));
}

async function runAudit(withinMs: number) {
  const { code, words } = await runAndShow(['test/audit/main.ts'], withinMs);
  return outcomeOfCommand('what is known of the packages that an installation runs with', { code, withinMs }, words);
}

async function runSeeds({ seeds }: NightlyOptions, folder: string, withinMs: number) {
  const seed = randomInt(1, 2 ** 31);
  const daysLater = randomInt(1, 1462);
  const results = path.join(folder, 'seeds.jsonl');
  const environment = {
    [resultsVariable]: results,
    MUSTER_SEED: String(seed),
    SEEDS_FROM: String(seed),
    SEEDS: String(seeds),
    MUSTER_DAYS_LATER: String(daysLater),
  };
  const projects = ['unit', 'console', 'simulation'].flatMap((name) => ['--project', name]);
  const code = await runVitest(projects, { environment, withinMs, endsWhole });
  const date = `unit and console tests with MUSTER_DAYS_LATER=${daysLater}`;
  const what = `property tests with MUSTER_SEED=${seed}; ${date}; ${seeds} random walks with SEEDS_FROM=${seed}`;
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

async function runPeers({ peersRounds: rounds }: NightlyOptions, withinMs: number) {
  const { code, words } = await runAndShow(
    ['benchmarks/run.ts', 'peers', '--only', 'equal', '--guard', '--rounds', String(rounds)],
    withinMs,
  );
  const what = `rate and CPU of a batch beside the best peer at equal promises, over ${rounds} rounds`;
  return outcomeOfCommand(what, { code, withinMs }, linesOf(words, /^\||÷/));
}

async function runFailover(folder: string, withinMs: number) {
  const results = path.join(folder, 'failover.jsonl');
  const environment = { [resultsVariable]: results, MUSTER_FIGURES: path.join(folder, 'figures-failover') };
  const code = await runVitest(['--project', 'failover'], { environment, withinMs, endsWhole });
  const what = 'Postgres fails over under load: Patroni, etcd and HAProxy';
  return withRows(outcomeOfTests(what, [{ code, withinMs }], readResults(results)), 'failover', results);
}

async function runChart(folder: string, withinMs: number) {
  const results = path.join(folder, 'chart.jsonl');
  const args = ['--project', 'chart', '--project', 'alerts'];
  const code = await runVitest(args, { environment: { [resultsVariable]: results }, withinMs, endsWhole });
  return outcomeOfTests('release, chart and alerts', [{ code, withinMs }], readResults(results));
}

function withRows(came: ReturnType<typeof outcomeOfTests>, tier: string, results: string) {
  const rows = renderRows(readResults(results), namedRows(root, [tier]));
  return { ...came, view: `${rows}\n\n${came.view}` };
}
