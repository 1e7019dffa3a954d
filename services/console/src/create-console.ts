import type { QueryClient } from '@tanstack/react-query';
import { createQueryClient } from './api/query-client.ts';
import { forgetSession, hasSession } from './frame/session/session.ts';
import { createLiveRuns } from './live/live-runs.ts';
import type { LiveStream } from './live/live-stream.ts';
import { ensureLanguage } from './parts/browser/language.ts';
import { createConsoleRouter } from './router.ts';

export interface Console {
  queryClient: QueryClient;
  liveRuns: LiveStream;
  router: ReturnType<typeof createConsoleRouter>;
}

/** Creates the parts of the page. The client of the API has to be configured before. */
export function createConsole(): Console {
  ensureLanguage(navigator);
  const queryClient = createQueryClient({
    onUnauthorized: () => {
      // Without a session, none can end. The router itself detects a missing session.
      if (!hasSession(queryClient)) return;
      forgetSession(queryClient);
      // The current route requests the session first, and leads to the log-in and back.
      void router.invalidate();
    },
  });
  const router = createConsoleRouter({ queryClient });
  return { queryClient, router, liveRuns: createLiveRuns(queryClient) };
}
