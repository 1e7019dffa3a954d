import { type RunFigures } from '../../../shared/contracts/runs/runs.ts';
import { stepLineShape } from '../../../shared/contracts/runs/step-lines.ts';
import { outcomes } from '../../../shared/domain/step/outcomes.ts';
import { z } from 'zod';

export const reportLine = stepLineShape
  .omit({ receipts: true, mode: true })
  .extend({
    runId: z.string(),
    country: z.string().nullable().describe('null: sum of all countries'),
    variant: z
      .string()
      .nullable()
      .default(null)
      .describe('Rows of a variant are sums of all countries; null: sum of all variants'),
  })
  .meta({ id: 'ReportLine', description: 'Users of a step by outcome, in a country or in all countries' });

export type ReportLine = z.infer<typeof reportLine>;

/** Columns that count users: the audience, each outcome, and pending. */
export const counts = ['audience', ...outcomes, 'pending'] as const;

export const reportColumns = ['runId', 'step', 'action', 'country', 'variant', ...counts];

/** Returns each step over all countries, followed by its rows per country and per variant. */
export function reportTable({
  runId,
  steps,
  countries,
  variants,
}: Pick<RunFigures, 'runId' | 'steps' | 'countries' | 'variants'>) {
  return steps.flatMap((all): ReportLine[] => [
    lineOf(all, { runId, country: null, variant: null }),
    ...countries.flatMap(({ country, steps: own }) =>
      own.filter(({ step }) => step === all.step).map((line) => lineOf(line, { runId, country, variant: null })),
    ),
    ...variants.flatMap(({ name, steps: own }) =>
      own.filter(({ step }) => step === all.step).map((line) => lineOf(line, { runId, country: null, variant: name })),
    ),
  ]);
}

function lineOf(
  { receipts: _receipts, mode: _mode, ...line }: RunFigures['steps'][number],
  of: Pick<ReportLine, 'runId' | 'country' | 'variant'>,
): ReportLine {
  return { ...line, ...of };
}
