import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { shardsSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/shards',
  validateSearch: shardsSearch,
  staticData: { navigation: { group: 'engine', place: 10, label: 'Shards', icon: 'shards', key: 'H' } },
  component: lazyRouteComponent(() => import('./shards-view.tsx'), 'ShardsView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/shards': typeof route;
  }
}
