import { countOf } from '../../parts/words/numbers.ts';
import { joinWords, formatSentence } from '../../parts/words/figures.ts';
import type { ExplainedStep, Explanation, Place } from './explanation.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

/** The outcome in one sentence, and the evidence. */
export interface Verdict {
  tone: 'good' | 'bad' | 'odd' | 'watch' | 'plain';
  /** Text of the badge: `Through the chain`. */
  state: string;
  answer: string;
  evidence: string;
}

const outside: Record<
  Exclude<Place, 'member' | 'unsendable'>,
  { state: string; answer: string; tone: Verdict['tone'] }
> = {
  'not-fed-yet': { state: 'Not fed yet', answer: 'The run has not reached this user yet.', tone: 'plain' },
  'never-fed': { state: 'Never fed', answer: 'The run ended before it reached this user.', tone: 'watch' },
  absent: {
    state: 'Not in the run',
    answer: 'The user is not in the audience of this run and got nothing.',
    tone: 'plain',
  },
  'held-out': { state: 'Held out', answer: 'The user is held out and got nothing intentionally.', tone: 'plain' },
  'not-kept': {
    state: 'Not kept',
    answer: 'The users of this run are no longer kept, so the outcome is unknown.',
    tone: 'plain',
  },
};

export function buildVerdict(explained: Explanation): Verdict {
  const { place, detail } = explained.audience;
  if (place === 'unsendable') {
    return {
      tone: 'bad',
      state: 'Never sent',
      answer: 'This id could not be sent to any endpoint.',
      evidence: formatSentence(detail),
    };
  }
  if (place !== 'member') return { ...outside[place], evidence: formatSentence(detail) };
  return verdictOfMember(explained.steps);
}

function verdictOfMember(steps: readonly ExplainedStep[]): Verdict {
  const stopped = steps.find(({ outcome }) => outcome !== 'succeeded');
  const evidence = [describeFailure(steps), describeCalls(steps), describeReceipt(steps)]
    .filter((part) => part !== '')
    .join(' ');
  if (!stopped) {
    const actions = steps.map(({ action }) => `${quotedTitleOf(action)} once`);
    return { tone: 'good', state: 'Through the chain', answer: `Got ${joinWords(actions)}.`, evidence };
  }
  const got = steps.filter(({ outcome }) => outcome === 'succeeded').map(({ action }) => quotedTitleOf(action));
  const summary = got.length === 0 ? 'Got nothing' : `Got ${joinWords(got)} and nothing more`;
  return { ...stoppedAt(stopped, summary), evidence };
}

/** Describes the outcome of the first step that did not succeed. This step determines the outcome of the user. */
function stoppedAt(step: ExplainedStep, summary: string): Omit<Verdict, 'evidence'> {
  const at = `step ${step.step}, ${quotedTitleOf(step.action)}`;
  const why = step.reason === null ? '' : `: ${step.reason}`;
  switch (step.outcome) {
    case 'failed':
      return {
        tone: 'bad',
        state: `Failed in step ${step.step}`,
        answer: `${summary}. The user failed in ${at}${why}.`,
      };
    case 'unknown': {
      const answer = `It is unknown whether the user got ${quotedTitleOf(step.action)}. ${summary === 'Got nothing' ? 'The user got nothing else.' : `${summary} for certain.`}`;
      return { tone: 'odd', state: `Unknown in step ${step.step}`, answer };
    }
    case 'suppressed': {
      const cause = step.detail === null ? why : `: ${step.detail}`;
      const rule = step.reason === 'muster.cap' ? 'cap' : 'rule';
      const answer = `${summary}. A ${rule} suppressed ${at}${cause}.`;
      return { tone: 'plain', state: `Suppressed in step ${step.step}`, answer };
    }
    case 'expired':
      return {
        tone: 'watch',
        state: `Expired in step ${step.step}`,
        answer: `${summary}. The deadline passed before ${at}.`,
      };
    case 'cancelled':
      return {
        tone: 'plain',
        state: `Cancelled in step ${step.step}`,
        answer: `${summary}. The run was cancelled before ${at}.`,
      };
    case 'pending':
      return {
        tone: 'plain',
        state: `Waits in step ${step.step}`,
        answer: `${summary.replace('and nothing more', 'so far')}${summary === 'Got nothing' ? ' so far' : ''}. The user waits for ${at}.`,
      };
    default:
      return { tone: 'plain', state: 'Got nothing', answer: `${summary}.` };
  }
}

/** Describes who decided that a step failed, and which steps were skipped. */
function describeFailure(steps: readonly ExplainedStep[]): string {
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  if (!failed) return '';
  const { reason, detail, attempts } = failed;
  const isOurs = reason?.startsWith('muster.') ?? false;
  const who =
    isOurs || attempts.length === 0
      ? 'Muster decided this.'
      : 'The endpoint reported this failure, and such an answer is final.';
  const skipped = steps.filter(({ outcome }) => outcome === 'skipped').map(({ action }) => quotedTitleOf(action));
  const left = skipped.length === 0 ? '' : `No call was made for ${joinWords(skipped)}.`;
  return [who, detail === null ? '' : formatSentence(detail), left].filter((part) => part !== '').join(' ');
}

/** Describes steps that took several calls, and why a repeated call was not applied twice. */
function describeCalls(steps: readonly ExplainedStep[]): string {
  const parts = steps.flatMap(({ action, attempts }) => {
    if (attempts.length < 2) return [];
    const open = attempts.some(({ result }) => result === 'ambiguous' || result === 'lost');
    const again = `${quotedTitleOf(action)} took ${countOf(attempts.length, 'call')}`;
    return open
      ? [`${again}; one was never answered and was sent again with the same key, so it was not applied twice.`]
      : [`${again}.`];
  });
  return parts.map((part) => formatSentence(part)).join(' ');
}

function describeReceipt(steps: readonly ExplainedStep[]): string {
  const receipt = steps.findLast((step) => step.receipt !== null)?.receipt;
  if (!receipt) return '';
  return receipt.status === 'delivered'
    ? 'The provider delivered it.'
    : `The provider accepted it and did not deliver it${receipt.code === null ? '' : `: ${receipt.code}`}.`;
}
