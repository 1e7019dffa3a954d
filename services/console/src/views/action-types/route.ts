import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { actionTypesSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/action-types',
  validateSearch: actionTypesSearch,
  staticData: { navigation: { group: 'engine', place: 30, label: 'Action types', icon: 'types', key: 'T' } },
  component: lazyRouteComponent(() => import('./action-types-view.tsx'), 'ActionTypesView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/action-types': typeof route;
  }
}
