import { z } from 'zod';
import { emailAction } from './email/email-action.contract.ts';
import { nameInFile as name } from './databases/name-in-file.contract.ts';
import { callAction } from './single-calls/call-action.contract.ts';
import { sqlAction } from './sql-action/sql-action.contract.ts';

const database = z
  .strictObject({
    urlEnv: z
      .string()
      .regex(/^[A-Z_][A-Z0-9_]*$/, 'has to be the name of an environment variable, such as SHOP_DATABASE_URL')
      .optional()
      .describe(
        'Name of the environment variable with its address: `postgres://…`, `mysql://…` or `mariadb://…`, of a role that ' +
          'may only read. `<variable>_FILE` may name a file instead',
      ),
    directory: z
      .string()
      .regex(/^\/./, 'has to be an absolute path, such as /var/lib/exports')
      .optional()
      .describe(
        'Instead of `urlEnv`: a directory of CSV, JSON or Parquet files. Queries use DuckDB, and name files by their whole path. Other files cannot be read',
      ),
    memoryMb: z
      .int()
      .min(200)
      .max(1_000_000)
      .optional()
      .describe(
        'With `directory`: memory of all its queries in each process, in MB; 1,000 if absent. Larger sorts use temporary files',
      ),
    maxConnections: z
      .int()
      .min(1)
      .max(50)
      .default(4)
      .describe('Maximum connections of each process, and queries at once'),
  })
  .refine(({ urlEnv, directory }) => (urlEnv === undefined) !== (directory === undefined), {
    message: 'has to have either urlEnv or directory',
  })
  .refine(({ directory, memoryMb }) => directory !== undefined || memoryMb === undefined, {
    path: ['memoryMb'],
    message: 'is allowed only with directory',
  });

const segment = z.strictObject({
  name: z.string().trim().min(1).max(200).describe('Name for people and searches'),
  description: z.string().trim().min(1).max(2000).optional().describe('What the segment is, for people'),
  database: name.describe('Name of its database in this file'),
  query: z
    .string()
    .trim()
    .min(1)
    .max(100_000)
    .describe(
      'One `select` that returns the columns `user_id` and `country` (two capital letters), in any order of rows. Other ' +
        'columns are allowed and not read',
    ),
  timeoutSeconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(600)
    .describe('Maximum duration of one run of the query, including the copying of its rows'),
  onDuplicates: z
    .enum(['refuse', 'first'])
    .default('refuse')
    .describe(
      'What a user in several rows does. `refuse`: the segment is refused, and the answer names the first ten. ' +
        '`first`: the row of the first country in alphabetical order counts',
    ),
  reuseSeconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(60)
    .describe('Seconds after the start of its query for which a snapshot is used for other campaigns and countries'),
  keepHours: z
    .int()
    .min(1)
    .max(8760)
    .default(48)
    .describe(
      'Hours for which a snapshot is kept after its last page was read; a paused run then continues with a new one',
    ),
});

/**
 * The configuration file at the path in `CONNECTORS_CONFIG`. Server addresses are in environment variables, whose names
 * the file contains.
 */
export const connectorsFile = z.strictObject({
  databases: z.record(name, database).describe('Databases by name, such as `shop`'),
  segments: z.record(name, segment).describe('Segments by the id that campaigns name, such as `lapsed-riders`'),
  actions: z
    .record(name, z.union([sqlAction, callAction, emailAction]))
    .default({})
    .describe(
      'Batch endpoints by their id in the path, such as `award-points`. An entry has `statements`, or `call` or `preset`, or `email`',
    ),
});

export type ConnectorsFile = z.infer<typeof connectorsFile>;
