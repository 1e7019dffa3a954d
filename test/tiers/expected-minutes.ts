import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Result } from './results.ts';

/** Durations of test files when they were last recorded: `npm run test:minutes -- <results>`. */
const recordedFile = 'test/tiers/expected-minutes.json';
const recorded = z.record(z.string(), z.number().positive());

export function readExpectedMinutes(root: string): ReadonlyMap<string, number> {
  const at = path.join(root, recordedFile);
  return new Map(existsSync(at) ? Object.entries(recorded.parse(JSON.parse(readFileSync(at, 'utf8')))) : []);
}

/** Keeps what is known of other files. */
export function recordMinutes(root: string, results: readonly Result[]): void {
  const minutes = new Map([...readExpectedMinutes(root), ...minutesIn(results)]);
  const known = [...minutes].filter(([file]) => existsSync(path.join(root, file)));
  const sorted = Object.fromEntries(known.toSorted(([a], [b]) => a.localeCompare(b)));
  writeFileSync(path.join(root, recordedFile), `${JSON.stringify(sorted, null, 2)}\n`);
}

/** Starting the servers and the console is not part of a file's own time. */
const serverMinutes = 0.4;

/** Tiers whose files run one by one, with servers of their own. */
const tiersAlone = ['faults', 'e2e', 'browser', 'alerts', 'chart'];

export function minutesIn(results: readonly Result[]): ReadonlyMap<string, number> {
  const files = results.filter((line) => line.kind === 'file').filter(({ tier }) => tiersAlone.includes(tier));
  return new Map(
    files.map(({ file, beganMs, endedMs }) => {
      const minutes = (endedMs - beganMs) / 60_000 + serverMinutes;
      return [file, Math.round(minutes * 10) / 10];
    }),
  );
}

/** A scenario of faults starts an installation, breaks it and waits until it has recovered. */
const minutesPerTest: Readonly<Record<string, number>> = {
  faults: 0.7,
  e2e: 0.25,
  browser: 0.15,
  integration: 0.1,
  simulation: 2,
  chart: 0.1,
  alerts: 0.1,
};

/** A guess for a file without a recorded duration, from the number of its tests. */
export function guessMinutes(tier: string, source: string): number {
  const tests = source.match(/^\s*it(?:\.\w+)*\(/gm)?.length ?? 1;
  const minutes = serverMinutes + (minutesPerTest[tier] ?? 0.5) * Math.max(1, tests);
  return Math.round(minutes * 10) / 10;
}
