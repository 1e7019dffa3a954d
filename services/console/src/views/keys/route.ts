import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { keysSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  validateSearch: keysSearch,
  staticData: { navigation: { group: 'system', place: 30, label: 'Keys and people', icon: 'lock' } },
  component: lazyRouteComponent(() => import('./keys-view.tsx'), 'KeysView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/keys': typeof route;
  }
}
