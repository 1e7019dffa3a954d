import { expect, test } from 'vitest';
import { findTargets } from './find-targets.ts';

const run = 'run_01jd9m2x4ve8sb7tq6yc3h5n0a';

const entries = [
  { to: '/jobs', label: 'Jobs', icon: 'jobs' },
  { to: '/shards', label: 'Shards', icon: 'shards' },
] as const;

const found = (text: string, runId?: string) =>
  findTargets(text, runId, entries).map(({ kind, link }) => ({ kind, ...link }));

test('the id of a run finds the run and its report', () => {
  expect(found(run)).toEqual([
    { kind: 'Run', to: '/runs/$runId', params: { runId: run } },
    { kind: 'Report', to: '/runs/$runId/report', params: { runId: run } },
  ]);
});

test('a user id after the id of a run finds that user in the run', () => {
  expect(found(`${run}  sg-00042`)).toEqual([
    { kind: 'User in this run', to: '/runs/$runId/users/$userId', params: { runId: run, userId: 'sg-00042' } },
  ]);
});

test('on the page of a run, any word is offered as the id of a user of the run', () => {
  expect(found('sg-00042', run).map(({ kind }) => kind)).toEqual(['User in this run']);
  expect(found('sg-00042')).toEqual([]);
});

test('campaigns, shards, audiences, quarantined items and changes are found by their ids', () => {
  const id = (prefix: string) => `${prefix}_01jd9m2x4ve8sb7tq6yc3h5n0a`;
  expect(
    [id('cmp'), 'award-reward.VN', id('aud'), id('sav'), id('dlt'), id('qst'), id('chg')].flatMap((text) =>
      found(text).map(({ to }) => to),
    ),
  ).toEqual(['/campaigns/$campaignId', '/shards', '/audiences', '/audiences', '/quarantine', '/quarantine', '/audit']);
});

test('pages are found by a part of their name, and all of them before anything is typed', () => {
  expect(found('new camp')).toEqual([{ kind: 'Page', to: '/campaigns/new' }]);
  expect(found('').map(({ to }) => to)).toEqual(['/jobs', '/shards', '/campaigns/new']);
});

test('a text that only looks like an id finds nothing', () => {
  expect(found('run_short')).toEqual([]);
});
