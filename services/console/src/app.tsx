import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import type { Console } from './create-console.ts';
import { LiveRuns } from './live/live-runs.ts';
import { useThemeOfPage } from './parts/browser/colour-scheme.ts';

export function App({ queryClient, liveRuns, router }: Console) {
  useThemeOfPage();
  return (
    <QueryClientProvider client={queryClient}>
      <LiveRuns value={liveRuns}>
        <RouterProvider router={router} />
      </LiveRuns>
    </QueryClientProvider>
  );
}
