// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { comparison, endedRun } from '../../../testing/runs/ended-run.ts';
import { problem, type Answers, type FakeRequest } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const before = {
  ...comparison.run,
  runId: 'run_before',
  campaignId: 'cmp_november',
  campaignName: 'Lapsed riders, November',
  audience: 25_000,
  through: 24_000,
  failed: 1_000,
};
const comparedTo = (changes: Partial<typeof before> = {}): Answers => ({
  'GET /v1/runs/:id/comparison': ({ query }: FakeRequest) =>
    query['with'] === 'run_before' ? { ...comparison, before: { ...before, ...changes } } : comparison,
});
const panel = () => screen.findByRole('region', { name: 'Compared with' });
const rowsOf = (region: HTMLElement) =>
  within(region)
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);

describe('a comparison of a report with a run of another campaign', () => {
  const listed = { ...endedRun, ...before, parentRunId: null };
  /** Answers with two pages of ended runs, or with the run that is searched by name. */
  const found = ({ query }: FakeRequest) =>
    query['q'] === 'november'
      ? { items: [listed], next: null }
      : { items: [{ ...endedRun, campaignName: `Page of ${query['cursor'] ?? 'the newest'}` }, ...own], next: 'older' };
  const own = [{ ...endedRun, runId: 'run_other', campaignName: 'Payday, October' }];

  test('lets the user choose the run by name from all ended runs, and stores it in the address', async () => {
    const { api, user, address } = await openConsole('/runs/run_ended/report', {
      answers: { ...comparedTo(), 'GET /v1/runs': found },
    });
    await user.click(within(await panel()).getByRole('button', { name: 'Other runs…' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Compare with a run of any campaign' }));
    await dialog.findByRole('button', { name: 'Payday, October' });
    // The run of the report is not listed.
    expect(dialog.queryByRole('button', { name: /^Page of/ })).toBeNull();
    await user.click(dialog.getByRole('button', { name: 'Older' }));
    await waitFor(() => expect(api.requestsTo('GET /v1/runs').at(-1)?.query).toMatchObject({ cursor: 'older' }));
    await user.type(dialog.getByRole('searchbox', { name: 'Name of the campaign' }), 'november');
    await user.click(await dialog.findByRole('button', { name: 'Lapsed riders, November' }));
    await waitFor(() => expect(address()).toBe('/runs/run_ended/report?with=run_before'));
    const request = api.requestsTo('GET /v1/runs').at(-1);
    expect(request?.query).toEqual({ ended: 'true', limit: '20', q: 'november' });
    const region = await panel();
    await within(region).findByText('The other run belongs to “Lapsed riders, November”.');
    expect(rowsOf(region)).toContain('Audience30,00025,000+ 20.0 %');
    expect(within(region).getByRole('option', { name: /^Lapsed riders, November, run of/ })).toBeDefined();
  });

  test('shows differences if both chains are the same', async () => {
    await openConsole('/runs/run_ended/report?with=run_before', { answers: comparedTo() });
    const region = await panel();
    await within(region).findByText(/^The other run belongs to/);
    expect(rowsOf(region)[1]).toBe('Through the chain97.3 %96.0 %+ 1.3 pt, better');
    expect(region.textContent).not.toContain('Its chain differs');
  });

  test('shows a note if the chains differ', async () => {
    await openConsole('/runs/run_ended/report?with=run_before', { answers: comparedTo({ chain: ['award-points'] }) });
    const region = await panel();
    expect((await within(region).findByText(/Its chain differs/)).textContent).toBe(
      'Its chain differs: Give points, not Give a reward, then Send a message. Only the audiences are comparable; ' +
        'outcomes and durations are not.',
    );
    expect(rowsOf(region).slice(0, 2)).toEqual(['Audience30,00025,000+ 20.0 %', 'Through the chain97.3 %96.0 %–']);
  });

  test('shows why it was refused, and allows another choice', async () => {
    const refused = problem(422, 'invalid-request', 'run_before has not ended');
    await openConsole('/runs/run_ended/report?with=run_before', {
      answers: { 'GET /v1/runs/:id/comparison': () => refused.clone() },
    });
    const region = await panel();
    expect(await within(region).findByText('The other run could not be read')).toBeDefined();
    expect(within(region).getByRole('button', { name: 'Other runs…' })).toBeDefined();
  });
});

test('the comparison panel leads to runs of other campaigns if the campaign has run once', async () => {
  await openConsole('/runs/run_ended/report');
  const region = await panel();
  expect(await within(region).findByText(/^This is the first ended run of its campaign/)).toBeDefined();
  expect(within(region).getByRole('button', { name: 'Other runs…' })).toBeDefined();
});
