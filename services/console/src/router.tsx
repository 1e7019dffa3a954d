import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useMatch,
} from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { basePath } from './api/client.ts';
import { problemOf } from './api/problems.ts';
import { loadTitles } from './frame/session/load-titles.ts';
import { requireSession } from './frame/session/session.ts';
import { takeComeBack, type ComeBack } from './views/log-in/come-back.ts';
import { logInByAddress } from './views/log-in/log-in-by-address.ts';
import { logInSearch } from './views/log-in/search.ts';
import { NotFound } from './frame/not-found.tsx';
import { Shell } from './frame/shell.tsx';
import { ViewFailed } from './frame/view-failed.tsx';
import { schedulesSearch } from './views/schedules/search.ts';
import { shardsSearch } from './views/shards/search.ts';
import { deadLettersSearch } from './views/dead-letters/search.ts';
import { actionTypesSearch } from './views/action-types/search.ts';
import { approvalsSearch } from './views/approvals/search.ts';
import { audiencesSearch } from './views/audiences/search.ts';
import { auditSearch } from './views/audit/search.ts';
import { clientsSearch } from './views/clients/search.ts';
import { jobsSearch } from './views/jobs/search.ts';
import { keysSearch } from './views/keys/search.ts';
import { failuresSearch } from './views/failures/search.ts';
import { calendarSearch } from './views/calendar/search.ts';
import { campaignsSearch } from './views/campaigns/search.ts';
import { quietHoursSearch } from './views/quiet-hours/search.ts';
import { reportSearch } from './views/report/search.ts';
import { suppressionsSearch } from './views/suppressions/search.ts';
import { systemSearch } from './views/system/search.ts';
import { templatesSearch } from './views/templates/search.ts';
import { newCampaignSearch } from './views/new-campaign/search.ts';

interface RouterContext {
  queryClient: QueryClient;
  /** What an issuer has sent the browser back with, until it was tried. */
  takeComeBack: () => ComeBack | undefined;
}

/**
 * Every view, one block each: its path, the shape of its search parameters, and the chunk it is loaded from when it is
 * opened.
 */
const root = createRootRouteWithContext<RouterContext>()({
  component: Frame,
  notFoundComponent: NotFound,
  errorComponent: ViewFailed,
  beforeLoad: async ({ location, context }) => {
    if (location.pathname === '/log-in') return;
    try {
      await requireSession(context.queryClient);
      await loadTitles(context.queryClient);
    } catch (error) {
      if (problemOf(error).status !== 401) throw error;
      // The router's own way to go elsewhere is to throw.
      throw redirect({ to: '/log-in', search: { to: location.href } });
    }
  },
});

/** Nothing stands around the log-in. */
function Frame() {
  const isOutside = useMatch({ from: '/log-in', shouldThrow: false }) !== undefined;
  return isOutside ? <Outlet /> : <Shell />;
}

const logIn = createRoute({
  getParentRoute: () => root,
  path: '/log-in',
  validateSearch: logInSearch,
  loader: async ({ location, context }) => {
    const byAddress = await logInByAddress(location.hash, context.takeComeBack(), context.queryClient);
    if (byAddress.state !== 'logged in') return byAddress;
    throw redirect({ href: `${basePath.replace(/\/$/, '')}${byAddress.to}`, replace: true });
  },
  component: lazyRouteComponent(() => import('./views/log-in/log-in-view.tsx'), 'LogInView'),
});

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/campaigns', replace: true });
  },
});

const campaigns = createRoute({
  getParentRoute: () => root,
  path: '/campaigns',
  validateSearch: campaignsSearch,
  component: lazyRouteComponent(() => import('./views/campaigns/campaigns-view.tsx'), 'CampaignsView'),
});

const newCampaign = createRoute({
  getParentRoute: () => root,
  path: '/campaigns/new',
  validateSearch: newCampaignSearch,
  component: lazyRouteComponent(() => import('./views/new-campaign/new-campaign-view.tsx'), 'NewCampaignView'),
});

const campaign = createRoute({
  getParentRoute: () => root,
  path: '/campaigns/$campaignId',
  component: lazyRouteComponent(() => import('./views/campaign/campaign-view.tsx'), 'CampaignView'),
});

const editCampaign = createRoute({
  getParentRoute: () => root,
  path: '/campaigns/$campaignId/edit',
  component: lazyRouteComponent(() => import('./views/new-campaign/edit-campaign-view.tsx'), 'EditCampaignView'),
});

const templates = createRoute({
  getParentRoute: () => root,
  path: '/templates',
  validateSearch: templatesSearch,
  component: lazyRouteComponent(() => import('./views/templates/templates-view.tsx'), 'TemplatesView'),
});

const calendar = createRoute({
  getParentRoute: () => root,
  path: '/calendar',
  validateSearch: calendarSearch,
  component: lazyRouteComponent(() => import('./views/calendar/calendar-view.tsx'), 'CalendarView'),
});

const audiences = createRoute({
  getParentRoute: () => root,
  path: '/audiences',
  validateSearch: audiencesSearch,
  component: lazyRouteComponent(() => import('./views/audiences/audiences-view.tsx'), 'AudiencesView'),
});

const liveRun = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  component: lazyRouteComponent(() => import('./views/live-run/live-run-view.tsx'), 'LiveRunView'),
});

const report = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId/report',
  validateSearch: reportSearch,
  component: lazyRouteComponent(() => import('./views/report/report-view.tsx'), 'ReportView'),
});

const user = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId/users/$userId',
  component: lazyRouteComponent(() => import('./views/user/user-view.tsx'), 'UserView'),
});

const failures = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId/failures',
  validateSearch: failuresSearch,
  component: lazyRouteComponent(() => import('./views/failures/failures-view.tsx'), 'FailuresView'),
});

const shards = createRoute({
  getParentRoute: () => root,
  path: '/shards',
  validateSearch: shardsSearch,
  component: lazyRouteComponent(() => import('./views/shards/shards-view.tsx'), 'ShardsView'),
});

const actionTypes = createRoute({
  getParentRoute: () => root,
  path: '/action-types',
  validateSearch: actionTypesSearch,
  component: lazyRouteComponent(() => import('./views/action-types/action-types-view.tsx'), 'ActionTypesView'),
});

const quietHours = createRoute({
  getParentRoute: () => root,
  path: '/quiet-hours',
  validateSearch: quietHoursSearch,
  component: lazyRouteComponent(() => import('./views/quiet-hours/quiet-hours-view.tsx'), 'QuietHoursView'),
});

const suppressions = createRoute({
  getParentRoute: () => root,
  path: '/suppressions',
  validateSearch: suppressionsSearch,
  component: lazyRouteComponent(() => import('./views/suppressions/suppressions-view.tsx'), 'SuppressionsView'),
});

const jobs = createRoute({
  getParentRoute: () => root,
  path: '/jobs',
  validateSearch: jobsSearch,
  component: lazyRouteComponent(() => import('./views/jobs/jobs-view.tsx'), 'JobsView'),
});

const job = createRoute({
  getParentRoute: () => root,
  path: '/jobs/$jobId',
  component: lazyRouteComponent(() => import('./views/job/job-view.tsx'), 'JobView'),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: '/schedules',
  validateSearch: schedulesSearch,
  component: lazyRouteComponent(() => import('./views/schedules/schedules-view.tsx'), 'SchedulesView'),
});

const clients = createRoute({
  getParentRoute: () => root,
  path: '/clients',
  validateSearch: clientsSearch,
  component: lazyRouteComponent(() => import('./views/clients/clients-view.tsx'), 'ClientsView'),
});

const client = createRoute({
  getParentRoute: () => root,
  path: '/clients/$client',
  component: lazyRouteComponent(() => import('./views/client/client-view.tsx'), 'ClientView'),
});

const scheduler = createRoute({
  getParentRoute: () => root,
  path: '/scheduler',
  component: lazyRouteComponent(() => import('./views/scheduler/scheduler-view.tsx'), 'SchedulerView'),
});

const deadLetters = createRoute({
  getParentRoute: () => root,
  path: '/dead-letters',
  validateSearch: deadLettersSearch,
  component: lazyRouteComponent(() => import('./views/dead-letters/dead-letters-view.tsx'), 'DeadLettersView'),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./views/audit/audit-view.tsx'), 'AuditView'),
});

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  validateSearch: approvalsSearch,
  component: lazyRouteComponent(() => import('./views/approvals/approvals-view.tsx'), 'ApprovalsView'),
});

const notices = createRoute({
  getParentRoute: () => root,
  path: '/notices',
  component: lazyRouteComponent(() => import('./views/notices/notices-view.tsx'), 'NoticesView'),
});

const system = createRoute({
  getParentRoute: () => root,
  path: '/system',
  validateSearch: systemSearch,
  component: lazyRouteComponent(() => import('./views/system/system-view.tsx'), 'SystemView'),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  validateSearch: keysSearch,
  component: lazyRouteComponent(() => import('./views/keys/keys-view.tsx'), 'KeysView'),
});

const views = [
  index,
  logIn,
  campaigns,
  newCampaign,
  campaign,
  editCampaign,
  templates,
  calendar,
  audiences,
  liveRun,
  report,
  failures,
  user,
  jobs,
  job,
  schedules,
  clients,
  client,
  scheduler,
  shards,
  actionTypes,
  quietHours,
  suppressions,
  deadLetters,
  audit,
  approvals,
  notices,
  keys,
  system,
] as const;

export function createConsoleRouter({ queryClient }: Pick<RouterContext, 'queryClient'>) {
  let comeBack = takeComeBack();
  return createRouter({
    routeTree: root.addChildren(views),
    context: {
      queryClient,
      takeComeBack: () => {
        const taken = comeBack;
        comeBack = undefined;
        return taken;
      },
    },
    basepath: basePath,
    defaultPreload: 'intent',
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
