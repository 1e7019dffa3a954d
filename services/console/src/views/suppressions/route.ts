import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { rootRoute } from '../../frame/root-route.tsx';

const text = z.catch(z.optional(z.string()), undefined);

const search = z.object({
  /** Full id of the user to look up. */
  user: text,
  /** Page of the uploaded files. */
  cursor: text,
});

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/suppressions',
  validateSearch: search,
  staticData: { navigation: { group: 'campaigns', place: 40, label: 'Suppressions', icon: 'muted' } },
  component: lazyRouteComponent(() => import('./suppressions-view.tsx'), 'SuppressionsView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/suppressions': typeof route;
  }
}
