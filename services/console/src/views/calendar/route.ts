import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { calendarSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/calendar',
  validateSearch: calendarSearch,
  staticData: { navigation: { group: 'campaigns', place: 20, label: 'Calendar', icon: 'calendar', key: 'L' } },
  component: lazyRouteComponent(() => import('./calendar-view.tsx'), 'CalendarView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/calendar': typeof route;
  }
}
