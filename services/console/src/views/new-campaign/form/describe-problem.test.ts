import { describe, expect, it } from 'vitest';
import type { CampaignDefinitionInput } from '#client/types.gen.ts';
import { describeProblem } from './describe-problem.ts';

const nothing: CampaignDefinitionInput = { name: ' ', countries: [], audience: { include: [] }, chain: [] };
const written: CampaignDefinitionInput = {
  name: 'Payday top-up',
  countries: ['SG', 'XX'],
  audience: { include: [{ segment: 'riders' }] },
  chain: [{ action: 'award-reward' }],
  schedule: { type: 'at', time: '2026-11-01T09:00:00', zone: 'Asia/Singapore' },
};
const tooShort = { code: 'wrong-length', detail: 'has to be at least 1 item long, not 0' };

describe('a refused choice of a variant', () => {
  it.each([
    ['then', 'no-variants', 'After the canary needs a step with variants'],
    ['users', 'no-percent', 'Canary has to be a percentage such as 20 %, so that you can choose a variant'],
    ['percent', 'too-few', 'Canary is too small: each variant needs at least 0.01 % of the users'],
  ])('is described by its remedy: %s, %s', (field, code, words) => {
    const { lead, rest } = describeProblem({ pointer: `/canary/${field}`, code, detail: 'for developers' }, written);
    expect(`${lead} ${rest}`).toBe(words);
  });
});

describe('a missing field', () => {
  it.each([
    ['/name', 'Enter a name'],
    ['/countries', 'Choose a country'],
    ['/audience/include', 'Add users: a segment, a list or an earlier run'],
    ['/chain', 'Add a step'],
  ])('is requested by an instruction: %s, %s', (pointer, words) => {
    const found = describeProblem({ pointer, ...tooShort }, nothing);
    expect(found).toEqual({ atField: words, lead: words, rest: '' });
  });

  it.each([
    [{ type: 'at', time: '', zone: 'Asia/Singapore' }, '/schedule/time', 'invalid-time', 'Choose a day and time'],
    [{ type: 'at', time: '2026-12-01T09:00:00', zone: '' }, '/schedule/zone', 'unknown-zone', 'Choose a zone'],
    [{ type: 'recurring', cron: '' }, '/schedule/cron', 'invalid-value', 'Choose how often it repeats'],
    [{ type: 'recurring' }, '/schedule/cron', 'missing', 'Choose how often it repeats'],
    [
      { type: 'local', time: '2026-12-01T09:00:00' },
      '/schedule/zones/US',
      'missing',
      'Choose a zone for US: it has several',
    ],
  ] as const)('is found in a schedule: %j, %s', (schedule, pointer, code, words) => {
    expect(describeProblem({ pointer, code, detail: '?' }, { ...written, schedule }).lead).toBe(words);
  });

  it('is named if it belongs to a step', () => {
    const problem = { pointer: '/chain/1/params/template', code: 'missing', detail: 'is missing: has to be a string' };
    expect(describeProblem(problem, written)).toEqual({
      atField: 'Fill this in',
      lead: 'Step 2: fill in template',
      rest: '',
    });
  });
});

describe('an invalid field', () => {
  it.each([
    ['invalid-country', 'XX is not a country code such as SG'],
    ['unknown-country', 'XX is not configured here'],
  ])('names the country of the problem: %s', (code, words) => {
    const { lead, rest, atField } = describeProblem({ pointer: '/countries/1', code, detail: '?' }, written);
    expect([`${lead} ${rest}`, atField]).toEqual([words, words]);
  });

  it.each([
    ['/paceUsersPerSecond', 'out-of-range', 'Pace has to be a whole number of users per second, from 1 to 1,000,000'],
    ['/audience/holdOutPercent', 'out-of-range', 'Hold out has to be from 0 to 99 %'],
    ['/schedule/time', 'past-time', 'Time is in the past'],
    ['/chain/0/action', 'unknown-action', 'Step 1 is no longer configured: remove it, or add another'],
  ])('is described for %s, %s: %s', (pointer, code, words) => {
    const { lead, rest } = describeProblem({ pointer, code, detail: 'has to be what a machine likes' }, written);
    expect(`${lead} ${rest}`).toBe(words);
  });

  it('names the country in which a local time has passed', () => {
    const detail = '"2026-11-01T09:00:00 in SG" is 2026-11-01T01:00:00.000Z, which is past; it is later now';
    expect(describeProblem({ pointer: '/schedule/time', code: 'past-time', detail }, written).rest).toBe(
      'is in the past in SG',
    );
  });

  it('is described in the words of the API if the console has no text for it', () => {
    const detail = 'there is no segment "riders"';
    expect(
      describeProblem({ pointer: '/audience/include/0/segment', code: 'unknown-segment', detail }, written),
    ).toEqual({
      atField: 'There is no segment "riders"',
      lead: 'Include, entry 1',
      rest: detail,
    });
  });
});
