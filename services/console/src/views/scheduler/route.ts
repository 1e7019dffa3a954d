import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/scheduler',
  staticData: { navigation: { group: 'engine', place: 20, label: 'Scheduler', icon: 'nodes', key: 'N' } },
  component: lazyRouteComponent(() => import('./scheduler-view.tsx'), 'SchedulerView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/scheduler': typeof route;
  }
}
