import type { Schedule } from '#client/types.gen.ts';
import { useMinute, useNow } from '../../parts/browser/now.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { useRowKeys } from '../../parts/keys/use-row-keys.ts';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { toneColours } from '../../parts/standing/state-badge.tsx';
import { nextClockChange } from '../../parts/times/clock-change.ts';
import { formatDay, formatDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { groupWords, ruleOf, scheduleLook } from './schedule-words.ts';

interface ScheduleTableProps {
  /** Undefined while they are asked for. */
  schedules: readonly Schedule[] | undefined;
  shownId: string | undefined;
  clients: Clients;
  isOld: boolean;
  onShow: (id: string) => void;
}

export function ScheduleTable({ schedules, shownId, clients, isOld, onShow }: ScheduleTableProps) {
  const rows = useRowKeys<HTMLTableSectionElement>();
  return (
    <div className="scroll">
      <table className={`table-fixed min-w-170 ${isOld ? 'old' : ''}`}>
        <caption className="sr-only">Schedules, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Schedule</th>
            <th scope="col" className="wide">
              Rule
            </th>
            <th scope="col" className="w-40 phone:w-35">
              Next fire
            </th>
            <th scope="col" className="w-49 wide">
              Zone, next clock change
            </th>
          </tr>
        </thead>
        <tbody ref={rows}>
          {schedules?.map((schedule) => (
            <ScheduleRow
              key={schedule.id}
              schedule={schedule}
              owner={ownerOf(schedule, clients)}
              isShown={schedule.id === shownId}
              onShow={onShow}
            />
          )) ?? <SkeletonRows rows={8} columns={[160, 150, 100, 120]} tall />}
        </tbody>
      </table>
    </div>
  );
}

/** `client billing, groups SG, ID`, or `campaign`. */
export function ownerOf({ target, groups }: Schedule, clients: Clients): string {
  const owner = target === null ? 'campaign' : `client ${clients.nameOf(target.client)}`;
  return groups === null ? owner : `${owner}, ${groupWords(groups)}`;
}

interface ScheduleRowProps {
  schedule: Schedule;
  owner: string;
  isShown: boolean;
  onShow: (id: string) => void;
}

function ScheduleRow({ schedule, owner, isShown, onShow }: ScheduleRowProps) {
  const { id, name, state } = schedule;
  const { icon, word, tone } = scheduleLook(state);
  const { words, written } = ruleOf(schedule);
  return (
    <tr data-row className={isShown ? 'tall sel' : 'tall'}>
      <td className="two">
        <div className="row gap-1.75">
          <span className={`flex ${toneColours[tone]}`} role="img" aria-label={word}>
            <Icon name={icon} size={14} />
          </span>
          <button
            type="button"
            className="font-medium truncate hover:underline phone:min-h-10 phone:-my-2.5"
            aria-pressed={isShown}
            data-row-link
            onClick={() => onShow(id)}
          >
            {name}
          </button>
        </div>
        <div className="truncate pl-5.25" title={owner}>
          {owner}
        </div>
      </td>
      <td className="two wide">
        <div className="truncate" title={words}>
          {words}
        </div>
        <div className="mono truncate">{written}</div>
      </td>
      <td className="two whitespace-nowrap phone:whitespace-normal">
        <NextFire schedule={schedule} />
      </td>
      <td className="two wide">
        <div className="truncate">{schedule.everySeconds === undefined ? (schedule.zone ?? '–') : 'no zone'}</div>
        <ClockLine schedule={schedule} />
      </td>
    </tr>
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
      <div>{state === 'active' ? 'none to come' : state}</div>
      {state !== 'active' && (
        <div>
          since <Time instant={stateSince} />
        </div>
      )}
    </>
  );
}

function ClockLine({ schedule: { everySeconds, zone } }: { schedule: Schedule }) {
  const minute = useMinute();
  if (everySeconds !== undefined) return <div>no effect</div>;
  const change = zone === null ? null : nextClockChange(zone, minute);
  if (zone === null || change === null) return <div>no clock changes</div>;
  // It is within a year: the day and the month say which.
  const [, number, month] = formatDay(change.at, { zone, now: new Date(minute) }).split(' ');
  return (
    <div className="truncate" title={`The clocks are set ${change.isForward ? 'forward' : 'back'}`}>
      {number} {month}: {change.isForward ? 'skips an hour' : 'an hour twice'}
    </div>
  );
}
