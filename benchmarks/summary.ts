import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { describeMachine, markdownOf, resultsFolder, type Result } from './results.ts';

/** Results of all benchmarks, in order. */
export interface Answers {
  startedAt: Date;
  /** Benchmarks that failed, with the cause. */
  failures: readonly { question: string; cause: string }[];
  /** Share of all cores that other programs used meanwhile, 0 to 1. */
  foreignLoad: number;
}

const cell = z.union([z.string(), z.number(), z.null()]);
const resultShape = z.object({
  question: z.string(),
  machine: z.string(),
  at: z.iso.datetime(),
  commit: z.string().optional(),
  command: z.string().optional(),
  cases: z
    .array(
      z.object({
        case: z.string(),
        unit: z.string(),
        median: z.number(),
        min: z.number(),
        max: z.number(),
        ratio: z.number().nullable(),
        cpuMicrosPerBatch: z.record(z.string(), z.number()),
      }),
    )
    .optional(),
  tables: z.array(z.object({ title: z.string(), rows: z.array(z.record(z.string(), cell)) })).optional(),
});

/** Writes `benchmarks/results/summary.md` from what this run has published. */
export function writeSummary(answers: Answers): string {
  const results = readdirSync(resultsFolder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const result = resultShape.parse(JSON.parse(readFileSync(join(resultsFolder, file), 'utf8')));
      return { name: file.replace(/\.json$/, ''), result };
    })
    .filter(({ result }) => new Date(result.at) >= answers.startedAt)
    .toSorted((a, b) => a.result.at.localeCompare(b.result.at));
  const path = join(resultsFolder, 'summary.md');
  writeFileSync(path, summaryOf(answers, results));
  return path;
}

export function summaryOf(
  { startedAt, failures, foreignLoad }: Answers,
  results: readonly { name: string; result: Result }[],
): string {
  const head = [
    '# Benchmarks',
    `${describeMachine()}. Begun ${startedAt.toISOString()}; others on this machine took ${Math.round(foreignLoad * 100)} % of its cores meanwhile. Again: \`npm run bench\`.`,
  ];
  const answered = results.map(({ name, result }) => `## ${name}\n\n${result.question}\n\n${markdownOf(result)}`);
  const missing = failures.map(({ question, cause }) => `## ${question}\n\nNo answer: ${cause}`);
  return `${[...head, ...answered, ...missing].join('\n\n')}\n`;
}
