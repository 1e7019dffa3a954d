import { describe, expect, it } from 'vitest';
import type { SharedReport } from '../../../../shared/contracts/runs/shared-reports.ts';
import { sharedReportPage } from './shared-report-page.ts';

const none = { skipped: 0, suppressed: 0, heldOut: 0, expired: 0, cancelled: 0, unknown: 0, pending: 0 };
const first = { step: 1, action: 'award-reward', audience: 125_000, ...none, succeeded: 122_538, failed: 2462 };
const second = { ...first, step: 2, action: 'send-message', succeeded: 121_313, failed: 1225, skipped: 2462 };

const report: SharedReport = {
  campaignName: 'Lapsed riders <December>',
  kind: 'live',
  state: 'completed_with_failures',
  scheduledFor: '2026-11-28T09:32:15.605Z',
  startedAt: '2026-11-28T09:32:15.605Z',
  endedAt: '2026-11-28T09:56:44.327Z',
  asOf: '2026-11-28T09:56:44.327Z',
  audience: { estimated: null, counted: 125_000, complete: true, excluded: 0 },
  steps: [first, second],
  countries: [{ country: 'SG', audience: 125_000, excluded: 0, steps: [first, second] }],
  balanced: true,
  failures: [
    { step: 1, country: 'ID', outcome: 'failed', reason: 'out-of-stock', users: 600 },
    { step: 1, country: 'SG', outcome: 'failed', reason: 'out-of-stock', users: 709 },
    { step: 2, country: 'SG', outcome: 'unknown', reason: 'no-answer', users: 12 },
  ],
  linkExpiresAt: '2026-12-05T09:56:36.482Z',
};

const titleOf = (action: string) => (action === 'award-reward' ? 'Give a reward' : 'Send a message');
const context = { installationName: 'staging', zone: 'Asia/Singapore', titleOf };

const pageOf = (changes: Partial<SharedReport> = {}) => sharedReportPage({ ...report, ...changes }, context);

/** Returns the text of a page, with blanks instead of its tags. */
const textOf = (page: string) =>
  page
    .slice(page.indexOf('<body>'))
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the page of a shared report', () => {
  it('shows installation, time zone, state and times like the console', () => {
    const text = textOf(pageOf());
    expect(text).toContain('Muster · staging Times in Asia/Singapore (UTC+8)');
    expect(text).toContain('Lapsed riders &lt;December&gt; Completed');
    expect(text).toContain('Sat 28 Nov 2026, 17:32 to Sat 28 Nov 2026, 17:56, took 24 min 29 s · 125,000 users');
    expect(text).toContain('This link shows the report until Sat 5 Dec 2026, 17:56.');
  });

  it('shows the outcomes of the last step as a sum, and whether the sum is correct', () => {
    expect(textOf(pageOf())).toContain(
      '125,000 audience = 121,313 succeeded + 1,225 failed + 2,462 skipped + 0 suppressed + 0 held out + 0 expired ' +
        '+ 0 cancelled + 0 unknown ✓ Adds up Users at the last step, “Send a message”. Skipped: an earlier step did not succeed.',
    );
    expect(textOf(pageOf({ steps: [first, { ...second, failed: 1224 }] }))).toContain('✗ Does not add up');
  });

  it('shows each step by its title with a bar, whose label contains all numbers', () => {
    const page = pageOf();
    expect(textOf(page)).toContain('1 Give a reward 125,000');
    expect(page).toContain('aria-label="122,538 succeeded, 2,462 failed, of 125,000 users"');
    expect(page).not.toContain('award-reward');
  });

  it('divides a bar in proportion to the outcomes, and shows a step without users as pending', () => {
    const empty = { ...second, audience: 0, succeeded: 0, failed: 0, skipped: 0 };
    const page = pageOf({ steps: [first, empty] });
    expect(page).toContain(
      'of 125,000 users"><i class="o-succeeded" style="flex-grow:122538"></i><i class="o-failed" style="flex-grow:2462"></i></div>',
    );
    expect(page).toContain('aria-label="of 0 users"><i class="o-pending" style="flex-grow:1"></i></div>');
  });

  it('sums the reasons over all countries, those with the most users first', () => {
    const text = textOf(pageOf());
    expect(text).toContain('out-of-stock 1 Give a reward 1,309 1.0 % SG 709, ID 600');
    expect(text).toContain('no-answer unknown 2 Send a message 12');
  });

  it('marks numbers as preliminary while the run is active, and includes pending users in the sum', () => {
    const running = { ...second, succeeded: 100_000, pending: 21_313 };
    const audience = { estimated: null, counted: 125_000, complete: false, excluded: 3 };
    const text = textOf(pageOf({ state: 'running', endedAt: null, audience, steps: [first, running] }));
    expect(text).toContain('This run is in progress. These are its figures so far, as of Sat 28 Nov 2026, 17:56');
    expect(text).toContain('125,000 users so far');
    expect(text).toContain('+ 21,313 pending ✓ Adds up');
    expect(text).toContain('3 users were excluded');
    expect(textOf(pageOf())).not.toContain('so far');
  });

  it('shows a run as completed if it was cancelled after its last user had ended', () => {
    expect(textOf(pageOf({ state: 'cancelled' }))).toContain('&lt;December&gt; Completed');
    const stopped = { ...second, cancelled: 1 };
    expect(textOf(pageOf({ state: 'cancelled', steps: [first, stopped] }))).toContain('&lt;December&gt; Cancelled');
  });

  it('marks tests and dry runs', () => {
    expect(textOf(pageOf({ kind: 'test' }))).toContain('A test with a few named users.');
    expect(textOf(pageOf({ kind: 'dry-run' }))).toContain('A dry run: no user was called.');
  });
});
