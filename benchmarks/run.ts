import { parseArgs } from 'node:util';
import { benchmarkChain } from './chain/chain.ts';
import { benchmarkMemory } from './memory/memory.ts';

/**
 * `npm run bench -- <question> [--rounds N]`. Each prints a Markdown table and writes `benchmarks/results/<question>.json`.
 */
const questions: Record<string, (rounds: number) => Promise<void>> = { chain: benchmarkChain, memory: benchmarkMemory };

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' } },
});
const asked = positionals[0] ?? '';
const rounds = Number(values.rounds);
const answer = questions[asked];
if (!answer) {
  console.error(`unknown benchmark ${JSON.stringify(asked)}; there are: ${Object.keys(questions).join(', ')}`);
  process.exit(2);
}
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`--rounds ${values.rounds}: has to be a whole number from 1`);
  process.exit(2);
}
await answer(rounds);
process.exit();
