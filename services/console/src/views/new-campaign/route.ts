import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { rootRoute } from '../../frame/root-route.tsx';

const search = z.object({
  copy: z.catch(z.optional(z.string()), undefined),
  /** Id of an uploaded list to use as the first source. */
  list: z.catch(z.optional(z.string()), undefined),
  /** Id of a segment to use as the first source. */
  segment: z.catch(z.optional(z.string()), undefined),
  /** Id of a saved audience whose sources are copied into the form. */
  saved: z.catch(z.optional(z.string()), undefined),
});

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/campaigns/new',
  validateSearch: search,
  component: lazyRouteComponent(() => import('./new-campaign-view.tsx'), 'NewCampaignView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/campaigns/new': typeof route;
  }
}
