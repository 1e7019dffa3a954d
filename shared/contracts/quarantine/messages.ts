import { z } from 'zod';
import { allItems, decisionShape, groupShape, itemShape, namesNothing, namesSome } from './items.ts';

/** `kept`: no person has decided. `replaying`: a trigger is about to publish the message again. */
export const messageStates = ['kept', 'replaying', 'replayed', 'discarded'] as const;

export type MessageState = (typeof messageStates)[number];

/** HTTP shape of a message that could not be parsed, or that contradicts the database. */
export const quarantinedMessage = itemShape('message', messageStates)
  .extend({
    topic: z.string(),
    partition: z.int(),
    offset: z.int(),
    replays: z.int().describe('Number of replays'),
    bytes: z.int().describe('Length of the value'),
  })
  .meta({ id: 'QuarantinedMessage' });

export type QuarantinedMessageShape = z.infer<typeof quarantinedMessage>;

const bytesShape = z.object({
  encoding: z.enum(['text', 'base64']).describe('text if all of it is UTF-8 without control characters'),
  content: z.string(),
});

export const quarantinedMessageDetail = quarantinedMessage
  .extend({
    key: bytesShape.nullable(),
    value: bytesShape.nullable(),
    cut: z.boolean().describe('true: only the first 64 KiB of the value are returned'),
  })
  .meta({ id: 'QuarantinedMessageDetail' });

export const quarantinedMessageGroup = groupShape('message')
  .extend({ topic: z.string() })
  .meta({ id: 'QuarantinedMessageGroup' });

export const messageDecision = decisionShape('message', messageStates).meta({ id: 'MessageDecision' });

const rule = namesNothing('topic', 'reason', 'all');

export const messageSelection = z
  .strictObject({
    topic: z.string().min(1).max(249).optional().describe('All messages of this topic'),
    reason: z.string().min(1).max(500).optional().describe('All messages with this reason, as in the list'),
    all: allItems,
  })
  .refine(namesSome, rule.refusal)
  .meta({ ...rule.meta, id: 'MessageSelection', examples: [{ reason: 'not JSON' }] });
