import type { RetryAnswer } from '../../shared/contracts/runs/retries.ts';
import { count } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';

const left = (title: string): Column => ({ title, align: 'left' });

/** Whose failures are tried again. */
export function renderRetryGroups(groups: RetryAnswer['groups'], paint: Paint, width = Infinity): string {
  if (groups.length === 0) return 'nobody is left to try again\n';
  const columns: Column[] = [
    left('step'),
    left('country'),
    { ...left('reason'), cut: true },
    { title: 'users', align: 'right' },
  ];
  const rows = groups.map(({ step, action, country, reason, users }) => [
    `${step} ${action}`,
    country,
    oneLine(reason),
    count(users),
  ]);
  const all = groups.reduce((sum, { users }) => sum + users, 0);
  return renderTable(columns, [...rows, ['', '', 'all', count(all)]], paint, width);
}
