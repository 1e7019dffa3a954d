import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { rootRoute } from '../../frame/root-route.tsx';

const search = z.object({
  /** Id of the approval that is shown beside the list. Default: the first approval that waits. */
  id: z.catch(z.optional(z.string()), undefined),
});

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/approvals',
  validateSearch: search,
  staticData: { navigation: { group: 'campaigns', place: 60, label: 'Approvals', icon: 'review', key: 'V' } },
  component: lazyRouteComponent(() => import('./approvals-view.tsx'), 'ApprovalsView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/approvals': typeof route;
  }
}
