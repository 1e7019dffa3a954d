import { z } from 'zod';
import { nameInFile } from '../databases/name-in-file.contract.ts';

/** An action of the connectors' file that runs statements in a team's own database. */
export const sqlAction = z.strictObject({
  database: nameInFile.describe(
    'Name of its database in this file, with a role that may write what the statements write',
  ),
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
  timeoutSeconds: z.int().min(1).max(100).default(8).describe('Maximum duration of a statement'),
});
