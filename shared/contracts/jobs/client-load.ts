import { z } from 'zod';

const time = z.iso.datetime({ precision: 3 });
const count = z.int().min(0);

const load = {
  due: count.describe('Jobs that are due and not being called yet'),
  lagMs: z.number().min(0).describe('Milliseconds since the oldest of these was due; 0 if there is none'),
  sidelined: count.describe('Jobs that wait until their host answers again; counted up to 10,000 per endpoint'),
  callsPerSecond: z.number().min(0).describe('Calls per second that ended in the last minute, with any result'),
  maxCallsPerSecond: z.number().nullable().describe('publishRatePerSecond; null: no limit'),
  underWay: count.describe('Calls in progress, as reported by dispatchers some seconds ago'),
  maxUnderWay: count.describe('Limit of concurrent calls (`concurrency`)'),
  lastTenMinutes: z
    .object({
      calls: count.describe('Calls that ended'),
      callsPerSecond: z
        .number()
        .min(0)
        .describe('The same over ten minutes, or since each dispatcher started if that is less'),
      p95AtMostMs: z
        .number()
        .min(0)
        .nullable()
        .describe(
          '95th percentile of call durations, rounded up to the bound of its histogram bucket. null: there were no calls, or ' +
            'it took over a minute',
        ),
    })
    .describe('Time of the figures, which are about ten seconds old'),
};

export const clientLoad = z
  .object({
    clientId: z.string(),
    asOf: time,
    behindAfterMs: z
      .int()
      .min(0)
      .describe('Lag above which a client is behind and the alert MusterClientBehind will fire'),
    ...load,
    estimated: z
      .boolean()
      .describe(
        'true: so many jobs are due that only a part was read. Then due and lagMs are what was found, or what the ledger’s ' +
          'last check counted where that is more, and those of endpoints are at least so much',
      ),
    endpoints: z
      .array(
        z.object({
          endpoint: z.string().describe('Name of the endpoint; jobs without an endpoint use `default`'),
          ...load,
          circuitOpenSince: time
            .nullable()
            .describe('Time since which one of its hosts has an open circuit; null: none has'),
        }),
      )
      .describe(
        'Each endpoint has its own limits; those of the client are their sum. Endpoints with an open circuit come first, then by lag',
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
            .describe(
              'Its current share of the concurrent calls; null: it had no job of the client in the last minute',
            ),
          credit: count.describe('Further jobs that it can take now'),
        }),
      )
      .describe('Dispatchers that take jobs now'),
  })
  .meta({ id: 'ClientLoad' });

export type ClientLoadShape = z.output<typeof clientLoad>;
