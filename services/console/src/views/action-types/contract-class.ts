import type { ActionType } from '#client/types.gen.ts';
import type { IconName } from '../../parts/icon/icon.tsx';
import type { Tone } from '../../parts/standing/state-looks.ts';
import { formatDuration } from '../../parts/times/times.ts';

export type ContractClass = ActionType['class'];

/** Effect of a repeated call, by class. The dialog shows the phrase after the letter of the class. */
export const classEffects: Readonly<Record<ContractClass, string>> = {
  A: 'returns the first final result of each user again, so repeats are safe and batches may be split',
  B: 'returns its first response to each call again, so repeats are safe if the bytes are the same',
  C: 'runs the action a second time, but reports the outcome of each user at a status address',
  D: 'stores nothing: after a lost response, its users are unknown until a person settles them',
};

export interface ClassPromise {
  icon: IconName;
  tone: Tone;
  lead: string;
  rest: string;
}

/** Returns the consequences of the class for repeats, batches and the deadline. */
export function describeClass(
  type: Pick<ActionType, 'class' | 'check' | 'keyLifeSeconds' | 'appliesLateSeconds'>,
): ClassPromise[] {
  if (type.check) return checkPromises;
  const life = formatDuration(type.keyLifeSeconds * 1000);
  const safeRepeat: ClassPromise = {
    icon: 'tick',
    tone: 'ok',
    lead: `A repeat is safe for ${life}.`,
    rest:
      type.class === 'A'
        ? 'The endpoint stores the first final result of each user and returns it again.'
        : 'The endpoint stores its response to each call and returns it again.',
  };
  const deadline: ClassPromise = {
    icon: 'unknown',
    tone: 'odd',
    lead: 'After the deadline,',
    rest: 'users of a call without a response are unknown, and a person settles them.',
  };
  switch (type.class) {
    case 'A':
      return [safeRepeat, smallerBatches, deadline];
    case 'B':
      return [safeRepeat, sameBytes, deadline];
    case 'C':
      return [statusFirst(type.appliesLateSeconds), unservedUsersAgain, deadline];
    case 'D':
      return classDPromises;
  }
}

const smallerBatches: ClassPromise = {
  icon: 'tick',
  tone: 'ok',
  lead: 'Batches may be split.',
  rest: 'A batch that is refused as a whole is halved until the refused users are found.',
};

const sameBytes: ClassPromise = {
  icon: 'warn',
  tone: 'warn',
  lead: 'The batch must stay the same.',
  rest: 'After a lost response, the same bytes are sent again. No user can be removed.',
};

const unservedUsersAgain: ClassPromise = {
  icon: 'tick',
  tone: 'ok',
  lead: 'Only users who were not served are sent again.',
  rest: 'All others keep their result.',
};

function statusFirst(seconds = 0): ClassPromise {
  return {
    icon: 'warn',
    tone: 'warn',
    lead: 'A repeat runs the action a second time.',
    rest: `After a lost response, the worker first requests the status, ${formatDuration(seconds * 1000)} after the call ended.`,
  };
}

const classDPromises: ClassPromise[] = [
  {
    icon: 'failed',
    tone: 'bad',
    lead: 'A repeat runs the action a second time.',
    rest: 'After a lost response, nothing is sent again.',
  },
  {
    icon: 'unknown',
    tone: 'odd',
    lead: 'Users of a lost response are unknown',
    rest: 'at once: nothing shows whether they were served.',
  },
  {
    icon: 'users',
    tone: 'idle',
    lead: 'A person or a file settles them',
    rest: 'with the records of the team that runs the endpoint.',
  },
];

const checkPromises: ClassPromise[] = [
  {
    icon: 'tick',
    tone: 'ok',
    lead: 'It is called before each step that uses it.',
    rest: 'Users that it rejects are suppressed in that step and skipped in later steps.',
  },
  {
    icon: 'tick',
    tone: 'ok',
    lead: 'It may be called again at any time.',
    rest: 'A check has no effect, so a lost response costs nothing.',
  },
];
