import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** One line of a run's results. Lines are written as things end, so that a run which is cut off leaves what it had. */
const result = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('test'),
    tier: z.string(),
    file: z.string(),
    name: z.string(),
    state: z.enum(['passed', 'failed', 'skipped']),
    /** Reason of a failure, with the place last. */
    why: z.string().optional(),
  }),
  /** A file, or a tool of `check`, began and ended: milliseconds since 1970. `failed` is what no test of it says. */
  z.object({
    kind: z.literal('file'),
    tier: z.string(),
    file: z.string(),
    beganMs: z.number(),
    endedMs: z.number(),
    failed: z.boolean(),
    why: z.string().optional(),
  }),
  /** Test that was not run for lack of time. It has not failed. */
  z.object({ kind: z.literal('not-reached'), tier: z.string(), file: z.string() }),
]);

export type Result = z.infer<typeof result>;

/** Names the file that results are appended to, from one command to the next. */
export const resultsVariable = 'MUSTER_TEST_RESULTS';

export function writeResult(file: string, line: Result): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

export function readResults(file: string): Result[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => result.parse(JSON.parse(line)));
}

/**
 * The end of a run that is cut off looks like failures of its tests, so only the results that were written before count,
 * failures among them. @param writtenBefore their number; undefined if the run was not cut off
 */
export function keptResults(results: readonly Result[], writtenBefore: number | undefined): Result[] {
  return results.slice(0, writtenBefore);
}

export function hasFailed(line: Result): boolean {
  return (line.kind === 'test' && line.state === 'failed') || (line.kind === 'file' && line.failed);
}

export interface TierSummary {
  tier: string;
  passed: number;
  failed: number;
  skipped: number;
  /** While a file of it ran: those that ran side by side count once. */
  minutes: number;
  notReached: string[];
}

/** In the order in which the tiers began. */
export function summarize(results: readonly Result[]): TierSummary[] {
  return [...Map.groupBy(results, ({ tier }) => tier)].map(([tier, lines]) => {
    const tests = lines.filter((line) => line.kind === 'test');
    const files = lines.filter((line) => line.kind === 'file');
    const count = (state: string) => tests.filter((test) => test.state === state).length;
    return {
      tier,
      passed: count('passed') + files.filter((file) => tier === 'check' && !file.failed).length,
      failed: count('failed') + files.filter(({ failed }) => failed).length,
      skipped: count('skipped'),
      minutes: coveredMs(files) / 60_000,
      notReached: lines.filter((line) => line.kind === 'not-reached').map(({ file }) => file),
    };
  });
}

function coveredMs(files: readonly { beganMs: number; endedMs: number }[]): number {
  let covered = 0;
  let until = 0;
  for (const { beganMs, endedMs } of files.toSorted((a, b) => a.beganMs - b.beganMs)) {
    covered += Math.max(0, endedMs - Math.max(beganMs, until));
    until = Math.max(until, endedMs);
  }
  return covered;
}
