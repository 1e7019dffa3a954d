import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/campaigns/$campaignId/edit',
  component: lazyRouteComponent(() => import('./edit-campaign-view.tsx'), 'EditCampaignView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/campaigns/$campaignId/edit': typeof route;
  }
}
