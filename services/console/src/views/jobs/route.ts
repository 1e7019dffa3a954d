import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { jobsSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs',
  validateSearch: jobsSearch,
  staticData: { navigation: { group: 'callbacks', place: 10, label: 'Jobs', icon: 'jobs', key: 'J' } },
  component: lazyRouteComponent(() => import('./jobs-view.tsx'), 'JobsView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/jobs': typeof route;
  }
}
