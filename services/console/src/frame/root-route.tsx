import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect, useMatch } from '@tanstack/react-router';
import { problemOf } from '../api/problems.ts';
import { NotFound } from './not-found.tsx';
import type { IssuerAnswer } from './session/issuer-answer.ts';
import { loadTitles } from './session/load-titles.ts';
import { requireSession } from './session/session.ts';
import { Shell } from './shell.tsx';
import { ViewFailed } from './view-failed.tsx';

export interface RouterContext {
  queryClient: QueryClient;
  /** Returns the issuer's answer in the address, once; undefined afterwards. */
  takeIssuerAnswer: () => IssuerAnswer | undefined;
}

/** The parent route of all views. All views except the log-in need a session. */
export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Frame,
  notFoundComponent: NotFound,
  errorComponent: ViewFailed,
  beforeLoad: async ({ location, context }) => {
    if (location.pathname === '/log-in') return;
    try {
      await requireSession(context.queryClient);
      await loadTitles(context.queryClient);
    } catch (error) {
      if (problemOf(error).status !== 401) throw error;
      // The router redirects by a thrown value.
      throw redirect({ to: '/log-in', search: { to: location.href } });
    }
  },
});

export const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/campaigns', replace: true });
  },
});

/** Types of the routes by path. Each view adds its own in its `route.ts`, so that links to the view are checked. */
export interface ViewRoutes {
  '/': typeof indexRoute;
}

function Frame() {
  const isOutside = useMatch({ from: '/log-in', shouldThrow: false }) !== undefined;
  return isOutside ? <Outlet /> : <Shell />;
}
