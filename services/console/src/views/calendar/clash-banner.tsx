import type { Calendar } from '#client/types.gen.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { besideTime, formatDuration } from '../../parts/times/times.ts';
import { useFormatTime } from '../../parts/times/zone.ts';
import { listed } from '../../parts/words/figures.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import type { Clash, Load } from './expected-load.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

const named = 3;

/** Shortest delay that is shown: expectations are not more exact. */
const leastLateMs = 60_000;

/** Banner of the worst time at which campaigns need more of an action type than its capacity. */
export function ClashBanner({ calendar, load, action }: { calendar: Calendar; load: Load; action: string }) {
  const formatTime = useFormatTime();
  const [worst] = load.clashes;
  if (!worst || !load.capacity) return null;
  const from = formatTime(new Date(worst.fromMs));
  const until = besideTime(formatTime(new Date(worst.untilMs)), from);
  const most = formatCount(Math.round(load.capacity.usersPerSecond));
  const rate = formatCount(Math.round(worst.usersPerSecond));
  const isLimit = load.capacity.by === 'limit';
  const lateMs = worst.doneMs - worst.plannedMs;
  const done = besideTime(formatTime(new Date(worst.doneMs)), from);
  return (
    <div className="banner bad" role="alert">
      <Icon name="failed" />
      <div>
        <b>
          {from} to {until}: {quotedTitleOf(action)} is asked for {rate} users/s and{' '}
          {isLimit ? `takes ${most}` : `has done ${most}`} at most.
        </b>{' '}
        <span className="t2">
          {namesOf(calendar, worst)} wait for each other
          {lateMs >= leastLateMs && ` and would be done at ${done}, ${formatDuration(lateMs)} late`}: start one of them
          earlier or later, and neither waits.
          {load.clashes.length > 1 && ` ${load.clashes.length - 1} more such times this week.`}
        </span>
      </div>
    </div>
  );
}

function namesOf({ items }: Calendar, { campaignIds }: Clash): string {
  const names = items.filter(({ campaignId }) => campaignIds.has(campaignId)).map(({ name }) => plainText(name));
  const more = names.length - named;
  return listed([...names.slice(0, named), ...(more > 0 ? [`${more} more`] : [])]);
}
