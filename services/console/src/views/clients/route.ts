import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { rootRoute } from '../../frame/root-route.tsx';

const search = z.object({
  text: z.catch(z.optional(z.string()), undefined),
  cursor: z.catch(z.optional(z.string()), undefined),
});

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/clients',
  validateSearch: search,
  staticData: { navigation: { group: 'callbacks', place: 40, label: 'Clients', icon: 'key' } },
  component: lazyRouteComponent(() => import('./clients-view.tsx'), 'ClientsView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/clients': typeof route;
  }
}
