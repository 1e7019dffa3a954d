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
        zoneData: z.string().describe('The rules of time zones that it goes by'),
        region: z.string(),
        startedAt: time,
      })
      .describe('The process that answers'),
    access: z
      .object({
        mode: z.enum(['keys', 'oidc', 'both']).describe('AUTH_MODE'),
        issuer: z.string().nullable().describe('Whose tokens are taken; null: none'),
        isIssuerAnswering: z.boolean().nullable().describe('When it was asked last; null: it was not asked yet'),
      })
      .describe('Who is taken by the process that answers'),
    database: z.object({
      version: z.string(),
      answerMs: z.number().min(0).describe('That it took to answer this'),
      bytes: z.number().min(0),
      clockAheadMs: z.number().describe('Of the clock of the process that answers'),
      migration: z.string().nullable().describe('The last one of its schema'),
      schemaVersion: z.string().nullable().describe('The version of Muster that changed its schema last'),
      installedAt: time,
    }),
    partitions: z
      .object({
        runsUntil: time.describe('There are tables for runs that begin before'),
        jobsUntil: time.describe('There are tables for jobs that end before'),
        cannotMake: z.array(z.string()).describe('Functions of the schema that may not make more; empty: all may'),
      })
      .describe('Tables of weeks and days, made ahead by triggers and schedulers'),
    logArchive: z
      .object({
        state: z
          .enum(['off', 'new', 'well', 'behind', 'failing'])
          .describe('off: the server does not archive; new: no file was whole yet; behind: more than 1 GiB waits'),
        lastArchivedAt: time.nullable(),
        waitingBytes: z.number().min(0).nullable().describe('Of whole files; null: not known'),
        lastFailedAt: time.nullable(),
        lastFailed: z.string().nullable().describe('The file of the log that could not be archived'),
      })
      .describe('The archive of the database’s log, as the server tells it: what a restore to the last commit needs'),
    nodes: z
      .array(z.object({ kind: z.string(), region: z.string(), processes: count, oldestAt: time }))
      .describe('Schedulers and dispatchers that are alive'),
    processes: z
      .array(
        z.object({
          service: z.string(),
          version: z.string(),
          region: z.string().describe('MUSTER_REGION'),
          processes: count,
          oldestAt: time.describe('Since when the first of them runs'),
          names: z.array(z.string()).describe('Of the first five: worker@host'),
        }),
      )
      .describe('All that run, by service, version and region; one that was killed is among them for up to 90 s'),
    runtimes: z
      .array(z.object({ zoneData: z.string(), node: z.string(), processes: count, names: z.array(z.string()) }))
      .describe('All that run, by zone data and Node, most first; names of the first five: worker@host'),
    clocks: z
      .object({
        known: count.describe('Processes that have compared theirs with the database’s; one that just began has not'),
        apartMs: z
          .int()
          .min(0)
          .nullable()
          .describe(
            'So far at most are all of them and the database’s apart, by how much that may be wrong included; null: none is known',
          ),
        offCount: count.describe('Those that are more than a second off the database’s for sure'),
        off: z
          .array(
            z.object({
              name: z.string().describe('worker@host'),
              service: z.string(),
              region: z.string(),
              aheadMs: z.int().describe('Of the database’s; below 0: behind'),
              withinMs: z.int().min(0).describe('By how much that may be wrong: half of the way there and back'),
            }),
          )
          .describe('The worst five of them'),
      })
      .describe('Of all processes, as each compares its own with the database’s twice a minute'),
    settings: z
      .array(z.object({ name: z.string(), service: z.string(), value: z.string() }))
      .describe(
        'Of what services have to have the same, or to know of each other: with what the process that started last runs',
      ),
    configuration: z
      .array(
        z.object({
          name: z.string(),
          value: z.string().nullable().describe('null: a secret, or not set: then it is as usual'),
          from: z.enum(['environment', 'file', 'usual']),
          secretLength: z.int().nullable().describe('Of a secret that is set, in characters'),
        }),
      )
      .nullable()
      .describe('Of the process that answers; null for keys that are not those of an operator of the installation'),
  })
  .meta({ id: 'System' });

export type SystemShape = z.output<typeof systemShape>;
