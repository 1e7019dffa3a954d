import { type RunFigures } from '../../../shared/contracts/runs/runs.ts';
import { stepLineShape } from '../../../shared/contracts/runs/step-lines.ts';
import { outcomes } from '../../../shared/domain/step/outcomes.ts';
import { z } from 'zod';

export const reportLine = stepLineShape
  .omit({ receipts: true, mode: true })
  .extend({
    runId: z.string(),
    country: z.string().nullable().describe('null: sum of all countries'),
  })
  .meta({ id: 'ReportLine', description: 'Users of a step by outcome, in a country or in all countries' });

export type ReportLine = z.infer<typeof reportLine>;

/** Columns that count users: the audience, each outcome, and pending. */
export const counts = ['audience', ...outcomes, 'pending'] as const;

export const reportColumns = ['runId', 'step', 'action', 'country', ...counts];

/** Returns each step over all countries, followed by its rows per country. */
export function reportTable({ runId, steps, countries }: Pick<RunFigures, 'runId' | 'steps' | 'countries'>) {
  return steps.flatMap((all): ReportLine[] => [
    lineOf(all, { runId, country: null }),
    ...countries.flatMap(({ country, steps: own }) =>
      own.filter(({ step }) => step === all.step).map((line) => lineOf(line, { runId, country })),
    ),
  ]);
}

function lineOf(
  { receipts: _receipts, mode: _mode, ...line }: RunFigures['steps'][number],
  of: Pick<ReportLine, 'runId' | 'country'>,
): ReportLine {
  return { ...line, ...of };
}
