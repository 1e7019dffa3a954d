import type { PlannedGroup } from './plan-occurrences.ts';
import { wholeSchedule } from './policies.ts';

/** A registered group, such as a market. Schedules fire for each of their groups. */
export interface RegisteredGroup {
  name: string;
  /** Region whose nodes fire for the group at once; null: nodes of any region. */
  homeRegion: string | null;
  /** Seconds after which nodes of other regions fire for the group. */
  fallbackSeconds: number;
  tags: readonly string[];
  countries: readonly string[];
}

/** A list of names, of which the registered ones are selected; or tags, all of which a group must have. */
export type GroupSelection = { names: readonly string[] } | { tags: readonly string[] };

/** Returns the groups selected now. A schedule without groups has one unnamed group, at home in every region. */
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
