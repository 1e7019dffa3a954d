import './theme/styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { configureClient } from './api/client.ts';
import { createQueryClient } from './api/query-client.ts';
import { createConsoleRouter } from './router.tsx';
import { forgetSession, hasSession } from './frame/session/session.ts';
import { App } from './app.tsx';
import { createLiveRuns } from './live/live-runs.ts';

configureClient();
const queryClient = createQueryClient({
  onUnauthorized: () => {
    // Nobody was logged in: the router finds that out by itself.
    if (!hasSession(queryClient)) return;
    forgetSession(queryClient);
    // What is shown asks for the session first, and leads to the log-in and back.
    void router.invalidate();
  },
});
const router = createConsoleRouter({ queryClient });

const place = document.getElementById('root');
if (!place) throw new Error('the page has no element "root"');
createRoot(place).render(
  <StrictMode>
    <App queryClient={queryClient} liveRuns={createLiveRuns(queryClient)} router={router} />
  </StrictMode>,
);
