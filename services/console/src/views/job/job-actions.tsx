import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { cancelJob, replayQuarantinedJob, rescheduleJob, resendJobs, runJobNow } from '#client/sdk.gen.ts';
import type { Job } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { useNow } from '../../parts/browser/now.ts';
import { Button } from '../../parts/controls/button.tsx';
import { DueField, dueInstant } from '../../parts/jobs/due-field.tsx';
import { jobHasEnded, canCancel, canReschedule } from '../../parts/jobs/job-looks.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { Refused } from '../../parts/standing/refused.tsx';
import { useZone } from '../../parts/times/zone.ts';

type Verb = 'run-now' | 'reschedule' | 'cancel' | 'resend' | 'replay';

export function JobActions({ job }: { job: Job }) {
  const [openVerb, setOpenVerb] = useState<Verb>();
  const refusal = useRefusal('scheduler');
  const close = () => setOpenVerb(undefined);
  return (
    <div className="row ml-auto">
      {canReschedule(job.state) && (
        <>
          <Button icon="play" refusal={refusal} onClick={() => setOpenVerb('run-now')}>
            Run now…
          </Button>
          <Button icon="sched" refusal={refusal} onClick={() => setOpenVerb('reschedule')}>
            Reschedule…
          </Button>
        </>
      )}
      {canCancel(job.state) && (
        <Button kind="bad" icon="x" refusal={refusal} onClick={() => setOpenVerb('cancel')}>
          Cancel…
        </Button>
      )}
      {job.state === 'dead' && (
        <Button kind="ink" icon="retry" refusal={refusal} onClick={() => setOpenVerb('replay')}>
          Replay…
        </Button>
      )}
      {jobHasEnded(job.state) && job.state !== 'dead' && (
        <Button icon="retry" refusal={refusal} onClick={() => setOpenVerb('resend')}>
          Send again…
        </Button>
      )}
      {openVerb === 'reschedule' ? (
        <RescheduleDialog job={job} onClose={close} />
      ) : (
        openVerb !== undefined && <ActDialog verb={openVerb} job={job} onClose={close} />
      )}
    </div>
  );
}

interface JobDialogProps {
  job: Job;
  onClose: () => void;
}

function ActDialog({ verb, job, onClose }: JobDialogProps & { verb: Exclude<Verb, 'reschedule'> }) {
  const navigate = useNavigate();
  const now = useNow();
  const path = { id: job.id };
  const common = { lead: `${job.method} ${job.url}`, leave: 'Not now', onClose };
  const hasExpired = job.expiresAt !== null && Date.parse(job.expiresAt) <= now;
  switch (verb) {
    case 'run-now':
      return (
        <ConfirmDialog
          {...common}
          title="Run the job now?"
          verb="Run now"
          act={() => runJobNow({ path, throwOnError: true })}
        >
          The job becomes due at once instead of at its scheduled time.
        </ConfirmDialog>
      );
    case 'cancel':
      return (
        <ConfirmDialog
          {...common}
          title="Cancel this job?"
          verb="Cancel it"
          isGrave
          act={async () => {
            const { result } = (await cancelJob({ path, throwOnError: true })).data;
            if (result !== 'cancelled') throw new Error(lateErrors[result]);
          }}
        >
          {job.state === 'reporting'
            ? 'Its receiver still works on it. Its report is ignored, and the job is not called again. '
            : 'It will not be called. '}
          Its idempotency key stays reserved for three days.
        </ConfirmDialog>
      );
    case 'replay':
      return (
        <ConfirmDialog
          {...common}
          title="Replay the job?"
          verb={hasExpired ? 'Replay it although it has expired' : 'Replay it'}
          act={() => replayQuarantinedJob({ path, body: { withExpired: hasExpired }, throwOnError: true })}
        >
          The job becomes due at once, with the same id and webhook-id and with all attempts left.
          {hasExpired && ' It has expired, so its receiver may no longer need it.'}
        </ConfirmDialog>
      );
    case 'resend':
      return (
        <ConfirmDialog
          {...common}
          title="Send it again?"
          verb="Send it again"
          act={async () => {
            const body = { client: job.clientId, ids: [job.id] };
            const [result] = (await resendJobs({ body, throwOnError: true })).data.results;
            const sent = result?.jobId ?? null;
            if (sent === null) throw new Error(resendErrors[result?.result ?? ''] ?? 'it was not sent');
            await navigate({ to: '/jobs/$jobId', params: { jobId: sent } });
          }}
        >
          Creates a new job that is due at once and has its own id. The call names the job that it repeats.
        </ConfirmDialog>
      );
  }
}

const lateErrors = {
  'too-late': 'it is being called, or has ended: nothing was changed',
  called: 'it was called before',
} as const;

const resendErrors: Readonly<Record<string, string>> = {
  'body-not-kept': 'its client keeps no bodies, so it cannot be sent again',
  'quota-exceeded': 'its client has reached its rate limit',
  'too-many-jobs': 'its client has reached its limit of stored jobs',
  'not-ended': 'it has not ended yet',
  'not-found': 'it is no longer kept',
};

function RescheduleDialog({ job, onClose }: JobDialogProps) {
  const queries = useQueryClient();
  const { zone } = useZone();
  const [typed, setTyped] = useState('');
  const dueAt = dueInstant(typed, zone);
  const move = useMutation({
    mutationFn: () => rescheduleJob({ path: { id: job.id }, body: { dueAt: dueAt ?? '' }, throwOnError: true }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog
      title="Reschedule the job"
      lead={`${job.method} ${job.url}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button kind="ink" disabled={dueAt === null || move.isPending} onClick={() => move.mutate()}>
            Reschedule
          </Button>
        </>
      }
    >
      <DueField label="To" hint="A time in the past means at once" value={typed} onText={setTyped} />
      {move.isError && <Refused error={move.error} />}
    </Dialog>
  );
}
