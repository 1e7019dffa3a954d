// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { comparison, endedRun } from '../../testing/ended-run.ts';
import { problem, type Answers, type Asked } from '../../testing/fake-api.ts';
import { openConsole } from '../../testing/open-console.tsx';

const before = {
  ...comparison.run,
  ...{ runId: 'run_before', campaignId: 'cmp_november', campaignName: 'Lapsed riders, November' },
  ...{ audience: 25_000, through: 24_000, failed: 1_000 },
};
const comparedTo = (changes: Partial<typeof before> = {}): Answers => ({
  'GET /v1/runs/:id/comparison': ({ query }: Asked) =>
    query['with'] === 'run_before' ? { ...comparison, before: { ...before, ...changes } } : comparison,
});
const panel = () => screen.findByRole('region', { name: 'Compared with' });
const rowsOf = (region: HTMLElement) =>
  within(region)
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);

describe('a report beside a run of another campaign', () => {
  const listed = { ...endedRun, ...before, parentRunId: null };
  /** Two pages of those that have ended, and one that is found by its name. */
  const found = ({ query }: Asked) =>
    query['q'] === 'november'
      ? { items: [listed], next: null }
      : { items: [{ ...endedRun, campaignName: `Page of ${query['cursor'] ?? 'the newest'}` }, ...own], next: 'older' };
  const own = [{ ...endedRun, runId: 'run_other', campaignName: 'Payday, October' }];

  test('is chosen among all that have ended, by name, and stands in the address', async () => {
    const { api, user, address } = await openConsole('/runs/run_ended/report', {
      answers: { ...comparedTo(), 'GET /v1/runs': found },
    });
    await user.click(within(await panel()).getByRole('button', { name: 'Other runs…' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Compare with a run of any campaign' }));
    await dialog.findByRole('button', { name: 'Payday, October' });
    // The run of the report is none of them.
    expect(dialog.queryByRole('button', { name: /^Page of/ })).toBeNull();
    await user.click(dialog.getByRole('button', { name: 'Older' }));
    await waitFor(() => expect(api.askedFor('GET /v1/runs').at(-1)?.query).toMatchObject({ cursor: 'older' }));
    await user.type(dialog.getByRole('searchbox', { name: 'Name of the campaign' }), 'november');
    await user.click(await dialog.findByRole('button', { name: 'Lapsed riders, November' }));
    await waitFor(() => expect(address()).toBe('/runs/run_ended/report?with=run_before'));
    const asked = api.askedFor('GET /v1/runs').at(-1);
    expect(asked?.query).toEqual({ ended: 'true', limit: '20', q: 'november' });
    const region = await panel();
    await within(region).findByText('The other run is of “Lapsed riders, November”.');
    expect(rowsOf(region)).toContain('Audience30,00025,000+ 20.0 %');
    expect(within(region).getByRole('option', { name: /^Lapsed riders, November, run of/ })).toBeDefined();
  });

  test('is measured where both did the same', async () => {
    await openConsole('/runs/run_ended/report?with=run_before', { answers: comparedTo() });
    const region = await panel();
    await within(region).findByText(/^The other run is of/);
    expect(rowsOf(region)[1]).toBe('Through the chain97.3 %96.0 %+ 1.3 pt, better');
    expect(region.textContent).not.toContain('Its chain is another one');
  });

  test('says plainly what cannot be compared where its chain is another one', async () => {
    await openConsole('/runs/run_ended/report?with=run_before', { answers: comparedTo({ chain: ['award-points'] }) });
    const region = await panel();
    expect((await within(region).findByText(/Its chain is another one/)).textContent).toBe(
      'Its chain is another one: Give points, not Give a reward, then Send a message. Who got through and who failed ' +
        'means two things, and how long it took; only the audiences are compared.',
    );
    expect(rowsOf(region).slice(0, 2)).toEqual(['Audience30,00025,000+ 20.0 %', 'Through the chain97.3 %96.0 %–']);
  });

  test('that cannot be compared is told, and another one can be chosen', async () => {
    const refused = problem(422, 'invalid-request', 'run_before has not ended');
    await openConsole('/runs/run_ended/report?with=run_before', {
      answers: { 'GET /v1/runs/:id/comparison': () => refused.clone() },
    });
    const region = await panel();
    expect(await within(region).findByText('The other run could not be read')).toBeDefined();
    expect(within(region).getByRole('button', { name: 'Other runs…' })).toBeDefined();
  });
});

test('of a campaign that has run once, the panel leads to the runs of others', async () => {
  await openConsole('/runs/run_ended/report');
  const region = await panel();
  expect(await within(region).findByText(/^This is the first run of its campaign that has ended/)).toBeDefined();
  expect(within(region).getByRole('button', { name: 'Other runs…' })).toBeDefined();
});
