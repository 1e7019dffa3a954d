// @vitest-environment happy-dom
import { act, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { createConsole, type Console } from './create-console.ts';
import { calendar } from '../testing/campaigns/calendar.ts';
import type { Answers, FakeRequest } from '../testing/fakes/fake-api.ts';
import { quarantinedJobGroups } from '../testing/callbacks/quarantined-jobs.ts';
import { answersFor, openConsole, type Role } from '../testing/open-console.tsx';
import { reportWithUnknown } from '../testing/runs/unknown-users.ts';

/** Terms of a control that not every role may use: the role that may, and how other roles see it. */
type Terms = Role | `${Role}, hidden from others`;

/** Routes whose types are registered; links can lead only to these. */
type Route = keyof Console['router']['routesByPath'];

interface View {
  route: Route;
  path: string;
  answers?: Answers;
  /** Controls by their labels. Operators may use the controls of schedulers, managers and approvers. */
  controls: Readonly<Partial<Record<Terms, readonly string[]>>>;
}

const views: readonly View[] = [
  { route: '/campaigns', path: '/campaigns', controls: { manager: ['New campaign'] } },
  {
    route: '/campaigns/$campaignId',
    path: '/campaigns/cmp_draft',
    controls: {
      manager: ['Duplicate', 'Edit', 'Start…', 'Edit details', 'Start a dry run', 'Send a test…'],
      'manager, hidden from others': ['More'],
    },
  },
  {
    route: '/campaigns/$campaignId',
    path: '/campaigns/cmp_live',
    controls: { manager: ['Duplicate', 'Edit details', 'Start a dry run', 'Send a test…'] },
  },
  {
    route: '/templates',
    path: '/templates',
    controls: { manager: ['New template', 'New campaign from Payday', 'Change Payday', 'Delete Payday'] },
  },
  {
    route: '/calendar',
    path: '/calendar?week=2026-11-25',
    controls: { manager: ['New campaign'] },
    answers: { 'GET /v1/campaigns/calendar': calendar },
  },
  {
    route: '/audiences',
    path: '/audiences',
    controls: { manager: ['Upload a list'], 'manager, hidden from others': ['New audience'] },
  },
  {
    route: '/runs/$runId',
    path: '/runs/run_live',
    controls: { manager: ['Pause', 'Limits…', 'Cancel…', 'Write a note'] },
  },
  {
    route: '/runs/$runId/report',
    path: '/runs/run_ended/report',
    controls: { manager: ['Run again…', 'Write a note'] },
  },
  {
    route: '/runs/$runId/report',
    path: '/runs/run_ended/report',
    controls: { manager: ['Run again…', 'Write a note'], 'manager, hidden from others': ['Settle 12 unknown…'] },
    answers: { 'GET /v1/runs/run_ended/report': reportWithUnknown({ SG: 8, VN: 4 }) },
  },
  { route: '/runs/$runId/failures', path: '/runs/run_ended/failures', controls: {} },
  { route: '/runs/$runId/users/$userId', path: '/runs/run_ended/users/id-000000069', controls: {} },
  { route: '/shards', path: '/shards?shard=award-points.SG', controls: { operator: ['Add partitions…'] } },
  {
    route: '/action-types',
    path: '/action-types?name=award-reward',
    controls: {
      operator: [
        'Register a type',
        'Edit…',
        'Disable…',
        'Delete…',
        'Set the secret authorization',
        'Set the secret signing',
      ],
    },
  },
  {
    route: '/quiet-hours',
    path: '/quiet-hours',
    controls: {
      operator: [
        'New quiet hours',
        'Move rule 1 down',
        'Change rule 1',
        'Remove rule 1',
        'Move rule 2 up',
        'Change rule 2',
        'Remove rule 2',
      ],
      'operator, hidden from others': ['More about rule 1', 'More about rule 2'],
    },
  },
  {
    route: '/caps',
    path: '/caps',
    controls: {
      operator: [
        'New cap',
        'Change weekly-messages',
        'Remove weekly-messages',
        'Change one-reward',
        'Remove one-reward',
      ],
      'operator, hidden from others': ['More about weekly-messages', 'More about one-reward'],
    },
  },
  {
    route: '/suppressions',
    path: '/suppressions?user=u-1029',
    controls: {
      operator: [
        'Add users',
        'Upload a list',
        'Remove from the list of “Send a message”',
        'Add users to the list of every action type',
        'Upload a file for the list of every action type',
        'Add users to the list of “Send a message”',
        'Upload a file for the list of “Send a message”',
      ],
    },
  },
  { route: '/jobs', path: '/jobs', controls: { scheduler: ['Schedule a job'] } },
  { route: '/jobs/$jobId', path: '/jobs/job_dead', controls: { scheduler: ['Replay…'] } },
  {
    route: '/schedules',
    path: '/schedules',
    controls: {
      scheduler: ['New schedule', 'Run now…', 'Pause Quarter-hour settlement'],
      'scheduler, hidden from others': ['More about Quarter-hour settlement'],
    },
  },
  { route: '/clients', path: '/clients', controls: { operator: ['New client'] } },
  {
    route: '/clients/$client',
    path: '/clients/shop',
    controls: {
      operator: ['Pause client…', 'Release now', 'Endpoint', 'Change…', 'Key', 'Remove the key ckey_1'],
      'operator, hidden from others': ['More about default', 'More about receipts'],
    },
  },
  {
    route: '/scheduler',
    path: '/scheduler',
    controls: { operator: ['Switch to it…', 'Activate…', 'Release now'] },
  },
  {
    route: '/quarantine',
    path: '/quarantine?kind=message',
    controls: { operator: ['Discard 2…', 'Replay 2…', 'Discard…', 'Replay…'] },
  },
  {
    route: '/quarantine',
    path: '/quarantine?kind=step',
    controls: { operator: ['Discard…', 'Replay…'] },
  },
  {
    route: '/quarantine',
    path: '/quarantine?kind=job',
    controls: { scheduler: ['Discard 100…', 'Replay 100…', 'Discard…', 'Replay…'] },
    answers: { 'GET /v1/quarantine/jobs/groups': quarantinedJobGroups },
  },
  { route: '/audit', path: '/audit', controls: {} },
  { route: '/approvals', path: '/approvals', controls: {} },
  {
    route: '/notifications',
    path: '/notifications',
    controls: {
      manager: [
        'New notification',
        'Test Slack, growth',
        'Change Slack, growth',
        'Delete Slack, growth',
        'Test https://finance.example.com/[sealed]',
        'Change https://finance.example.com/[sealed]',
        'Delete https://finance.example.com/[sealed]',
      ],
    },
  },
  { route: '/system', path: '/system', controls: { operator: ['Change…'] } },
  {
    route: '/keys',
    path: '/keys',
    controls: {
      operator: ['New key'],
      'operator, hidden from others': [
        ...['All', 'Keys', 'People', 'Ended, still used 0', 'Ends in 14 days 0', 'Active', 'Expired', 'Never used'],
        ...['Revoked, 30 days', 'Role'],
      ],
    },
    answers: { 'GET /v1/api-keys': { items: [], next: null } },
  },
];

/**
 * Routes that the table leaves out. The first two need no role; the last two are forms for managers
 * (new-campaign-view.test.tsx).
 */
const others: readonly Route[] = ['/', '/log-in', '/campaigns/new', '/campaigns/$campaignId/edit'];

const roles = ['viewer', 'scheduler', 'manager', 'approver', 'operator'] as const;

const quietTurns = 5;

/** Resolves when no request is in progress. An answer may have caused a further request. */
async function settled(): Promise<void> {
  await waitFor(async () => {
    for (let turn = 0; turn < quietTurns; turn++) {
      await act(() => new Promise((resolve) => setTimeout(resolve)));
      expect(document.querySelector('main[aria-busy="false"]')).not.toBeNull();
    }
  });
}

/** Returns the label as on a wide screen, without the keyboard shortcut. */
function wordsOf(control: HTMLElement): string {
  const copy = control.cloneNode(true);
  if (copy instanceof HTMLElement) copy.querySelectorAll('.narrow, kbd').forEach((each) => each.remove());
  return copy.textContent?.trim() ?? '';
}

/** Returns the states of the page's controls for the current role, by their words. */
function controls(): Map<string, 'open' | 'explained' | 'unexplained'> {
  const found = [...document.querySelectorAll<HTMLElement>('button, a.btn')].filter((each) => !each.closest('nav'));
  return new Map(
    found.map((each) => {
      const words = each.getAttribute('aria-label') ?? wordsOf(each);
      if (each.getAttribute('aria-disabled') === 'true') return [words, 'explained'];
      return [words, each.hasAttribute('disabled') ? 'unexplained' : 'open'];
    }),
  );
}

/** Returns the roles that may use each control, without the controls that all roles may use. */
function termsOf(seen: ReadonlyMap<Role, ReturnType<typeof controls>>): Partial<Record<string, string[]>> {
  const all = new Set([...seen.values()].flatMap((each) => [...each.keys()]));
  const termed = [...all].flatMap((words) => {
    const may = roles.filter((role) => seen.get(role)?.get(words) === 'open');
    if (may.length === roles.length || may.length === 0) return [];
    const [first = ''] = may;
    const isUsual = may.join() === (first === 'operator' ? 'operator' : `${first},operator`);
    const standing = seen.get('viewer')?.get(words);
    const how = standing === undefined ? ', hidden from others' : standing === 'explained' ? '' : ', unexplained';
    return [{ words, terms: `${isUsual ? first : may.join(' ')}${how}` }];
  });
  const grouped = Object.entries(Object.groupBy(termed, ({ terms }) => terms));
  return Object.fromEntries(grouped.map(([terms, of = []]) => [terms, of.map(({ words }) => words)]));
}

/** Returns true if a key with the role viewer may not send this request. */
function isForbidden({ method, path }: FakeRequest): boolean {
  if (method !== 'GET') return path !== '/v1/schedules/preview';
  return path.startsWith('/v1/api-keys') || path === '/v1/refused-people';
}

/** Returns answers in which each list is the first of several pages. */
function asFirstPages(answers: Answers): Answers {
  return Object.fromEntries(
    Object.entries(answers).map(([route, answer]) => {
      const isList = typeof answer === 'object' && answer !== null && 'items' in answer && 'next' in answer;
      return [route, isList ? { ...answer, next: 'the-next-page' } : answer];
    }),
  );
}

test.each(views)(
  '$path enables the controls of each role, and names the required role of all other controls',
  async (view) => {
    const answers = asFirstPages({ ...answersFor('viewer'), ...view.answers });
    const { api, become } = await openConsole(view.path, { role: 'viewer', answers });
    await settled();
    expect(api.requests.filter(isForbidden)).toEqual([]);
    const seen = new Map<Role, ReturnType<typeof controls>>();
    for (const role of roles) {
      act(() => become(role));
      await settled();
      seen.set(role, controls());
    }
    expect(termsOf(seen)).toEqual(view.controls);
    // Only the first page of a list is loaded, until the user opens the next one.
    expect(api.requests.filter(({ query }) => 'cursor' in query)).toEqual([]);
  },
);

test('every view of the console is in the table of this test', () => {
  const routes = Object.keys(createConsole().router.routesByPath);
  expect(new Set([...others, ...views.map(({ route }) => route)])).toEqual(new Set(routes));
});
