import { z } from 'zod';
import { isStorable } from '../domain/stored-text.ts';

/** HTTP shapes of campaigns. The OpenAPI document is generated from them. */
const unstorable = 'must hold neither U+0000 nor half a surrogate pair';

export const chainStep = z.strictObject({
  action: z.string().min(1).max(64).refine(isStorable, unstorable),
  params: z.record(z.string(), z.json()).refine(holdsStorableTexts, unstorable).default({}),
});

/** Looks at the keys and texts at any depth. */
function holdsStorableTexts(value: z.core.util.JSONType): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && holdsStorableTexts(inner));
}

export const scheduleNow = z.strictObject({ type: z.literal('now') });

export const scheduleAt = z.strictObject({
  type: z.literal('at'),
  /** RFC 3339 with an offset, or a local time whose zone stands beside it. */
  time: z.string(),
  zone: z.string().optional(),
});

export const schedule = z.discriminatedUnion('type', [scheduleNow, scheduleAt]);

export const audience = z.strictObject({
  /** One segment for now; unions, exclusions and hold-outs will stand beside it. */
  include: z.array(z.strictObject({ segment: z.string().min(1).max(200).refine(isStorable, unstorable) })).length(1),
});

export const campaignDefinition = z.strictObject({
  name: z.string().trim().min(1).max(200).refine(isStorable, unstorable),
  countries: z.array(z.string()).min(1).max(250),
  audience,
  chain: z.array(chainStep).min(1).max(20),
  schedule: schedule.default({ type: 'now' }),
  deadlineSeconds: z
    .int()
    .min(60)
    .max(30 * 86_400)
    .default(86_400),
  priority: z.enum(['low', 'normal', 'high']).default('normal'),
});

export type CampaignDefinition = z.infer<typeof campaignDefinition>;
export type Priority = CampaignDefinition['priority'];
export type ChainStep = z.infer<typeof chainStep>;
