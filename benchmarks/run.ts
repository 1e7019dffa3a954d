import { parseArgs } from 'node:util';
import { compareChains } from './chain/against.ts';
import { benchmarkChain } from './chain/chain.ts';
import { startForeignLoadMeter, withDescendants } from './cpu.ts';
import { benchmarkGrowth } from './growth/growth.ts';
import { benchmarkMemory } from './memory/memory.ts';
import { benchmarkNeighbours } from './neighbours/neighbours.ts';
import { benchmarkScaling } from './scaling/scaling.ts';
import { benchmarkStopping } from './stopping/stopping.ts';

/**
 * `npm run bench -- <question> [--rounds N] [--quick] [--only <part>]`, and `chain --against <commit>`. Each prints Markdown tables and writes
 * `benchmarks/results/<question>.json`.
 */
interface Asked {
  rounds: number | undefined;
  quick: boolean;
  /** One part of the question only, by name. */
  only: string | undefined;
  against: string | undefined;
}

const questions: Record<string, (asked: Asked) => Promise<void>> = {
  chain: ({ rounds, quick, against }) =>
    against === undefined ? benchmarkChain(rounds ?? 5) : compareChains({ ref: against, rounds: rounds ?? 9, quick }),
  neighbours: ({ rounds, quick, only }) => benchmarkNeighbours({ rounds: rounds ?? (quick ? 1 : 3), quick, only }),
  scaling: ({ rounds, quick }) => benchmarkScaling(rounds ?? (quick ? 1 : 3), quick),
  growth: ({ rounds, quick, only }) => benchmarkGrowth({ rounds: rounds ?? (quick ? 1 : 3), quick, only }),
  memory: ({ rounds }) => benchmarkMemory(rounds ?? 5),
  stopping: ({ rounds, quick }) => benchmarkStopping(rounds ?? (quick ? 10 : 200)),
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    against: { type: 'string' },
  },
});
const asked = positionals[0] ?? '';
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
const answer = questions[asked];
if (!answer) {
  console.error(`unknown benchmark ${JSON.stringify(asked)}; there are: ${Object.keys(questions).join(', ')}`);
  process.exit(2);
}
if (rounds !== undefined && (!Number.isInteger(rounds) || rounds < 1)) {
  console.error(`--rounds ${String(values.rounds)}: has to be a whole number from 1`);
  process.exit(2);
}
// An exit, unlike a signal's end, lets temporary folders go; servers and services end with this process in any case.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const readForeignLoad = startForeignLoadMeter(() => withDescendants(process.pid));
await answer({ rounds, quick: values.quick, only: values.only, against: values.against });
console.log(`\nOthers on this machine took ${Math.round(readForeignLoad() * 100)} % of its cores meanwhile.`);
process.exit();
