import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { cancelJob, replayQuarantinedJob, rescheduleJob, resendJobs, runJobNow } from '#client/sdk.gen.ts';
import type { Job } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { useNow } from '../../parts/browser/now.ts';
import { Button } from '../../parts/controls/button.tsx';
import { DueField, dueInstant } from '../../parts/jobs/due-field.tsx';
import { jobHasEnded, mayCancel, mayMove } from '../../parts/jobs/job-looks.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { Refused } from '../../parts/standing/refused.tsx';
import { useZone } from '../../parts/times/zone.ts';

type Verb = 'run-now' | 'reschedule' | 'cancel' | 'resend' | 'replay';

export function JobActions({ job }: { job: Job }) {
  const [asked, setAsked] = useState<Verb>();
  const refusal = useRefusal('scheduler');
  const close = () => setAsked(undefined);
  return (
    <div className="row ml-auto">
      {mayMove(job.state) && (
        <>
          <Button icon="play" refusal={refusal} onClick={() => setAsked('run-now')}>
            Run now…
          </Button>
          <Button icon="sched" refusal={refusal} onClick={() => setAsked('reschedule')}>
            Reschedule…
          </Button>
        </>
      )}
      {mayCancel(job.state) && (
        <Button kind="bad" icon="x" refusal={refusal} onClick={() => setAsked('cancel')}>
          Cancel…
        </Button>
      )}
      {job.state === 'dead' && (
        <Button kind="ink" icon="retry" refusal={refusal} onClick={() => setAsked('replay')}>
          Replay…
        </Button>
      )}
      {jobHasEnded(job.state) && job.state !== 'dead' && (
        <Button icon="retry" refusal={refusal} onClick={() => setAsked('resend')}>
          Send again…
        </Button>
      )}
      {asked === 'reschedule' ? (
        <RescheduleDialog job={job} onClose={close} />
      ) : (
        asked !== undefined && <ActDialog verb={asked} job={job} onClose={close} />
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
  const common = { lead: `${job.method} ${job.url}`, leave: 'Leave it', onClose };
  const hasExpired = job.expiresAt !== null && Date.parse(job.expiresAt) <= now;
  switch (verb) {
    case 'run-now':
      return (
        <VerbDialog {...common} title="Call it now?" verb="Call it" act={() => runJobNow({ path, throwOnError: true })}>
          It is due at once, and not at the time that it was meant for.
        </VerbDialog>
      );
    case 'cancel':
      return (
        <VerbDialog
          {...common}
          title="Cancel this job?"
          verb="Cancel it"
          isGrave
          act={async () => {
            const { result } = (await cancelJob({ path, throwOnError: true })).data;
            if (result !== 'cancelled') throw new Error(lateWords[result]);
          }}
        >
          {job.state === 'reporting'
            ? 'Its receiver works on it all the same; what it reports is not taken, and it is not called again. '
            : 'It will not be called. '}
          The same key of its client stays used for three days.
        </VerbDialog>
      );
    case 'replay':
      return (
        <VerbDialog
          {...common}
          title="Replay the job?"
          verb={hasExpired ? 'Replay it although it has expired' : 'Replay it'}
          act={() => replayQuarantinedJob({ path, body: { withExpired: hasExpired }, throwOnError: true })}
        >
          It is due at once under the same id and webhook-id, with all of its attempts before it.
          {hasExpired && ' It has expired: its receiver may have no use for it any more.'}
        </VerbDialog>
      );
    case 'resend':
      return (
        <VerbDialog
          {...common}
          title="Send it again?"
          verb="Send it again"
          act={async () => {
            const body = { client: job.clientId, ids: [job.id] };
            const [result] = (await resendJobs({ body, throwOnError: true })).data.results;
            const sent = result?.jobId ?? null;
            if (sent === null) throw new Error(notSent[result?.result ?? ''] ?? 'it was not sent');
            await navigate({ to: '/jobs/$jobId', params: { jobId: sent } });
          }}
        >
          A new job, due at once, with an id of its own: its receiver is called as if for the first time, and told which
          job it repeats.
        </VerbDialog>
      );
  }
}

const lateWords = {
  'too-late': 'it is being called, or has ended: nothing was changed',
  called: 'it was called before',
} as const;

const notSent: Readonly<Record<string, string>> = {
  'body-not-kept': 'its client keeps no bodies: it cannot be sent again',
  'quota-exceeded': 'its client may bring no more jobs at the moment',
  'too-many-jobs': 'its client has as many jobs stored as it may',
  'not-ended': 'it has not ended yet',
  'not-found': 'it is not kept any more',
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
      title="Call it at another time"
      lead={`${job.method} ${job.url}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Leave it</Button>
          <Button kind="ink" disabled={dueAt === null || move.isPending} onClick={() => move.mutate()}>
            Move it
          </Button>
        </>
      }
    >
      <DueField label="To" hint="What is past is due at once" value={typed} onText={setTyped} />
      {move.isError && <Refused error={move.error} />}
    </Dialog>
  );
}
