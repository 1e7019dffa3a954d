import { z } from 'zod';
import { actionTypePattern, countryPattern } from '../../domain/endpoint/shard.ts';
import { capCountings } from '../../domain/step/caps.ts';
import { refusals, withCode } from '../stated-rules.ts';

const capFields = {
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'has to be of a-z, 0-9 and -, at most 64, such as weekly-messages')
    .describe('Name, shown with each user that the cap excludes'),
  actionTypes: z
    .array(z.string().regex(actionTypePattern, 'has to be an action type'))
    .min(1)
    .max(50)
    .describe('Action types whose effects count together'),
  countries: z
    .array(z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG'))
    .min(1)
    .max(250)
    .optional()
    .describe('Absent: all of them'),
  effects: z.int().min(1).max(1000).describe('Most effects for a user within the days'),
  days: z.int().min(1).max(90),
  counting: z
    .enum(capCountings)
    .default('rolling')
    .describe(
      'rolling: the last `days` times 24 hours; calendar: today and the days before, by the clocks of the country',
    ),
  exempt: z
    .array(z.string().min(1).max(64))
    .max(100)
    .optional()
    .describe('cmp_…, campaigns that the cap neither limits nor counts, such as receipts and legal notices'),
};

export const writtenCap = z.strictObject(capFields).meta({ id: 'WrittenCap' });

/** A cap as stored: exempt campaigns by uuid. Fields that only a newer version knows are ignored. */
export const keptCap = z.object({ ...capFields, countsFrom: z.coerce.date() });

export const cap = z
  .object({
    ...capFields,
    countsFrom: z.iso
      .datetime({ precision: 3 })
      .describe('Effects before this time do not count: the time when the cap got its name or an action type'),
  })
  .meta({ id: 'Cap' });

export const writtenCaps = z
  .strictObject({
    caps: z
      .array(writtenCap)
      .max(20)
      .refine(
        (caps) => new Set(caps.map(({ name }) => name)).size === caps.length,
        withCode('repeated-cap', 'has to name each cap once'),
      )
      .meta(refusals({ 'repeated-cap': 'two caps have the same name' })),
  })
  .meta({
    id: 'CapsRules',
    examples: [{ caps: [{ name: 'weekly-messages', actionTypes: ['send-message'], effects: 3, days: 7 }] }],
  });

export const caps = z
  .object({
    revision: z.int().min(0).describe('0: no caps have ever been set'),
    caps: z.array(cap),
    madeAt: z.iso.datetime({ precision: 3 }).nullable(),
  })
  .meta({ id: 'Caps' });
