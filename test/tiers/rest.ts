import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findChangedFiles, gitIn } from './changed-files.ts';
import { root, runVitest } from './commands.ts';
import { namedRows, renderRows } from './fault-rows.ts';
import { readTree } from './import-graph.ts';
import { inLanes } from './lanes.ts';
import { lanes, orderRest } from './order-rest.ts';
import { rankTouched } from './rank-touched.ts';
import { listRestFiles } from './rest-files.ts';
import { RestQueue } from './rest-queue.ts';
import { renderOrder, renderReached, type Reached } from './render-rest.ts';
import { renderTiers } from './render-tiers.ts';
import { hasFailed, keptResults, readResults, resultsVariable, summarize, writeResult } from './results.ts';

/**
 * Runs what `npm test` leaves out, as much of it as fits: `npm run test:rest -- --minutes 40`. The order changes with
 * the day (`order-rest.ts`). Each file is a process with servers of its own; two run at once, because they mostly wait,
 * except for files that compare times. The output of a file is shown when it has ended. Files that there is no time
 * for are listed and have not failed. `--dry` prints the order and runs nothing; `--date 2026-12-01` takes that day's.
 */
const today = new Date().toISOString().slice(0, 10);
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '40' },
    date: { type: 'string', default: today },
    dry: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: has to be a number above 0`);

const beganMs = Date.now();
const { files: changed = new Set<string>(), since } = findChangedFiles(gitIn(root), process.env['MUSTER_BASE']);
const listed = listRestFiles(root);
const touched = rankTouched(listed, changed, readTree(root));
const order = orderRest(listed, { date: values.date, touched, minutes });
process.stdout.write(`${renderOrder(order, { date: values.date, since, minutes, touched })}\n`);
if (!values.dry) await runAll();

async function runAll(): Promise<void> {
  const resultsFile = process.env[resultsVariable];
  if (resultsFile === undefined)
    throw new Error(`${resultsVariable} has to name the file that results are written to, unless --dry is given`);
  const queue = new RestQueue(order.files, { beganMs, minutes, nowMs: Date.now });
  const reached: Reached[] = [];
  await inLanes(queue, lanes, async ({ tier, file, reason }) => {
    const startMs = Date.now();
    let output = '';
    const ownResults = `${resultsFile}.${startMs}.${path.basename(file, '.test.ts')}`;
    const cutOff: { writtenBefore?: number } = {};
    const code = await runVitest(['--project', tier, file], {
      environment: {
        [resultsVariable]: ownResults,
        MUSTER_FIGURES: path.join(root, 'test/faults/figures', path.basename(file, '.test.ts')),
      },
      onOutput: (text) => (output += text),
      withinMs: queue.leftMs(),
      onEnding: () => (cutOff.writtenBefore = readResults(ownResults).length),
      endsWhole: true,
    });
    const took = (Date.now() - startMs) / 60_000;
    // A process that a signal ended earlier has failed: it ran out of memory, for example.
    const isCutOff = cutOff.writtenBefore !== undefined;
    const kept = keptResults(readResults(ownResults), cutOff.writtenBefore);
    const isFailed = isCutOff ? kept.some(hasFailed) : code !== 0;
    reached.push({ file, reason, minutes: took, end: isFailed ? 'FAILED' : isCutOff ? 'cut off' : 'passed' });
    for (const line of kept) writeResult(resultsFile, line);
    rmSync(ownResults, { force: true });
    if (isCutOff) writeResult(resultsFile, { kind: 'not-reached', tier, file });
    const end = isCutOff ? 'was cut off: no time is left' : `ended with ${code ?? 'a signal'}`;
    process.stdout.write(`\n── ${file} ${end} after ${took.toFixed(1)} min\n${output.trimEnd()}\n`);
  });
  for (const { tier, file } of queue.notStarted()) writeResult(resultsFile, { kind: 'not-reached', tier, file });
  const results = readResults(resultsFile);
  process.stdout.write(`\n${renderRows(results, namedRows(root))}\n\n${renderReached(reached, queue.notStarted())}\n`);
  // The files that were not reached are listed above, with their reasons.
  const tiers = summarize(results).map((tier) => ({ ...tier, notReached: [] }));
  process.stdout.write(`\n${renderTiers(tiers)}\n`);
  process.exitCode = reached.some(({ end }) => end === 'FAILED') ? 1 : 0;
}
