import { expect, test } from 'vitest';
import { accessibleViews, type Ids } from './accessible-views.ts';
import { consoleRoutes } from './console-routes.ts';

const ids: Ids = {
  runId: 'run_1',
  campaignId: 'cmp_1',
  testId: 'run_2',
  endedId: 'run_3',
  unknownId: 'run_4',
  draftId: 'cmp_2',
  userId: 'u-1',
  jobId: 'job_1',
  savedId: 'sav_1',
};

/** Routes without parameters come first: `/campaigns/new` is no campaign. */
const patterns = consoleRoutes()
  .toSorted((a, b) => Number(a.includes('$')) - Number(b.includes('$')))
  .map((route) => ({ route, pattern: new RegExp(`^${route.replace(/\$\w+/g, '[^/]+')}$`) }));

function routeOf(path: string): string | undefined {
  return patterns.find(({ pattern }) => pattern.test(`/${path.replace(/\?.*/, '')}`))?.route;
}

test('every view of the console is checked by axe', () => {
  const seen = new Set(Object.values(accessibleViews).map((pathOf) => routeOf(pathOf(ids))));
  expect(consoleRoutes().filter((route) => !seen.has(route))).toEqual([]);
});
