import type { QueryClient } from '@tanstack/react-query';
import { cleanup, configure, render, screen } from '@testing-library/react';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import { afterEach } from 'vitest';
import { client } from '#client/client.gen.ts';
import { configureClient } from '../api/client.ts';
import { App } from '../app.tsx';
import { createConsole } from '../create-console.ts';
import { beginSession } from '../frame/session/session.ts';
import { audiencesBy, savedList, segments } from './audiences.ts';
import { campaigns, counts } from './campaign-list.ts';
import { draft, preview, runningCampaign, runs, runsOfCampaign } from './campaigns.ts';
import * as quarantined from './quarantine.ts';
import { report } from './ended-report.ts';
import * as ended from './ended-run.ts';
import * as engine from './engine.ts';
import { createFakeApi, type Answers, type Asked, type FakeApi } from './fake-api.ts';
import { actionTypes, changes, session } from './installation.ts';
import * as callbacks from './jobs.ts';
import * as live from './live-run.ts';
import { liveReport } from './live-report.ts';
import './missing-in-happy-dom.ts';
import { rememberTitles } from '../parts/words/action-titles.ts';
import { rewardOptions } from './options.ts';
import { savedEstimate, savedRiders, savedWallets } from './saved-audiences.ts';
import * as recurring from './schedules.ts';
import { shards } from './shards.ts';
import * as installed from './system.ts';
import { templates } from './templates.ts';
import { suppressionPreview } from './user-files.ts';
import { deliveries, notifications } from './notifications.ts';

configureClient();
// A busy machine is slow; a test that waits in vain says so later, and none that passes is slower.
configure({ asyncUtilTimeout: 10_000 });
const opened: QueryClient[] = [];
afterEach(() => {
  cleanup();
  rememberTitles([]);
  // What it would ask again, or forget later, keeps no process alive.
  opened.splice(0).forEach((queryClient) => queryClient.clear());
  localStorage.clear();
  sessionStorage.clear();
});

export type Role = 'viewer' | 'scheduler' | 'manager' | 'approver' | 'operator';

export interface OpenConsole {
  api: FakeApi;
  user: UserEvent;
  /** Where the browser is, with what is chosen there. */
  address: () => string;
  /** Another role of the key that is logged in, as if it had been made for it. */
  become: (role: Role) => void;
}

/** Every route that the console reads, answered from an installation that works. */
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
    'GET /v1/runs': ({ query }: Asked) =>
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
    'GET /v1/quarantine/jobs': callbacks.quarantinedJobs,
    'GET /v1/quarantine/jobs/:id': callbacks.quarantinedJob,
    'GET /v1/quarantine/messages/groups': quarantined.messageGroups,
    'GET /v1/quarantine/messages': quarantined.messages,
    'GET /v1/quarantine/messages/:id': quarantined.message,
    'GET /v1/quarantine/steps': quarantined.steps,
    'GET /v1/quarantine/steps/:id': quarantined.step,
  };
}

/**
 * The whole console at an address, on an API that answers as a test says; resolves once the page of the address is
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
  const become = (next: Role) => beginSession(parts.queryClient, { ...session, role: next });
  return { api, user, address: () => location.pathname + location.search, become };
}

/** Those that have no other answer: what a test says comes first, also where it names a path less exactly. */
function remaining(all: Answers, said: Answers): Answers {
  return Object.fromEntries(Object.entries(all).filter(([route]) => !(route in said)));
}
