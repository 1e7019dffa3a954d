import { createRouter } from '@tanstack/react-router';
import { basePath } from './api/client.ts';
import { indexRoute, rootRoute, type RouterContext, type ViewRoutes } from './frame/root-route.tsx';
import { takeIssuerAnswer } from './frame/session/issuer-answer.ts';

/** Routes of all views: each `route.ts` and `…-route.ts` in a folder of `views/`. */
const viewRoutes = import.meta.glob<ViewRoutes[keyof ViewRoutes]>('./views/*/{,*-}route.ts', {
  eager: true,
  import: 'route',
});

export function createConsoleRouter({ queryClient }: Pick<RouterContext, 'queryClient'>) {
  let issuerAnswer = takeIssuerAnswer();
  return createRouter({
    routeTree: rootRoute.addChildren([indexRoute, ...Object.values(viewRoutes)]),
    context: {
      queryClient,
      takeIssuerAnswer: () => {
        const taken = issuerAnswer;
        issuerAnswer = undefined;
        return taken;
      },
    },
    basepath: basePath,
    defaultPreload: 'intent',
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
