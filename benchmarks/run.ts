import { parseArgs } from 'node:util';
import { ConfigurationError } from '../shared/runtime/configuration/configuration-error.ts';
import { benchmarkAccept } from './accept/accept.ts';
import { compareAccepting } from './accept/against.ts';
import { compareChains } from './chain/against.ts';
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
import { benchmarkMemory } from './memory/memory.ts';
import { benchmarkNeighbours } from './neighbours/neighbours.ts';
import { benchmarkPeers } from './peers/peers.ts';
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
 * `npm run bench -- <question> [--rounds N] [--quick] [--only <part>]`. `accept`, `upload` and `chain` with
 * `--against <commit>` compare with that version; the last one ends with 1 where a batch costs over `--limit <percent>`
 * more than there, and `guarded` is the commit of the nightly run.
 * Each prints Markdown tables and writes `benchmarks/results/<question>.json`. Without a question it asks all of them
 * and writes `benchmarks/results/summary.md`.
 */
interface Asked {
  rounds: number | undefined;
  quick: boolean;
  /** One part of the question only, by name. */
  only: string | undefined;
  against: string | undefined;
  /** In percent. */
  limit: number | undefined;
}

type Question = (asked: Asked) => Promise<void>;

const questions: Record<string, Question> = {
  chain: async ({ rounds, quick, only, against, limit }) => {
    if (against === undefined) {
      await benchmarkChain(rounds ?? 5);
      return;
    }
    const ref = against === 'guarded' ? guardedCommit() : against;
    const compared = await compareChains({ ref, rounds: rounds ?? 9, quick, only });
    if (limit !== undefined) guard(compared, limit);
  },
  peers: ({ rounds, quick, only }) => benchmarkPeers({ rounds: rounds ?? (quick ? 1 : 5), quick, only }),
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
    limit: { type: 'string' },
  },
});
const [name] = positionals;
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
if (rounds !== undefined && (!Number.isInteger(rounds) || rounds < 1)) {
  refuse(`--rounds ${String(values.rounds)}: has to be a whole number from 1`);
}
const limit = values.limit === undefined ? undefined : Number(values.limit);
if (limit !== undefined && !(limit >= 0)) refuse(`--limit ${String(values.limit)}: has to be a number of percent`);
if (limit !== undefined && values.against === undefined) refuse('--limit belongs to --against');
if (name === undefined && (values.only ?? values.against) !== undefined) {
  refuse('--only and --against belong to one question');
}
// An exit, unlike a signal's end, lets temporary folders go; servers and services end with this process in any case.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const asked = { rounds, quick: values.quick, only: values.only, against: values.against, limit };
const readForeignLoad = startForeignLoadMeter(() => withDescendants(process.pid));
process.exit((await (name === undefined ? askAll() : askOne(name))) ? 0 : 1);

/** @returns whether there is an answer */
async function askOne(question: string): Promise<boolean> {
  const answer = questions[question];
  if (!answer) refuse(`unknown benchmark ${JSON.stringify(question)}; there are: ${Object.keys(questions).join(', ')}`);
  const cause = await failureOf(answer);
  if (cause !== undefined) console.error(cause);
  else console.log(`\nOthers on this machine took ${Math.round(readForeignLoad() * 100)} % of its cores meanwhile.`);
  return cause === undefined;
}

/** One after the other; one that cannot be answered keeps no other from being asked. */
async function askAll(): Promise<boolean> {
  const startedAt = new Date();
  const failures: { question: string; cause: string }[] = [];
  for (const [question, answer] of Object.entries(questions)) {
    console.error(`\n== ${question}`);
    const cause = await failureOf(answer);
    if (cause === undefined) continue;
    console.error(cause);
    // The stack has been shown, and names folders of this machine.
    failures.push({ question, cause: cause.split('\n', 1).join('') });
  }
  const path = writeSummary({ startedAt, failures, foreignLoad: readForeignLoad() });
  console.log(`\nAll of it: ${path}`);
  return failures.length === 0;
}

/**
 * Undefined when it was answered. What this machine lacks is said in a line; anything else is a bug, with its stack.
 */
async function failureOf(answer: Question): Promise<string | undefined> {
  try {
    await answer(asked);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof GuardFailed) return error.message;
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

function refuse(why: string): never {
  console.error(why);
  process.exit(2);
}
