/** Current objects of a system, by ids as its API shows them; undefined if there is none. */
export interface Found {
  campaign?: string | undefined;
  draft?: string | undefined;
  /** A run that goes on, or the last one. */
  liveRun?: string | undefined;
  endedRun?: string | undefined;
  /** Failed user in the run that has ended. */
  user?: string | undefined;
  client?: string | undefined;
  job?: string | undefined;
}

interface DisplayedView {
  /** Name of the pictures. */
  name: string;
  /** Route in the console's router. */
  route: string;
  /** Undefined where there is nothing to be shown. */
  pathOf: (found: Found) => string | undefined;
  /** It is looked at most, so its pictures are kept in the dark theme and on a phone too. */
  isMain?: boolean;
}

/** Views that need no id. */
const plain = (name: string, route = `/${name}`): DisplayedView => ({ name, route, pathOf: () => route.slice(1) });

/** Every view of the console but the log-in, each at something that there is. */
export const displayedViews: readonly DisplayedView[] = [
  { ...plain('campaigns'), isMain: true },
  {
    ...plain('new-campaign', '/campaigns/new'),
    pathOf: ({ draft }) => (draft ? undefined : 'campaigns/new'),
    isMain: true,
  },
  {
    name: 'new-campaign',
    route: '/campaigns/$campaignId/edit',
    isMain: true,
    pathOf: ({ draft }) => draft && `campaigns/${draft}/edit`,
  },
  { name: 'campaign', route: '/campaigns/$campaignId', pathOf: ({ campaign }) => campaign && `campaigns/${campaign}` },
  { name: 'live-run', route: '/runs/$runId', pathOf: ({ liveRun }) => liveRun && `runs/${liveRun}`, isMain: true },
  {
    name: 'report',
    route: '/runs/$runId/report',
    isMain: true,
    pathOf: ({ endedRun }) => endedRun && `runs/${endedRun}/report`,
  },
  {
    name: 'failures',
    route: '/runs/$runId/failures',
    pathOf: ({ endedRun }) => endedRun && `runs/${endedRun}/failures`,
  },
  {
    name: 'user',
    route: '/runs/$runId/users/$userId',
    isMain: true,
    pathOf: ({ endedRun, user }) => endedRun && user && `runs/${endedRun}/users/${encodeURIComponent(user)}`,
  },
  plain('calendar'),
  plain('audiences'),
  plain('suppressions'),
  plain('templates'),
  plain('approvals'),
  plain('jobs'),
  { name: 'job', route: '/jobs/$jobId', pathOf: ({ job }) => job && `jobs/${job}` },
  plain('schedules'),
  plain('quarantine'),
  { name: 'quarantine-jobs', route: '/quarantine', pathOf: () => 'quarantine?kind=job' },
  plain('clients'),
  { name: 'client', route: '/clients/$client', pathOf: ({ client }) => client && `clients/${client}` },
  plain('shards'),
  plain('scheduler'),
  plain('action-types'),
  plain('quiet-hours'),
  plain('caps'),
  plain('system'),
  plain('notifications'),
  plain('keys'),
  plain('audit'),
];
