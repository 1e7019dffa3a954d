// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { openConsole } from '../../testing/open-console.tsx';
import { progress } from '../../testing/live-run.ts';

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
    ...{ step: 1, action: 'award-reward', country: name, by: 'step', cause: '503', since: progress.asOf, batches: 3 },
    ...{ held: false, nextTryAt: null, timeoutMs: null, nextStep: '' },
  });

  async function openMany(waits: object[]) {
    const audience = { ...progress.audience, complete: true };
    const many = { ...progress, countries, audience, waits, stalled: '503' };
    await openConsole('/runs/run_live', { answers: { 'GET /v1/runs/:id/progress': many } });
    return screen.findByRole('table', { name: /^Countries, those in trouble first/ });
  }

  const rowsOf = (table: HTMLElement) =>
    within(table)
      .getAllByRole('rowheader')
      .map((each) => each.textContent)
      .filter((text) => !/^\d\u2002/.test(text));

  test('shows trouble first, open to its steps, and folds what goes on and what is done', async () => {
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
    expect(heads).toEqual(expect.arrayContaining(['1\u2002award-reward', '2\u2002send-message']));
    expect(within(table).getByRole('button', { name: 'MM Myanmar (Burma)' }).getAttribute('aria-expanded')).toBe(
      'true',
    );
  });

  test('opens what is folded, closes what is open, and is turned to steps', async () => {
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
    await user.click(within(steps).getByRole('button', { name: '2\u2002send-message' }));
    expect(within(steps).getAllByRole('rowheader')).toHaveLength(2 + 2 * countries.length);
  });

  test('has a line for each cause in one banner, three at most', async () => {
    await openMany(['SG', 'ID', 'TH', 'VN', 'MM'].map(waitOf));
    expect(screen.getByText('And 2 more wait. What does not wait goes on.')).toBeDefined();
    expect(screen.getAllByText(/^[A-Z]{2} waits for award-reward\.$/)).toHaveLength(3);
  });
});
