import { z } from 'zod';
import { actionTypeConfig, actionTypeRules } from '../../../shared/contracts/endpoints/action-type-config.ts';
import { actionTypePattern } from '../../../shared/domain/endpoint/shard.ts';
import { patchRefusals, refusals } from '../../../shared/contracts/stated-rules.ts';

const name = z.string().regex(actionTypePattern).describe('Also part of topic names');
const enabled = z.boolean().describe('false: no campaign may begin with it; runs that are under way continue');

export const actionTypeDefinition = z
  .strictObject({ name, ...actionTypeConfig.shape, enabled: enabled.default(true) })
  .meta({
    ...actionTypeRules,
    id: 'ActionTypeDefinition',
    examples: [{ name: 'award-points', url: 'https://points.example.com/v1/batches', class: 'A' }],
  });

/** Shape of a secret's value: any string. The handler checks its form without quoting the secret. */
const secretValue = z.string().meta({ writeOnly: true });

export const secretBody = z
  .strictObject({
    value: secretValue.describe('The whole Authorization header; or whsec_ and 24 to 64 bytes in base64'),
  })
  .meta({
    ...refusals({
      'invalid-secret': 'a secret does not have the form of its kind',
      'not-asynchronous': 'a secret for receipts is set for an action type without receipts',
    }),
    id: 'ActionTypeSecret',
    examples: [{ value: 'Bearer 3f9c0c27' }],
  });

const secrets = z
  .strictObject({
    authorization: secretValue.nullable().optional(),
    signing: secretValue.nullable().optional(),
    receipts: secretValue.nullable().optional(),
  })
  .optional()
  .describe(
    'Secrets to set with this change; null removes one. Secrets that are not named are unchanged, and none is ever shown',
  );

/** Definition that replaces that of the action type in the path. Read-only fields of a response are ignored. */
export const actionTypeReplacement = actionTypeDefinition
  .omit({ name: true })
  .extend({ secrets })
  .meta({
    ...actionTypeRules,
    id: 'ActionTypeReplacement',
    examples: [{ url: 'https://rewards.example.com/v1/batches', class: 'A' }],
  });

/** Fields to change; null resets a field to its default (JSON merge patch). */
export const actionTypePatch = z
  .strictObject(
    Object.fromEntries(
      Object.entries(actionTypeReplacement.shape).map(([field, shape]) => [field, z.nullable(shape).optional()]),
    ),
  )
  .meta({
    ...refusals({ ...patchRefusals, ...actionTypeRules['x-refusals'] }),
    id: 'ActionTypePatch',
    examples: [{ timeoutMs: 5000 }],
  });

const time = z.iso.datetime({ precision: 3 });

const keptSecret = z.object({ changedAt: time });

export const actionType = z
  .object({
    name: z.string(),
    revision: z.int().min(1).describe('Increases with every change; the ETag'),
    enabled,
    origin: z.enum(['file', 'api']).describe('Source of the last definition: the engine’s file, or the API'),
    ...actionTypeConfig.shape,
    title: z.string().describe('Display name for campaign managers: its own title, else the name in words'),
    // The schema may be any object, because a stored schema is returned even if this version would not accept it.
    paramsSchema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema (2020-12) of the parameters'),
    secrets: z
      .object({
        authorization: keptSecret.optional(),
        signing: keptSecret.optional(),
        receipts: keptSecret.optional(),
      })
      .describe('Stored secrets, without their values'),
    countries: z.array(z.string()).nullable().describe('Countries where campaigns may use it; null: all'),
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'ActionType' });

export type ActionType = z.output<typeof actionType>;

export const listedActionType = actionType
  .extend({
    refusals: z
      .array(z.object({ country: z.string(), cause: z.string() }))
      .describe(
        'Countries where workers reported in the last minute that they cannot serve it, and no other worker does',
      ),
  })
  .meta({ id: 'ListedActionType' });
