import { escapeHtml } from '../../../../shared/domain/escape-html.ts';
import type { SharedReport } from '../../../../shared/contracts/runs/shared-reports.ts';
import { isTerminal } from '../../../../shared/domain/run/run-states.ts';
import { countOf, countText } from './page/figures.ts';
import { equation, outcomesTable } from './page/outcome-parts.ts';
import { pageStyle } from './page/page-style.ts';
import { spanText, timeText, zoneText } from './page/page-times.ts';
import { reasonsTable } from './page/reasons-table.ts';

export const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

export interface PageContext {
  /** Name of the installation; null if it has none. */
  installationName: string | null;
  /** IANA name of the time zone of all times on the page. */
  zone: string;
  titleOf: (action: string) => string;
}

/**
 * Renders the report of the console for people who only have the link: the same parts and numbers, suitable for
 * printing.
 */
export function sharedReportPage(report: SharedReport, context: PageContext): string {
  const { campaignName, kind, linkExpiresAt, asOf, steps } = report;
  const { installationName, zone, titleOf } = context;
  const last = steps.at(-1);
  const name = installationName === null ? 'Muster' : `Muster · ${escapeHtml(installationName)}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${escapeHtml(campaignName)}</title><style>${pageStyle}</style></head><body>
<header class="brand"><span>${name}</span><span>Times in ${escapeHtml(zoneText(zone, asOf))}</span></header>
<main><header><div class="title"><h1>${escapeHtml(campaignName)}</h1><span class="state">${stateWord(report)}</span></div>
<p>${factsOf(report, zone)}</p></header>
${kinds[kind]}${isTerminal(report.state) ? '' : stillGoing(timeText(asOf, zone))}
${last ? equation(last, `Users at the last step, “${escapeHtml(titleOf(last.action))}”.${skippedNote(steps.length)}`) : ''}
<section aria-label="Users by step and country"><h2>Users by step and country</h2>
${outcomesTable(report, titleOf)}
<footer>${excludedNote(report)}Shares and bars are of the audience.</footer></section>
<section aria-label="Failures by reason"><h2>Failures by reason</h2>
${reasonsTable(report, titleOf)}</section></main>
<footer class="small" style="margin-top:14px">As of ${escapeHtml(timeText(asOf, zone))}. This link shows the report until ${escapeHtml(timeText(linkExpiresAt, zone))}.</footer>
</body></html>
`;
}

const kinds = {
  live: '',
  test: '<p class="banner"><b>A test with a few named users.</b></p>\n',
  'dry-run': '<p class="banner"><b>A dry run: no user was called.</b></p>\n',
} as const;

function stillGoing(asOf: string): string {
  return `<p class="banner"><b>This run is in progress.</b> These are its figures so far, as of ${escapeHtml(asOf)}; pending users are in the sum.</p>`;
}

/** Returns `Completed` also for a run that was cancelled after the last user had ended, like the console. */
function stateWord({ state, audience, steps }: SharedReport): string {
  const hasStopped = steps.some(({ cancelled, pending }) => cancelled > 0 || pending > 0);
  const isThrough = state === 'cancelled' && audience.complete && steps.length > 0 && !hasStopped;
  if (isThrough || state === 'completed_with_failures') return 'Completed';
  const word = state.replaceAll('_', ' ');
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function factsOf({ scheduledFor, startedAt, endedAt, audience }: SharedReport, zone: string): string {
  const from = startedAt === null ? `Scheduled for ${timeText(scheduledFor, zone)}` : timeText(startedAt, zone);
  const to = endedAt === null ? '' : ` to ${timeText(endedAt, zone)}`;
  const took =
    startedAt === null || endedAt === null ? '' : `, took ${spanText(Date.parse(endedAt) - Date.parse(startedAt))}`;
  const soFar = audience.complete ? '' : ' so far';
  return `${escapeHtml(from + to + took)} · ${countText(audience.counted)} users${soFar}`;
}

function skippedNote(steps: number): string {
  return steps > 1 ? ' Skipped: an earlier step did not succeed.' : '';
}

function excludedNote({ audience: { excluded } }: SharedReport): string {
  return excluded > 0 ? `${countOf(excluded, 'user')} were excluded and are not in the audience. ` : '';
}
