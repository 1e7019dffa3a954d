import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
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

/** Median of the ratios of what was measured in the same round, so that a machine that changes its speed between rounds does not show. */
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

/** Prints the cases as a Markdown table and writes them to `benchmarks/results/<name>.json`. */
export function publish(name: string, question: string, cases: readonly Case[]): void {
  write(name, question, { cases });
  printTable(
    cases.map(({ cpuMicrosPerBatch, min, max, ...line }) => ({
      case: line.case,
      unit: line.unit,
      median: line.median,
      'min to max': `${min} to ${max}`,
      ratio: line.ratio,
      'CPU µs per batch': Object.entries(cpuMicrosPerBatch)
        .map(([process, micros]) => `${process} ${micros}`)
        .join(', '),
    })),
  );
}

/** Prints the tables as Markdown and writes them to `benchmarks/results/<name>.json`. */
export function publishTables(name: string, question: string, tables: readonly Table[]): void {
  write(name, question, { tables });
  for (const { title, rows } of tables) {
    console.log(`\n**${title}**\n`);
    printTable(rows);
  }
}

function write(name: string, question: string, answer: object): void {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${platform()} ${arch()}, Node ${process.version}`;
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const result = { question, machine, at: new Date().toISOString(), ...answer };
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  console.log(`\n${question}\n${machine}\n`);
}

/** Numbers stand to the right. */
function printTable(rows: readonly Row[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const isNumeric = (column: string) => rows.every((row) => typeof row[column] !== 'string');
  console.log(`| ${columns.join(' | ')} |`);
  console.log(`|${columns.map((column) => (isNumeric(column) ? '---:' : '---')).join('|')}|`);
  for (const row of rows) {
    console.log(`| ${columns.map((column) => (row[column] ?? '–').toLocaleString('en')).join(' | ')} |`);
  }
}
