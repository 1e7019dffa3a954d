import type { Segmentation } from '../../shared/ports/segmentation.ts';

/** Segments by country, in memory. */
export function createSimulatedSegmentation(audience: ReadonlyMap<string, readonly string[]>): Segmentation {
  const usersOf = (country: string) => audience.get(country) ?? [];
  return {
    describe: (segment, country) =>
      Promise.resolve({ ok: true, value: { id: segment, country, estimate: usersOf(country).length, snapshot: 's1' } }),
    page: ({ country, after, limit }) => {
      const rest = usersOf(country).filter((user) => after === null || user > after);
      const users = rest.slice(0, limit);
      return Promise.resolve({ ok: true, value: { users, next: rest.length > limit ? (users.at(-1) ?? null) : null } });
    },
  };
}
