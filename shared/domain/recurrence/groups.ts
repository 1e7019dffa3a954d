import type { PlannedGroup } from './plan-occurrences.ts';
import { wholeSchedule } from './policies.ts';

/** A market, as it is registered: schedules fire for each of theirs. */
export interface RegisteredGroup {
  name: string;
  /** Whose nodes fire for it at once; null: those of any. */
  homeRegion: string | null;
  /** After so long, nodes of other regions do. */
  fallbackSeconds: number;
  tags: readonly string[];
  countries: readonly string[];
}

/** A list, of which those are meant that are registered; or all that carry each of the tags. */
export type GroupSelection = { names: readonly string[] } | { tags: readonly string[] };

/**
 * The groups as they are at this moment. A schedule that names none has one, without a name, that is at home
 * everywhere.
 */
export function selectGroups(
  selection: GroupSelection | undefined,
  registered: readonly RegisteredGroup[],
): Omit<PlannedGroup, 'isRunning' | 'isBuffered'>[] {
  if (!selection) return [{ name: wholeSchedule, homeRegion: null, fallbackDelayMs: 0 }];
  return registered
    .filter((group) => isSelected(selection, group))
    .map(({ name, homeRegion, fallbackSeconds }) => ({ name, homeRegion, fallbackDelayMs: fallbackSeconds * 1000 }));
}

function isSelected(selection: GroupSelection, { name, tags }: RegisteredGroup): boolean {
  return 'names' in selection ? selection.names.includes(name) : selection.tags.every((tag) => tags.includes(tag));
}
