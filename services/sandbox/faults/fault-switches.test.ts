import { describe, expect, test } from 'vitest';
import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import { faultRules } from './fault-rules.ts';
import { createFaultSwitches } from './fault-switches.ts';

function request(over: Partial<BatchRequest['call']> = {}, attempt = 1, key = 'key-1'): BatchRequest {
  const action = { type: 'award-reward', params: { rewardId: 'ride-5' } };
  const call = {
    campaign: 'cmp_1',
    run: 'run_1',
    step: 1,
    country: 'SG',
    batch: 1,
    action,
    users: ['u1', 'u2'],
    ...over,
  };
  return { key, attempt, mode: 'live', call, body: Buffer.alloc(0) };
}

function switchesFor(...calls: object[]) {
  const faults = createFaultSwitches(faultRules.parse({ calls }));
  return { faults, nameFor: (requested: BatchRequest) => faults.ruleForCall('rewards', requested, 0)?.name };
}

describe('a fault rule', () => {
  test.each<[string, object, BatchRequest, BatchRequest]>([
    ['its service', { services: ['rewards'] }, request(), request()],
    ['its country', { countries: ['SG'] }, request(), request({ country: 'VN' })],
    ['its campaign', { campaigns: ['cmp_1'] }, request(), request({ campaign: 'cmp_2' })],
    ['its run', { runs: ['run_1'] }, request(), request({ run: 'run_2' })],
    ['its step', { steps: [1] }, request(), request({ step: 2 })],
    [
      'parameters',
      { params: { rewardId: 'ride-5' } },
      request(),
      request({ action: { type: 'award-reward', params: {} } }),
    ],
    ['a chosen user', { users: ['u2'] }, request(), request({ users: ['u3'] })],
    ['attempts from', { fromAttempt: 2 }, request({}, 2), request({}, 1)],
    ['first tries', { firstTries: true }, request({ batch: 12 }), request({ batch: 2 ** 30 })],
    ['attempts to', { toAttempt: 1 }, request({}, 1), request({}, 2)],
  ])('applies only to calls that match: %s', (name, rule, met, other) => {
    const { nameFor, faults } = switchesFor({ name, ...rule });
    expect(nameFor(met)).toBe(name);
    if (name === 'its service') expect(faults.ruleForCall('points', other, 0)).toBeUndefined();
    else expect(nameFor(other)).toBeUndefined();
  });

  test('takes precedence over later rules', () => {
    const { nameFor } = switchesFor({ name: 'wrong', countries: ['VN'] }, { name: 'first' }, { name: 'second' });
    expect(nameFor(request())).toBe('first');
  });
});

describe('the frequency of a fault rule', () => {
  test('can be every third call', () => {
    const { nameFor } = switchesFor({ name: 'third', every: 3 });
    expect(Array.from({ length: 6 }, () => nameFor(request()) !== undefined)).toEqual([
      ...[false, false, true],
      ...[false, false, true],
    ]);
  });

  test('can be limited to the first two calls', () => {
    const { nameFor, faults } = switchesFor({ name: 'twice', times: 2 });
    expect(Array.from({ length: 4 }, () => nameFor(request()))).toEqual(['twice', 'twice', undefined, undefined]);
    expect(faults.status().hits).toEqual({ twice: 2 });
  });

  test('can be a share of the calls, with the same choice for the same key and attempt', () => {
    const { nameFor } = switchesFor({ name: 'some', share: 0.3 });
    const rolls = () => Array.from({ length: 1000 }, (_, i) => nameFor(request({}, 1, `key-${i}`)) !== undefined);
    const hits = rolls().filter(Boolean).length;
    expect(hits).toBeGreaterThan(250);
    expect(hits).toBeLessThan(350);
    expect(rolls()).toEqual(rolls());
  });
});

test('fault rules are replaced as a whole, and their hit counts start from zero', () => {
  const { faults, nameFor } = switchesFor({ name: 'old' });
  nameFor(request());
  faults.replace(faultRules.parse({ calls: [{ name: 'new' }] }));
  expect(nameFor(request())).toBe('new');
  expect(faults.status().hits).toEqual({ new: 1 });
});

test('a fault rule of a segment can exclude the first page', () => {
  const segmentation = [{ name: 'later pages', segments: ['riders'], of: 'pages', notFirst: true }];
  const faults = createFaultSwitches(faultRules.parse({ segmentation }));
  const page = { segment: 'riders', country: 'SG', of: 'pages' } as const;
  expect(faults.ruleForPage({ ...page, isFirst: true })).toBeUndefined();
  expect(faults.ruleForPage({ ...page, isFirst: false })?.name).toBe('later pages');
  expect(faults.ruleForPage({ ...page, segment: 'others', isFirst: false })).toBeUndefined();
  expect(faults.ruleForPage({ ...page, of: 'descriptions', isFirst: false })).toBeUndefined();
});
