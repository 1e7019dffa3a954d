import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { listOccurrencesOptions, previewScheduleOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Schedule } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { useCurrentMinute } from '../../parts/browser/now.ts';
import { fireRows, type FireRow } from '../../parts/when/fire-rows.ts';
import { ownTimeColumn } from '../../parts/when/own-time-column.ts';
import { zoneCity } from '../../parts/when/zone-words.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { CallUrl } from '../../parts/jobs/call-url.tsx';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { Menu, MenuItem } from '../../parts/overlays/menu.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { nextClockChange } from '../../parts/times/clock-change.ts';
import { formatDay, formatDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { useZone } from '../../parts/times/zone.ts';
import { capitalize } from '../../parts/words/figures.ts';
import { findClockEffect, previewStart } from './clock-effect.ts';
import { ScheduleDialog, type ScheduleVerb } from './schedule-dialogs.tsx';
import { formatDayOff, formatMisfire, describeOccurrence, formatOverlap, formatRule } from './schedule-words.ts';
import { formatOwner } from './schedule-table.tsx';

interface SchedulePanelProps {
  schedule: Schedule;
  clients: Clients;
}

export function SchedulePanel({ schedule, clients }: SchedulePanelProps) {
  const { id, name, state, stateReason, target, campaignId, note, spreadSeconds } = schedule;
  const { words, written } = formatRule(schedule);
  return (
    <Panel title={name} actions={<ScheduleActions schedule={schedule} />}>
      <div className="grid gap-3 px-4 pt-3 pb-3.5 phone:px-3">
        {state === 'broken' && (
          <div className="banner bad" role="status">
            <Icon name="failed" />
            <div>{capitalize(stateReason ?? 'it cannot be read')}. It does not fire until it can be read again.</div>
          </div>
        )}
        <dl className="kv [&_dd]:wrap-anywhere">
          <dt>Rule</dt>
          <dd>
            {words} <span className="mono t3">{written}</span>
          </dd>
          <dt>Zone</dt>
          <dd>{schedule.zone ?? 'cannot be read'}</dd>
          {schedule.workCalendar !== undefined && (
            <>
              <dt>Days off</dt>
              <dd>
                {schedule.workCalendar} <span className="t3">{formatDayOff(schedule.onDayOff)}</span>
              </dd>
            </>
          )}
          <dt>Owner</dt>
          <dd>
            {campaignId === null ? (
              formatOwner(schedule, clients)
            ) : (
              <Link className="link" to="/campaigns/$campaignId" params={{ campaignId }}>
                its campaign
              </Link>
            )}
          </dd>
          {target && (
            <>
              <dt>Calls</dt>
              <dd>
                <span className="mono">{target.method}</span> <CallUrl url={target.url} />
                {target.priority !== undefined && <span className="t3"> {target.priority} priority</span>}
              </dd>
            </>
          )}
          <dt>If missed</dt>
          <dd>{formatMisfire(schedule)}</dd>
          <dt>If still running</dt>
          <dd>{formatOverlap(schedule)}</dd>
          <dt>Spread</dt>
          <dd>
            {spreadSeconds === null || spreadSeconds === 0
              ? 'none'
              : `up to ${formatDuration(spreadSeconds * 1000)}, the same each time`}
          </dd>
          {state !== 'active' && stateReason !== null && state !== 'broken' && (
            <>
              <dt>Why {state}</dt>
              <dd>{stateReason}</dd>
            </>
          )}
          {note !== null && note !== '' && (
            <>
              <dt>Note</dt>
              <dd>{note}</dd>
            </>
          )}
          <dt>Id</dt>
          <dd>
            <CopyableId id={id} what="id of the schedule" />
          </dd>
        </dl>
      </div>
      <NextSixFires schedule={schedule} />
      <ClockNote schedule={schedule} />
      <LastFires schedule={schedule} />
    </Panel>
  );
}

function ScheduleActions({ schedule }: { schedule: Schedule }) {
  const [verb, setVerb] = useState<ScheduleVerb>();
  const { state, campaignId, name } = schedule;
  const refusal = useRefusal(campaignId === null ? 'scheduler' : 'manager');
  const mayFire = state === 'active' || state === 'paused';
  return (
    <>
      {mayFire && (
        <Button small icon="play" refusal={refusal} onClick={() => setVerb('run-now')}>
          Run now…
        </Button>
      )}
      {state === 'active' && (
        <Button small icon="pause" label={`Pause ${name}`} refusal={refusal} onClick={() => setVerb('pause')} />
      )}
      {state === 'paused' && (
        <Button small icon="running" refusal={refusal} onClick={() => setVerb('resume')}>
          Resume…
        </Button>
      )}
      {state === 'disabled' && (
        <Button small refusal={refusal} onClick={() => setVerb('enable')}>
          Enable…
        </Button>
      )}
      {refusal === undefined && (mayFire || campaignId === null) && (
        <Menu
          target={(open) => (
            <button type="button" {...open} className="btn s icon" aria-label={`More about ${name}`}>
              <Icon name="more" size={14} />
            </button>
          )}
        >
          {mayFire && <MenuItem onClick={() => setVerb('disable')}>Disable…</MenuItem>}
          {campaignId === null && <MenuItem onClick={() => setVerb('delete')}>Delete…</MenuItem>}
        </Menu>
      )}
      {verb && <ScheduleDialog verb={verb} schedule={schedule} onClose={() => setVerb(undefined)} />}
    </>
  );
}

const marks = { fwd: 'shifted', twice: 'comes twice', gap: 'skipped', calendar: 'days off' } as const;

function NextSixFires({ schedule }: { schedule: Schedule }) {
  const own = useZone().zone;
  const now = new Date(useCurrentMinute());
  const { data, error } = useQuery({
    ...previewScheduleOptions({ path: { id: schedule.id }, query: { count: 6 } }),
    enabled: schedule.unreadable === null,
  });
  if (error !== null) return <p className="pad t3 sm border-t border-line">The next fires could not be computed.</p>;
  if (data === undefined) return null;
  if (data.fires.length === 0) return <p className="pad t3 sm border-t border-line">It never fires again.</p>;
  const zone = schedule.everySeconds === undefined ? data.zone : own;
  const columns: readonly Column<FireRow>[] = [
    {
      header: `Next six, ${zoneCity(zone)}`,
      look: ({ ownTime }) => (ownTime === null ? 'whitespace-nowrap t3' : 'whitespace-nowrap font-medium'),
      cell: ({ time, mark }) => (
        <>
          {time}
          {mark !== null && (
            <span className="row gap-1 c-warn" title={mark.text}>
              <Icon name={mark.icon} size={14} />
              {marks[mark.icon]}
            </span>
          )}
        </>
      ),
    },
    ...(own === zone ? [] : [ownTimeColumn(own)]),
  ];
  return (
    <DataTable
      caption="The next fires"
      className="border-t border-line [--row:29px] [&>tbody]:text-sm"
      columns={columns}
      rows={fireRows(data.fires, { zone, own, now })}
      keyOf={({ key }) => key}
    />
  );
}

/** Next clock change in the time zone of the schedule, and the effect on its fires. */
function ClockNote({ schedule: { id, zone, everySeconds, unreadable } }: { schedule: Schedule }) {
  const minute = useCurrentMinute();
  const change = zone === null || everySeconds !== undefined ? null : nextClockChange(zone, minute);
  const { data } = useQuery({
    ...previewScheduleOptions({
      path: { id },
      query: { count: 100, ...(change && { after: previewStart(change) }) },
    }),
    enabled: change !== null && unreadable === null,
    staleTime: 600_000,
  });
  if (change === null || zone === null || data === undefined) return null;
  const effect = findClockEffect(change, data.fires);
  const day = formatDay(change.at, { zone, now: new Date(minute) });
  return (
    <div className="pad border-t border-line">
      <div className={`row gap-1.5 font-medium ${effect ? 'c-warn' : 't2'}`}>
        <Icon name={effect?.icon ?? 'sched'} size={14} />
        {day}, the clocks are set {change.isForward ? 'forward' : 'back'}
      </div>
      <div className="sm t2 mt-0.5">{effect ? `${effect.words}.` : 'No fire is affected.'}</div>
    </div>
  );
}

function LastFires({ schedule: { id } }: { schedule: Schedule }) {
  const { data, error } = useQuery({
    ...listOccurrencesOptions({ path: { id }, query: { limit: 8 } }),
    refetchInterval: 4000,
  });
  if (error !== null) return <p className="pad t3 sm border-t border-line">The last fires could not be read.</p>;
  return (
    <div className="pad border-t border-line">
      <h3 className="mb-1.5">Last fires</h3>
      {data?.items.length === 0 && <p className="t3 sm">It has not fired yet.</p>}
      <ul className="log">
        {data?.items.map(({ scheduledFor, group, jobId, runId, ...occurrence }) => (
          <li key={`${scheduledFor} ${group ?? ''}`} className="contents">
            <Time instant={scheduledFor} withSeconds />
            <span className={occurrence.state === 'skipped' ? 'c-warn' : undefined}>
              {describeOccurrence({ scheduledFor, group, jobId, runId, ...occurrence })}
              {group !== null && ` for ${group}`}{' '}
              {jobId !== null && (
                <Link className="link" to="/jobs/$jobId" params={{ jobId }}>
                  its job
                </Link>
              )}
              {runId !== null && (
                <Link className="link" to="/runs/$runId" params={{ runId }}>
                  its run
                </Link>
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
