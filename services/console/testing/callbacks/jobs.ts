import type {
  Client,
  ClientForecast,
  ClientLedger,
  ClientLoad,
  Job,
  JobCounts,
  JobSummary,
  ListClientEndpointsResponse,
  ListClientsResponse,
  ListJobsResponse,
  Scheduler,
} from '#client/types.gen.ts';

const times = { createdAt: '2026-08-03T09:00:00.000Z', updatedAt: '2026-11-01T09:00:00.000Z' };

/** A client with jobs in each state: waiting, being called, sidelined and dead. */
export const shop: Client = {
  id: 'cli_shop',
  name: 'shop',
  revision: 4,
  maxStoredJobs: 1000,
  maxSchedules: 20,
  keepBodies: true,
  endpoint: {
    name: 'default',
    clientId: 'cli_shop',
    revision: 3,
    enabled: true,
    disabledReason: null,
    url: null,
    publishRatePerSecond: 10,
    concurrency: 50,
    timeoutMs: 10_000,
    retry: { strategy: 'exponential', attempts: 5, firstDelayMs: 1000, maxDelayMs: 3_600_000 },
    finalCodes: [],
    sealPaths: false,
    egress: { allow: [] },
    sideline: { afterFailures: 10, failureRate: 0.5, probeSeconds: 30, pathPrefixes: [] },
    onGone: 'dead-letter',
    auth: null,
    keys: [{ id: 'ckey_1', createdAt: '2026-11-01T09:00:00.000Z', expiresAt: null }],
    warnings: [],
    ...times,
    links: { self: '/v1/clients/cli_shop/endpoints/default', client: '/v1/clients/cli_shop' },
  },
  ...times,
  links: {
    self: '/v1/clients/cli_shop',
    endpoints: '/v1/clients/cli_shop/endpoints',
    ledger: '/v1/clients/cli_shop/ledger',
  },
};

const billing: Client = {
  ...shop,
  id: 'cli_billing',
  name: 'billing',
  endpoint: {
    ...shop.endpoint,
    clientId: 'cli_billing',
    enabled: false,
    disabledReason: 'year end',
    keys: [],
    warnings: [{ pointer: '/keys', code: 'unsigned', detail: 'its calls are not signed' }],
  },
};

export const endpoints: ListClientEndpointsResponse = {
  items: [
    shop.endpoint,
    {
      name: 'receipts',
      clientId: shop.id,
      revision: 1,
      enabled: false,
      disabledReason: 'they move house',
      url: 'https://receipts.shop.example/v1/events',
      publishRatePerSecond: 200,
      auth: null,
      keys: [],
      warnings: [],
      ...times,
      links: { self: '', client: '' },
    },
  ],
  next: null,
};

export const clients: ListClientsResponse = { items: [shop, billing], next: null };

export const pending: JobSummary = {
  id: 'job_pending',
  clientId: shop.id,
  state: 'pending',
  scheduledFor: '2030-01-01T09:00:00.000Z',
  dueAt: '2030-01-01T09:00:00.000Z',
  acceptedAt: '2026-11-22T19:00:00.000Z',
  expiresAt: null,
  endedAt: null,
  attempt: 1,
  endpoint: 'default',
  method: 'POST',
  url: 'https://shop.example/hooks/cart?id=7',
  idempotencyKey: 'cart-7',
  tags: ['cart'],
  scheduleId: null,
  repeats: null,
  orderingKey: null,
  ordering: null,
  priority: 'normal',
  sidelinedFor: null,
  cause: null,
  links: { self: '/v1/jobs/job_pending', client: '/v1/clients/cli_shop' },
};

export const jobs: ListJobsResponse = {
  items: [
    pending,
    { ...pending, id: 'job_again', scheduledFor: '2026-11-22T19:01:00.000Z', attempt: 3, tags: [] },
    { ...pending, id: 'job_billing', clientId: 'cli_billing' },
  ],
  next: null,
};

export const deadJob: Job = {
  ...pending,
  id: 'job_dead',
  state: 'dead',
  attempt: 2,
  cause: 'status 500',
  scheduledFor: '2026-11-22T19:01:00.000Z',
  dueAt: null,
  endedAt: '2026-11-22T19:01:03.000Z',
  headers: { 'content-type': 'application/json', authorization: { set: true, length: 27 } },
  body: '{"order":17}',
  withheld: false,
  template: false,
  retry: null,
  timeoutMs: null,
  finalCodes: null,
  reportWithinSeconds: null,
  attempts: [
    { attempt: 1, at: '2026-11-22T19:01:00.040Z', status: null, latencyMs: 5000, error: 'no answer', answer: null },
    {
      attempt: 2,
      at: '2026-11-22T19:01:02.500Z',
      status: 500,
      latencyMs: 41,
      error: 'status 500',
      answer: '{"error":"duplicate"}',
    },
  ],
};

export const ledger: ClientLedger = {
  clientId: shop.id,
  asOf: '2026-11-22T19:40:00.000Z',
  accepted: 41_200,
  called: 40_000,
  expired: 10,
  cancelled: 90,
  dead: 100,
  sidelined: 400,
  pending: 600,
  waiting: 0,
  reporting: 0,
  check: {
    at: '2026-11-22T19:39:30.000Z',
    stored: 1000,
    counted: 1000,
    partitions: 64,
    due: 3,
    oldestDueMs: 200,
    blocked: 0,
    blockedKeys: 0,
    oldestBlockedMs: 0,
    openHosts: 1,
    difference: 0,
  },
  balanced: true,
};

/**
 * Load of a client with two endpoints. The jobs of the default endpoint wait for their host; the jobs of the other
 * endpoint are called.
 */
export const load: ClientLoad = {
  clientId: shop.id,
  asOf: ledger.asOf,
  behindAfterMs: 300_000,
  due: 30,
  lagMs: 600,
  estimated: false,
  sidelined: 400,
  callsPerSecond: 42.5,
  maxCallsPerSecond: 210,
  underWay: 14,
  maxUnderWay: 100,
  lastTenMinutes: { calls: 26_520, callsPerSecond: 44.2, p95AtMostMs: 500 },
  endpoints: [
    {
      endpoint: 'default',
      due: 0,
      lagMs: 0,
      sidelined: 400,
      circuitOpenSince: '2026-11-22T19:24:00.000Z',
      callsPerSecond: 0.5,
      maxCallsPerSecond: 10,
      underWay: 0,
      maxUnderWay: 50,
      lastTenMinutes: { calls: 120, callsPerSecond: 0.2, p95AtMostMs: null },
    },
    {
      endpoint: 'receipts',
      due: 30,
      lagMs: 600,
      sidelined: 0,
      circuitOpenSince: null,
      callsPerSecond: 42,
      maxCallsPerSecond: 200,
      underWay: 14,
      maxUnderWay: 50,
      lastTenMinutes: { calls: 26_400, callsPerSecond: 44, p95AtMostMs: 250 },
    },
  ],
  dispatchers: [
    {
      dispatcher: 'dispatcher@d1/0193',
      region: 'east',
      callsPerSecond: 42.5,
      underWay: 14,
      maxUnderWay: 50,
      credit: 86,
    },
    {
      dispatcher: 'dispatcher@d2/0194',
      region: 'east',
      callsPerSecond: 0,
      underWay: 0,
      maxUnderWay: null,
      credit: 400,
    },
  ],
};

/** Numbers of jobs over all clients. */
export const jobCounts: JobCounts = {
  asOf: ledger.asOf,
  accepted: 41_300,
  called: 40_050,
  expired: 10,
  cancelled: 90,
  dead: 150,
  stored: 1000,
  clients: [
    {
      clientId: shop.id,
      accepted: 41_200,
      called: 40_000,
      expired: 10,
      cancelled: 90,
      dead: 100,
      stored: 1000,
    },
    { clientId: billing.id, accepted: 100, called: 50, expired: 0, cancelled: 0, dead: 50, stored: 0 },
  ],
};

/** Returns a forecast in which one minute of the next hour exceeds the limit. */
export function forecast(): ClientForecast {
  const nextHour = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000).toISOString();
  return {
    clientId: shop.id,
    asOf: ledger.asOf,
    hours: 12,
    estimated: false,
    publishRatePerSecond: 10,
    peak: { minute: nextHour, callsPerSecond: 15 },
    minutes: [{ minute: nextHour, calls: 900, callsPerSecond: 15, full: true }],
  };
}

export const scheduler: Scheduler = {
  regions: [
    { name: 'east', epoch: 7, active: true, reason: null, changedAt: '2026-11-03T04:12:00.000Z' },
    { name: 'west', epoch: 3, active: false, reason: 'being emptied', changedAt: '2026-11-22T10:00:00.000Z' },
  ],
  nodes: [
    {
      owner: 'scheduler-1a',
      kind: 'scheduler',
      region: 'east',
      startedAt: '2026-11-22T10:00:00.000Z',
      partitions: 2,
      figures: { lagMs: 12, clientsBehind: 1 },
    },
    {
      owner: 'dispatcher-1a',
      kind: 'dispatcher',
      region: 'east',
      startedAt: '2026-11-22T10:00:00.000Z',
      partitions: 0,
      figures: {},
    },
  ],
  leaders: [{ name: 'scheduler', owner: 'scheduler-1a' }],
  partitions: [
    { partition: 0, owner: 'scheduler-1a', wanted: null, since: '2026-11-22T10:00:00.000Z', due: 3, oldestMs: 200 },
    { partition: 1, owner: 'scheduler-1a', wanted: 'x', since: '2026-11-22T10:00:00.000Z', due: 0, oldestMs: 0 },
    { partition: 2, owner: null, wanted: null, since: null, due: 0, oldestMs: 0 },
  ],
  hosts: [
    {
      clientId: shop.id,
      endpoint: 'default',
      host: 'shop.example',
      state: 'open',
      cause: 'status 502',
      openedAt: '2026-11-22T19:24:00.000Z',
      sidelined: 400,
    },
  ],
  backlog: { due: 3, oldestMs: 200, clientsBehind: 1 },
  lagMs: 12,
};
