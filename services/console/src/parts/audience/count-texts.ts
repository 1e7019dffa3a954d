import type { ExactCount } from '#client/types.gen.ts';
import { formatCount } from '../words/numbers.ts';
import { formatDuration } from '../times/times.ts';

/** Returns the progress by country, such as `SG 1,400 · ID 300 so far · VN to come`. */
export function formatCountProgress({ counted, countries }: Pick<ExactCount, 'counted' | 'countries'>): string {
  const lines = new Map(counted.map((line) => [line.country, line]));
  return countries
    .map((country) => {
      const line = lines.get(country);
      if (line === undefined) return `${country} not started`;
      return `${country} ${formatCount(line.users)}${line.done ? '' : ' so far'}`;
    })
    .join(' · ');
}

/** Returns the time that reading the sources took; null while the count has not ended. */
export function formatReadingTime({ startedAt, endedAt }: Pick<ExactCount, 'startedAt' | 'endedAt'>): string | null {
  if (startedAt === null || endedAt === null) return null;
  return formatDuration(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)));
}

interface Overlap {
  onlyHere: number;
  both: number;
  onlyThere: number;
}

/** Returns the users only in one audience, only in the other, and in both. Null if the count was of one audience. */
export function overlapOf({
  users,
  withUsers,
  both,
}: Pick<ExactCount, 'users' | 'withUsers' | 'both'>): Overlap | null {
  if (withUsers === null || both === null) return null;
  return { onlyHere: users - both, both, onlyThere: withUsers - both };
}
