import type { QueryClient } from '@tanstack/react-query';
import { cleanup, configure, render, screen } from '@testing-library/react';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import { afterEach } from 'vitest';
import { client } from '#client/client.gen.ts';
import { configureClient } from '../src/api/client.ts';
import { App } from '../src/app.tsx';
import { createConsole } from '../src/create-console.ts';
import { beginSession } from '../src/frame/session/session.ts';
import { audiencesBy, savedList, segments } from './audiences/audiences.ts';
import { campaigns, counts } from './campaigns/campaign-list.ts';
import { draft, preview, runningCampaign, runs, runsOfCampaign } from './campaigns/campaigns.ts';
import * as quarantined from './installation/quarantine.ts';
import { quarantinedJob, quarantinedJobs } from './callbacks/quarantined-jobs.ts';
import { report } from './runs/ended-report.ts';
import * as ended from './runs/ended-run.ts';
import * as engine from './installation/engine.ts';
import { createFakeApi, type Answers, type FakeRequest, type FakeApi } from './fakes/fake-api.ts';
import { actionTypes, changes, session } from './installation/installation.ts';
import * as callbacks from './callbacks/jobs.ts';
import * as live from './runs/live-run.ts';
import { liveReport } from './runs/live-report.ts';
import './missing-in-happy-dom.ts';
import { rememberTitles } from '../src/parts/words/action-titles.ts';
import { rewardOptions } from './options.ts';
import { savedEstimate, savedRiders, savedWallets } from './audiences/saved-audiences.ts';
import * as recurring from './callbacks/schedules.ts';
import { shards } from './installation/shards.ts';
import * as installed from './installation/system.ts';
import { templates } from './campaigns/templates.ts';
import { suppressionPreview } from './audiences/user-files.ts';
import { deliveries, notifications } from './installation/notifications.ts';

configureClient();
// On a busy machine the default of one second is too short. Tests that pass take no longer.
configure({ asyncUtilTimeout: 10_000 });
const opened: QueryClient[] = [];
afterEach(() => {
  cleanup();
  rememberTitles([]);
  // Clears all queries, because their timers would keep the process alive.
  opened.splice(0).forEach((queryClient) => queryClient.clear());
  localStorage.clear();
  sessionStorage.clear();
});

export type Role = 'viewer' | 'scheduler' | 'manager' | 'approver' | 'operator';

export interface OpenConsole {
  api: FakeApi;
  user: UserEvent;
  /** Returns the path and the search parameters of the page. */
  address: () => string;
  /** Changes the role of the session's key. */
  become: (role: Role) => void;
}

/** Returns answers of a working installation for every route that the console reads. */
export function answersFor(role: Role): Answers {
  return {
    'GET /v1/session': { ...session, role },
    'GET /v1/session/ways': { apiKey: true, issuer: null },
    'GET /v1/system': installed.system,
    'GET /v1/quotas': installed.quotas,
    'GET /v1/refused-people': { items: [] },
    'GET /v1/action-types': actionTypes,
    'GET /v1/action-types/:name/options': rewardOptions,
    'GET /v1/shards': shards,
    'GET /v1/quiet-hours': engine.quietHours,
    'GET /v1/caps': engine.caps,
    'GET /v1/suppressions': engine.suppressionLists,
    'GET /v1/suppressions/uploads': engine.suppressionUploads,
    'GET /v1/suppressions/users/:user': engine.suppressedUser,
    'GET /v1/approval-policy': { revision: 0, rules: [], approversSignIn: false, madeAt: null },
    'GET /v1/approvals': { items: [], next: null },
    'GET /v1/audit': changes,
    'GET /v1/campaigns': campaigns,
    'GET /v1/find': { items: [] },
    'GET /v1/campaigns/counts': counts,
    'POST /v1/campaigns/preview': preview,
    'GET /v1/campaigns/cmp_draft': draft,
    'GET /v1/campaigns/:id': runningCampaign,
    'GET /v1/templates': templates,
    'GET /v1/notifications': notifications,
    'GET /v1/notifications/:id/deliveries': deliveries,
    'POST /v1/user-files/preview': suppressionPreview,
    'GET /v1/audiences/sav_riders': savedRiders,
    'GET /v1/audiences/sav_wallets': savedWallets,
    'POST /v1/audiences/preview': savedEstimate,
    'GET /v1/audiences': audiencesBy({ segment: segments.items, saved: savedList }),
    'GET /v1/audiences/counts': {
      all: 0,
      lists: 0,
      segments: 0,
      saved: 0,
      withRejects: 0,
      notUsed: 0,
      failed: 0,
    },
    'GET /v1/runs': ({ query }: FakeRequest) =>
      'kind' in query ? { items: [], next: null } : 'campaignId' in query ? runsOfCampaign : runs,
    'GET /v1/runs/:id/note': { revision: 0, text: null, writtenAt: null, writtenBy: null },
    'GET /v1/runs/run_ended': ended.endedRun,
    'GET /v1/runs/run_ended/report': report,
    'GET /v1/runs/run_ended/events': ended.endedEvents,
    'GET /v1/runs/:id/progress': live.progress,
    'GET /v1/runs/:id/report': liveReport,
    'GET /v1/runs/:id/events': live.events,
    'GET /v1/runs/:id/rates': live.rates,
    'GET /v1/runs/:id/cancel-preview': live.cancelPreview,
    'GET /v1/runs/:id/comparison': ended.comparison,
    'GET /v1/runs/:id/failures': ended.failures,
    'GET /v1/runs/:id/users': { items: [], next: null },
    'GET /v1/runs/:id/shares': { items: [], next: null },
    'GET /v1/runs/:id/settlements': { items: [], next: null },
    'GET /v1/runs/:id/users/:user': ended.explanation,
    'GET /v1/clients': callbacks.clients,
    'GET /v1/clients/:id': callbacks.shop,
    'GET /v1/clients/:id/ledger': callbacks.ledger,
    'GET /v1/clients/:id/load': callbacks.load,
    'GET /v1/clients/:id/endpoints': callbacks.endpoints,
    'GET /v1/clients/:id/forecast': () => callbacks.forecast(),
    'GET /v1/jobs': callbacks.jobs,
    'GET /v1/jobs/counts': callbacks.jobCounts,
    'GET /v1/jobs/:id': callbacks.deadJob,
    'GET /v1/schedules': recurring.schedules,
    'GET /v1/schedules/:id/preview': recurring.fires,
    'GET /v1/schedules/:id/occurrences': recurring.occurrences,
    'POST /v1/schedules/preview': recurring.fires,
    'GET /v1/groups': recurring.groups,
    'GET /v1/work-calendars': recurring.workCalendars,
    'GET /v1/work-calendars/:name': recurring.singapore,
    'GET /v1/scheduler': callbacks.scheduler,
    'GET /v1/quarantine/counts': quarantined.counts,
    'GET /v1/quarantine/jobs/groups': { items: [], next: null },
    'GET /v1/quarantine/jobs': quarantinedJobs,
    'GET /v1/quarantine/jobs/:id': quarantinedJob,
    'GET /v1/quarantine/messages/groups': quarantined.messageGroups,
    'GET /v1/quarantine/messages': quarantined.messages,
    'GET /v1/quarantine/messages/:id': quarantined.message,
    'GET /v1/quarantine/steps': quarantined.steps,
    'GET /v1/quarantine/steps/:id': quarantined.step,
  };
}

/**
 * Renders the whole console at an address, with a fake API. Resolves once the page is rendered.
 *
 * @param answers replace the answers of a working installation, or add to them
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
  const become = (next: Role) => beginSession(parts.queryClient, { ...session, role: next });
  return { api, user, address: () => location.pathname + location.search, become };
}

/** Returns the responses in `all` whose routes are not in `overrides`. */
function remaining(all: Answers, overrides: Answers): Answers {
  return Object.fromEntries(Object.entries(all).filter(([route]) => !(route in overrides)));
}
