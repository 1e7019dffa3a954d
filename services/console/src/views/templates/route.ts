import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { rootRoute } from '../../frame/root-route.tsx';

const text = z.catch(z.optional(z.string()), undefined);

const search = z.object({ text, cursor: text });

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/templates',
  validateSearch: search,
  staticData: { navigation: { group: 'campaigns', place: 50, label: 'Templates', icon: 'draft' } },
  component: lazyRouteComponent(() => import('./templates-view.tsx'), 'TemplatesView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/templates': typeof route;
  }
}
