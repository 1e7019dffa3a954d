import type { CancelPreviewShape } from '../../../../shared/contracts/runs/run-control.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { stepLines } from '../../../../shared/domain/step/outcomes.ts';
import { isTerminal } from '../../../../shared/domain/run/run-states.ts';
import { batchesInFlight, usersInFlight, type UnderWay } from '../../../../shared/domain/run/under-way.ts';
import type { RunSnapshot } from '../run-reports.port.ts';
import { estimatedUsers } from '../run-view.ts';

/** Users that a cancellation would affect in one step of one country. */
interface Place {
  step: number;
  country: string;
  /** Number of users who have reached the step and have no outcome in it. */
  pending: number;
  /** Number of pending users whose chain begins with this step. */
  beginning: number;
  inFlight: number;
}

/**
 * Returns the effects that a cancellation would have at this moment. The numbers are approximate, because work in
 * progress continues.
 */
export function cancelPreviewView(snapshot: RunSnapshot, underWay: UnderWay, timeToStopMs: number): CancelPreviewShape {
  const { runId, state, chain, countries } = snapshot;
  const isOver = isTerminal(state);
  const counted = countries.reduce((sum, feed) => sum + feed.fedUsers, 0);
  const names = [...new Set(countries.map(({ country }) => country))];
  const places = names.flatMap((country) => placesIn(country, snapshot, underWay));
  const sum = (users: (place: Place) => number) => places.reduce((total, place) => total + users(place), 0);
  const all = sum(({ pending }) => pending);
  const notStarted = sum(notStartedUsers);
  const finishing = sum(({ step, inFlight }) => (step === chain.length ? inFlight : 0));
  const notFed = (country?: string) => notFedUsers({ ...snapshot, countries: inCountry(snapshot, country) }, isOver);
  return {
    runId: publicId('run', runId),
    state,
    notFedUsers: notFed(),
    notStartedUsers: notStarted,
    halfWayUsers: Math.max(0, all - notStarted - finishing),
    finishingUsers: finishing,
    endedUsers: counted - all,
    inFlight: { batches: batchesInFlight(underWay), users: usersInFlight(underWay) },
    waiting: underWay.waiting,
    timeToStopMs,
    countries: names.map((country) => ({
      country,
      notFedUsers: notFed(country),
      steps: places
        .filter((place) => place.country === country)
        .map((place) => ({
          step: place.step,
          action: chain[place.step - 1]?.action ?? '',
          notStartedUsers: notStartedUsers(place),
          halfWayUsers: place.pending - place.inFlight - notStartedUsers(place),
          inFlightUsers: place.inFlight,
        })),
    })),
  };
}

function placesIn(country: string, snapshot: RunSnapshot, { inFlight }: UnderWay): Place[] {
  const feeds = inCountry(snapshot, country).map((feed) => ({
    from: feed.fromStep,
    pending: pendingOf(feed, snapshot),
  }));
  return snapshot.chain.map((_, index) => {
    const step = index + 1;
    const pending = feeds.reduce((sum, feed) => sum + (feed.pending[index] ?? 0), 0);
    const beginning = feeds.reduce((sum, feed) => sum + (feed.from === step ? (feed.pending[index] ?? 0) : 0), 0);
    const claimed = inFlight.find((each) => each.step === step && each.country === country)?.users ?? 0;
    // The claimed batch still includes users who were lost in earlier steps and are not pending.
    return { step, country, pending, beginning, inFlight: Math.min(claimed, pending) };
  });
}

/**
 * Returns a lower bound on the users whose chain has not begun. It assumes that all users in flight are in their first
 * step.
 */
function notStartedUsers({ beginning, inFlight }: Place): number {
  return Math.max(0, beginning - inFlight);
}

/** Returns the number of users, by step, who have reached the step and have no outcome in it. */
function pendingOf(feed: RunSnapshot['countries'][number], { chain }: RunSnapshot): number[] {
  const { fedUsers, totals, heldOutUsers, fromStep } = feed;
  const lines = stepLines(fedUsers, totals, chain.length, heldOutUsers, fromStep);
  return lines.map(({ pending }, index) => Math.max(0, pending - (lines[index - 1]?.pending ?? 0)));
}

function inCountry({ countries }: RunSnapshot, wanted?: string): RunSnapshot['countries'] {
  return wanted === undefined ? countries : countries.filter(({ country }) => country === wanted);
}

/** Returns an estimate of the users whom the run has not fed yet, or null if the size of the audience is unknown. */
function notFedUsers(snapshot: RunSnapshot, isOver: boolean): number | null {
  const { countries } = snapshot;
  if (isOver || (countries.length > 0 && countries.every(({ complete }) => complete))) return 0;
  const estimated = estimatedUsers(snapshot);
  const come = countries.reduce((sum, { fedUsers, excludedUsers }) => sum + fedUsers + excludedUsers, 0);
  return estimated === null ? null : Math.max(0, estimated - come);
}
