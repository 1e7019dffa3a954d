import { describe, expect, it } from 'vitest';
import { engineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import { checkCampaign } from './check-campaign.ts';

const config = engineConfig.parse({
  segmentation: { url: 'http://segments' },
  actionTypes: {
    'award-reward': { url: 'http://rewards', class: 'A' },
    caps: { url: 'http://caps', class: 'A', check: true },
  },
});

function problemsOf(step: object) {
  const body = { name: 'n', countries: ['SG'], audience: { include: [{ segment: 's' }] }, chain: [step] };
  const checked = checkCampaign(body, config, new Date());
  return checked.ok ? checked.value.chain : checked.problems.map(({ pointer, code }) => [pointer, code]);
}

describe('a step of a campaign', () => {
  it('may name a check, and by default waits for the result of the check', () => {
    const step = { action: 'award-reward', params: {} };
    const check = { type: 'caps', onUnavailable: 'wait' };
    expect(problemsOf({ ...step, check: { type: 'caps' } })).toEqual([{ ...step, check }]);
    const failing = { type: 'caps', onUnavailable: 'fail' };
    expect(problemsOf({ ...step, check: failing })).toEqual([{ ...step, check: failing }]);
  });

  it('cannot use an action as its check, a check that is not registered, or a check as its action', () => {
    const action = 'award-reward';
    const unknown = ['/chain/0/check/type', 'unknown-check'];
    expect(problemsOf({ action, check: { type: 'award-reward' } })).toEqual([unknown]);
    expect(problemsOf({ action, check: { type: 'consent' } })).toEqual([unknown]);
    expect(problemsOf({ action: 'caps' })).toEqual([['/chain/0/action', 'not-an-action']]);
  });
});

describe('the action type of a check', () => {
  const wrong = (fields: object) => {
    const caps = { url: 'http://caps', check: true, ...fields };
    const read = engineConfig.safeParse({ segmentation: { url: 'http://segments' }, actionTypes: { caps } });
    return read.error?.issues.map(({ path }) => path.join('/'));
  };

  it('must be of class A and without receipts', () => {
    expect(wrong({ class: 'A' })).toBeUndefined();
    expect(wrong({ class: 'B' })).toEqual(['actionTypes/caps/class']);
    expect(wrong({ class: 'A', receipts: true })).toEqual(['actionTypes/caps/receipts']);
  });
});
