import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { campaignsSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/campaigns',
  validateSearch: campaignsSearch,
  staticData: { navigation: { group: 'campaigns', place: 10, label: 'Campaigns', icon: 'campaign', key: 'C' } },
  component: lazyRouteComponent(() => import('./campaigns-view.tsx'), 'CampaignsView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/campaigns': typeof route;
  }
}
