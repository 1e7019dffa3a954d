import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId',
  component: lazyRouteComponent(() => import('./live-run-view.tsx'), 'LiveRunView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/runs/$runId': typeof route;
  }
}
