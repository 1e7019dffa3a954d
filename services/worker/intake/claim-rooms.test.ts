import { describe, expect, it } from 'vitest';
import { createClaimRooms } from './claim-rooms.ts';

interface Check {
  name: string;
  room: number;
  roomOfFeed: number;
}

function roomsOf(roomOf: (feedId: string) => number, check: Check | null = null, sharesRoom = false) {
  return createClaimRooms({
    slots: { roomOf: (_, feedId) => roomOf(feedId), sharesRoom: () => sharesRoom },
    checks: { roomOf: () => check },
  });
}

describe('the room for claims of one flush', () => {
  it('is 0 if there is no room in the slots, or if more than the room is used', () => {
    for (const room of [0, -3])
      expect(
        roomsOf(() => room)
          .in('t')
          .of('f1', 1),
      ).toBe(0);
  });

  it('shrinks by the claims made, separately for each feed', () => {
    const rooms = roomsOf(() => 5).in('t');
    expect(rooms.of('f1', 1)).toBe(5);
    rooms.use('f1', 1, 3);
    expect([rooms.of('f1', 1), rooms.of('f2', 1)]).toEqual([2, 5]);
  });

  it('shrinks for all feeds that share room', () => {
    const rooms = roomsOf(() => 5, null, true).in('t');
    expect(rooms.of('f1', 1)).toBe(5);
    rooms.use('f1', 1, 3);
    expect(rooms.of('f2', 1)).toBe(2);
  });

  it("is limited by the room of a check over all shards, and by the feed's part of it", () => {
    const rooms = roomsOf(() => 9, { name: 'check', room: 4, roomOfFeed: 3 });
    expect(rooms.in('t').of('f1', 1)).toBe(3);
    rooms.in('t').use('f1', 1, 3);
    expect([rooms.in('t').of('f1', 1), rooms.in('other').of('f2', 1)]).toEqual([0, 1]);
  });
});
