import { Link, type LinkProps } from '@tanstack/react-router';
import type { CalendarCampaign, CalendarStart } from '#client/types.gen.ts';
import { formatLocalStart } from '../../parts/when/local-start.ts';
import { formatUserCount } from '../../parts/audience/user-count.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { toneColours } from '../../parts/standing/state-badge.tsx';
import { hasEnded, lookOf } from '../../parts/standing/state-looks.ts';
import { useFormatTime } from '../../parts/times/zone.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { placeIn, type Week } from './week.ts';

interface LaneProps {
  campaign: CalendarCampaign;
  week: Week;
  nowMs: number;
  isClash: boolean;
}

/** Maximum number of starts with text; more starts are shown as marks without text. */
const worded = 2;

/**
 * Distance from either end of the week, in percent. Within it, a mark's touch target extends inwards, so that the
 * target is not cut off.
 */
const edge = 10;

/** Row of a campaign: its name and its starts, as wide as their actual or expected duration. */
export function Lane({ campaign, week, nowMs, isClash }: LaneProps) {
  const { name, campaignId, starts, atCap } = campaign;
  return (
    <div className="cal-row" role="listitem">
      <div className="cal-who">
        <Link
          className="font-medium truncate block hover:underline phone:py-3 phone:-my-3"
          to="/campaigns/$campaignId"
          params={{ campaignId }}
          title={plainText(name)}
        >
          {plainText(name)}
        </Link>
        <div className="t3 sm truncate">{whoWords(campaign)}</div>
        {atCap !== null && atCap.users > 0 && <AtCap users={atCap.users} at={atCap.at} />}
      </div>
      <div className="cal-lane">
        <NowLine week={week} nowMs={nowMs} />
        {starts.map((start) => (
          <Start
            key={`${start.runId ?? ''} ${start.at}`}
            {...{ start, campaign, week, nowMs }}
            isClash={isClash && start.runId === null}
            hasWords={starts.length <= worded}
          />
        ))}
      </div>
    </div>
  );
}

/** Users who were at a cap when the newest dry run counted them. */
function AtCap({ users, at }: { users: number; at: string }) {
  const formatTime = useFormatTime();
  return (
    <div className="t3 sm truncate" title={`Counted by the dry run that ended at ${formatTime(at)}`}>
      {formatCount(users)} at a cap, by dry run
    </div>
  );
}

export function NowLine({ week, nowMs }: Pick<LaneProps, 'week' | 'nowMs'>) {
  if (nowMs < week.fromMs || nowMs >= week.untilMs) return null;
  return <span className="cal-now" style={{ left: `${placeIn(week, nowMs)}%` }} />;
}

function whoWords({ starts, recurs, countries, moreStarts }: CalendarCampaign): string {
  const start = starts.find(({ users }) => users !== null && users > 0);
  const often = recurs ? `${countOf(starts.length, 'start')}${moreStarts ? ' and more' : ''}` : '';
  const many = start === undefined ? '' : `${sizeWords(start)} users`;
  const where = countries.length > 3 ? countOf(countries.length, 'country', 'countries') : countries.join(', ');
  return [often, many, where].filter((each) => each !== '').join(' · ');
}

interface StartProps extends LaneProps {
  start: CalendarStart;
  hasWords: boolean;
}

function Start({ start, campaign, week, nowMs, isClash, hasWords }: StartProps) {
  const formatTime = useFormatTime();
  const timeOf = (instant: string) =>
    start.localTime === null
      ? formatTime(instant)
      : `${formatLocalStart(start.localTime, new Date(nowMs))} in each country`;
  const { icon, tone } = lookOf(start.state);
  const at = Date.parse(start.at);
  const isOpen = start.runId !== null && !hasEnded(start.state);
  const end = Math.max(at, start.until === null ? at : Date.parse(start.until), isOpen ? nowMs : 0);
  const [left, right] = [placeIn(week, at), placeIn(week, end)];
  const words = startWords(start, timeOf, formatTime);
  const isLate = right > 78;
  return (
    <>
      <Link
        {...linkOf(start, campaign)}
        className={`cal-start ${isClash ? 'clash' : kindOf(start)} ${edgeOf(left, right)}`}
        style={{ left: `min(${left}%, 100% - 6px)`, width: `${right - left}%` }}
        aria-label={`${plainText(campaign.name)}, ${lookOf(start.state).word.toLowerCase()}, ${words}`}
        title={words}
      />
      {hasWords && (
        <span
          className="cal-words"
          style={
            isLate ? { right: `calc(${100 - left}% + 6px)` } : { left: `calc(max(${right}%, ${left}% + 6px) + 6px)` }
          }
          aria-hidden="true"
        >
          <span className={isClash ? 'c-bad flex' : `${toneColours[tone]} flex`}>
            <Icon name={isClash ? 'failed' : icon} size={12} />
          </span>
          {words}
        </span>
      )}
    </>
  );
}

function edgeOf(left: number, right: number): string {
  if (left < edge) return 'at-begin';
  return right > 100 - edge ? 'at-end' : '';
}

function linkOf({ runId, state }: CalendarStart, { campaignId }: CalendarCampaign): Pick<LinkProps, 'to' | 'params'> {
  if (runId === null) return { to: '/campaigns/$campaignId', params: { campaignId } };
  return { to: hasEnded(state) ? '/runs/$runId/report' : '/runs/$runId', params: { runId } };
}

function kindOf({ state, runId }: CalendarStart): string {
  if (state === 'in_review') return 'review';
  if (runId === null) return 'expected';
  if (state === 'completed' || state === 'completed_with_failures') return 'done';
  if (state === 'paused' || state === 'pausing') return 'paused';
  return hasEnded(state) ? 'ended' : 'running';
}

function sizeWords({ users, usersAre }: CalendarStart): string {
  const count = users ?? 0;
  return formatUserCount({ kind: usersAre ?? 'estimated', atLeast: count, atMost: users, at: null });
}

/**
 * @param startOf formats the start of the run; by each country's own clocks if the campaign starts by local time
 * @param formatTime formats all other instants
 */
function startWords(
  start: CalendarStart,
  startOf: (instant: string) => string,
  formatTime: (instant: string) => string,
): string {
  const { at, until, state, runId, users } = start;
  const many = users === null ? '' : ` · ${sizeWords(start)}`;
  if (state === 'in_review') return `${startOf(at)} · if approved`;
  if (runId === null) return `${startOf(at)}${many}`;
  if (hasEnded(state)) return users === null ? startOf(at) : sizeWords(start);
  if (state === 'paused' || state === 'pausing') return 'paused';
  return until === null ? 'no ETA yet' : `ETA ${formatTime(until)}`;
}
