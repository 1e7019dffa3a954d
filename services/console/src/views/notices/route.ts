import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/notices',
  staticData: { navigation: { group: 'system', place: 20, label: 'Notices', icon: 'fwd' } },
  component: lazyRouteComponent(() => import('./notices-view.tsx'), 'NoticesView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/notices': typeof route;
  }
}
