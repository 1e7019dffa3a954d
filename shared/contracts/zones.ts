import { z } from 'zod';
import { isZone } from '../domain/recurrence/zone-spans.ts';
import { refusals, withCode } from './stated-rules.ts';

export const zoneText = {
  pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
  ...refusals({ 'unknown-zone': 'a name is not an IANA time zone' }),
};

export const zone = z
  .string()
  .max(100)
  .refine(isZone, withCode('unknown-zone', 'has to be an IANA time zone such as Asia/Singapore'))
  .meta({ ...zoneText, examples: ['Asia/Singapore'] });
