import type { RunReport } from '#client/types.gen.ts';
import { outcomeOrder } from '../../parts/outcomes/outcomes.ts';

/** A line for each step over all countries, and one for each country: what the table of the report shows. */
export function reportCsv({ steps, countries, runId }: Pick<RunReport, 'steps' | 'countries' | 'runId'>): string {
  const head = ['run', 'step', 'action', 'country', 'audience', ...outcomeOrder];
  const lines = steps.flatMap((all) => [
    { country: '', line: all },
    ...countries.flatMap(({ country, steps: own }) =>
      own.filter(({ step }) => step === all.step).map((line) => ({ country, line })),
    ),
  ]);
  const rows = lines.map(({ country, line }) => {
    const { step, action, audience } = line;
    return [runId, step, action, country, audience, ...outcomeOrder.map((outcome) => line[outcome])];
  });
  return [head, ...rows].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/** A cell that a spreadsheet would take for a formula begins with a quote (CSV injection). */
function cellOf(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function saveAs(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
