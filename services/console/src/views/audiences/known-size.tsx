import type { AudienceSize } from '#client/types.gen.ts';
import { largeNumber } from '../../parts/audience/how-many-line.tsx';
import { Time } from '../../parts/times/time.tsx';
import { sizeText } from '../../parts/audience/use-words.ts';
import { sizeVerb } from './listed-words.ts';

interface KnownSizeProps {
  size: AudienceSize;
  countries: string[] | null;
}

export function KnownSize({ size, countries }: KnownSizeProps) {
  const verb = sizeVerb({ kind: 'segment', size, countries });
  return (
    <>
      <span className={largeNumber}>{sizeText(size)}</span>{' '}
      <span className="t2">
        users, {size.exact ? verb.replace('counted', 'counted exactly') : verb}{' '}
        {size.asOf === null ? 'by the segmentation service' : <Time instant={size.asOf} />}
      </span>
    </>
  );
}
