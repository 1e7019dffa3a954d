import { describe, expect, it } from 'vitest';
import { roomOfOpen } from './open-breaker.ts';

interface Line {
  isFailing: boolean;
  waiting: number;
  inFlight: number;
}

/**
 * Returns the number of steps that may be claimed of a shard with these lines. Its breaker is open and allows one
 * probe.
 */
function roomWith(...lines: Line[]): number {
  const group = {
    breaker: { isOpen: () => true, allowed: () => 1 },
    lines: new Map(
      lines.map(({ isFailing, waiting, inFlight }, index) => [
        `feed-${index}`,
        { guard: { isFailing }, waiting: { size: waiting }, inFlight },
      ]),
    ),
    inFlight: lines.reduce((calls, { inFlight }) => calls + inFlight, 0),
    firstHand: 0,
    firstHandAtMs: 0,
  };
  return roomOfOpen(group, 0);
}

describe('the number of claims that a shard with an open breaker allows', () => {
  it('is one for the probe and four for first calls of new feeds', () => {
    expect(roomWith()).toBe(5);
    expect(roomWith({ isFailing: true, waiting: 1, inFlight: 0 })).toBe(4);
  });

  it('shrinks by one for each feed that waits for a first call, however many steps the feed has', () => {
    expect(roomWith({ isFailing: false, waiting: 20, inFlight: 0 })).toBe(4);
  });

  it('is not used up by a feed that gets slow answers and keeps its waiting steps', () => {
    expect(roomWith({ isFailing: false, waiting: 20, inFlight: 2 })).toBe(4);
  });
});
