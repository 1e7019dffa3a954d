import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';

/** One line of a benchmark's answer: figures over its rounds. */
export interface Case {
  case: string;
  unit: string;
  median: number;
  min: number;
  max: number;
  /** Median of the round-by-round ratios to the baseline, where there is one. */
  ratio: number | null;
  /** CPU microseconds per batch, by process, median over the rounds. */
  cpuMicrosPerBatch: Record<string, number>;
}

/** A line of a table: what is in each column, by the column's name. Every line of a table has the same columns. */
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

/** The smallest value that at least `share` of the values do not exceed; `share` from above 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1];
  if (value === undefined) throw new Error('no values to take a percentile of');
  return value;
}

/**
 * Median of the ratios of what was measured in the same round, so that a machine that changes its speed between rounds
 * does not show.
 */
export function ratioByRound(values: readonly number[], baseline: readonly number[]): number {
  return median(values.map((value, round) => value / (baseline[round] ?? Number.NaN)));
}

/** Rounds of one case as a line. `baseline` has the rate of the same round of the case to compare with. */
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

/** Three significant digits below 100, whole numbers above. */
export function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** What a question was answered with, as it lies in `benchmarks/results/<name>.json`. */
export interface Result {
  question: string;
  machine: string;
  /** ISO 8601. */
  at: string;
  /** What was measured: the short id, with a + behind it where the tree had changes. */
  commit?: string | undefined;
  /** What measures it again. */
  command?: string | undefined;
  cases?: readonly Case[] | undefined;
  tables?: readonly Table[] | undefined;
}

export const resultsFolder = join(import.meta.dirname, 'results');

/** Prints the cases as a Markdown table and writes them to `benchmarks/results/<name>.json`. */
export function publish(name: string, question: string, cases: readonly Case[]): void {
  publishResult(name, { question, ...here(), cases });
}

/** Prints the tables as Markdown and writes them to `benchmarks/results/<name>.json`. */
export function publishTables(name: string, question: string, tables: readonly Table[]): void {
  publishResult(name, { question, ...here(), tables });
}

export function describeMachine(): string {
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB`;
  return `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${memory}, ${platform()} ${release()} ${arch()}, Node ${process.version}`;
}

/** The tables alone, in Markdown. */
export function markdownOf({ cases = [], tables = [] }: Pick<Result, 'cases' | 'tables'>): string {
  const parts = tables.map(({ title, rows }) => `**${title}**\n\n${markdownTable(rows)}`);
  if (cases.length > 0) parts.unshift(markdownTable(cases.map(rowOf)));
  return parts.join('\n\n');
}

function here(): Pick<Result, 'machine' | 'at' | 'commit' | 'command'> {
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  return { machine: describeMachine(), at: new Date().toISOString(), commit: measuredCommit(), command };
}

/** Not known outside of a checkout. */
function measuredCommit(): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: resultsFolder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    // What was measured before has written its result.
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

/** Numbers stand to the right. */
function markdownTable(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const isNumeric = (column: string) => rows.every((row) => typeof row[column] !== 'string');
  return [
    `| ${columns.join(' | ')} |`,
    `|${columns.map((column) => (isNumeric(column) ? '---:' : '---')).join('|')}|`,
    ...rows.map((row) => `| ${columns.map((column) => (row[column] ?? '–').toLocaleString('en')).join(' | ')} |`),
  ].join('\n');
}
