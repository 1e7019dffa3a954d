import { describe, expect, it } from 'vitest';
import type { CampaignDefinitionInput } from '#client/types.gen.ts';
import { problemInWords } from './problem-words.ts';

const nothing: CampaignDefinitionInput = { name: ' ', countries: [], audience: { include: [] }, chain: [] };
const written: CampaignDefinitionInput = {
  name: 'Payday top-up',
  countries: ['SG', 'XX'],
  audience: { include: [{ segment: 'riders' }] },
  chain: [{ action: 'award-reward' }],
  schedule: { type: 'at', time: '2026-11-01T09:00:00', zone: 'Asia/Singapore' },
};
const tooShort = { code: 'wrong-length', detail: 'has to be at least 1 item long, not 0' };

describe('what nobody has said yet', () => {
  it.each([
    ['/name', 'Give it a name'],
    ['/countries', 'Choose a country'],
    ['/audience/include', 'Say who: a segment, a list or an earlier run'],
    ['/chain', 'Add a step'],
  ])('%s is asked for: %s', (pointer, words) => {
    const found = problemInWords({ pointer, ...tooShort }, nothing);
    expect(found).toEqual({ atField: words, lead: words, rest: '' });
  });

  it.each([
    [{ type: 'at', time: '', zone: 'Asia/Singapore' }, '/schedule/time', 'invalid-time', 'Choose a day and time'],
    [{ type: 'at', time: '2026-12-01T09:00:00', zone: '' }, '/schedule/zone', 'unknown-zone', 'Choose a zone'],
    [{ type: 'recurring', cron: '' }, '/schedule/cron', 'invalid-value', 'Say how often it repeats'],
    [{ type: 'recurring' }, '/schedule/cron', 'missing', 'Say how often it repeats'],
    [
      { type: 'local', time: '2026-12-01T09:00:00' },
      '/schedule/zones/US',
      'missing',
      'Choose a zone for US: it has several',
    ],
  ] as const)('%j lacks %s', (schedule, pointer, code, words) => {
    expect(problemInWords({ pointer, code, detail: '?' }, { ...written, schedule }).lead).toBe(words);
  });

  it('is a field of a step by its name', () => {
    const problem = { pointer: '/chain/1/params/template', code: 'missing', detail: 'is missing: has to be a string' };
    expect(problemInWords(problem, written)).toEqual({
      atField: 'Fill this in',
      lead: 'Step 2: fill in template',
      rest: '',
    });
  });
});

describe('what is wrong', () => {
  it.each([
    ['invalid-country', 'XX is no country code, such as SG'],
    ['unknown-country', 'XX is not set up here'],
  ])('with a country names it: %s', (code, words) => {
    const { lead, rest, atField } = problemInWords({ pointer: '/countries/1', code, detail: '?' }, written);
    expect([`${lead} ${rest}`, atField]).toEqual([words, words]);
  });

  it.each([
    ['/paceUsersPerSecond', 'out-of-range', 'Pace has to be a whole number of users per second, from 1 to 1,000,000'],
    ['/audience/holdOutPercent', 'out-of-range', 'Hold out has to be from 0 to 99 %'],
    ['/schedule/time', 'past-time', 'Time has passed already'],
    ['/chain/0/action', 'unknown-action', 'Step 1 is not set up any more: remove it, or add another'],
  ])('%s, %s: %s', (pointer, code, words) => {
    const { lead, rest } = problemInWords({ pointer, code, detail: 'has to be what a machine likes' }, written);
    expect(`${lead} ${rest}`).toBe(words);
  });

  it('in a country whose clocks are ahead says where', () => {
    const detail = '"2026-11-01T09:00:00 in SG" is 2026-11-01T01:00:00.000Z, which is past; it is later now';
    expect(problemInWords({ pointer: '/schedule/time', code: 'past-time', detail }, written).rest).toBe(
      'has passed already in SG',
    );
  });

  it('is shown as the API says it where it says it well', () => {
    const detail = 'there is no segment "riders"';
    expect(
      problemInWords({ pointer: '/audience/include/0/segment', code: 'unknown-segment', detail }, written),
    ).toEqual({
      atField: 'There is no segment "riders"',
      lead: 'Include, entry 1',
      rest: detail,
    });
  });
});
