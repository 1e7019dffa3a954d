import type { AudienceSize } from '#client/types.gen.ts';
import { largeNumber } from '../../../parts/audience/user-count-line.tsx';
import { Time } from '../../../parts/times/time.tsx';
import { formatListSize } from '../../../parts/audience/list-texts.ts';
import { describeSizeSource } from './size-words.ts';

interface KnownSizeProps {
  size: AudienceSize;
  countries: string[] | null;
}

export function KnownSize({ size, countries }: KnownSizeProps) {
  const verb = describeSizeSource({ kind: 'segment', size, countries });
  return (
    <>
      <span className={largeNumber}>{formatListSize(size)}</span>{' '}
      <span className="t2">
        users, {size.exact ? verb.replace('counted', 'counted exactly') : verb}{' '}
        {size.asOf === null ? 'by the segmentation service' : <Time instant={size.asOf} />}
      </span>
    </>
  );
}
