import type { AudiencePlace } from '../../shared/contracts/explanations.ts';
import { isTerminal } from '../../shared/domain/run-states.ts';
import { compareUserIds } from '../../shared/domain/user-id.ts';
import type { HistoryFeed, UserHistory } from './ports/user-histories.ts';

export interface ExplainedPlace {
  place: AudiencePlace;
  country: string | null;
  /** In words, for people. */
  detail: string;
}

/** Whether a user belongs to the audience of a run, and why not. */
export function explainAudience({ state, feeds, place }: UserHistory, user: string): ExplainedPlace {
  if (place?.unsendable) {
    const detail = `its id can never be sent: ${place.unsendable.detail ?? place.unsendable.reason}`;
    return { place: 'unsendable', country: place.country, detail };
  }
  if (place) return { place: 'member', country: place.country, detail: memberDetail(place.fromStep) };
  const nowhere = (kind: AudiencePlace, detail: string) => ({ place: kind, country: null, detail });
  if (feeds.some((feed) => !feed.usersKept)) return nowhere('not-kept', 'the users of this run are no longer kept');
  const behind = feeds.filter((feed) => isStillToCome(feed, user));
  if (feeds.length > 0 && behind.length === 0) {
    return nowhere('absent', `${sourcesOf(feeds)} did not hold it; the run looked nowhere else`);
  }
  if (isTerminal(state)) return nowhere('never-fed', neverFedDetail(behind));
  const where = feeds.length === 0 ? 'the run is being prepared' : `${sourcesOf(behind)} was not fed so far`;
  return nowhere('not-fed-yet', `${where}: it may still come`);
}

function memberDetail(fromStep: number): string {
  return fromStep === 1 ? 'it was fed' : `it was fed, to begin with step ${fromStep}`;
}

function neverFedDetail(behind: readonly HistoryFeed[]): string {
  const where = behind.length === 0 ? 'it had begun' : `${sourcesOf(behind)} had been fed so far`;
  return `the run ended before ${where}`;
}

/** Users are fed in ascending order: what is behind the last one may still come. */
function isStillToCome({ complete, cursor }: HistoryFeed, user: string): boolean {
  return !complete && (cursor === null || compareUserIds(cursor, user) < 0);
}

function sourcesOf(feeds: readonly HistoryFeed[]): string {
  const bySegment = Map.groupBy(feeds, ({ segment }) => segment);
  return [...bySegment]
    .map(([segment, ofSegment]) => {
      const countries = [...new Set(ofSegment.map(({ country }) => country))].join(', ');
      return segment === '' ? `the list of users to retry in ${countries}` : `segment "${segment}" in ${countries}`;
    })
    .join(' and ');
}
