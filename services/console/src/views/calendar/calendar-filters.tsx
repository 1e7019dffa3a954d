import { getRouteApi } from '@tanstack/react-router';
import type { Calendar } from '#client/types.gen.ts';
import { useSession } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon, type IconName } from '../../parts/icon/icon.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import type { CalendarSearch } from './search.ts';
import { formatWeek, weeksFrom, type Week } from './week.ts';
import { titleOf } from '../../parts/words/action-titles.ts';

const route = getRouteApi('/calendar');

interface CalendarFiltersProps {
  week: Week;
  calendar: Calendar | undefined;
  actions: readonly string[];
  loadAction: string | undefined;
}

const legend: readonly (readonly [IconName, string])[] = [
  ['running', 'running'],
  ['done', 'completed'],
  ['paused', 'paused'],
  ['scheduled', 'expected'],
  ['review', 'not approved'],
];

export function CalendarFilters({ week, calendar, actions, loadAction }: CalendarFiltersProps) {
  const { country, action, owner } = route.useSearch();
  const navigate = route.useNavigate();
  const { installation } = useSession();
  const change = (part: Partial<CalendarSearch>) => void navigate({ search: (before) => ({ ...before, ...part }) });
  const go = (weeks: number) => change({ week: weeksFrom(week.days[0]?.date ?? '', weeks) });
  useKeys([
    { keys: '[', does: 'Week before', group: 'This page', run: () => go(-1) },
    { keys: ']', does: 'Next week', group: 'This page', run: () => go(1) },
  ]);
  const owners = [...new Set(calendar?.items.flatMap((item) => item.owner ?? []))].sort();
  return (
    <div className="row flex-wrap">
      <Button small icon="left" label="Week before" onClick={() => go(-1)} />
      <Button small onClick={() => change({ week: undefined })}>
        This week
      </Button>
      <Button small icon="right" label="Next week" onClick={() => go(1)} />
      <b className="mx-2 text-lg">{formatWeek(week)}</b>
      {loadAction !== undefined && (
        <FilterMenu
          name="Load of"
          options={actions}
          value={loadAction}
          labelOf={titleOf}
          onChoose={(load) => change({ load })}
        />
      )}
      <FilterMenu
        name="Country"
        options={installation.countries ?? []}
        value={country}
        onChoose={(value) => change({ country: value })}
      />
      <FilterMenu
        name="Action"
        options={actions}
        value={action}
        labelOf={titleOf}
        onChoose={(value) => change({ action: value })}
      />
      <FilterMenu name="Owner" options={owners} value={owner} onChoose={(value) => change({ owner: value })} />
      <span className="ml-auto row gap-4 wide">
        {legend.map(([icon, words]) => (
          <span key={words} className="key">
            <Icon name={icon} size={14} />
            {words}
          </span>
        ))}
      </span>
    </div>
  );
}
