import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { pauseSchedule, resumeSchedule } from '#client/sdk.gen.ts';
import { getScheduleOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { useZone } from '../../parts/times/zone.ts';
import { NextFires } from '../../parts/when/next-fires.tsx';
import { whenOf } from '../../parts/when/when-form.ts';

export function RecurringPanel({ campaign }: { campaign: Campaign }) {
  const { zone } = useZone();
  const { scheduleId } = campaign;
  return (
    <Panel title="Next starts" actions={scheduleId === null ? undefined : <ScheduleControl scheduleId={scheduleId} />}>
      <div className="fires">
        <NextFires when={whenOf(campaign.schedule, zone)} />
      </div>
    </Panel>
  );
}

function ScheduleControl({ scheduleId }: { scheduleId: string }) {
  const path = { id: scheduleId };
  const queries = useQueryClient();
  const refusal = useRefusal('manager');
  const schedule = useQuery(getScheduleOptions({ path }));
  const control = useMutation({
    mutationFn: async (verb: 'pause' | 'resume') => {
      const request = { path, body: {}, throwOnError: true } as const;
      return (await (verb === 'pause' ? pauseSchedule(request) : resumeSchedule(request))).data;
    },
    onSettled: () => queries.invalidateQueries(),
  });
  const state = schedule.data?.state;
  if (state === undefined) return null;
  return (
    <>
      {control.isError && <span className="c-bad sm">{problemOf(control.error).detail}</span>}
      {state === 'active' ? (
        <Button
          small
          icon="pause"
          refusal={refusal}
          disabled={control.isPending}
          onClick={() => control.mutate('pause')}
        >
          Pause the schedule
        </Button>
      ) : (
        <>
          <span className={state === 'broken' ? 'c-bad sm' : 't2 sm'}>
            {state === 'broken' ? `broken: ${schedule.data?.stateReason ?? 'it cannot be read'}` : state}
          </span>
          {state === 'paused' && (
            <Button
              small
              icon="play"
              refusal={refusal}
              disabled={control.isPending}
              onClick={() => control.mutate('resume')}
            >
              Resume
            </Button>
          )}
        </>
      )}
    </>
  );
}
