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
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { groupWords } from './schedule-words.ts';

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
  const { text, ...words } = wordsOf(verb, schedule);
  return (
    <VerbDialog
      {...words}
      act={() => actOf(verb, schedule.id)}
      {...(verb === 'delete' && {
        onDone: async () => navigate({ search: (before) => ({ ...before, id: undefined }) }),
      })}
      onClose={onClose}
    >
      {text}
    </VerbDialog>
  );
}

async function actOf(verb: ScheduleVerb, id: string): Promise<unknown> {
  const asked = { path: { id }, throwOnError: true } as const;
  switch (verb) {
    case 'run-now':
      return await runScheduleNow({ ...asked, body: {} });
    case 'pause':
      return await pauseSchedule({ ...asked, body: {} });
    case 'resume':
      return await resumeSchedule({ ...asked, body: {} });
    case 'disable':
      return await disableSchedule({ ...asked, body: {} });
    case 'enable':
      return await enableSchedule({ ...asked, body: {} });
    case 'delete':
      return await deleteSchedule(asked);
  }
}

function wordsOf(verb: ScheduleVerb, { name, campaignId, groups, nextAt }: Schedule): Words {
  const isCampaign = campaignId !== null;
  const what = isCampaign ? 'starts its campaign' : 'calls its service';
  const forAll = groups === null ? 'once' : `once for each of its ${groupWords(groups)}`;
  switch (verb) {
    case 'run-now':
      return {
        title: `Run “${name}” now?`,
        lead: `It ${what} ${forAll}, at once.`,
        text: 'Beside the rhythm, and also where the one before is still at work. Its next fires stay as they are.',
        verb: 'Run now',
        leave: 'Leave it',
      };
    case 'pause':
      return {
        title: `Pause “${name}”?`,
        lead: 'It fires nothing until it is resumed.',
        text: isCampaign
          ? 'The run that it started is paused with it.'
          : 'What it left out by then is recorded as skipped, and does not fire later. Jobs that it made go on.',
        verb: 'Pause it',
        leave: 'Let it go on',
      };
    case 'resume':
      return {
        title: `Resume “${name}”?`,
        lead: 'It fires again from its next time on.',
        text: 'What it left out while it was paused is recorded as skipped.',
        verb: 'Resume it',
        leave: 'Leave it paused',
      };
    case 'disable':
      return {
        title: `Disable “${name}”?`,
        lead: nextAt === null ? 'It fires nothing any more.' : 'It fires nothing any more, also not what comes next.',
        text: isCampaign
          ? 'What waits is given up, and the run that it started is cancelled.'
          : 'What waits is given up. Jobs that it made go on, and it can be enabled again.',
        verb: 'Disable it',
        leave: 'Leave it',
        isGrave: true,
      };
    case 'enable':
      return {
        title: `Enable “${name}”?`,
        lead: 'It fires again from its next time on.',
        text: 'What it left out while it was disabled does not fire.',
        verb: 'Enable it',
        leave: 'Leave it',
      };
    case 'delete':
      return {
        title: `Delete “${name}”?`,
        lead: 'For good: it fires no more, and what it fired is not listed any more.',
        text: 'Jobs that it made go on.',
        verb: 'Delete it',
        leave: 'Keep it',
        isGrave: true,
      };
  }
}
