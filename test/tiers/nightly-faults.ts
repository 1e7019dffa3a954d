import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root, runVitest } from './commands.ts';
import { rowsIn } from './fault-rows.ts';
import type { NightlyOptions } from './nightly-options.ts';
import { failuresIn } from './nightly-outcome.ts';
import type { PieceOutcome, PieceWork } from './nightly-pieces.ts';
import { itemsOfShard } from './nightly-shard.ts';
import { listRestFiles } from './rest-files.ts';
import { hasFailed, keptResults, readResults, resultsVariable, type Result } from './results.ts';

/** No fault file takes half of this, with the times that the table asks for. */
const limitMinutes = 60;

/** All fault files, each with servers of its own and the times that the table of faults asks for. */
export function planFaults({ shard, files, atOnce }: NightlyOptions, folder: string): PieceWork {
  const faults = listRestFiles(root).filter(({ tier }) => tier === 'faults');
  const keys = faults.map(({ file }) => file).toSorted();
  const alone = new Set(faults.filter((fault) => fault.alone === true).map(({ file }) => file));
  const ofShard = () => itemsOfShard(faults, shard, ({ minutes }) => minutes).map(({ file }) => file);
  return {
    what: 'all rows of the table of faults, with their controls, file by file',
    keys,
    chosen: files?.map((name) => findFault(name, keys)) ?? ofShard(),
    atOnce,
    isAlone: (key) => alone.has(key),
    limitMs: limitMinutes * 60_000,
    run: (file, withinMs) => runFault(file, folder, withinMs),
  };
}

function findFault(name: string, keys: readonly string[]): string {
  const found = keys.find((key) => key === name || path.basename(key, '.test.ts') === name);
  if (found === undefined) throw new Error(`--files: there is no fault file ${name}`);
  return found;
}

async function runFault(file: string, folder: string, withinMs: number): Promise<PieceOutcome | undefined> {
  const name = path.basename(file, '.test.ts');
  const results = path.join(folder, `faults-${name}.jsonl`);
  process.stdout.write(`\n── ${file}\n`);
  const cutOff: { writtenBefore?: number } = {};
  const code = await runVitest(['--project', 'faults', file], {
    environment: {
      [resultsVariable]: results,
      MUSTER_TESTS: 'nightly',
      MUSTER_FIGURES: path.join(folder, `figures-${name}`),
    },
    withinMs,
    onEnding: () => (cutOff.writtenBefore = readResults(results).length),
    endsWhole: true,
  });
  const kept = keptResults(readResults(results), cutOff.writtenBefore);
  // If the night was over before a test failed, the file shows nothing.
  if (cutOff.writtenBefore !== undefined && withinMs < limitMinutes * 60_000 && !kept.some(hasFailed)) return undefined;
  const source = existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), 'utf8') : '';
  return judgeFault(code, kept, rowsIn(source));
}

export function judgeFault(code: number | null, results: readonly Result[], rows: readonly number[]): PieceOutcome {
  const tests = results.filter((line) => line.kind === 'test');
  const inState = (state: string) => tests.filter((test) => test.state === state).length;
  const [passed, failed] = [inState('passed'), inState('failed')];
  const ended = code === null ? [`ended by a signal: it has ${limitMinutes} min at most`] : [];
  const nothing = passed === 0 ? ['no test has passed'] : [];
  const sorted = [...new Set(rows)].toSorted((a, b) => a - b);
  return {
    verdict: code === 0 && passed > 0 && failed === 0 ? 'passed' : 'FAILED',
    passed,
    failed,
    note: sorted.length > 0 ? `rows ${sorted.join(', ')}` : '',
    details: [...failuresIn(results), ...ended, ...nothing],
  };
}
