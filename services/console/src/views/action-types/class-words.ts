import type { ActionType } from '#client/types.gen.ts';
import type { IconName } from '../../parts/icon/icon.tsx';
import type { Tone } from '../../parts/standing/state-looks.ts';
import { formatDuration } from '../../parts/times/times.ts';

export type ContractClass = ActionType['class'];

/** Effect of a repeated call by class, as a phrase that follows the class letter. */
export const classSaid: Readonly<Record<ContractClass, string>> = {
  A: 'keeps the first final result of each user, so a repeat is safe and batches may be cut smaller',
  B: 'keeps its first answer to each call, so a repeat is safe if the bytes are the same',
  C: 'does it a second time, but tells at a status address what became of each user',
  D: 'keeps nothing: after a lost answer its users are unknown, and a person settles them',
};

export interface ClassPromise {
  icon: IconName;
  tone: Tone;
  lead: string;
  rest: string;
}

/** Returns the consequences of the class for repeats, batches and the deadline. */
export function promisesOf(
  type: Pick<ActionType, 'class' | 'check' | 'keyLifeSeconds' | 'appliesLateSeconds'>,
): ClassPromise[] {
  if (type.check) return ofCheck;
  const life = formatDuration(type.keyLifeSeconds * 1000);
  const kept: ClassPromise = {
    ...{ icon: 'tick', tone: 'ok', lead: `A repeat is safe for ${life}.` },
    rest:
      type.class === 'A'
        ? 'The endpoint keeps the first final result of each user and gives it again.'
        : 'The endpoint keeps its answer to each call and gives it again.',
  };
  const deadline: ClassPromise = {
    ...{ icon: 'unknown', tone: 'odd', lead: 'Past the deadline' },
    rest: 'users of an unanswered call end as unknown, and a person settles them.',
  };
  switch (type.class) {
    case 'A':
      return [kept, smaller, deadline];
    case 'B':
      return [kept, sameBytes, deadline];
    case 'C':
      return [asksFirst(type.appliesLateSeconds), restAgain, deadline];
    case 'D':
      return ofNothing;
  }
}

const smaller: ClassPromise = {
  ...{ icon: 'tick', tone: 'ok', lead: 'Batches may be cut smaller.' },
  rest: 'What is refused as a whole is halved, until it is known which users it is about.',
};

const sameBytes: ClassPromise = {
  ...{ icon: 'warn', tone: 'warn', lead: 'The batch must stay the same.' },
  rest: 'After a lost answer the very same bytes are sent again; no user can be taken out.',
};

const restAgain: ClassPromise = {
  ...{ icon: 'tick', tone: 'ok', lead: 'Who was not served is sent again.' },
  rest: 'Others keep what they got.',
};

function asksFirst(seconds = 0): ClassPromise {
  return {
    ...{ icon: 'warn', tone: 'warn', lead: 'A repeat does it a second time.' },
    rest: `After a lost answer its status is asked first, ${formatDuration(seconds * 1000)} after the call ended.`,
  };
}

const ofNothing: ClassPromise[] = [
  {
    ...{ icon: 'failed', tone: 'bad', lead: 'A repeat does it a second time.' },
    rest: 'After a lost answer nothing is sent again.',
  },
  {
    ...{ icon: 'unknown', tone: 'odd', lead: 'A lost answer leaves users unknown' },
    rest: 'at once: whether they got it can be seen nowhere.',
  },
  {
    ...{ icon: 'users', tone: 'idle', lead: 'A person or a file settles them,' },
    rest: 'by the books of the team behind it.',
  },
];

const ofCheck: ClassPromise[] = [
  {
    ...{ icon: 'tick', tone: 'ok', lead: 'It is asked before steps that name it.' },
    rest: 'Who is not let through ends as suppressed there, and is skipped behind it.',
  },
  {
    ...{ icon: 'tick', tone: 'ok', lead: 'It may be asked again at will.' },
    rest: 'Nothing comes of a question: an answer that is lost costs nothing.',
  },
];
