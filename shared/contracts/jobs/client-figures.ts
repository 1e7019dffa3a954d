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
    dead: z.int().describe('Given up: their calls failed too often'),
    sidelined: z.int().describe('They wait until their host answers again'),
    pending: z.int().describe('Waiting for their time or their turn, or being called'),
    waiting: z.int().describe('Of the pending ones, those that wait for others of their ordering key; up to 10,000'),
    reporting: z.int().describe('Of the pending ones, those whose receivers have yet to report; up to 10,000'),
    check: z
      .object({
        at: time,
        stored: z.int().describe('What the totals said is stored'),
        counted: z.int().describe('What was found, in the partitions that were counted'),
        partitions: z.int().describe('Of 64; below that the count is a sample'),
        due: z.int().describe('Of those that were counted, due and not ended: waiting to be called, or being called'),
        oldestDueMs: z.int().describe('For how long the oldest of them had been due; 0 where none was'),
        inLine: z.int().describe('Jobs whose time had come, behind others of their ordering key'),
        keysInLine: z.int().describe('Of how many ordering keys they were'),
        oldestInLineMs: z.int().describe('For how long the first of them had been in line; 0 where none was'),
        hostsAside: z.int().describe('Hosts that were left alone, for the client or one of its endpoints'),
        difference: z.int().describe('Beyond what chance explains; 0 where it balances'),
      })
      .nullable()
      .describe('The last count of what is stored, once a minute; null before the first'),
    balanced: z.boolean().describe('false where the last check found a difference'),
  })
  .meta({ id: 'ClientLedger' });

export type ClientLedgerShape = z.output<typeof clientLedger>;

const counts = {
  accepted: z.int().describe('= called + expired + cancelled + dead + stored'),
  called: z.int(),
  expired: z.int(),
  cancelled: z.int(),
  dead: z.int(),
  stored: z.int().describe('Not ended: pending, being called, or sidelined'),
};

export const mostCountedClients = 1000;

export const jobCounts = z
  .object({
    asOf: time,
    ...counts,
    clients: z
      .array(z.object({ clientId: z.string(), ...counts }))
      .describe(`Those that ever had a job, most stored ones first; up to ${mostCountedClients}`),
  })
  .meta({ id: 'JobCounts', description: 'Of all clients that the key may see' });

export type JobCountsShape = z.output<typeof jobCounts>;

export const clientForecast = z
  .object({
    clientId: z.string(),
    asOf: time,
    hours: z.number(),
    estimated: z
      .boolean()
      .describe('true where so much is stored that a part was counted, and the rest reckoned from it'),
    publishRatePerSecond: z.number().nullable(),
    peak: z.object({ minute: time, callsPerSecond: z.number() }).nullable(),
    minutes: z
      .array(
        z.object({
          minute: time,
          calls: z.int(),
          callsPerSecond: z.number(),
          full: z.boolean().describe('More is due than publishRatePerSecond lets begin: some begin later'),
        }),
      )
      .describe('Minutes in which something is due'),
  })
  .meta({ id: 'ClientForecast' });

export type ClientForecastShape = z.output<typeof clientForecast>;
