import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { LiveRuns } from './live/live-runs.ts';
import type { LiveStream } from './live/live-stream.ts';
import type { createConsoleRouter } from './router.tsx';
import { styleNonce } from './theme/style-nonce.ts';
import { theme } from './theme/theme.ts';

interface AppProps {
  queryClient: QueryClient;
  liveRuns: LiveStream;
  router: ReturnType<typeof createConsoleRouter>;
}

/** Everything the views stand on. Mantine makes no styles in the page: `theme/styles.ts` has them all. */
export function App({ queryClient, liveRuns, router }: AppProps) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <LiveRuns value={liveRuns}>
          <RouterProvider router={router} />
        </LiveRuns>
      </QueryClientProvider>
    </MantineProvider>
  );
}
