import { z } from 'zod';
import { actionTypeConfig } from '../../../shared/contracts/engine-config.ts';
import { actionTypePattern } from '../../../shared/domain/shard.ts';

const name = z.string().regex(actionTypePattern).describe('Also part of the names of topics');
const enabled = z.boolean().describe('false: no campaign may begin with it; what runs goes on');

/** An action type as it is registered. */
export const actionTypeDefinition = z
  .strictObject({ name, ...actionTypeConfig.shape, enabled: enabled.default(true) })
  .meta({ id: 'ActionTypeDefinition' });

/** The same where the path names it. Beyond that, what only the server says may stand there, and is passed over. */
export const actionTypeReplacement = actionTypeDefinition.omit({ name: true }).meta({ id: 'ActionTypeReplacement' });

/** Fields to be different; null for what a field is unless somebody says otherwise (JSON merge patch). */
export const actionTypePatch = z
  .strictObject(
    Object.fromEntries(
      Object.entries(actionTypeReplacement.shape).map(([field, shape]) => [field, z.nullable(shape).optional()]),
    ),
  )
  .meta({ id: 'ActionTypePatch' });

const time = z.iso.datetime({ precision: 3 });

/** An action type as it is shown. */
export const actionType = z
  .object({
    name: z.string(),
    revision: z.int().min(1).describe('Moves with every change; the ETag'),
    enabled,
    origin: z.enum(['file', 'api']).describe('Who said last how it is called: the engine’s file, or somebody here'),
    ...actionTypeConfig.shape,
    countries: z.array(z.string()).nullable().describe('Where campaigns may use it; null: anywhere'),
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'ActionType' });

export type ActionType = z.output<typeof actionType>;
