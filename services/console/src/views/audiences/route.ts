import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { audiencesSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audiences',
  validateSearch: audiencesSearch,
  staticData: { navigation: { group: 'campaigns', place: 30, label: 'Audiences', icon: 'users', key: 'A' } },
  component: lazyRouteComponent(() => import('./audiences-view.tsx'), 'AudiencesView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/audiences': typeof route;
  }
}
