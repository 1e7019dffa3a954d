import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { getCalendarOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Calendar } from '#client/types.gen.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { updateStatusOf } from '../../live/update-status.ts';
import { useCurrentMinute } from '../../parts/browser/now.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Freshness, StaleBanner } from '../../parts/standing/freshness.tsx';
import { SkeletonBar, useHasWaited } from '../../parts/standing/skeleton.tsx';
import { Empty, Failed, NoMatch } from '../../parts/standing/states.tsx';
import { formatDay } from '../../parts/times/times.ts';
import { useFormatTime, useZone } from '../../parts/times/zone.ts';
import { countOf } from '../../parts/words/numbers.ts';
import { CalendarFilters } from './calendar-filters.tsx';
import { ClashBanner } from './clash-banner.tsx';
import { actionsOf, loadOf, type Load } from './expected-load.ts';
import { Lane } from './lane.tsx';
import { LoadRow } from './load-row.tsx';
import { dateOf, weekOf, type Week } from './week.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

const route = getRouteApi('/calendar');
const lookEveryMs = 30_000;
/** Number of campaign rows that are shown at first, and that each press of the button adds. */
const lanesAtOnce = 60;

/**
 * View of a week with one row per campaign: ended, current and future runs, and the times at which the campaigns exceed
 * the capacity.
 */
export function CalendarView() {
  const search = route.useSearch();
  const { zone } = useZone();
  const nowMs = useCurrentMinute();
  const week = weekOf(search.week ?? dateOf(nowMs, zone), zone);
  const { country, action, owner } = search;
  const query = {
    from: new Date(week.fromMs).toISOString(),
    until: new Date(week.untilMs).toISOString(),
    ...(country !== undefined && { country }),
    ...(action !== undefined && { action }),
    ...(owner !== undefined && { owner }),
  };
  const calendar = useQuery({
    ...getCalendarOptions({ query }),
    refetchInterval: lookEveryMs,
    placeholderData: keepPreviousData,
  });
  const error = useLastError(calendar);
  const standing = updateStatusOf(calendar);
  const refusal = useRefusal('manager');
  const data = calendar.data;
  const actions = actionsOf(data?.items ?? []);
  const loadAction = search.load ?? actions[0];
  const load = data && loadAction !== undefined ? loadOf(data, loadAction) : undefined;
  return (
    <Page
      title="Calendar"
      freshness={data && <Freshness standing={standing} />}
      actions={
        refusal === undefined ? (
          <Link className="btn ink" to="/campaigns/new">
            <Icon name="plus" />
            {newWords}
          </Link>
        ) : (
          <Button kind="ink" icon="plus" refusal={refusal}>
            {newWords}
          </Button>
        )
      }
    >
      <StaleBanner standing={standing} note="Campaigns continue; these figures are outdated." />
      <CalendarFilters week={week} calendar={data} actions={actions} loadAction={loadAction} />
      {data && load && loadAction !== undefined && <ClashBanner calendar={data} load={load} action={loadAction} />}
      {!data && error !== null ? (
        <Failed title="The calendar could not be read" error={error} onRetry={() => void calendar.refetch()} />
      ) : (
        <Lanes week={week} calendar={data} load={load} loadAction={loadAction} nowMs={nowMs} />
      )}
    </Page>
  );
}

const newWords = (
  <>
    <span className="wide">New campaign</span>
    <span className="narrow">New</span>
  </>
);

interface LanesProps {
  week: Week;
  calendar: Calendar | undefined;
  load: Load | undefined;
  loadAction: string | undefined;
  nowMs: number;
}

function Lanes({ week, calendar, load, loadAction, nowMs }: LanesProps) {
  const { country, action, owner } = route.useSearch();
  const navigate = route.useNavigate();
  const formatTime = useFormatTime();
  const [most, setMost] = useState(lanesAtOnce);
  const patience = useHasWaited();
  const items = calendar?.items ?? [];
  const starts = items.reduce((sum, item) => sum + item.starts.length, 0);
  const isFiltered = [country, action, owner].some((each) => each !== undefined);
  const clashing = new Set(load?.clashes.flatMap(({ campaignIds }) => [...campaignIds]));
  if (!calendar) return patience ? <SkeletonBar width="100%" /> : null;
  return (
    <section className="panel cal" aria-label="The week">
      <div className="cal-row">
        <div className="cal-who t3 sm">
          {countOf(items.length, 'campaign')}, {countOf(starts, 'run')}
        </div>
        <DayHeads week={week} nowMs={nowMs} />
      </div>
      {items.length === 0 ? (
        isFiltered ? (
          <NoMatch
            title="No campaign of this week matches"
            onClear={() =>
              void navigate({ search: ({ week: from, load: type }) => ({ week: from, load: type }), replace: true })
            }
          >
            {[country, action && quotedTitleOf(action), owner].filter(Boolean).join(', ')}.
          </NoMatch>
        ) : (
          <Empty icon="calendar" title="No runs and no planned starts in this week">
            Runs are listed once they have started, and planned starts once their campaign is started. Campaigns that
            wait for approval have a dashed edge.
          </Empty>
        )
      ) : (
        <>
          {load && loadAction !== undefined && <LoadRow {...{ load, week, nowMs }} action={loadAction} />}
          <div role="list" aria-label="Campaigns of this week">
            {items.slice(0, most).map((campaign) => (
              <Lane
                key={campaign.campaignId}
                {...{ campaign, week, nowMs }}
                isClash={clashing.has(campaign.campaignId)}
              />
            ))}
          </div>
        </>
      )}
      <footer className="row flex-wrap">
        {nowMs >= week.fromMs && nowMs < week.untilMs && (
          <span className="c-run row gap-1.25">
            <Icon name="live" size={12} />
            now {formatTime(new Date(nowMs))}
          </span>
        )}
        <span>
          Widths show durations: those of ended runs, and estimates by the last run or the pace for others. Starts of
          unknown duration are a mark.
        </span>
        {calendar.isCut && <span className="c-warn">Not all campaigns are shown. Filter to see others.</span>}
        {items.length > most && (
          <Button small className="ml-auto" onClick={() => setMost(most + lanesAtOnce)}>
            {Math.min(lanesAtOnce, items.length - most)} more of {items.length - most}
          </Button>
        )}
      </footer>
    </section>
  );
}

function DayHeads({ week, nowMs }: { week: Week; nowMs: number }) {
  const { zone } = useZone();
  const now = new Date(nowMs);
  return (
    <div className="cal-days">
      {week.days.map(({ date, fromMs, untilMs }) => {
        const isToday = nowMs >= fromMs && nowMs < untilMs;
        const [weekday = '', number = ''] = formatDay(new Date(fromMs), { zone, now }).split(' ');
        return (
          <div
            key={date}
            className={isToday ? 'today' : undefined}
            style={{ flexGrow: untilMs - fromMs }}
            {...(isToday && { 'aria-current': 'date' as const })}
          >
            {weekday} {number} {isToday && <span className="xs wide">today</span>}
          </div>
        );
      })}
    </div>
  );
}
