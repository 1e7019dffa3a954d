import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/clients/$client',
  component: lazyRouteComponent(() => import('./client-view.tsx'), 'ClientView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/clients/$client': typeof route;
  }
}
