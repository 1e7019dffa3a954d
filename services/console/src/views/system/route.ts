import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { rootRoute } from '../../frame/root-route.tsx';

const search = z.object({
  /**
   * Filter of the configuration. `all` shows the whole configuration; by default only variables that are set are shown.
   */
  show: z.catch(z.optional(z.enum(['all'])), undefined),
});

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/system',
  validateSearch: search,
  staticData: { navigation: { group: 'system', place: 10, label: 'Settings', icon: 'limits' } },
  component: lazyRouteComponent(() => import('./system-view.tsx'), 'SystemView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/system': typeof route;
  }
}
