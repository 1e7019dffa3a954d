import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { rootRoute } from '../../frame/root-route.tsx';

const search = z.object({
  /** Filters the rules by action type. Default: all rules. */
  action: z.catch(z.optional(z.string()), undefined),
});

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/quiet-hours',
  validateSearch: search,
  staticData: { navigation: { group: 'engine', place: 40, label: 'Quiet hours', icon: 'scheduled' } },
  component: lazyRouteComponent(() => import('./quiet-hours-view.tsx'), 'QuietHoursView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/quiet-hours': typeof route;
  }
}
