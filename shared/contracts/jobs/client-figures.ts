import { z } from 'zod';

const time = z.iso.datetime({ precision: 3 });

export const clientLedger = z
  .object({
    clientId: z.string(),
    asOf: time,
    accepted: z.int().describe('= called + expired + cancelled + dead + sidelined + pending'),
    called: z.int(),
    expired: z.int(),
    cancelled: z.int(),
    dead: z.int().describe('Jobs whose calls failed too often'),
    sidelined: z.int().describe('Jobs that wait until their host answers again'),
    pending: z.int().describe('Jobs that wait for their due time or turn, or are being called'),
    waiting: z.int().describe('Pending jobs that wait for others with their ordering key; counted up to 10,000'),
    reporting: z.int().describe('Pending jobs whose receivers have not reported yet; counted up to 10,000'),
    check: z
      .object({
        at: time,
        stored: z.int().describe('Stored jobs according to the totals'),
        counted: z.int().describe('Jobs found in the counted partitions'),
        partitions: z.int().describe('Counted partitions of 64; below that the count is a sample'),
        due: z.int().describe('Counted jobs that are due and have not ended'),
        oldestDueMs: z.int().describe('Milliseconds since the oldest of them was due; 0 if none was'),
        blocked: z.int().describe('Due jobs that wait for others with their ordering key'),
        blockedKeys: z.int().describe('Number of their ordering keys'),
        oldestBlockedMs: z.int().describe('Milliseconds since the first of them began to wait; 0 if none waited'),
        openHosts: z.int().describe('Hosts with an open circuit, for the client or one of its endpoints'),
        difference: z.int().describe('Difference beyond statistical error; 0 if the totals match'),
      })
      .nullable()
      .describe('Last count of stored jobs, once a minute; null before the first'),
    balanced: z.boolean().describe('false: the last check found a difference'),
  })
  .meta({ id: 'ClientLedger' });

export type ClientLedgerShape = z.output<typeof clientLedger>;

const counts = {
  accepted: z.int().describe('= called + expired + cancelled + dead + stored'),
  called: z.int(),
  expired: z.int(),
  cancelled: z.int(),
  dead: z.int(),
  stored: z.int().describe('Open jobs: pending, being called or sidelined'),
};

export const mostCountedClients = 1000;

export const jobCounts = z
  .object({
    asOf: time,
    ...counts,
    clients: z
      .array(z.object({ clientId: z.string(), ...counts }))
      .describe(`Clients that ever had a job, those with the most stored jobs first; up to ${mostCountedClients}`),
  })
  .meta({ id: 'JobCounts', description: 'Sum of all clients that the key may read' });

export type JobCountsShape = z.output<typeof jobCounts>;

export const clientForecast = z
  .object({
    clientId: z.string(),
    asOf: time,
    hours: z.number(),
    estimated: z
      .boolean()
      .describe('true: the figures are extrapolated from a part of the jobs, because there are too many to count'),
    publishRatePerSecond: z.number().nullable(),
    peak: z.object({ minute: time, callsPerSecond: z.number() }).nullable(),
    minutes: z
      .array(
        z.object({
          minute: time,
          calls: z.int(),
          callsPerSecond: z.number(),
          full: z.boolean().describe('true: more jobs are due than publishRatePerSecond allows, so some start later'),
        }),
      )
      .describe('Minutes with due jobs'),
  })
  .meta({ id: 'ClientForecast' });

export type ClientForecastShape = z.output<typeof clientForecast>;
