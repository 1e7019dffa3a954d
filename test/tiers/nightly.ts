import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { findCommand } from '../../shared/infrastructure/install-hints.ts';
import { root } from './commands.ts';
import { nightlyParts, readNightlyOptions, shardedParts, type NightlyOptions } from './nightly-options.ts';
import { runPart, type Came } from './nightly-outcome.ts';
import { parseNightlyPage, renderNightlyPage } from './nightly-page.ts';
import { planNightly } from './nightly-parts.ts';

/**
 * `npm run test:nightly`: the tests that take hours, and a page with their results. `-- --parts mutations,soak` runs
 * these alone, and `-- --parts faults --shard 2/8` one shard; the page keeps the results of everything else. Ends with
 * 1 if something that was run has failed, was not begun or was cut off.
 */
const options = readOptions();
const page = path.join(root, 'docs/nightly.md');
const folder = mkdtempSync(path.join(tmpdir(), 'muster-nightly-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const known = new Map(parseNightlyPage(readPage()).map((part) => [part.name, part]));
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const changes = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!docs/nightly.md');
/** A plus sign marks sources that are not those of the commit. */
const commit = `${git('rev-parse', '--short=8', 'HEAD')}${changes === '' ? '' : '+'}`;
const has = (program: string) => findCommand(program, process.env) !== undefined;
const turn = { untilMs: Date.now() + options.hours * 3_600_000, nowMs: Date.now, has };

const verdicts: string[] = [];
for (const part of planNightly(options, { folder, commit, known })) {
  process.stdout.write(`\n── ${part.name}\n`);
  const beganMs = Date.now();
  const write = ({ passed, what, view }: Came) => {
    const minutes = ((Date.now() - beganMs) / 60_000).toFixed(0);
    const lastRun = `${new Date(beganMs).toISOString().slice(0, 16).replace('T', ' ')} UTC, at ${commit}, ${minutes} min`;
    known.set(part.name, { name: part.name, lastRun, passed, what, view: view });
    const parts = nightlyParts.map((name) => known.get(name) ?? { name, lastRun: null });
    writeFileSync(page, renderNightlyPage(parts, machine));
  };
  // Written after each part and each piece: the next may take an hour, or be cut off.
  const came = await runPart(part, turn, write);
  const { passed, endedWell = passed, what } = came;
  const hasPieces = shardedParts.some((name) => name === part.name);
  if (came.notBegun !== true || !hasPieces) write(came);
  else process.stdout.write(`${came.view}\n`);
  const minutes = ((Date.now() - beganMs) / 60_000).toFixed(0);
  verdicts.push(`${part.name.padEnd(12)} ${endedWell ? 'passed' : 'FAILED'}  ${minutes.padStart(4)} min  ${what}`);
  if (!endedWell) process.exitCode = 1;
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
