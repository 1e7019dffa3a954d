import { benchmarkChain } from './chain/chain.ts';
import { benchmarkMemory } from './memory/memory.ts';

/** `npm run bench -- <question>`. Each prints a Markdown table and writes `benchmarks/results/<question>.json`. */
const questions: Record<string, () => Promise<void>> = { chain: benchmarkChain, memory: benchmarkMemory };

const asked = process.argv[2] ?? '';
const answer = questions[asked];
if (!answer) {
  console.error(`unknown benchmark ${JSON.stringify(asked)}; there are: ${Object.keys(questions).join(', ')}`);
  process.exit(2);
}
await answer();
process.exit();
