import { parseArgs } from 'node:util';
import { ConfigurationError } from '../shared/runtime/configuration/configuration-error.ts';
import { benchmarkAccept } from './accept/accept.ts';
import { compareAccepting } from './accept/against.ts';
import { compareChains } from './chain/against.ts';
import { nearnesses, type Nearness } from './chain/capped-history.ts';
import { benchmarkAge } from './age/age.ts';
import { benchmarkBreaker } from './breaker/breaker.ts';
import { benchmarkChain } from './chain/chain.ts';
import { guard, guardedCommit, GuardFailed } from './chain/guard.ts';
import { benchmarkConsole } from './console/console.ts';
import { startForeignLoadMeter, withDescendants } from './cpu.ts';
import { benchmarkCrowd } from './crowd/crowd.ts';
import { benchmarkExplain } from './explain/explain.ts';
import { benchmarkExports } from './exports/exports.ts';
import { benchmarkFiring } from './firing/firing.ts';
import { benchmarkGrowth } from './growth/growth.ts';
import { benchmarkIdle } from './idle/idle.ts';
import { benchmarkMail } from './mail/mail.ts';
import { benchmarkMemory } from './memory/memory.ts';
import { benchmarkNeighbours } from './neighbours/neighbours.ts';
import { PromiseBroken } from './peers/equal/crash.ts';
import { benchmarkPeers, crashPeers } from './peers/peers.ts';
import { benchmarkReceipts } from './receipts/receipts.ts';
import { benchmarkRewards } from './rewards/rewards.ts';
import { benchmarkScaling } from './scaling/scaling.ts';
import { writeSummary } from './summary.ts';
import { benchmarkSegments } from './segments/segments.ts';
import { benchmarkStopping } from './stopping/stopping.ts';
import { benchmarkSuppressions } from './suppressions/suppressions.ts';
import { compareUploads } from './upload/against.ts';
import { benchmarkUpload } from './upload/upload.ts';

/**
 * `npm run bench -- <benchmark> [--rounds N] [--quick] [--only <part>]`. With `--against <commit>`, `accept`, `upload`
 * and `chain` compare with that version. `chain` then exits with 1 if a batch costs over `--limit <percent>` more than
 * there; `guarded` is the commit that the nightly run compares with.
 * `chain --caps near|far` compares this tree with a cap and without; with `--against`, the other version has no caps.
 * `peers --crash` kills the workers of peers and checks what they have stored. `peers --only equal --guard` exits with
 * 1 if a ratio to the best peer is worse than the nightly run accepts.
 *
 * Each benchmark prints Markdown tables and writes `benchmarks/results/<benchmark>.json`. Without a name all benchmarks
 * run, and `benchmarks/results/summary.md` is written.
 */
interface Requested {
  rounds: number | undefined;
  quick: boolean;
  /** Name of the only part to run; undefined runs all parts. */
  only: string | undefined;
  against: string | undefined;
  /** True if the action types of this tree have a cap. */
  caps: Nearness | undefined;
  /** Highest allowed extra cost of a batch, in percent. */
  limit: number | undefined;
  /** True if workers are killed instead of measured. */
  crash: boolean;
  /** True if ratios to peers are judged. */
  guard: boolean;
}

type Question = (requested: Requested) => Promise<void>;

const questions: Record<string, Question> = {
  chain: async ({ rounds, quick, only, against, caps, limit }) => {
    if (against === undefined && caps === undefined) {
      await benchmarkChain(rounds ?? 5);
      return;
    }
    const ref = against === 'guarded' ? guardedCommit() : against;
    const compared = await compareChains({ ref, caps, rounds: rounds ?? 9, quick, only });
    if (limit !== undefined) guard(compared, limit);
  },
  peers: ({ rounds, quick, only, crash, guard: isGuarded }) =>
    crash ? crashPeers({ quick, only }) : benchmarkPeers({ rounds: rounds ?? (quick ? 1 : 5), quick, only, isGuarded }),
  neighbours: ({ rounds, quick, only }) => benchmarkNeighbours({ rounds: rounds ?? (quick ? 1 : 3), quick, only }),
  breaker: ({ rounds, quick }) => benchmarkBreaker({ rounds: rounds ?? (quick ? 1 : 3), quick }),
  scaling: ({ rounds, quick, only }) => benchmarkScaling({ rounds: rounds ?? (quick ? 1 : 3), quick, only }),
  rewards: ({ rounds, quick }) => benchmarkRewards({ rounds: rounds ?? (quick ? 1 : 5), quick }),
  receipts: ({ rounds, quick }) => benchmarkReceipts({ rounds: rounds ?? (quick ? 1 : 3), quick }),
  growth: ({ rounds, quick, only }) => benchmarkGrowth({ rounds: rounds ?? (quick ? 1 : 3), quick, only }),
  accept: ({ rounds, quick, only, against }) =>
    against === undefined
      ? benchmarkAccept({ rounds: rounds ?? (quick ? 1 : 5), quick, only })
      : compareAccepting({ ref: against, rounds: rounds ?? 9, quick }),
  firing: ({ rounds, quick, only }) => benchmarkFiring({ rounds: rounds ?? (quick ? 1 : 3), quick, only }),
  crowd: ({ rounds, quick, only }) => benchmarkCrowd({ rounds: rounds ?? (quick ? 1 : 3), quick, only }),
  idle: ({ rounds, quick, only }) => benchmarkIdle({ rounds: rounds ?? (quick ? 1 : 3), quick, only }),
  age: ({ rounds, quick }) => benchmarkAge({ rounds: rounds ?? (quick ? 1 : 5), quick }),
  explain: ({ quick }) => benchmarkExplain({ quick }),
  exports: ({ quick }) => benchmarkExports({ quick }),
  console: ({ rounds, quick, only }) => benchmarkConsole({ rounds: rounds ?? (quick ? 1 : 3), quick, only }),
  memory: ({ rounds }) => benchmarkMemory(rounds ?? 5),
  mail: ({ rounds, quick, only }) => benchmarkMail({ rounds: rounds ?? (quick ? 1 : 3), quick, only }),
  suppressions: ({ rounds, quick }) => benchmarkSuppressions({ rounds: rounds ?? (quick ? 1 : 3), quick }),
  segments: ({ rounds, quick }) => benchmarkSegments({ rounds: rounds ?? (quick ? 1 : 3), quick }),
  upload: ({ rounds, quick, against }) =>
    against === undefined
      ? benchmarkUpload({ rounds: rounds ?? (quick ? 1 : 5), quick })
      : compareUploads({ ref: against, rounds: rounds ?? 5, quick }),
  stopping: ({ rounds, quick }) => benchmarkStopping(rounds ?? (quick ? 10 : 200)),
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    against: { type: 'string' },
    caps: { type: 'string' },
    limit: { type: 'string' },
    crash: { type: 'boolean', default: false },
    guard: { type: 'boolean', default: false },
  },
});
const [name] = positionals;
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
if (rounds !== undefined && (!Number.isInteger(rounds) || rounds < 1)) {
  exitWithUsageError(`--rounds ${String(values.rounds)}: has to be a whole number from 1`);
}
const limit = values.limit === undefined ? undefined : Number(values.limit);
if (limit !== undefined && !(limit >= 0))
  exitWithUsageError(`--limit ${String(values.limit)}: has to be a number of percent`);
if (limit !== undefined && values.against === undefined) exitWithUsageError('--limit belongs to --against');
if (values.caps !== undefined && name !== 'chain') exitWithUsageError('--caps belongs to chain');
const caps = nearnesses.find((each) => each === values.caps);
if (values.caps !== undefined && !caps) exitWithUsageError(`--caps has to be near or far, not ${values.caps}`);
if (values.crash && name !== 'peers') exitWithUsageError('--crash belongs to peers');
if (values.guard && (name !== 'peers' || values.only !== 'equal'))
  exitWithUsageError('--guard belongs to peers --only equal');
if (name === undefined && (values.only ?? values.against) !== undefined) {
  exitWithUsageError('--only and --against belong to one question');
}
// `process.exit` runs the exit handlers that delete temporary folders; the default action of a signal does not. Servers
// and services end with this process in both cases.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const { quick, only, against, crash, guard: isGuarded } = values;
const request = { rounds, quick, only, against, caps, limit, crash, guard: isGuarded };
const readForeignLoad = startForeignLoadMeter(() => withDescendants(process.pid));
process.exit((await (name === undefined ? askAll() : askOne(name))) ? 0 : 1);

/** Runs one benchmark. @returns false if it failed */
async function askOne(question: string): Promise<boolean> {
  const answer = questions[question];
  if (!answer)
    exitWithUsageError(
      `unknown benchmark ${JSON.stringify(question)}; there are: ${Object.keys(questions).join(', ')}`,
    );
  const cause = await failureOf(answer);
  if (cause !== undefined) console.error(cause);
  else console.log(`\nOthers on this machine took ${Math.round(readForeignLoad() * 100)} % of its cores meanwhile.`);
  return cause === undefined;
}

/**
 * Runs all benchmarks, one after the other. A benchmark that fails does not stop the following ones. Returns false if
 * any failed.
 */
async function askAll(): Promise<boolean> {
  const startedAt = new Date();
  const failures: { question: string; cause: string }[] = [];
  for (const [question, answer] of Object.entries(questions)) {
    console.error(`\n== ${question}`);
    const cause = await failureOf(answer);
    if (cause === undefined) continue;
    console.error(cause);
    // The summary has only the first line: the stack has been printed already, and contains local paths.
    failures.push({ question, cause: cause.split('\n', 1).join('') });
  }
  const path = writeSummary({ startedAt, failures, foreignLoad: readForeignLoad() });
  console.log(`\nAll of it: ${path}`);
  return failures.length === 0;
}

/**
 * Runs a benchmark. Returns undefined if it succeeded. A missing program or an exceeded limit is reported by its
 * message; any other error is a bug and is reported with its stack.
 */
async function failureOf(answer: Question): Promise<string | undefined> {
  try {
    await answer(request);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof GuardFailed || error instanceof PromiseBroken)
      return error.message;
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

function exitWithUsageError(why: string): never {
  console.error(why);
  process.exit(2);
}
