import { Time } from '../times/time.tsx';
import { formatCountKind, formatUserCount, type UserCount } from './user-count.ts';

interface HowManyProps {
  size: UserCount;
  isLarge?: boolean;
}

/** A size with its kind and its age, such as `121,315 users, counted Sun 29 Nov, 10:31`. */
export function UserCountLine({ size, isLarge = false }: HowManyProps) {
  const number = formatUserCount(size);
  const isKnown = size.atMost !== null || size.atLeast > 0;
  return (
    <>
      <span className={isLarge ? largeNumber : undefined}>{isKnown ? number : 'Size unknown'}</span>{' '}
      <span className="t2">
        {isKnown && (size.atMost === 1 ? 'user, ' : 'users, ')}
        {isKnown && <CountKindAndAge size={size} />}
      </span>
    </>
  );
}

export function CountKindAndAge({ size }: { size: UserCount }) {
  return (
    <>
      {formatCountKind(size)}
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
