import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { LiveRuns } from './live/live-runs.ts';
import type { LiveStream } from './live/live-stream.ts';
import { useThemeOfPage } from './parts/browser/colour-scheme.ts';
import type { createConsoleRouter } from './router.tsx';

interface AppProps {
  queryClient: QueryClient;
  liveRuns: LiveStream;
  router: ReturnType<typeof createConsoleRouter>;
}

/** Everything the views stand on. */
export function App({ queryClient, liveRuns, router }: AppProps) {
  useThemeOfPage();
  return (
    <QueryClientProvider client={queryClient}>
      <LiveRuns value={liveRuns}>
        <RouterProvider router={router} />
      </LiveRuns>
    </QueryClientProvider>
  );
}
