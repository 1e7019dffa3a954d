import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { deadLettersSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/dead-letters',
  validateSearch: deadLettersSearch,
  staticData: { navigation: { group: 'callbacks', place: 30, label: 'Dead letters', icon: 'dead', key: 'D' } },
  component: lazyRouteComponent(() => import('./dead-letters-view.tsx'), 'DeadLettersView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/dead-letters': typeof route;
  }
}
