import type { Calendar, CalendarCampaign, CalendarStart } from '#client/types.gen.ts';

const hourMs = 3_600_000;

export interface HourOfLoad {
  fromMs: number;
  usersPerSecond: number;
  /** It lies behind now. */
  isPast: boolean;
}

export interface Clash {
  fromMs: number;
  untilMs: number;
  usersPerSecond: number;
  /** Campaigns that are under way in it, by id. */
  campaignIds: ReadonlySet<string>;
  /** When the last of them is planned to end. */
  plannedMs: number;
  /** When all of it would be done, at the most that was ever done; not before `plannedMs`. */
  doneMs: number;
}

export interface Load {
  hours: readonly HourOfLoad[];
  capacity: Calendar['capacities'][number] | undefined;
  peak: number;
  /** Hours in a row that several campaigns ask more of than was ever done; the busiest first. */
  clashes: readonly Clash[];
}

/** Action types by how many starts have them, the most first. */
export function actionsOf(items: readonly CalendarCampaign[]): string[] {
  const counts = new Map<string, number>();
  for (const { actions, starts } of items)
    for (const action of actions) counts.set(action, (counts.get(action) ?? 0) + starts.length);
  return [...counts].sort(([a, most], [b, least]) => least - most || a.localeCompare(b)).map(([action]) => action);
}

/**
 * Users a second that an action type is asked for, hour by hour: the users of each start spread over the time that it
 * takes. What nobody knows the length of is left out.
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

/** What is asked for beyond the most that is done waits, and is done as soon as less is asked for. */
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
    const asked = hours.find((hour) => hour.fromMs === atMs)?.usersPerSecond ?? 0;
    const left = waitingUsers + (asked - most) * (hourMs / 1000);
    // By then all that waited is done, within this hour; what is still asked for in it goes beside.
    if (atMs >= untilMs && left <= 0) {
      const doneMs = waitingUsers === 0 ? atMs : atMs + (waitingUsers / (most - asked)) * 1000;
      return { plannedMs, doneMs: Math.max(plannedMs, doneMs) };
    }
    waitingUsers = Math.max(0, left);
    if (atMs > untilMs + farMs) return { plannedMs, doneMs: atMs };
  }
}

/** Whoever waits longer than a week waits for good. */
const farMs = 7 * 24 * hourMs;

/** One campaign alone is as fast as it is; two or more wait for each other. */
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
