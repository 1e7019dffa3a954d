import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs/$jobId',
  component: lazyRouteComponent(() => import('./job-view.tsx'), 'JobView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/jobs/$jobId': typeof route;
  }
}
