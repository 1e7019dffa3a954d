import type { AudiencePlace, UserExplanation } from '../../../../shared/contracts/runs/explanations.ts';
import type { FeedSource } from '../../../../shared/contracts/runs/feed-audience.ts';
import { isInPart } from '../../../../shared/domain/run/split.ts';
import { isHeldOut } from '../../../../shared/domain/run/hold-out.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { isTerminal } from '../../../../shared/domain/run/run-states.ts';
import { compareUserIds } from '../../../../shared/domain/ids/user-id.ts';
import type { HistoryFeed, UserHistory, UserPlace } from './postgres/user-histories.ts';

export type ExplainedPlace = UserExplanation['audience'];

/** Returns the variant of a user, or the variant that the user would have; null if the run has none. */
export function variantOf({ feeds, place }: UserHistory, user: string): string | null {
  return (place ?? feeds.find((feed) => feed.audience.split && mayContain(feed, user)))?.variant ?? null;
}

/** Returns false if the users of the feed have another variant. */
function mayContain({ audience: { split } }: HistoryFeed, user: string): boolean {
  return !split || isInPart(split, user);
}

export function explainAudience({ state, canary, feeds: all, place }: UserHistory, user: string): ExplainedPlace {
  const feeds = all.filter((feed) => mayContain(feed, user));
  if (place?.unsendable) {
    const detail = `its id cannot be sent: ${place.unsendable.detail ?? place.unsendable.reason}`;
    return { place: 'unsendable', country: place.country, detail };
  }
  if (place) return { place: 'member', country: place.country, detail: memberDetail(place) };
  const nowhere = (kind: AudiencePlace, detail: string) => ({ place: kind, country: null, detail });
  if (feeds.some((feed) => !feed.usersKept)) return nowhere('not-kept', 'the users of this run are no longer kept');
  const behind = feeds.filter((feed) => isStillToCome(feed, user));
  if (feeds.length > 0 && behind.length === 0) {
    const holding = feeds.find((feed) => isHeldOutIn(feed, user));
    if (holding) return nowhere('held-out', heldOutDetail(holding));
    return nowhere(
      'absent',
      `${sourcesOf(feeds)} did not contain it${exclusionsOf(feeds)}; the run has no other sources`,
    );
  }
  if (isTerminal(state)) return nowhere('never-fed', neverFedDetail(behind));
  const reached = feeds.length === 0 ? 'the run is being prepared' : `${sourcesOf(behind)} has not been fed yet`;
  const isUndecided = canary !== null && behind.some(({ variant, audience }) => variant === null && audience.split);
  const when = isUndecided ? 'the user is outside the canary, and waits until a variant is chosen' : 'it may follow';
  return nowhere('not-fed-yet', `${reached}, but ${when}`);
}

function heldOutDetail(feed: HistoryFeed): string {
  const percent = feed.audience.holdOut?.percent ?? 0;
  return `it is one of the ${percent} % held-out users: it is in ${sourcesOf([feed])}, and receives nothing on purpose`;
}

function memberDetail({ fromStep, alsoIn }: UserPlace): string {
  const fed = fromStep === 1 ? 'it was fed' : `it was fed, to begin with step ${fromStep}`;
  return alsoIn.length === 0
    ? fed
    : `${fed}; its segment contained it in ${alsoIn.join(', ')} too, where it was fed again`;
}

function neverFedDetail(behind: readonly HistoryFeed[]): string {
  const reached = behind.length === 0 ? 'it had begun' : `${sourcesOf(behind)} had been fed so far`;
  return `the run ended before ${reached}`;
}

/**
 * Returns true if the feed may still reach the user. Users are fed in ascending order, so a user after the cursor may
 * follow.
 */
function isStillToCome({ complete, cursor }: HistoryFeed, user: string): boolean {
  return !complete && (cursor === null || compareUserIds(cursor, user) < 0);
}

function sourcesOf(feeds: readonly HistoryFeed[]): string {
  const byName = Map.groupBy(feeds, ({ audience }) => audience.include.map(nameOf).join(' or '));
  return [...byName]
    .map(([name, ofName]) => `${name} in ${[...new Set(ofName.map(({ country }) => country))].join(', ')}`)
    .join(' and ');
}

function nameOf(source: FeedSource): string {
  if ('listId' in source) return `list ${publicId('audience', source.listId)}`;
  if ('runId' in source) return `the users of ${publicId('run', source.runId)}`;
  return source.segment === '' ? 'the list of users to retry' : `segment "${source.segment}"`;
}

function exclusionsOf(feeds: readonly HistoryFeed[]): string {
  const names = new Set(feeds.flatMap(({ audience }) => audience.exclude.map(nameOf)));
  return names.size === 0 ? '' : `, or ${[...names].join(' or ')} excluded it`;
}

/**
 * Returns true if the hold-out rule selects the user. A result of true does not prove that the audience contained the
 * user, because held-out users have no rows.
 */
function isHeldOutIn({ audience: { holdOut } }: HistoryFeed, user: string): boolean {
  return holdOut !== null && isHeldOut(holdOut, user);
}
