import { describe, expect, test } from 'vitest';
import { failureCodes, failuresOf, faultOf, latencyOf, retriesOf } from './chance.ts';

const users = Array.from({ length: 100_000 }, (_, i) => `sg-${String(i).padStart(9, '0')}`);
const keys = users.slice(0, 20_000);

describe('the users with a failure', () => {
  test('are about the configured share, with the codes of the service', () => {
    const codes = users.flatMap(failuresOfUser({ failureShare: 0.02 }));
    expect(codes.length).toBeGreaterThan(1850);
    expect(codes.length).toBeLessThan(2150);
    expect(new Set(codes)).toEqual(new Set(failureCodes.rewards));
  });

  test('are the same for the same salt, and others for another salt', () => {
    const first = users.filter((user) => failuresOfUser({ failureShare: 0.02 })(user).length > 0);
    const again = users.filter((user) => failuresOfUser({ failureShare: 0.02 })(user).length > 0);
    const other = users.filter((user) => failuresOfUser({ failureShare: 0.02, salt: 'other' })(user).length > 0);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  test('are none for a share of 0 and all for a share of 1', () => {
    expect(users.flatMap(failuresOfUser({ failureShare: 0 }))).toEqual([]);
    expect(users.flatMap(failuresOfUser({ failureShare: 1 }))).toHaveLength(users.length);
  });

  test('are retryable again under the same key, but rarely under another key', () => {
    const plan = { salt: 's', service: 'rewards', retryableShare: 0.1 } as const;
    const first = users.filter(retriesOf(plan, 'key-1'));
    expect(first.length).toBeGreaterThan(9500);
    expect(first.filter(retriesOf(plan, 'key-1'))).toEqual(first);
    expect(first.filter(retriesOf(plan, 'key-2')).length).toBeLessThan(1500);
  });
});

describe('the calls with a fault', () => {
  const chances = { salt: 's', service: 'points', busyShare: 0.1, noAnswerShare: 0.2, serverErrorShare: 0.3 } as const;

  test('have the configured share for each fault', () => {
    const faults = keys.map((key) => faultOf(chances, key, 1) ?? 'none');
    const share = (fault: string) => faults.filter((each) => each === fault).length / keys.length;
    expect(share('busy')).toBeCloseTo(0.1, 1);
    expect(share('no-answer')).toBeCloseTo(0.2, 1);
    expect(share('server-error')).toBeCloseTo(0.3, 1);
  });

  test('are chosen again for another attempt of the same key', () => {
    const badTwice = keys.filter((key) => faultOf(chances, key, 1) && faultOf(chances, key, 2));
    expect(badTwice.length / keys.length).toBeCloseTo(0.36, 1);
  });
});

test('the latency stays within its range and spreads over it', () => {
  const latencies = keys.map((key) => latencyOf({ fromMs: 20, toMs: 60 }, key, 1));
  expect(Math.min(...latencies)).toBe(20);
  expect(Math.max(...latencies)).toBe(60);
  expect(latencyOf({ fromMs: 5, toMs: 5 }, 'key', 1)).toBe(5);
});

function failuresOfUser({ failureShare, salt = 's' }: { failureShare: number; salt?: string }) {
  const failureOf = failuresOf({ salt, service: 'rewards', failureShare });
  return (user: string) => failureOf(user) ?? [];
}
