import { useNavigate } from '@tanstack/react-router';
import {
  deleteSchedule,
  disableSchedule,
  enableSchedule,
  pauseSchedule,
  resumeSchedule,
  runScheduleNow,
} from '#client/sdk.gen.ts';
import type { Schedule } from '#client/types.gen.ts';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { formatGroups } from './schedule-words.ts';

export type ScheduleVerb = 'run-now' | 'pause' | 'resume' | 'disable' | 'enable' | 'delete';

interface ScheduleDialogProps {
  verb: ScheduleVerb;
  schedule: Schedule;
  onClose: () => void;
}

interface Words {
  title: string;
  lead: string;
  text: string;
  verb: string;
  leave: string;
  isGrave?: boolean;
}

export function ScheduleDialog({ verb, schedule, onClose }: ScheduleDialogProps) {
  const navigate = useNavigate({ from: '/schedules' });
  const { text, ...words } = describeVerb(verb, schedule);
  return (
    <ConfirmDialog
      {...words}
      act={() => requestVerb(verb, schedule.id)}
      {...(verb === 'delete' && {
        onDone: async () => navigate({ search: (before) => ({ ...before, id: undefined }) }),
      })}
      onClose={onClose}
    >
      {text}
    </ConfirmDialog>
  );
}

async function requestVerb(verb: ScheduleVerb, id: string): Promise<unknown> {
  const options = { path: { id }, throwOnError: true } as const;
  switch (verb) {
    case 'run-now':
      return await runScheduleNow({ ...options, body: {} });
    case 'pause':
      return await pauseSchedule({ ...options, body: {} });
    case 'resume':
      return await resumeSchedule({ ...options, body: {} });
    case 'disable':
      return await disableSchedule({ ...options, body: {} });
    case 'enable':
      return await enableSchedule({ ...options, body: {} });
    case 'delete':
      return await deleteSchedule(options);
  }
}

function describeVerb(verb: ScheduleVerb, { name, campaignId, groups, nextAt }: Schedule): Words {
  const isCampaign = campaignId !== null;
  const what = isCampaign ? 'starts its campaign' : 'calls its service';
  const forAll = groups === null ? 'once' : `once for each of its ${formatGroups(groups)}`;
  switch (verb) {
    case 'run-now':
      return {
        title: `Run “${name}” now?`,
        lead: `It ${what} ${forAll}, immediately.`,
        text: 'This fire is additional, even if the previous one is still running. The next fires do not change.',
        verb: 'Run now',
        leave: 'Not now',
      };
    case 'pause':
      return {
        title: `Pause “${name}”?`,
        lead: 'It does not fire until it is resumed.',
        text: isCampaign
          ? 'The run that it started is paused with it.'
          : 'Missed fires are recorded as skipped and do not fire later. Jobs that it created continue.',
        verb: 'Pause it',
        leave: 'Keep it active',
      };
    case 'resume':
      return {
        title: `Resume “${name}”?`,
        lead: 'It fires again from its next time on.',
        text: 'Fires missed during the pause are recorded as skipped.',
        verb: 'Resume it',
        leave: 'Keep it paused',
      };
    case 'disable':
      return {
        title: `Disable “${name}”?`,
        lead: nextAt === null ? 'It no longer fires.' : 'It no longer fires; the next fire is cancelled too.',
        text: isCampaign
          ? 'Waiting fires are dropped, and the run that it started is cancelled.'
          : 'Waiting fires are dropped. Jobs that it created continue, and you can enable it again.',
        verb: 'Disable it',
        leave: 'Keep it',
        isGrave: true,
      };
    case 'enable':
      return {
        title: `Enable “${name}”?`,
        lead: 'It fires again from its next time on.',
        text: 'Fires missed while it was disabled do not fire later.',
        verb: 'Enable it',
        leave: 'Keep it disabled',
      };
    case 'delete':
      return {
        title: `Delete “${name}”?`,
        lead: 'This cannot be undone: it no longer fires, and its last fires are no longer listed.',
        text: 'Jobs that it created continue.',
        verb: 'Delete it',
        leave: 'Keep it',
        isGrave: true,
      };
  }
}
