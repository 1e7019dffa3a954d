import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shownViews, type Found } from './shown-views.ts';

const router = join(import.meta.dirname, '../../../services/console/src/router.tsx');

test('every view that the console has is among its pictures', async () => {
  const routes = [...(await readFile(router, 'utf8')).matchAll(/^ {2}path: '(.+)',$/gm)].map(([, path = '']) => path);
  expect(routes.length).toBeGreaterThan(20);
  // The first leads to the campaigns, and the second is in the way of all others.
  const shown = new Set(['/', '/log-in', ...shownViews.map(({ route }) => route)]);
  expect(new Set(routes)).toEqual(shown);
});

test('each has one picture by its name, whatever there is', () => {
  const everything: Found = {
    ...{ campaign: 'cmp_1', draft: 'cmp_2', liveRun: 'run_1', endedRun: 'run_2', user: 'u/1', client: 'shop' },
    job: 'job_1',
  };
  for (const found of [{}, everything]) {
    const paths = shownViews.flatMap(({ name, pathOf }) => (pathOf(found) === undefined ? [] : [name]));
    expect(new Set(paths).size).toBe(paths.length);
  }
  const user = shownViews.find(({ name }) => name === 'user');
  expect(user?.pathOf(everything)).toBe('runs/run_2/users/u%2F1');
  expect(shownViews.every(({ pathOf }) => pathOf(everything) !== undefined || pathOf({}) !== undefined)).toBe(true);
});
