import type { ListQuotasResponse, System } from '#client/types.gen.ts';

export const system: System = {
  asOf: '2026-11-24T10:42:00.000Z',
  api: {
    version: '0.1.0',
    node: '24.1.0',
    zoneData: '2026c',
    region: 'east',
    startedAt: '2026-11-23T10:00:00.000Z',
  },
  access: { mode: 'keys', issuer: null, isIssuerAnswering: null },
  database: {
    version: '18.4',
    answerMs: 1.8,
    bytes: 318_000_000_000,
    clockAheadMs: 2,
    migration: '20261122000000_schema',
    schemaVersion: '0.1.0',
    installedAt: '2026-08-03T09:00:00.000Z',
  },
  partitions: { runsUntil: '2026-12-21T00:00:00.000Z', jobsUntil: '2026-11-28T00:00:00.000Z', cannotMake: [] },
  logArchive: {
    state: 'well',
    lastArchivedAt: '2026-11-24T10:40:00.000Z',
    waitingBytes: 0,
    lastFailedAt: null,
    lastFailed: null,
  },
  nodes: [
    { kind: 'dispatcher', region: 'east', processes: 2, oldestAt: '2026-11-23T10:00:00.000Z' },
    { kind: 'scheduler', region: 'east', processes: 1, oldestAt: '2026-11-23T10:00:00.000Z' },
  ],
  processes: [
    {
      service: 'dispatcher',
      version: '0.1.0',
      region: 'east',
      processes: 2,
      names: ['dispatcher@d1', 'dispatcher@d2'],
      oldestAt: '2026-11-23T10:00:00.000Z',
    },
    {
      service: 'worker',
      version: '0.1.0',
      region: 'east',
      processes: 8,
      names: ['worker@w1', 'worker@w2'],
      oldestAt: '2026-11-23T10:00:00.000Z',
    },
    {
      service: 'worker',
      version: '0.1.0',
      region: 'west',
      processes: 13,
      names: ['worker@w9'],
      oldestAt: '2026-11-23T10:00:00.000Z',
    },
  ],
  runtimes: [{ zoneData: '2026c', node: '24.1.0', processes: 23, names: ['dispatcher@d1', 'worker@w1'] }],
  clocks: { known: 23, apartMs: 4, offCount: 0, off: [] },
  settings: [{ name: 'QUOTA_OPEN_RUNS', service: 'api', value: '5000' }],
  configuration: [
    { name: 'API_PORT', value: '8080', from: 'environment', secretLength: null },
    { name: 'KAFKA_SASL_PASSWORD', value: null, from: 'environment', secretLength: 32 },
    { name: 'MUSTER_SECRETS_KEY', value: null, from: 'file', secretLength: null },
    { name: 'MUSTER_ZONE', value: null, from: 'usual', secretLength: null },
  ],
};

export const quotas: ListQuotasResponse = {
  account: 'key_demo',
  items: [
    { name: 'openRuns', used: 9, limit: 5000 },
    { name: 'streams', used: 1950, limit: 2000 },
  ],
};
