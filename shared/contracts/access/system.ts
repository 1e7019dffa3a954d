import { z } from 'zod';

const time = z.iso.datetime({ precision: 3 });
const count = z.int().min(0);

export const systemShape = z
  .object({
    asOf: time,
    api: z
      .object({
        version: z.string(),
        node: z.string(),
        zoneData: z.string().describe('Version of its time zone data'),
        region: z.string(),
        startedAt: time,
      })
      .describe('The process that answers'),
    access: z
      .object({
        mode: z.enum(['keys', 'oidc', 'both']).describe('AUTH_MODE'),
        issuer: z.string().nullable().describe('Identity provider whose tokens are accepted; null: none'),
        isIssuerAnswering: z.boolean().nullable().describe('Time of the last request to it; null: not requested yet'),
      })
      .describe('Authentication accepted by the process that answers'),
    database: z.object({
      version: z.string(),
      answerMs: z.number().min(0).describe('Milliseconds that the database took to answer this query'),
      bytes: z.number().min(0),
      clockAheadMs: z.number().describe('Difference to the clock of the process that answers'),
      migration: z.string().nullable().describe('Last applied migration'),
      schemaVersion: z.string().nullable().describe('Version of Muster that last migrated the schema'),
      installedAt: time,
    }),
    partitions: z
      .object({
        runsUntil: time.describe('Tables exist for runs that begin before this time'),
        jobsUntil: time.describe('Tables exist for jobs that end before this time'),
        cannotMake: z
          .array(z.string())
          .describe('Database functions without permission to create more tables; empty: all have it'),
      })
      .describe('Weekly and daily partitions, created in advance by triggers and schedulers'),
    logArchive: z
      .object({
        state: z
          .enum(['off', 'new', 'well', 'behind', 'failing'])
          .describe(
            'off: the server does not archive; new: no file is complete yet; behind: more than 1 GiB waits to be archived',
          ),
        lastArchivedAt: time.nullable(),
        waitingBytes: z
          .number()
          .min(0)
          .nullable()
          .describe('Bytes of complete files that are not archived yet; null: unknown'),
        lastFailedAt: time.nullable(),
        lastFailed: z.string().nullable().describe('Log file that could not be archived'),
      })
      .describe(
        'Archive of the database’s write-ahead log, as reported by the server. A restore to the last commit needs it',
      ),
    nodes: z
      .array(z.object({ kind: z.string(), region: z.string(), processes: count, oldestAt: time }))
      .describe('Running schedulers and dispatchers'),
    processes: z
      .array(
        z.object({
          service: z.string(),
          version: z.string(),
          region: z.string().describe('MUSTER_REGION'),
          processes: count,
          oldestAt: time.describe('Start time of the oldest of these processes'),
          names: z.array(z.string()).describe('Names of the first five, such as worker@host'),
        }),
      )
      .describe('Running processes by service, version and region. A killed process is listed for up to 90 seconds'),
    runtimes: z
      .array(z.object({ zoneData: z.string(), node: z.string(), processes: count, names: z.array(z.string()) }))
      .describe(
        'Running processes by time zone data and Node version, most frequent first; names of the first five, such as worker@host',
      ),
    clocks: z
      .object({
        known: count.describe(
          'Processes that have compared their clock with the database’s; a process that has just started has not',
        ),
        apartMs: z
          .int()
          .min(0)
          .nullable()
          .describe(
            'Largest difference between any of these clocks and the database’s, including the measurement error; null: unknown',
          ),
        offCount: count.describe('Processes whose clock certainly differs from the database’s by more than a second'),
        off: z
          .array(
            z.object({
              name: z.string().describe('worker@host'),
              service: z.string(),
              region: z.string(),
              aheadMs: z.int().describe('Ahead of the database’s clock; negative: behind'),
              withinMs: z.int().min(0).describe('Measurement error: half of the round trip time'),
            }),
          )
          .describe('The five largest differences'),
      })
      .describe('Clocks of all processes; each process compares its own with the database’s twice a minute'),
    settings: z
      .array(z.object({ name: z.string(), service: z.string(), value: z.string() }))
      .describe('Settings that services must agree on: the values of the process that started last'),
    configuration: z
      .array(
        z.object({
          name: z.string(),
          value: z.string().nullable().describe('null: a secret, or not set; then the default applies'),
          from: z.enum(['environment', 'file', 'usual']),
          secretLength: z.int().nullable().describe('Length of a secret in characters'),
        }),
      )
      .nullable()
      .describe(
        'Configuration of the process that answers; null unless the key is an operator’s with access to the whole installation',
      ),
  })
  .meta({ id: 'System' });

export type SystemShape = z.output<typeof systemShape>;
