import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { basePath } from '../../api/client.ts';
import { rootRoute } from '../../frame/root-route.tsx';
import { logInByAddress } from './log-in-by-address.ts';
import { logInSearch } from './search.ts';

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/log-in',
  validateSearch: logInSearch,
  loader: async ({ location, context }) => {
    const byAddress = await logInByAddress(location.hash, context.takeIssuerAnswer(), context.queryClient);
    if (byAddress.state !== 'logged in') return byAddress;
    throw redirect({ href: `${basePath.replace(/\/$/, '')}${byAddress.to}`, replace: true });
  },
  component: lazyRouteComponent(() => import('./log-in-view.tsx'), 'LogInView'),
});

declare module '../../frame/root-route.tsx' {
  interface ViewRoutes {
    '/log-in': typeof route;
  }
}
