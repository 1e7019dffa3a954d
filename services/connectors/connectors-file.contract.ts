import { z } from 'zod';
import { actionTypePattern } from '../../shared/domain/endpoint/shard.ts';

const name = z.string().regex(actionTypePattern);

const database = z.strictObject({
  urlEnv: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/, 'has to be the name of an environment variable, such as SHOP_DATABASE_URL')
    .describe(
      'Name of the environment variable with its address: `postgres://…`, `mysql://…` or `mariadb://…`, of a role that ' +
        'may only read. `<variable>_FILE` may name a file instead',
    ),
  maxConnections: z
    .int()
    .min(1)
    .max(50)
    .default(4)
    .describe('Connections of each process at most, which is also how many queries run at once'),
});

const segment = z.strictObject({
  name: z.string().trim().min(1).max(200).describe('Name for people, by which it is found too'),
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
    .describe('How long one run of the query may take, the copying of its rows included'),
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
    .describe(
      'So long after its query began, a snapshot is given to other campaigns and countries that ask for the segment',
    ),
  keepHours: z
    .int()
    .min(1)
    .max(8760)
    .default(48)
    .describe('How long a snapshot is kept after a page of it was last read; a paused run then goes on with a new one'),
});

const action = z.strictObject({
  database: name.describe('Name of its database in this file, with a role that may write what the statements write'),
  statements: z
    .array(z.string().trim().min(1).max(100_000))
    .min(1)
    .max(20)
    .describe(
      'SQL that is run for the users of a batch, in this order and in one transaction. `:users`, `:params`, `:key`, ' +
        '`:campaign`, `:run`, `:step` and `:country` stand for values of the call. The last one returns the column ' +
        '`user_id`: users in it succeeded',
    ),
  results: z
    .string()
    .regex(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/, 'has to be the name of a table, such as shop.muster_results')
    .default('muster_results')
    .describe('Table in the same database, in which the first result of each user is kept'),
  failureCode: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'has to be 1 to 64 letters, digits, dots, _ and -')
    .default('not-served')
    .describe('Code of users that the last statement does not return'),
  timeoutSeconds: z.int().min(1).max(100).default(8).describe('How long one statement may take'),
});

/** The file that `CONNECTORS_CONFIG` names. Addresses are in the environment; the file names their variables. */
export const connectorsFile = z.strictObject({
  databases: z.record(name, database).describe('Databases by name, such as `shop`'),
  segments: z.record(name, segment).describe('Segments by the id that campaigns name, such as `lapsed-riders`'),
  actions: z
    .record(name, action)
    .default({})
    .describe('Batch endpoints by their id in the path, such as `award-points`'),
});

export type ConnectorsFile = z.infer<typeof connectorsFile>;
