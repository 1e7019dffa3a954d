import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId/users/$userId',
  component: lazyRouteComponent(() => import('./user-view.tsx'), 'UserView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/runs/$runId/users/$userId': typeof route;
  }
}
