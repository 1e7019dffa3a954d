import type { QueryClient } from '@tanstack/react-query';
import { cleanup, configure, render, screen } from '@testing-library/react';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import { afterEach } from 'vitest';
import { client } from '#client/client.gen.ts';
import { configureClient } from '../api/client.ts';
import { App } from '../app.tsx';
import { createConsole } from '../create-console.ts';
import * as campaigns from './campaigns.ts';
import * as deadLetters from './dead-letters.ts';
import { createFakeApi, type Answers, type Asked, type FakeApi } from './fake-api.ts';
import * as installation from './installation.ts';
import './missing-in-happy-dom.ts';
import * as runs from './runs.ts';

configureClient();
// A busy machine is slow; a test that waits in vain says so later, and none that passes is slower.
configure({ asyncUtilTimeout: 10_000 });
const opened: QueryClient[] = [];
afterEach(() => {
  cleanup();
  // What it would ask again, or forget later, keeps no process alive.
  opened.splice(0).forEach((queryClient) => queryClient.clear());
  localStorage.clear();
  sessionStorage.clear();
});

export type Role = 'viewer' | 'manager' | 'operator';

export interface OpenConsole {
  api: FakeApi;
  user: UserEvent;
  /** Where the browser is, with what is chosen there. */
  address: () => string;
}

/** Every route that the console reads, answered from an installation that works. */
export function answersFor(role: Role): Answers {
  return {
    'GET /v1/session': { ...installation.session, role },
    'GET /v1/action-types': installation.actionTypes,
    'GET /v1/shards': installation.shards,
    'GET /v1/audit': installation.changes,
    'GET /v1/campaigns': campaigns.campaigns,
    'GET /v1/campaigns/counts': campaigns.counts,
    'POST /v1/campaigns/preview': campaigns.preview,
    'GET /v1/campaigns/cmp_draft': campaigns.draft,
    'GET /v1/campaigns/:id': campaigns.runningCampaign,
    'GET /v1/audiences': { items: [], next: null },
    'GET /v1/runs': ({ query }: Asked) => ('campaignId' in query ? campaigns.runsOfCampaign : campaigns.runs),
    'GET /v1/runs/run_ended': runs.endedRun,
    'GET /v1/runs/run_ended/report': runs.report,
    'GET /v1/runs/run_ended/events': runs.endedEvents,
    'GET /v1/runs/:id/progress': runs.progress,
    'GET /v1/runs/:id/report': runs.liveReport,
    'GET /v1/runs/:id/events': runs.events,
    'GET /v1/runs/:id/rates': runs.rates,
    'GET /v1/runs/:id/cancel-preview': runs.cancelPreview,
    'GET /v1/runs/:id/comparison': runs.comparison,
    'GET /v1/runs/:id/failures': runs.failures,
    'GET /v1/runs/:id/users/:user': runs.explanation,
    'GET /v1/dead-letters/groups': deadLetters.letterGroups,
    'GET /v1/dead-letters': deadLetters.letters,
    'GET /v1/dead-letters/:id': deadLetters.letter,
    'GET /v1/quarantined-steps': deadLetters.steps,
    'GET /v1/quarantined-steps/:id': deadLetters.step,
  };
}

/**
 * The whole console at an address, on an API that answers as it is told; resolves once the page of the address is
 * there.
 *
 * @param answers in place of, or beside, those of an installation that works
 */
export async function openConsole(
  path: string,
  { role = 'operator', answers = {} }: { role?: Role; answers?: Answers } = {},
): Promise<OpenConsole> {
  history.replaceState(null, '', path);
  const api = createFakeApi({ ...answers, ...remaining(answersFor(role), answers) });
  client.setConfig({ fetch: api.fetch });
  const parts = createConsole();
  opened.push(parts.queryClient);
  const user = userEvent.setup();
  render(<App {...parts} />);
  await screen.findByRole('main');
  return { api, user, address: () => location.pathname + location.search };
}

/** Those that were not told otherwise: what a test says comes first, also where it names a path less exactly. */
function remaining(all: Answers, told: Answers): Answers {
  return Object.fromEntries(Object.entries(all).filter(([route]) => !(route in told)));
}
