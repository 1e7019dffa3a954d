import { expect, it } from 'vitest';
import { report } from '../../testing/ended-report.ts';
import { reportCsv } from './report-csv.ts';

it('a report is a line for each step and for each country of it, and adds up', () => {
  const lines = reportCsv(report).trimEnd().split('\r\n');
  expect(lines[0]).toBe(
    'run,step,action,country,audience,succeeded,failed,skipped,suppressed,heldOut,expired,cancelled,unknown,pending',
  );
  expect(lines).toHaveLength(1 + report.steps.length * (1 + report.countries.length));
  for (const line of lines.slice(1)) {
    const [audience = 0, ...outcomes] = line.split(',').slice(4).map(Number);
    expect(outcomes.reduce((sum, users) => sum + users, 0)).toBe(audience);
  }
});

it('a name is no formula, and a comma in it no cell', () => {
  const [step] = report.steps;
  if (!step) throw new Error('the report has a step');
  const csv = reportCsv({ runId: 'run_1', countries: [], steps: [{ ...step, action: '=HYPERLINK("x","y")' }] });
  expect(csv.split('\r\n')[1]).toMatch(/^run_1,1,"'=HYPERLINK\(""x"",""y""\)",,/);
});
