/** Subjects of an installation that was made for the test. */
export interface Ids {
  runId: string;
  campaignId: string;
  /** A test of the draft, from before its last change. */
  testId: string;
  endedId: string;
  /** A run that has ended with users whose outcome is unknown. */
  unknownId: string;
  draftId: string;
  userId: string;
  jobId: string;
  savedId: string;
}

/** Views in which axe finds nothing, by what they show: each route of the console, and some of its states. */
export const accessibleViews = {
  campaigns: () => 'campaigns',
  'no match': () => 'campaigns?state=paused',
  'new campaign': () => 'campaigns/new',
  'a changed draft that was tested': ({ draftId }: Ids) => `campaigns/${draftId}`,
  'a changed draft': ({ draftId }: Ids) => `campaigns/${draftId}/edit`,
  templates: () => 'templates',
  audiences: () => 'audiences',
  segments: () => 'audiences?kind=segment&id=lapsed-riders&of=segment',
  'saved audiences': () => 'audiences?kind=saved',
  'a campaign for a saved audience': ({ savedId }: Ids) => `campaigns/new?saved=${savedId}`,
  calendar: () => 'calendar',
  'a test': ({ testId }: Ids) => `runs/${testId}/report`,
  'a campaign': ({ campaignId }: Ids) => `campaigns/${campaignId}`,
  'live run': ({ runId }: Ids) => `runs/${runId}`,
  report: ({ endedId }: Ids) => `runs/${endedId}/report`,
  failures: ({ endedId }: Ids) => `runs/${endedId}/failures?batch=1`,
  'one user': ({ endedId, userId }: Ids) => `runs/${endedId}/users/${userId}`,
  jobs: () => 'jobs?client=shop',
  'a job': ({ jobId }: Ids) => `jobs/${jobId}`,
  schedules: () => 'schedules',
  clients: () => 'clients',
  'a client': () => 'clients/shop',
  scheduler: () => 'scheduler',
  shards: () => 'shards',
  'action types': () => 'action-types?name=award-reward',
  'quiet hours': () => 'quiet-hours',
  caps: () => 'caps',
  suppressions: () => 'suppressions?user=u-1029',
  quarantine: () => 'quarantine',
  'quarantined jobs': () => 'quarantine?kind=job',
  approvals: () => 'approvals',
  keys: () => 'keys',
  settings: () => 'system',
  notifications: () => 'notifications',
  'audit log': () => 'audit',
  'no such page': () => 'nowhere',
};
