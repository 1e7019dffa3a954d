import { expect, test } from 'vitest';
import { consoleRoutes } from './console-routes.ts';
import { displayedViews, type Found } from './shown-views.ts';

test('every view of the console has a screenshot', () => {
  const displayed = new Set(displayedViews.map(({ route }) => route));
  expect([...displayed].toSorted()).toEqual(consoleRoutes());
});

test('each screenshot has a unique name, whatever data exists', () => {
  const everything: Found = {
    campaign: 'cmp_1',
    draft: 'cmp_2',
    liveRun: 'run_1',
    endedRun: 'run_2',
    user: 'u/1',
    client: 'shop',
    job: 'job_1',
  };
  for (const found of [{}, everything]) {
    const paths = displayedViews.flatMap(({ name, pathOf }) => (pathOf(found) === undefined ? [] : [name]));
    expect(new Set(paths).size).toBe(paths.length);
  }
  const user = displayedViews.find(({ name }) => name === 'user');
  expect(user?.pathOf(everything)).toBe('runs/run_2/users/u%2F1');
  expect(displayedViews.every(({ pathOf }) => pathOf(everything) !== undefined || pathOf({}) !== undefined)).toBe(true);
});
