import type { Schedule } from '#client/types.gen.ts';
import { useCurrentMinute, useNow } from '../../parts/browser/now.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { toneColours } from '../../parts/standing/state-badge.tsx';
import { nextClockChange } from '../../parts/times/clock-change.ts';
import { formatDay, formatDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { formatGroups, formatRule, scheduleLook } from './schedule-words.ts';

interface ScheduleTableProps {
  schedules: readonly Schedule[] | undefined;
  chosenId: string | undefined;
  clients: Clients;
  isOld: boolean;
  onShow: (id: string) => void;
}

export function ScheduleTable({ schedules, chosenId, clients, isOld, onShow }: ScheduleTableProps) {
  const columns: readonly Column<Schedule>[] = [
    {
      header: 'Schedule',
      cell: (schedule) => (
        <Name schedule={schedule} isChosen={schedule.id === chosenId} onShow={() => onShow(schedule.id)} />
      ),
      below: (schedule) => {
        const owner = formatOwner(schedule, clients);
        return (
          <div className="truncate pl-5.25" title={owner}>
            {owner}
          </div>
        );
      },
    },
    {
      header: 'Rule',
      hideBelow: 'phone',
      look: 'two',
      cell: (schedule) => <Rule schedule={schedule} />,
    },
    {
      header: 'Next fire',
      width: 'w-40 phone:w-35',
      look: 'two whitespace-nowrap phone:whitespace-normal',
      cell: (schedule) => <NextFire schedule={schedule} />,
    },
    {
      header: 'Zone, next clock change',
      width: 'w-49',
      hideBelow: 'phone',
      cell: ({ everySeconds, zone }) => (
        <div className="truncate">{everySeconds === undefined ? (zone ?? '–') : 'no zone'}</div>
      ),
      below: (schedule) => <ClockLine schedule={schedule} />,
    },
  ];
  return (
    <div className="scroll">
      <DataTable
        caption="Schedules, newest first"
        className={`table-fixed min-w-170 ${isOld ? 'old' : ''}`}
        columns={columns}
        rows={schedules}
        keyOf={({ id }) => id}
        isTall
        isChosen={({ id }) => id === chosenId}
        hasRowKeys
        loadingRows={8}
      />
    </div>
  );
}

/** Describes the owner of a schedule: `client billing, groups SG, ID`, or `campaign`. */
export function formatOwner({ target, groups }: Schedule, clients: Clients): string {
  const owner = target === null ? 'campaign' : `client ${clients.nameOf(target.client)}`;
  return groups === null ? owner : `${owner}, ${formatGroups(groups)}`;
}

interface NameProps {
  schedule: Schedule;
  isChosen: boolean;
  onShow: () => void;
}

function Name({ schedule: { name, state }, isChosen, onShow }: NameProps) {
  const { icon, word, tone } = scheduleLook(state);
  return (
    <div className="row gap-1.75">
      <span className={`flex ${toneColours[tone]}`} role="img" aria-label={word}>
        <Icon name={icon} size={14} />
      </span>
      <button
        type="button"
        className="font-medium truncate hover:underline phone:min-h-10 phone:-my-2.5"
        aria-pressed={isChosen}
        data-row-link
        onClick={onShow}
      >
        {name}
      </button>
    </div>
  );
}

function Rule({ schedule }: { schedule: Schedule }) {
  const { words, written } = formatRule(schedule);
  return (
    <>
      <div className="truncate" title={words}>
        {words}
      </div>
      <div className="mono truncate">{written}</div>
    </>
  );
}

function NextFire({ schedule: { nextAt, state, stateSince } }: { schedule: Schedule }) {
  const now = useNow();
  if (nextAt !== null) {
    const inMs = Date.parse(nextAt) - now;
    return (
      <>
        <div>
          <Time instant={nextAt} />
        </div>
        <div>{inMs > 0 ? `in ${formatDuration(inMs)}` : 'now'}</div>
      </>
    );
  }
  return (
    <>
      <div>{state === 'active' ? 'no further fire' : state}</div>
      {state !== 'active' && (
        <div>
          since <Time instant={stateSince} />
        </div>
      )}
    </>
  );
}

function ClockLine({ schedule: { everySeconds, zone } }: { schedule: Schedule }) {
  const minute = useCurrentMinute();
  if (everySeconds !== undefined) return <div>no effect</div>;
  const change = zone === null ? null : nextClockChange(zone, minute);
  if (zone === null || change === null) return <div>no clock changes</div>;
  // The change is within a year, so day and month suffice.
  const [, number, month] = formatDay(change.at, { zone, now: new Date(minute) }).split(' ');
  return (
    <div className="truncate" title={`The clocks are set ${change.isForward ? 'forward' : 'back'}`}>
      {number} {month}: {change.isForward ? 'skips an hour' : 'repeats an hour'}
    </div>
  );
}
