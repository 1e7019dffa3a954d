import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { quarantineSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/quarantine',
  validateSearch: quarantineSearch,
  staticData: { navigation: { group: 'callbacks', place: 30, label: 'Quarantine', icon: 'dead', key: 'D' } },
  component: lazyRouteComponent(() => import('./quarantine-view.tsx'), 'QuarantineView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/quarantine': typeof route;
  }
}
