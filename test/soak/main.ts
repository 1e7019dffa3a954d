import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** `npm run soak -- --minutes N --seed S`: without a seed, one is made and printed. */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } });
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
if (!(minutes > 0)) refuse(`--minutes ${values.minutes}: has to be a number above 0`);
if (!Number.isInteger(seed)) refuse(`--seed ${String(values.seed)}: has to be a whole number`);

note(`soak of ${minutes} min, seed ${seed}; again: npm run soak -- --minutes ${minutes} --seed ${seed}`);
const root = join(import.meta.dirname, '../..');
const vitest = spawn(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', join(root, 'vitest.soak.config.ts')],
  { cwd: root, stdio: 'inherit', env: { ...process.env, SOAK_MINUTES: String(minutes), SOAK_SEED: String(seed) } },
);
// Both processes receive Ctrl-C from the terminal. Vitest ends in order, and then this process ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => vitest.kill('SIGTERM'));
vitest.on('exit', (code) => {
  if (code !== 0) note(`seed ${seed} failed; again: npm run soak -- --minutes ${minutes} --seed ${seed}`);
  process.exit(code ?? 1);
});

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

function refuse(why: string): never {
  note(why);
  process.exit(2);
}
