import { describe, expect, it } from 'vitest';
import { navigationOf, type NavigationPlace } from './navigation.ts';

function route(fullPath: '/jobs' | '/clients' | '/shards' | '/keys', navigation?: Partial<NavigationPlace>) {
  const whole = { group: 'callbacks', place: 10, label: fullPath, icon: 'jobs', ...navigation } as const;
  return { fullPath, options: navigation ? { staticData: { navigation: whole } } : {} };
}

const order = (...routes: ReturnType<typeof route>[]) =>
  navigationOf(routes).flatMap(({ heading, entries }) => entries.map(({ to }) => `${heading ?? 'no heading'} ${to}`));

describe('the sidebar', () => {
  it('sorts its entries by group and place, whatever the order of the routes', () => {
    const routes = [
      route('/shards', { group: 'engine', place: 10 }),
      route('/jobs', { group: 'callbacks', place: 20 }),
      route('/clients', { group: 'callbacks', place: 10 }),
    ];
    const sorted = ['Callbacks /clients', 'Callbacks /jobs', 'Engine /shards'];
    expect(order(...routes)).toEqual(sorted);
    expect(order(...routes.toReversed())).toEqual(sorted);
  });

  it('sorts entries of one place by path', () => {
    const same = [route('/jobs', {}), route('/clients', {})];
    expect(order(...same)).toEqual(order(...same.toReversed()));
  });

  it('has no entry for a route that declares none', () => {
    expect(order(route('/keys'), route('/jobs', {}))).toEqual(['Callbacks /jobs']);
  });
});
