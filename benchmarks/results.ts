import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';

/** One row of a benchmark's results: figures over its rounds. */
export interface Case {
  case: string;
  unit: string;
  median: number;
  min: number;
  max: number;
  /** Median of the round-by-round ratios to the baseline; null if there is no baseline. */
  ratio: number | null;
  /** CPU microseconds per batch, by process, median over the rounds. */
  cpuMicrosPerBatch: Record<string, number>;
}

/** A row of a table: the value of each column, by the column's name. All rows of a table have the same columns. */
export type Row = Readonly<Record<string, string | number | null>>;

export interface Table {
  title: string;
  rows: readonly Row[];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('no values to take a median of');
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/**
 * Returns the smallest value such that at least `share` of all values are less than or equal to it; 0 < `share` ≤ 1.
 */
export function percentile(values: readonly number[], share: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1];
  if (value === undefined) throw new Error('no values to take a percentile of');
  return value;
}

/**
 * Returns the median of the ratios of two values of the same round. Pairing by round cancels out changes of the
 * machine's speed between rounds.
 */
export function ratioByRound(values: readonly number[], baseline: readonly number[]): number {
  return median(values.map((value, round) => value / (baseline[round] ?? Number.NaN)));
}

/** Summarizes the rounds of one case as a row. @param baseline rates of the case to compare with, one per round */
export function summarize(
  name: string,
  unit: string,
  rounds: readonly { rate: number; cpu: Record<string, number> }[],
  baseline?: readonly { rate: number }[],
): Case {
  const rates = rounds.map((round) => round.rate);
  const names = Object.keys(rounds[0]?.cpu ?? {});
  return {
    case: name,
    unit,
    median: rounded(median(rates)),
    min: rounded(Math.min(...rates)),
    max: rounded(Math.max(...rates)),
    ratio: baseline
      ? rounded(
          ratioByRound(
            rates,
            baseline.map(({ rate }) => rate),
          ),
        )
      : null,
    cpuMicrosPerBatch: Object.fromEntries(
      names.map((process) => [process, Math.round(median(rounds.map((round) => round.cpu[process] ?? 0)))]),
    ),
  };
}

/** Rounds to three significant digits below 100, and to whole numbers above. */
export function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** Result of a benchmark, as stored in `benchmarks/results/<name>.json`. */
export interface Result {
  question: string;
  machine: string;
  /** Time of the measurement, in ISO 8601. */
  at: string;
  /**
   * Short id of the measured commit, followed by + if the working tree had changes. Undefined outside of a Git
   * checkout.
   */
  commit?: string | undefined;
  /** Command that repeats the measurement. */
  command?: string | undefined;
  cases?: readonly Case[] | undefined;
  tables?: readonly Table[] | undefined;
}

export const resultsFolder = join(import.meta.dirname, 'results');

/** Prints the cases as a Markdown table and writes them to `benchmarks/results/<name>.json`. */
export function publish(name: string, question: string, cases: readonly Case[]): void {
  publishResult(name, { question, ...measurementContext(), cases });
}

/** Prints the tables as Markdown and writes them to `benchmarks/results/<name>.json`. */
export function publishTables(name: string, question: string, tables: readonly Table[]): void {
  publishResult(name, { question, ...measurementContext(), tables });
}

export function describeMachine(): string {
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB`;
  return `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${memory}, ${platform()} ${release()} ${arch()}, Node ${process.version}`;
}

/** Renders the tables in Markdown. */
export function markdownOf({ cases = [], tables = [] }: Pick<Result, 'cases' | 'tables'>): string {
  const parts = tables.map(({ title, rows }) => `**${title}**\n\n${markdownTable(rows)}`);
  if (cases.length > 0) parts.unshift(markdownTable(cases.map(rowOf)));
  return parts.join('\n\n');
}

function measurementContext(): Pick<Result, 'machine' | 'at' | 'commit' | 'command'> {
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  return { machine: describeMachine(), at: new Date().toISOString(), commit: measuredCommit(), command };
}

/** Returns the commit for `Result.commit`; undefined outside of a Git checkout. */
function measuredCommit(): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: resultsFolder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    // The results folder is excluded, because earlier measurements of this run have written to it.
    const changes = git(
      'status',
      '--porcelain',
      '--untracked-files=no',
      '--',
      ':/',
      ':(exclude,top)benchmarks/results',
    );
    return `${git('rev-parse', '--short', 'HEAD')}${changes === '' ? '' : '+'}`;
  } catch {
    return undefined;
  }
}

function publishResult(name: string, result: Result): void {
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(join(resultsFolder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  console.log(`\n${result.question}\n${result.machine}\n\n${markdownOf(result)}`);
}

function rowOf({ cpuMicrosPerBatch, min, max, ...line }: Case): Row {
  return {
    case: line.case,
    unit: line.unit,
    median: line.median,
    'min to max': `${min} to ${max}`,
    ratio: line.ratio,
    'CPU µs per batch': Object.entries(cpuMicrosPerBatch)
      .map(([process, micros]) => `${process} ${micros}`)
      .join(', '),
  };
}

/** Renders a table; numbers are right-aligned. */
function markdownTable(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const isNumeric = (column: string) => rows.every((row) => typeof row[column] !== 'string');
  return [
    `| ${columns.join(' | ')} |`,
    `|${columns.map((column) => (isNumeric(column) ? '---:' : '---')).join('|')}|`,
    ...rows.map((row) => `| ${columns.map((column) => (row[column] ?? '–').toLocaleString('en')).join(' | ')} |`),
  ].join('\n');
}
