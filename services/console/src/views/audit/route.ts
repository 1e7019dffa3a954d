import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.tsx';
import { auditSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  validateSearch: auditSearch,
  staticData: { navigation: { group: 'system', place: 40, label: 'Audit log', icon: 'audit' } },
  component: lazyRouteComponent(() => import('./audit-view.tsx'), 'AuditView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/audit': typeof route;
  }
}
