import { Time } from '../times/time.tsx';
import { kindWords, numberWords, type HowMany } from './how-many.ts';

interface HowManyProps {
  size: HowMany;
  isLarge?: boolean;
}

/** A size with its kind and its age, such as `121,315 users, counted Sun 29 Nov, 10:31`. */
export function HowManyLine({ size, isLarge = false }: HowManyProps) {
  const number = numberWords(size);
  const isKnown = size.atMost !== null || size.atLeast > 0;
  return (
    <>
      <span className={isLarge ? largeNumber : undefined}>{isKnown ? number : 'Size not known'}</span>{' '}
      <span className="t2">
        {isKnown && (size.atMost === 1 ? 'user, ' : 'users, ')}
        {isKnown && <KindAndAge size={size} />}
      </span>
    </>
  );
}

export function KindAndAge({ size }: { size: HowMany }) {
  return (
    <>
      {kindWords(size)}
      {size.at !== null && (
        <>
          {' '}
          <Time instant={size.at} />
        </>
      )}
    </>
  );
}

export const largeNumber = 'text-[24px] leading-7 font-semibold tracking-tight tabular-nums';
