import type { Segmentation } from '../../shared/ports/segmentation.ts';

/** Users of a segment in a country, in ascending order. */
export type SegmentUsers = (segment: string, country: string) => readonly string[];

/** Segments in memory. */
export function createSimulatedSegmentation(usersOf: SegmentUsers): Segmentation {
  return {
    describe: (segment, country) => {
      const estimate = usersOf(segment, country).length;
      return Promise.resolve({ ok: true, value: { id: segment, country, estimate, snapshot: 's1' } });
    },
    page: ({ segment, country, after, limit }) => {
      const rest = usersOf(segment, country).filter((user) => after === null || user > after);
      const users = rest.slice(0, limit);
      return Promise.resolve({ ok: true, value: { users, next: rest.length > limit ? (users.at(-1) ?? null) : null } });
    },
  };
}
