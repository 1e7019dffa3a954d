import { z } from 'zod';
import { nameInFile } from '../databases/name-in-file.contract.ts';
import { apiCall, failureCode } from '../presets/api-call.contract.ts';
import { presetNames } from '../presets/preset-names.contract.ts';

const usersQuery = z.strictObject({
  database: nameInFile.describe('Name of its database in this file'),
  query: z
    .string()
    .trim()
    .min(1)
    .max(100_000)
    .describe('A `select` of the column `user_id` and of attributes, one row for each of `:users`'),
  timeoutSeconds: z.int().min(1).max(30).default(2).describe('Maximum duration of the query'),
});

/** An action of the connectors' file that sends requests to an API, for one user or a few users each. */
export const callAction = z.strictObject({
  preset: z.enum(presetNames).optional().describe('Name of a provider whose API is described here: `call` is filled'),
  settings: z
    .record(z.string().regex(/^[A-Za-z]\w*$/), z.string())
    .default({})
    .describe('Values of `{{settings.<name>}}`'),
  call: apiCall.default({}).describe('The request; with a preset, fields that replace those of the preset'),
  users: usersQuery.optional().meta({ description: 'Query for values of `{{attributes.<column>}}`' }),
  missingCode: failureCode.default('no-such-user').describe('Code of users that the query of `users` does not return'),
  workSeconds: z
    .int()
    .min(1)
    .max(100)
    .default(4)
    .describe(
      'Time in which requests of a batch start. The remaining users are called again. `timeoutMs` of the action type has to be ' +
        'longer than this and `timeoutSeconds` together',
    ),
  keepDays: z
    .int()
    .min(1)
    .max(3650)
    .default(31)
    .describe('How long results of users are kept. Not shorter than `keyLifeSeconds` of the action type'),
});
