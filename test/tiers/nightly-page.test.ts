import { expect, it } from 'vitest';
import { parseNightlyPage, renderNightlyPage } from './nightly-page.ts';

const soak = {
  name: 'soak',
  lastRun: '2026-01-01 02:00 UTC, at 1234567, 31 min',
  passed: false,
  what: '30 minutes of soak, seed 17',
  view: '| row | lost |\n| --- | --- |\n| soak | 0 |',
};
const seeds = {
  ...soak,
  name: 'seeds',
  passed: true,
  what: 'random walks',
  view: 'unit  1.0 min\n\n3 passed, 0 failed',
};

it('the page of the nightly run can be parsed, so that a run of one part keeps the results of other parts', () => {
  const page = renderNightlyPage([seeds, { name: 'mutations', lastRun: null }, soak], 'two cores');
  expect(parseNightlyPage(page)).toEqual([seeds, soak]);
});

it('the page of the nightly run marks a part that was never run', () => {
  const page = renderNightlyPage([{ name: 'mutations', lastRun: null }], 'two cores');
  expect(page).toContain('## mutations\n\nNever run.');
});
