import type { Calendar } from '#client/types.gen.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { formatFollowingTime, formatDuration } from '../../parts/times/times.ts';
import { useFormatTime } from '../../parts/times/zone.ts';
import { joinWords } from '../../parts/words/figures.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import type { Clash, Load } from './expected-load.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

const named = 3;

/** Shortest delay in milliseconds that the banner shows. Expected times are not more exact than this. */
const leastLateMs = 60_000;

/** Banner of the worst time at which campaigns need more of an action type than its capacity. */
export function ClashBanner({ calendar, load, action }: { calendar: Calendar; load: Load; action: string }) {
  const formatTime = useFormatTime();
  const [worst] = load.clashes;
  if (!worst || !load.capacity) return null;
  const from = formatTime(new Date(worst.fromMs));
  const until = formatFollowingTime(formatTime(new Date(worst.untilMs)), from);
  const most = formatCount(Math.round(load.capacity.usersPerSecond));
  const rate = formatCount(Math.round(worst.usersPerSecond));
  const isLimit = load.capacity.by === 'limit';
  const lateMs = worst.doneMs - worst.plannedMs;
  const done = formatFollowingTime(formatTime(new Date(worst.doneMs)), from);
  return (
    <div className="banner bad" role="alert">
      <Icon name="failed" />
      <div>
        <b>
          {from} to {until}: {quotedTitleOf(action)} needs {rate} users/s, but{' '}
          {isLimit ? `its limit is ${most}` : `its fastest run did ${most}`}.
        </b>{' '}
        <span className="t2">
          {namesOf(calendar, worst)} wait for each other
          {lateMs >= leastLateMs && ` and would be done at ${done}, ${formatDuration(lateMs)} late`}. To avoid this,
          start one of them earlier or later.
          {load.clashes.length > 1 && ` ${load.clashes.length - 1} more such times this week.`}
        </span>
      </div>
    </div>
  );
}

function namesOf({ items }: Calendar, { campaignIds }: Clash): string {
  const names = items.filter(({ campaignId }) => campaignIds.has(campaignId)).map(({ name }) => plainText(name));
  const more = names.length - named;
  return joinWords([...names.slice(0, named), ...(more > 0 ? [`${more} more`] : [])]);
}
