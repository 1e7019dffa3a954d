import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { templateRefusals } from './campaigns/templates.ts';
import { refusals, refusalsWithin } from './stated-rules.ts';

describe('the refusals of a schema', () => {
  it('include the refusals of nested schemas at any depth', () => {
    const day = z.string().meta(refusals({ 'no-such-day': 'the month is shorter' }));
    const shape = z
      .object({ days: z.array(z.object({ day: day.optional().describe('A day') })), name: z.string() })
      .meta(refusals({ overlapping: 'two days are the same' }));
    expect(refusalsWithin(shape)).toEqual({
      'no-such-day': 'the month is shorter',
      overlapping: 'two days are the same',
    });
  });

  it('include the refusals of a campaign for a campaign template', () => {
    const ofShapes = ['no-such-day', 'unknown-zone', 'invisible-text', 'wrong-length', 'unknown-action'];
    expect(Object.keys(templateRefusals)).toEqual(expect.arrayContaining(ofShapes));
  });
});
