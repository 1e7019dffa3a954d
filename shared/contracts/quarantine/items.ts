import { z } from 'zod';
import { forbids, without } from '../stated-rules.ts';

/** Kinds of items that are quarantined after repeated failures, until a person decides. */
export const quarantineKinds = ['message', 'step', 'job'] as const;

export type QuarantineKind = (typeof quarantineKinds)[number];

const time = z.iso.datetime({ precision: 3 });

/**
 * Returns the shape of a quarantined item, with the fields of every kind.
 * @param states includes `kept`: no person has decided
 */
export function itemShape<const Kind extends QuarantineKind, const State extends readonly string[]>(
  kind: Kind,
  states: State,
) {
  return z.object({
    kind: z.literal(kind),
    id: z.string(),
    reason: z.string().describe('Why it is in quarantine'),
    state: z.enum(states).describe('`kept`: no person has decided'),
    since: time.describe('Time at which it came into quarantine'),
    decidedAt: time.nullable().describe('Time at which it was replayed or discarded'),
  });
}

export function groupShape<const Kind extends QuarantineKind>(kind: Kind) {
  return z.object({
    kind: z.literal(kind),
    reason: z.string(),
    items: z.int().describe('Number of items in the group'),
    firstAt: time.describe('`since` of the oldest item'),
    lastAt: time.describe('`since` of the newest item'),
  });
}

export function decisionShape<const Kind extends QuarantineKind, const State extends readonly string[]>(
  kind: Kind,
  states: State,
) {
  return z.object({
    kind: z.literal(kind),
    id: z.string(),
    state: z.enum(states).describe('State after the decision'),
  });
}

/** Largest exact count of kept items. Counting more items would read whole tables. */
export const maxCountedItems = 1000;

const countedItems = z.int().min(0).max(maxCountedItems);

/** Numbers of items about which no person has decided, by kind. */
export const quarantineCounts = z
  .object({ message: countedItems, step: countedItems, job: countedItems } satisfies Record<QuarantineKind, z.ZodType>)
  .meta({ id: 'QuarantineCounts' });

export const decidedItems = z
  .object({
    items: z.int().describe('Number of items that the decision changed'),
    expired: z.int().describe('Number of items left out because they have expired; only jobs expire'),
  })
  .meta({ id: 'DecidedItems' });

export type DecidedItems = z.output<typeof decidedItems>;

export const allItems = z.literal(true).optional().describe('All items of this kind about which no person has decided');

export const namesSome = (selection: Readonly<Record<string, unknown>>) =>
  Object.values(selection).some((value) => value !== undefined);

/**
 * Returns the message and the metadata of the rule that a selection must not be empty.
 * @param fields all fields of the selection
 */
export function namesNothing(...fields: readonly string[]) {
  return {
    refusal: { error: `names nothing: give ${fields.slice(0, -1).join(', ')} or ${fields.at(-1) ?? ''}` },
    meta: forbids(without(...fields)),
  };
}
