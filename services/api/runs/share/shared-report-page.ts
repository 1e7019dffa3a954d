import type { SharedReport } from '../../../../shared/contracts/runs/shared-reports.ts';
import { counts } from '../report-table.ts';

/** Nothing is fetched, and no script is carried out. */
export const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/** A report as a page for people who have nothing but the link. */
export function sharedReportPage(report: SharedReport): string {
  const { campaignName, kind, state, scheduledFor, asOf, audience, steps, countries, failures, linkExpiresAt } = report;
  const lines = [
    ...steps.map((line) => ({ country: 'all', ...line })),
    ...countries.flatMap(({ country, steps: own }) => own.map((line) => ({ country, ...line }))),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${safe(campaignName)}</title><style>${style}</style></head><body>
<h1>${safe(campaignName)}</h1>
${kinds[kind]}<p>${safe(state.replaceAll('_', ' '))}, planned for ${safe(scheduledFor)}; ${exact(audience.counted)} users. As of ${safe(asOf)}.</p>
${table(
  'Outcomes by step and country',
  ['Country', 'Step', 'Action', ...counts],
  lines.map((line) => [...[line.country, String(line.step), line.action], ...counts.map((name) => exact(line[name]))]),
)}
${table(
  'Failures by reason',
  ['Country', 'Step', 'Outcome', 'Reason', 'Users'],
  failures.map((each) => [...[each.country, String(each.step), each.outcome, each.reason, exact(each.users)]]),
)}
<p>This link shows the report until ${safe(linkExpiresAt)}.</p></body></html>
`;
}

const kinds = {
  live: '',
  test: '<p><strong>A test, to a few users who were named.</strong></p>\n',
  'dry-run': '<p><strong>A dry run: nobody was called.</strong></p>\n',
} as const;

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}
table{border-collapse:collapse;width:100%;margin:1rem 0}caption{text-align:left;font-weight:600}
th,td{padding:.25rem .5rem;border-bottom:1px solid #8884;text-align:right;font-variant-numeric:tabular-nums}
:is(th,td):nth-child(-n+3){text-align:left}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}}`;

function table(caption: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((each) => `<th scope="col">${safe(each)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${safe(cell)}</td>`).join('')}</tr>`).join('\n');
  return `<table><caption>${safe(caption)}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

function exact(value: number): string {
  return value.toLocaleString('en-US');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function safe(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => escapes[letter] ?? letter);
}
