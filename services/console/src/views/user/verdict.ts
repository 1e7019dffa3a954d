import { countOf } from '../../parts/words/numbers.ts';
import { listed, sentence } from '../../parts/words/figures.ts';
import type { ExplainedStep, Explanation, Place } from './explanation.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

/** The outcome in one sentence, and the evidence. */
export interface Verdict {
  tone: 'good' | 'bad' | 'odd' | 'watch' | 'plain';
  /** Text of the badge: `Through the chain`. */
  state: string;
  answer: string;
  because: string;
}

const outside: Record<
  Exclude<Place, 'member' | 'unsendable'>,
  { state: string; answer: string; tone: Verdict['tone'] }
> = {
  'not-fed-yet': { state: 'Not fed yet', answer: 'The run has not come to this user yet.', tone: 'plain' },
  'never-fed': { state: 'Never fed', answer: 'The run ended before it came to this user.', tone: 'watch' },
  absent: { state: 'Not in it', answer: 'Not in the audience of this run, so it got nothing.', tone: 'plain' },
  'held-out': { state: 'Held out', answer: 'Held out: it got nothing, on purpose.', tone: 'plain' },
  'not-kept': {
    state: 'Not kept',
    answer: 'Nobody can say any more: the users of this run are no longer kept.',
    tone: 'plain',
  },
};

export function verdictOf(explained: Explanation): Verdict {
  const { place, detail } = explained.audience;
  if (place === 'unsendable') {
    return { tone: 'bad', state: 'Never sent', answer: 'It could not be sent to anybody.', because: sentence(detail) };
  }
  if (place !== 'member') return { ...outside[place], because: sentence(detail) };
  return ofMember(explained.steps);
}

function ofMember(steps: readonly ExplainedStep[]): Verdict {
  const stopped = steps.find(({ outcome }) => outcome !== 'succeeded');
  const because = [failureStory(steps), callStory(steps), receiptStory(steps)].filter((part) => part !== '').join(' ');
  if (!stopped) {
    const actions = steps.map(({ action }) => `${quotedTitleOf(action)} once`);
    return { tone: 'good', state: 'Through the chain', answer: `Got ${listed(actions)}.`, because };
  }
  const got = steps.filter(({ outcome }) => outcome === 'succeeded').map(({ action }) => quotedTitleOf(action));
  const so = got.length === 0 ? 'Got nothing' : `Got ${listed(got)} and nothing more`;
  return { ...stoppedAt(stopped, so), because };
}

/** Returns the outcome of the first step that did not succeed, which determines the user's. */
function stoppedAt(step: ExplainedStep, so: string): Omit<Verdict, 'because'> {
  const at = `step ${step.step}, ${quotedTitleOf(step.action)}`;
  const why = step.reason === null ? '' : `: ${step.reason}`;
  switch (step.outcome) {
    case 'failed':
      return { tone: 'bad', state: `Failed in step ${step.step}`, answer: `${so}. It failed in ${at}${why}.` };
    case 'unknown': {
      const answer = `Nobody knows whether it got ${quotedTitleOf(step.action)}. ${so === 'Got nothing' ? 'It got nothing else.' : `${so} for certain.`}`;
      return { tone: 'odd', state: `Unknown in step ${step.step}`, answer };
    }
    case 'suppressed': {
      const cause = step.detail === null ? why : `: ${step.detail}`;
      const answer = `${so}. A rule withheld ${at}${cause}.`;
      return { tone: 'plain', state: `Suppressed in step ${step.step}`, answer };
    }
    case 'expired':
      return {
        tone: 'watch',
        state: `Expired in step ${step.step}`,
        answer: `${so}. The deadline passed before ${at}.`,
      };
    case 'cancelled':
      return {
        tone: 'plain',
        state: `Cancelled in step ${step.step}`,
        answer: `${so}. The run was cancelled before ${at}.`,
      };
    case 'pending':
      return {
        tone: 'plain',
        state: `Waits in step ${step.step}`,
        answer: `${so.replace('and nothing more', 'so far')}${so === 'Got nothing' ? ' so far' : ''}. It waits for ${at}.`,
      };
    default:
      return { tone: 'plain', state: 'Got nothing', answer: `${so}.` };
  }
}

/** Describes who decided that a step failed, and which steps were skipped. */
function failureStory(steps: readonly ExplainedStep[]): string {
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  if (!failed) return '';
  const { reason, detail, attempts } = failed;
  const isOurs = reason?.startsWith('muster.') ?? false;
  const who =
    isOurs || attempts.length === 0 ? 'Muster decided so.' : 'The endpoint said so, and such an answer is final.';
  const skipped = steps.filter(({ outcome }) => outcome === 'skipped').map(({ action }) => quotedTitleOf(action));
  const left = skipped.length === 0 ? '' : `Nobody was called for ${listed(skipped)}.`;
  return [who, detail === null ? '' : sentence(detail), left].filter((part) => part !== '').join(' ');
}

/** Describes calls that were repeated, and why none was applied twice. */
function callStory(steps: readonly ExplainedStep[]): string {
  const parts = steps.flatMap(({ action, attempts }) => {
    if (attempts.length < 2) return [];
    const open = attempts.some(({ result }) => result === 'ambiguous' || result === 'lost');
    const again = `${quotedTitleOf(action)} took ${countOf(attempts.length, 'call')}`;
    return open
      ? [`${again}; one was never answered and was sent again with the same key, so it was not applied twice.`]
      : [`${again}.`];
  });
  return parts.map((part) => sentence(part)).join(' ');
}

function receiptStory(steps: readonly ExplainedStep[]): string {
  const receipt = steps.findLast((step) => step.receipt !== null)?.receipt;
  if (!receipt) return '';
  return receipt.status === 'delivered'
    ? 'The provider delivered it.'
    : `The provider accepted it and did not deliver it${receipt.code === null ? '' : `: ${receipt.code}`}.`;
}
