import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/caps',
  staticData: { navigation: { group: 'engine', place: 50, label: 'Caps', icon: 'twice' } },
  component: lazyRouteComponent(() => import('./caps-view.tsx'), 'CapsView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/caps': typeof route;
  }
}
