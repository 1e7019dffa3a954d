// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { openConsole } from '../../../testing/open-console.tsx';
import { progress } from '../../../testing/runs/live-run.ts';

describe('a run in many countries', () => {
  const [, country] = progress.countries;
  if (!country) throw new Error('the run has two countries');
  const ofMany = (name: string, pending: number) => ({
    ...country,
    country: name,
    steps: country.steps.map((line) => ({ ...line, pending })),
  });
  const codes = ['SG', 'ID', 'TH', 'PH', 'MY', 'KR', 'JP', 'TW'];
  const countries = [...codes.map((name) => ofMany(name, 0)), ofMany('VN', 40), ofMany('MM', 70), ofMany('AE', 5)];
  const waitOf = (name: string) => ({
    step: 1,
    action: 'award-reward',
    country: name,
    by: 'step',
    cause: '503',
    since: progress.asOf,
    batches: 3,
    held: false,
    nextTryAt: null,
    blockedBy: null,
    timeoutMs: null,
    nextStep: '',
  });

  async function openMany(waits: object[]) {
    const audience = { ...progress.audience, complete: true };
    const many = { ...progress, countries, audience, waits, stalled: '503' };
    await openConsole('/runs/run_live', { answers: { 'GET /v1/runs/:id/progress': many } });
    return screen.findByRole('table', { name: /^Countries, those with problems first/ });
  }

  const rowsOf = (table: HTMLElement) =>
    within(table)
      .getAllByRole('rowheader')
      .map((each) => each.textContent)
      .filter((text) => !/^\d\u2002/.test(text));

  test('shows countries in trouble first, unfolded, and folds those under way and done', async () => {
    const table = await openMany([waitOf('VN'), waitOf('MM')]);
    expect(rowsOf(table)).toEqual([
      'All 11 countries2 steps each',
      'Trouble 2 countries, most users waiting first',
      'MM Myanmar (Burma)70 wait',
      'VN Vietnam40 wait',
      'The others 9 countries, folded',
      '1 under wayAE',
      '8 doneID JP KR MY PH, 3 more',
    ]);
    const heads = within(table)
      .getAllByRole('columnheader')
      .map(({ textContent }) => textContent);
    expect(heads).toEqual(expect.arrayContaining(['1\u2002Give a reward', '2\u2002Send a message']));
    expect(within(table).getByRole('button', { name: 'MM Myanmar (Burma)' }).getAttribute('aria-expanded')).toBe(
      'true',
    );
  });

  test('unfolds groups, folds rows, and switches to steps', async () => {
    const table = await openMany([waitOf('VN')]);
    const user = userEvent.setup();
    await user.click(within(table).getByRole('button', { name: '8 done' }));
    expect(rowsOf(table)).toContain('SG Singapore');
    await user.click(within(table).getByRole('button', { name: 'VN Vietnam' }));
    expect(within(table).queryAllByRole('region')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Steps' }));
    expect(screen.queryByRole('table', { name: /^Countries/ })).toBeNull();
    const steps = screen.getByRole('region', { name: 'Table of users by step and country' });
    // The step in which VN waits is open, the other one folded.
    expect(within(steps).getAllByRole('rowheader')).toHaveLength(2 + countries.length);
    await user.click(within(steps).getByRole('button', { name: '2\u2002Send a message' }));
    expect(within(steps).getAllByRole('rowheader')).toHaveLength(2 + 2 * countries.length);
  });

  test('shows the number of countries in trouble beside its state', async () => {
    await openMany([waitOf('VN'), waitOf('MM')]);
    expect(screen.getByText('2 of 11 in trouble')).toBeDefined();
    expect(screen.getByText('1 under way · 2 in trouble')).toBeDefined();
  });

  test('has one banner with up to three causes', async () => {
    const causes = ['SG', 'ID', 'TH', 'VN'].map((name) => ({ ...waitOf(name), cause: `${name} says 503` }));
    await openMany([...causes, { ...waitOf('MM'), cause: 'TH says 503' }]);
    const lines = screen.getAllByRole('alert').map(({ parentElement }) => parentElement?.parentElement?.textContent);
    expect(lines).toEqual([
      expect.stringMatching(/^MM, THwait for “Give a reward”: TH says 503\. Since .+70 users$/),
      expect.stringMatching(/^VNwaits for “Give a reward”: VN says 503\. Since .+40 users$/),
      expect.stringMatching(/^SGwaits for “Give a reward”/),
    ]);
    expect(screen.getByText('And 1 more. All other countries continue.')).toBeDefined();
  });

  test('marks a waiting step with a shape and a word', async () => {
    const table = await openMany([waitOf('VN'), { ...waitOf('MM'), held: true }]);
    const cellsOf = (name: RegExp) =>
      within(within(table).getByRole('row', { name }))
        .getAllByRole('cell')
        .map(({ textContent }) => textContent);
    expect(cellsOf(/^MM/)).toContainEqual(expect.stringMatching(/\dheld$/));
    expect(cellsOf(/^VN/)).toContainEqual(expect.stringMatching(/\dwaits$/));
  });

  test('distinguishes an open breaker from a missing worker, in the cell and in the banner', async () => {
    const noWorker = { blockedBy: 'no-worker', cause: 'no worker serves it' };
    const nextTryAt = new Date(Date.now() + 90_000).toISOString();
    const table = await openMany([
      { ...waitOf('VN'), blockedBy: 'breaker', nextTryAt },
      { ...waitOf('MM'), ...noWorker },
    ]);
    const cellsOf = (name: RegExp) =>
      within(within(table).getByRole('row', { name }))
        .getAllByRole('cell')
        .map(({ textContent }) => textContent);
    expect(cellsOf(/^MM/)).toContainEqual(expect.stringMatching(/\dno worker$/));
    expect(cellsOf(/^VN/)).toContainEqual(expect.stringMatching(/\dbreaker open$/));
    const lines = screen.getAllByRole('alert').map(({ parentElement }) => parentElement?.parentElement?.textContent);
    expect(lines).toEqual([
      expect.stringMatching(/^MMwaits for “Give a reward”: no worker serves it\. Since [^B]+ 70 users$/),
      expect.stringMatching(
        /^VNwaits for “Give a reward”: 503\. Since .+Breaker open, next try in 1 min \d+ s\. 40 users$/,
      ),
    ]);
    await userEvent.setup().click(screen.getByRole('button', { name: 'Steps' }));
    const steps = screen.getByRole('region', { name: 'Table of users by step and country' });
    expect(within(steps).getByRole('rowheader', { name: 'VN breaker open' })).toBeDefined();
    expect(within(steps).getByRole('rowheader', { name: 'MM no worker' })).toBeDefined();
  });

  test('finds a country by its name, unfolds its row, and focuses it', async () => {
    const table = await openMany([waitOf('VN')]);
    const user = userEvent.setup();
    const find = async (text: string) => {
      await user.click(screen.getByRole('button', { name: 'Country' }));
      await user.type(await screen.findByRole('combobox', { name: 'Country' }), text);
    };
    await find('singa{Enter}');
    expect(rowsOf(table)).toContain('Found 1 countryFold again');
    const found = within(table).getByRole('button', { name: 'SG Singapore' });
    expect(found.getAttribute('aria-expanded')).toBe('true');
    expect(document.activeElement).toBe(found);
    // A country that is listed already is unfolded in its place.
    await user.click(within(table).getByRole('button', { name: 'VN Vietnam' }));
    await find('kr{Enter}');
    expect(rowsOf(table).filter((text) => /^(KR|SG|VN) /.test(text))).toEqual([
      ...['VN Vietnam40 wait', 'KR South Korea', 'SG Singapore'],
    ]);
    await user.click(within(table).getByRole('button', { name: 'Fold again' }));
    expect(rowsOf(table)).not.toContain('SG Singapore');
  });
});
