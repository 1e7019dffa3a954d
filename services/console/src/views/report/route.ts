import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { rootRoute } from '../../frame/root-route.tsx';

/** Parameters of the page. `with` is the run to compare with; the default is the previous run. */
const search = z.object({
  with: z.catch(z.optional(z.string()), undefined),
});

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId/report',
  validateSearch: search,
  component: lazyRouteComponent(() => import('./report-view.tsx'), 'ReportView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/runs/$runId/report': typeof route;
  }
}
