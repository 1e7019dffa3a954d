import './theme/styles.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { configureClient } from './api/client.ts';
import { createQueryClient } from './api/query-client.ts';
import { App } from './app.tsx';
import { createLiveRuns } from './live/live-runs.ts';

configureClient();
const queryClient = createQueryClient({ onUnauthorized: () => undefined });

const place = document.getElementById('root');
if (!place) throw new Error('the page has no element "root"');
createRoot(place).render(
  <StrictMode>
    <App queryClient={queryClient} liveRuns={createLiveRuns(queryClient)} />
  </StrictMode>,
);
