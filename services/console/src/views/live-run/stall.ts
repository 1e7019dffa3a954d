import type { RunProgress } from '../../api/generated/types.gen.ts';
import { listed, sentence } from '../../parts/figures.ts';
import { countOf, formatCount } from '../../parts/numbers.ts';
import { movingCountries } from './run-figures.ts';

/** A cause beside its symptom: what waits for what, what goes on all the same, and what to do. */
export interface Stall {
  /** On the badge: `VN waits`. */
  badge: string;
  /** `VN waits for award-reward.` */
  symptom: string;
  cause: string;
  /** Since when; null where nobody knows. */
  since: string | null;
  /** What that means for users, and who goes on. */
  meanwhile: string;
  nextStep: string;
  /** Where to look: the shard that waits. */
  shard: { action: string; country: string } | null;
}

type Watched = Pick<RunProgress, 'state' | 'stalled' | 'waits' | 'waitingSince' | 'countries' | 'audience'>;

/** Every stall of a run that goes on, the oldest first; none while all of it moves, or a person paused it. */
export function stallsOf(progress: Watched): Stall[] {
  if (progress.state !== 'running' && progress.state !== 'preparing') return [];
  const { waits, stalled, waitingSince } = progress;
  if (waits.length > 0) return waits.map((wait) => ofWait(wait, progress));
  if (stalled === null) return [];
  return [
    {
      badge: progress.state === 'preparing' ? 'Waits' : 'Stalled',
      symptom: progress.state === 'preparing' ? 'The run waits before it begins.' : 'The run waits.',
      cause: sentence(stalled),
      since: waitingSince,
      meanwhile: 'Nobody loses anything by it: it goes on by itself as soon as this is over.',
      nextStep: '',
      shard: null,
    },
  ];
}

function ofWait(
  { step, action, country, cause, since, batches }: RunProgress['waits'][number],
  progress: Watched,
): Stall {
  const moving = movingCountries(progress);
  const pending = progress.countries
    .find((each) => each.country === country)
    ?.steps.find((line) => line.step === step)?.pending;
  const users = pending === undefined ? countOf(batches, 'batch', 'batches') : countOf(pending, 'user');
  const goesOn = moving.length === 0 ? '' : `; ${listed(moving)} ${moving.length === 1 ? 'goes' : 'go'} on`;
  return {
    badge: `${country} waits`,
    symptom: `${country} waits for ${action}.`,
    cause: sentence(cause),
    since,
    meanwhile: `${users} ${pending === 1 ? 'waits' : 'wait'} and ${pending === 1 ? 'loses' : 'lose'} no attempts${goesOn}.`,
    nextStep: nextStepOf(cause),
    shard: { action, country },
  };
}

/** By what the cause says: who can do something about it. */
function nextStepOf(cause: string): string {
  if (/\b(401|403|404|405|400|misconfigured)\b/i.test(cause)) {
    return 'Its endpoint or its action type has to be set right; one batch is tried every 30 s, and the rest follows when that succeeds.';
  }
  if (/budget/i.test(cause)) return 'Raise the budget, or cancel the run.';
  if (/rate|pace|429/i.test(cause)) return 'It goes on as fast as the endpoint allows.';
  return 'It is tried again by itself; the team behind the endpoint can see why.';
}

/** `VN waits`, `2 parts wait`. */
export function stallBadge(stalls: readonly Stall[]): string | null {
  const [first, ...others] = stalls;
  if (!first) return null;
  return others.length === 0 ? first.badge : `${formatCount(stalls.length)} parts wait`;
}
