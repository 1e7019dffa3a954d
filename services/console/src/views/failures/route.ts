import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { failuresSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId/failures',
  validateSearch: failuresSearch,
  component: lazyRouteComponent(() => import('./failures-view.tsx'), 'FailuresView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/runs/$runId/failures': typeof route;
  }
}
