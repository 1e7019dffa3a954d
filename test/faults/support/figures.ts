import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Published figures of one scenario about one run. */
export const scenarioFigures = z.object({
  /** The rows of the table of faults. */
  rows: z.string(),
  scenario: z.string(),
  /** Injected, by type. */
  faults: z.record(z.string(), z.int()),
  batches: z.int(),
  /** (user, step) that ended. */
  users: z.int(),
  lost: z.int(),
  doubled: z.int(),
  duplicatesSuppressed: z.int(),
  unknown: z.int(),
  /** Calls of a key that had been called before, per 1,000 batches. */
  redeliveriesPer1000: z.number(),
  /** Seconds from a call whose outcome was not recorded to the next call of its key; null where there was none. */
  recoverySeconds: z.object({ p50: z.number(), p95: z.number(), max: z.number() }).nullable(),
  /**
   * Users per second before the first fault, until the last one was over, and after it; null where nothing fell into
   * that time.
   */
  usersPerSecond: z.object({
    before: z.number().nullable(),
    during: z.number().nullable(),
    after: z.number().nullable(),
  }),
  violations: z.int(),
  /** Measurements of the scenario itself, such as a neighbour's time beside its time alone. */
  measured: z.record(z.string(), z.number()),
});

export type ScenarioFigures = z.infer<typeof scenarioFigures>;

/** Not in the repository, because figures depend on the machine and the moment. Parallel runs have one folder each. */
export const figuresFolder = process.env['MUSTER_FIGURES'] ?? join(import.meta.dirname, '../figures');

export function publishFigures(figures: ScenarioFigures): void {
  mkdirSync(figuresFolder, { recursive: true });
  const name = `${figures.rows}-${figures.scenario}`.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase();
  writeFileSync(join(figuresFolder, `${name}.scenario.json`), `${JSON.stringify(figures, null, 2)}\n`);
}

export function readFigures(): ScenarioFigures[] {
  mkdirSync(figuresFolder, { recursive: true });
  return readdirSync(figuresFolder)
    .filter((name) => name.endsWith('.scenario.json'))
    .map((name) => scenarioFigures.parse(JSON.parse(readFileSync(join(figuresFolder, name), 'utf8'))))
    .toSorted((a, b) => Number.parseInt(a.rows) - Number.parseInt(b.rows) || a.scenario.localeCompare(b.scenario));
}

const headings = [
  ...['row', 'scenario', 'faults', 'batches', 'users', 'lost', 'doubled', 'suppressed', 'unknown'],
  ...['again / 1,000', 'recovery p50 / p95 / max s', 'users/s before / during / after', 'violations', 'measured'],
];

/** The table, in Markdown. */
export function figuresTable(all: readonly ScenarioFigures[]): string {
  const rows = all.map((one) => [
    one.rows,
    one.scenario,
    named(one.faults),
    ...[one.batches, one.users, one.lost, one.doubled, one.duplicatesSuppressed, one.unknown].map(String),
    one.redeliveriesPer1000.toFixed(1),
    one.recoverySeconds
      ? [one.recoverySeconds.p50, one.recoverySeconds.p95, one.recoverySeconds.max].map((s) => s.toFixed(1)).join(' / ')
      : '–',
    [one.usersPerSecond.before, one.usersPerSecond.during, one.usersPerSecond.after].map(rounded).join(' / '),
    String(one.violations),
    named(one.measured),
  ]);
  return [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function named(values: Record<string, number>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${Number.isInteger(value) ? value : value.toFixed(2)}`)
    .join(', ');
}

function rounded(value: number | null): string {
  return value === null ? '–' : String(Math.round(value));
}
