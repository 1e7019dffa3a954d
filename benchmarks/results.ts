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

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('no values to take a median of');
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Rounds of one case as a line. `baseline` has the rate of the same round of the case to compare with. */
export function summarize(
  name: string,
  unit: string,
  rounds: readonly { rate: number; cpu: Record<string, number> }[],
  baseline?: readonly { rate: number }[],
): Case {
  const rates = rounds.map((round) => round.rate);
  const ratios = baseline?.map((other, i) => (rates[i] ?? Number.NaN) / other.rate);
  const names = Object.keys(rounds[0]?.cpu ?? {});
  return {
    case: name,
    unit,
    median: rounded(median(rates)),
    min: rounded(Math.min(...rates)),
    max: rounded(Math.max(...rates)),
    ratio: ratios ? rounded(median(ratios)) : null,
    cpuMicrosPerBatch: Object.fromEntries(
      names.map((process) => [process, Math.round(median(rounds.map((round) => round.cpu[process] ?? 0)))]),
    ),
  };
}

/** Three significant digits below 100, whole numbers above. */
function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** Prints the cases as a Markdown table and writes them to `benchmarks/results/<name>.json`. */
export function publish(name: string, question: string, cases: readonly Case[]): void {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${platform()} ${arch()}, Node ${process.version}`;
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const result = { question, machine, at: new Date().toISOString(), cases };
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  console.log(`\n${question}\n${machine}\n`);
  console.log('| case | unit | median | min to max | ratio | CPU µs per batch |');
  console.log('|---|---|---:|---:|---:|---|');
  for (const line of cases) {
    const cpu = Object.entries(line.cpuMicrosPerBatch).map(([process, micros]) => `${process} ${micros}`);
    console.log(
      `| ${line.case} | ${line.unit} | ${line.median} | ${line.min} to ${line.max} | ${line.ratio ?? '–'} | ${cpu.join(', ')} |`,
    );
  }
}
