import { z } from 'zod';

const time = z.iso.datetime({ precision: 3 });
const count = z.int().min(0);

const load = {
  due: count.describe('Due, and not being called yet'),
  lagMs: z.number().min(0).describe('For how long the oldest of these has been due; 0 where none is'),
  sidelined: count.describe('They wait until their host answers again; up to 10,000 of each endpoint are counted'),
  callsPerSecond: z.number().min(0).describe('Calls that ended, whatever came of them: over the last minute'),
  maxCallsPerSecond: z.number().nullable().describe('publishRatePerSecond; null: no limit'),
  underWay: count.describe('Being called, as dispatchers said some seconds ago'),
  maxUnderWay: count.describe('concurrency: calls at once'),
  lastTenMinutes: z
    .object({
      calls: count.describe('Calls that ended'),
      callsPerSecond: z
        .number()
        .min(0)
        .describe('The same over ten minutes, or as long as each dispatcher has run where that is less'),
      p95AtMostMs: z
        .number()
        .min(0)
        .nullable()
        .describe(
          '95 of 100 calls took at most so long: the upper bound of the bucket that the slowest of these is in. null: none was called, or ' +
            'it took over a minute',
        ),
    })
    .describe('Some ten seconds old'),
};

export const clientLoad = z
  .object({
    clientId: z.string(),
    asOf: time,
    behindAfterMs: z
      .int()
      .min(0)
      .describe('Beyond this lag a client is behind: then the alert MusterClientBehind is about to go off'),
    ...load,
    estimated: z
      .boolean()
      .describe(
        'true where so much is due, of all clients, that a part was read: then due and lagMs are what was found, or what the ledger’s ' +
          'last check counted where that is more, and those of endpoints are at least so much',
      ),
    endpoints: z
      .array(
        z.object({
          endpoint: z.string().describe('Its name; `default` has the jobs that name none'),
          ...load,
          asideSince: time.nullable().describe('Since when the first of its hosts is left alone; null: none is'),
        }),
      )
      .describe(
        'Each has limits of its own, of which those of the client are the sum. Worst first: aside, then by lag',
      ),
    dispatchers: z
      .array(
        z.object({
          dispatcher: z.string(),
          region: z.string(),
          callsPerSecond: load.callsPerSecond,
          underWay: count,
          maxUnderWay: count
            .nullable()
            .describe('Its part of the calls at once now; null: it had nothing of the client in the last minute'),
          credit: count.describe('Jobs that it may be sent now, beyond what it has'),
        }),
      )
      .describe('Those that take jobs now'),
  })
  .meta({ id: 'ClientLoad' });

export type ClientLoadShape = z.output<typeof clientLoad>;
