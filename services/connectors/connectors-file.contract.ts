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

/** The file that `CONNECTORS_CONFIG` names. Addresses are in the environment; the file names their variables. */
export const connectorsFile = z.strictObject({
  databases: z.record(name, database).describe('Databases by name, such as `shop`'),
  segments: z.record(name, segment).describe('Segments by the id that campaigns name, such as `lapsed-riders`'),
});

export type ConnectorsFile = z.infer<typeof connectorsFile>;
