import type { Checks } from '../checks/checks.ts';
import type { CallSlots } from '../slots/call-slots.ts';
import type { StepRooms } from './step-queue.ts';

export interface ClaimRoomsDeps {
  slots: Pick<CallSlots, 'roomOf' | 'sharesRoom'>;
  checks: Pick<Checks, 'roomOf'>;
}

/** Counts how many claims one flush may still make: for each feed in a shard, and for each check over all shards. */
export interface ClaimRooms {
  in(topic: string): StepRooms;
}

export function createClaimRooms({ slots, checks }: ClaimRoomsDeps): ClaimRooms {
  const lefts = new Map<string, number>();

  function leftOf(name: string, room: () => number): number {
    let left = lefts.get(name);
    if (left === undefined) lefts.set(name, (left = Math.max(0, room())));
    return left;
  }

  const use = (name: string, count: number) => lefts.set(name, (lefts.get(name) ?? 0) - count);

  return {
    in: (topic) => {
      const nameOf = (feedId: string) => (slots.sharesRoom(topic, feedId) ? `${topic}/` : `${topic}/${feedId}`);
      const ofFeed = (feedId: string) => leftOf(nameOf(feedId), () => slots.roomOf(topic, feedId));
      return {
        of: (feedId, step) => {
          const check = checks.roomOf({ feedId, step });
          if (!check) return ofFeed(feedId);
          return Math.min(
            ofFeed(feedId),
            leftOf(check.name, () => check.room),
            leftOf(`${check.name}/${feedId}`, () => check.roomOfFeed),
          );
        },
        use: (feedId, step, count) => {
          if (count === 0) return;
          use(nameOf(feedId), count);
          const check = checks.roomOf({ feedId, step });
          if (!check) return;
          use(check.name, count);
          use(`${check.name}/${feedId}`, count);
        },
      };
    },
  };
}
