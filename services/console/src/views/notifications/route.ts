import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/notifications',
  staticData: { navigation: { group: 'system', place: 20, label: 'Notifications', icon: 'fwd' } },
  component: lazyRouteComponent(() => import('./notifications-view.tsx'), 'NotificationsView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/notifications': typeof route;
  }
}
