import { stepLineShape, type RunFigures } from '../../../shared/contracts/runs/runs.ts';
import { outcomes } from '../../../shared/domain/step/outcomes.ts';
import { z } from 'zod';

/** A line of a report as a table: a step in a country, or over all of them. */
export const reportLine = stepLineShape
  .omit({ receipts: true, mode: true })
  .extend({
    runId: z.string(),
    country: z.string().nullable().describe('null: over all countries'),
  })
  .meta({ id: 'ReportLine', description: 'A step in a country, or over all of them, and who ended how, in users' });

export type ReportLine = z.infer<typeof reportLine>;

/** All that a line counts in users: its audience, how each of them ended, and who did not. */
export const counts = ['audience', ...outcomes, 'pending'] as const;

/** The columns of the table in CSV. */
export const reportColumns = ['runId', 'step', 'action', 'country', ...counts];

/** Each step over all countries, and behind it each country's. */
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
