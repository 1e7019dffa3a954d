import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { schedulesSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules',
  validateSearch: schedulesSearch,
  staticData: { navigation: { group: 'callbacks', place: 20, label: 'Schedules', icon: 'sched', key: 'S' } },
  component: lazyRouteComponent(() => import('./schedules-view.tsx'), 'SchedulesView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/schedules': typeof route;
  }
}
