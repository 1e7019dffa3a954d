import type { RateDifference } from '#client/types.gen.ts';
import { IntervalPlot } from '../charts/interval-plot.tsx';
import { Icon } from '../icon/icon.tsx';
import { formatCount } from '../words/numbers.ts';
import { axisLimitOf, describeDifference } from './variant-figures.ts';

const rateNames: Record<RateDifference['rate'], string> = { succeeded: 'Succeeded', delivered: 'Delivered' };

interface DifferencesProps {
  /** Differences of one step. */
  differences: readonly RateDifference[];
  title?: string;
}

/** Differences between the variants in words, each with its verdict and its interval on a common axis. */
export function Differences({ differences, title = 'Differences' }: DifferencesProps) {
  if (differences.length === 0) return null;
  const limit = axisLimitOf(differences);
  const end = formatCount(limit * 100);
  return (
    <div className="px-4 py-2.5 grid gap-2.5">
      <h3 className="text-sm font-medium t2">{title}</h3>
      <ul className="grid gap-3">
        {differences.map((difference) => (
          <Difference key={`${difference.rate} ${difference.of}`} {...{ difference, limit }} />
        ))}
      </ul>
      <div className="difference t3 text-xs" aria-hidden="true">
        <span className="phone:hidden" />
        <span className="grid grid-cols-3">
          <span>−{end}</span>
          <span className="text-center">0</span>
          <span className="text-right">+{end} points</span>
        </span>
      </div>
    </div>
  );
}

function Difference({ difference, limit }: { difference: RateDifference; limit: number }) {
  const { rate, difference: value, low, high } = difference;
  const { lead, interval, verdict, isDecided } = describeDifference(difference);
  return (
    <li className="difference">
      <div className="min-w-0 wrap-anywhere">
        <div>
          <span className="t2">{rateNames[rate]}</span> <b className="font-medium">{lead}</b>, {interval}
        </div>
        <div className={`row gap-1 sm ${isDecided ? '' : 't2'}`}>
          <Icon name={isDecided ? 'check' : 'pending'} size={12} />
          {verdict}
        </div>
      </div>
      <IntervalPlot {...{ value, low, high, limit, isDecided }} label={`${lead}, ${interval}`} />
    </li>
  );
}
