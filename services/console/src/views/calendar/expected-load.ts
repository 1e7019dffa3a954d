import type { Calendar, CalendarCampaign, CalendarStart } from '#client/types.gen.ts';

const hourMs = 3_600_000;

export interface HourOfLoad {
  fromMs: number;
  usersPerSecond: number;
  isPast: boolean;
}

export interface Clash {
  fromMs: number;
  untilMs: number;
  usersPerSecond: number;
  campaignIds: ReadonlySet<string>;
  /** Planned end of the last of these campaigns, as epoch milliseconds. */
  plannedMs: number;
  /** Expected end of all their work at the highest known rate, as epoch milliseconds. Never before `plannedMs`. */
  doneMs: number;
}

export interface Load {
  hours: readonly HourOfLoad[];
  capacity: Calendar['capacities'][number] | undefined;
  peak: number;
  /**
   * Spans of consecutive hours in which several campaigns need more than the highest known rate. The busiest span comes
   * first.
   */
  clashes: readonly Clash[];
}

/** Returns the action types by the number of starts that use them, most starts first. */
export function actionsOf(items: readonly CalendarCampaign[]): string[] {
  const counts = new Map<string, number>();
  for (const { actions, starts } of items)
    for (const action of actions) counts.set(action, (counts.get(action) ?? 0) + starts.length);
  return [...counts].sort(([a, most], [b, least]) => least - most || a.localeCompare(b)).map(([action]) => action);
}

/**
 * Returns the users per second of an action type by hour. The users of each start are spread over its duration; starts
 * of unknown duration are omitted.
 */
export function loadOf(calendar: Calendar, action: string): Load {
  const [fromMs, untilMs, nowMs] = [calendar.from, calendar.until, calendar.asOf].map((each) => Date.parse(each));
  const count = Math.ceil(((untilMs ?? 0) - (fromMs ?? 0)) / hourMs);
  const sums = Array.from({ length: count }, () => ({ rate: 0, campaignIds: new Set<string>() }));
  for (const campaign of calendar.items) {
    if (!campaign.actions.includes(action)) continue;
    for (const start of campaign.starts) addTo(sums, fromMs ?? 0, campaign.campaignId, start);
  }
  const hours = sums.map(({ rate }, index) => {
    const hourFromMs = (fromMs ?? 0) + index * hourMs;
    return { fromMs: hourFromMs, usersPerSecond: rate, isPast: hourFromMs + hourMs <= (nowMs ?? 0) };
  });
  const capacity = calendar.capacities.find((each) => each.action === action);
  const clashes =
    capacity === undefined
      ? []
      : clashesOf(hours, sums, capacity.usersPerSecond).map((clash) => ({
          ...clash,
          ...endsOf(clash, calendar, hours, capacity.usersPerSecond),
        }));
  return { hours, capacity, peak: Math.max(0, ...hours.map(({ usersPerSecond }) => usersPerSecond)), clashes };
}

interface Sum {
  rate: number;
  campaignIds: Set<string>;
}

function addTo(sums: readonly Sum[], fromMs: number, campaignId: string, { at, until, users }: CalendarStart): void {
  if (until === null || users === null) return;
  const [startMs, endMs] = [Date.parse(at), Date.parse(until)];
  if (endMs <= startMs) return;
  const perMs = users / (endMs - startMs);
  const first = Math.max(0, Math.floor((startMs - fromMs) / hourMs));
  const last = Math.min(sums.length - 1, Math.floor((endMs - 1 - fromMs) / hourMs));
  for (let index = first; index <= last; index++) {
    const sum = sums[index];
    if (!sum) continue;
    const hourFromMs = fromMs + index * hourMs;
    const ms = Math.min(endMs, hourFromMs + hourMs) - Math.max(startMs, hourFromMs);
    sum.rate += (perMs * ms) / (hourMs / 1000);
    sum.campaignIds.add(campaignId);
  }
}

type ClashTime = Omit<Clash, 'plannedMs' | 'doneMs'>;

/**
 * Computes the planned and the expected end of a clash. Users beyond the capacity wait until the load is below the
 * capacity.
 */
function endsOf(
  { fromMs, untilMs, campaignIds }: ClashTime,
  { items }: Calendar,
  hours: readonly HourOfLoad[],
  most: number,
): Pick<Clash, 'plannedMs' | 'doneMs'> {
  const ends = items
    .filter(({ campaignId }) => campaignIds.has(campaignId))
    .flatMap(({ starts }) => starts)
    .filter(({ at, until }) => until !== null && Date.parse(at) < untilMs && Date.parse(until) > fromMs)
    .map(({ until }) => Date.parse(until ?? ''));
  const plannedMs = Math.max(untilMs, ...ends);
  let waitingUsers = 0;
  for (let atMs = fromMs; ; atMs += hourMs) {
    const load = hours.find((hour) => hour.fromMs === atMs)?.usersPerSecond ?? 0;
    const left = waitingUsers + (load - most) * (hourMs / 1000);
    // The backlog is worked off within this hour, with the capacity that the load of the hour leaves free.
    if (atMs >= untilMs && left <= 0) {
      const doneMs = waitingUsers === 0 ? atMs : atMs + (waitingUsers / (most - load)) * 1000;
      return { plannedMs, doneMs: Math.max(plannedMs, doneMs) };
    }
    waitingUsers = Math.max(0, left);
    if (atMs > untilMs + farMs) return { plannedMs, doneMs: atMs };
  }
}

/** Upper bound of the search in milliseconds. A longer backlog is reported as done after this time. */
const farMs = 7 * 24 * hourMs;

/**
 * Returns the spans of hours in which two or more campaigns together exceed the capacity. Hours with a single campaign
 * are omitted, because that campaign competes with no other.
 */
function clashesOf(hours: readonly HourOfLoad[], sums: readonly Sum[], capacity: number): ClashTime[] {
  const clashes: ClashTime[] = [];
  for (const [index, { fromMs, usersPerSecond, isPast }] of hours.entries()) {
    const campaignIds = sums[index]?.campaignIds ?? new Set<string>();
    if (isPast || usersPerSecond <= capacity || campaignIds.size < 2) continue;
    const last = clashes.at(-1);
    if (last?.untilMs === fromMs) {
      clashes[clashes.length - 1] = {
        fromMs: last.fromMs,
        untilMs: fromMs + hourMs,
        usersPerSecond: Math.max(last.usersPerSecond, usersPerSecond),
        campaignIds: last.campaignIds.union(campaignIds),
      };
    } else clashes.push({ fromMs, untilMs: fromMs + hourMs, usersPerSecond, campaignIds });
  }
  return clashes.sort((a, b) => b.usersPerSecond - a.usersPerSecond);
}
