import { escapeHtml } from '../../../../../shared/domain/escape-html.ts';
import type { SharedReport } from '../../../../../shared/contracts/runs/shared-reports.ts';
import { countText, shareText } from './figures.ts';

type Failure = SharedReport['failures'][number];

/**
 * Renders the reasons for all countries together, in the order of the console's report: the reasons with the most users
 * first.
 */
export function reasonsTable({ failures, steps }: SharedReport, titleOf: (action: string) => string): string {
  if (failures.length === 0) return '<p class="small" style="padding:10px 16px">No users have failed.</p>';
  const groups = Map.groupBy(failures, ({ step, outcome, reason }) => JSON.stringify([step, outcome, reason]));
  const rows = [...groups.values()]
    .flatMap((of) => (of[0] ? [{ ...of[0], users: usersOf(of), of }] : []))
    .sort((a, b) => b.users - a.users || a.step - b.step || a.reason.localeCompare(b.reason));
  const heads = ['Reason', 'Step', 'Users', 'Of the audience', 'Countries'];
  const head = heads
    .map((name, index) => `<th scope="col"${isText(index) ? ' class="text"' : ''}>${name}</th>`)
    .join('');
  const body = rows.map(({ step, outcome, reason, users, of }) => {
    const line = steps.find((each) => each.step === step);
    const name =
      outcome === 'failed'
        ? escapeHtml(reason)
        : `${escapeHtml(reason)} <span class="small">${escapeHtml(outcome)}</span>`;
    return `<tr><th scope="row" class="mono">${name}</th><td class="text">${step} ${escapeHtml(titleOf(line?.action ?? ''))}</td>
<td data-name="users">${countText(users)}</td><td>${shareText(users, line?.audience ?? 0)}</td>
<td class="text">${escapeHtml(countriesText(of))}</td></tr>`;
  });
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
}

function isText(column: number): boolean {
  return column < 2 || column === 4;
}

function usersOf(failures: readonly Failure[]): number {
  return failures.reduce((sum, { users }) => sum + users, 0);
}

/** Formats countries as `SG 709, ID 600`, those with the most users first. */
function countriesText(failures: readonly Failure[]): string {
  const sorted = failures.toSorted((a, b) => b.users - a.users);
  return sorted.map(({ country, users }) => `${country} ${countText(users)}`).join(', ');
}
