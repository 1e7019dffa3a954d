import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { findCommand } from '../../shared/infrastructure/install-hints.ts';
import { root } from './commands.ts';
import { nightlyParts, readNightlyOptions, type NightlyOptions } from './nightly-options.ts';
import { forPage, runPart } from './nightly-outcome.ts';
import { parseNightlyPage, renderNightlyPage } from './nightly-page.ts';
import { planNightly } from './nightly-parts.ts';

/**
 * `npm run test:nightly`: what takes hours, and a page of what came of it. `-- --parts mutations,soak` runs these
 * alone; the page keeps what is known of the others, and when that was. Ends with 1 where a part has failed, was not
 * begun or was ended.
 */
const options = readOptions();
const page = path.join(root, 'docs/nightly.md');
const folder = mkdtempSync(path.join(tmpdir(), 'muster-nightly-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const known = new Map(parseNightlyPage(readPage()).map((part) => [part.name, part]));
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
const has = (program: string) => findCommand(program, process.env) !== undefined;
const turn = { untilMs: Date.now() + options.hours * 3_600_000, nowMs: Date.now, has };

const verdicts: string[] = [];
for (const part of planNightly(options, folder)) {
  process.stdout.write(`\n── ${part.name}\n`);
  const beganMs = Date.now();
  const { passed, what, shown } = await runPart(part, turn);
  const minutes = ((Date.now() - beganMs) / 60_000).toFixed(0);
  const lastRun = `${new Date(beganMs).toISOString().slice(0, 16).replace('T', ' ')} UTC, at ${commit}, ${minutes} min`;
  known.set(part.name, { name: part.name, lastRun, passed, what, shown: forPage(shown) });
  verdicts.push(`${part.name.padEnd(10)} ${passed ? 'passed' : 'FAILED'}  ${minutes.padStart(4)} min  ${what}`);
  if (!passed) process.exitCode = 1;
  // Written after each part: what comes next may take an hour, or be cut off.
  const parts = nightlyParts.map((name) => known.get(name) ?? { name, lastRun: null });
  writeFileSync(page, renderNightlyPage(parts, machine));
}
process.stdout.write(`\n${verdicts.join('\n')}\n`);

function readOptions(): NightlyOptions {
  try {
    return readNightlyOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

function readPage(): string {
  try {
    return readFileSync(page, 'utf8');
  } catch {
    return '';
  }
}
