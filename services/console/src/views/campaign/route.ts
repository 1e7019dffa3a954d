import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/campaigns/$campaignId',
  component: lazyRouteComponent(() => import('./campaign-view.tsx'), 'CampaignView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/campaigns/$campaignId': typeof route;
  }
}
