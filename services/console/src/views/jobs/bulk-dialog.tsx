import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getJobChangeOptions } from '#client/@tanstack/react-query.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { DueField, dueInstant } from '../../parts/jobs/due-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Effects } from '../../parts/overlays/effects.tsx';
import { Refused } from '../../parts/standing/refused.tsx';
import { useFormatTime, useZone } from '../../parts/times/zone.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { changeAll, changeChosen, describeResult, type BulkVerb, type ResultCounts, type Target } from './bulk.ts';

const words: Readonly<Record<BulkVerb, { title: string; verb: string; effect: string; rest: string }>> = {
  'run-now': {
    title: 'Run',
    verb: 'Run now',
    effect: 'are due at once and are called as fast as the limits of their clients allow.',
    rest: 'Jobs that are being called by then are not changed. Expired jobs are not called.',
  },
  reschedule: {
    title: 'Reschedule',
    verb: 'Reschedule',
    effect: 'are due at that time, all together.',
    rest: 'Jobs that are being called by then are not changed.',
  },
  cancel: {
    title: 'Cancel',
    verb: 'Cancel',
    effect: 'will not be called. To undo this, send them again.',
    rest: 'Jobs that are being called by then are not cancelled.',
  },
  resend: {
    title: 'Send again',
    verb: 'Send again',
    effect: 'are repeated as new jobs, due at once, with new ids and attempts.',
    rest: 'Receivers are called again, also for jobs that succeeded. Each call names the job that it repeats.',
  },
};

interface BulkDialogProps {
  verb: BulkVerb;
  target: Target;
  onDone: () => void;
  onClose: () => void;
}

/** Confirmation of a change of several jobs, and then its result by job. */
export function BulkDialog({ verb, target, onDone, onClose }: BulkDialogProps) {
  const queries = useQueryClient();
  const { zone } = useZone();
  const [typed, setTyped] = useState('');
  const dueAt = verb === 'reschedule' ? dueInstant(typed, zone) : null;
  const change = useMutation({
    mutationFn: async () =>
      target.kind === 'all' && verb !== 'resend'
        ? { change: await changeAll(verb, target, dueAt), counts: null }
        : { change: null, counts: await changeChosen(verb, target.kind === 'chosen' ? target.jobs : new Map(), dueAt) },
    onSuccess: async () => {
      onDone();
      await queries.invalidateQueries();
    },
  });
  const count = target.kind === 'chosen' ? target.jobs.size : target.count;
  const jobs = count === undefined ? 'all jobs that match' : countOf(count, 'job');
  const { title, verb: go, effect, rest } = words[verb];
  return (
    <Dialog
      title={`${title} ${jobs}${verb === 'run-now' ? ' now' : ''}?`}
      lead={
        target.kind === 'all'
          ? 'This includes jobs on other pages and jobs that are added while the change runs.'
          : undefined
      }
      onClose={onClose}
      actions={
        change.data ? (
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose} {...(verb !== 'reschedule' && { 'data-autofocus': true })}>
              Leave as they are
            </Button>
            <Button
              kind={verb === 'cancel' ? 'solid-bad' : 'ink'}
              disabled={change.isPending || (verb === 'reschedule' && dueAt === null)}
              onClick={() => change.mutate()}
            >
              {go} {count === undefined ? 'all' : formatCount(count)}
            </Button>
          </>
        )
      }
    >
      {change.data ? (
        change.data.counts ? (
          <Results counts={change.data.counts} />
        ) : (
          <Progress changeId={change.data.change.id} />
        )
      ) : (
        <>
          {verb === 'reschedule' && (
            <DueField label="To" hint="A time in the past means at once" value={typed} onText={setTyped} />
          )}
          <Effects
            effects={[
              {
                value: count === undefined ? 'all' : formatCount(count),
                unit: count === 1 ? 'job' : 'jobs',
                isHot: true,
                children: effect,
              },
            ]}
          />
          <p className="t2 sm">{rest}</p>
        </>
      )}
      {change.isError && <Refused error={change.error} />}
    </Dialog>
  );
}

function Results({ counts }: { counts: ResultCounts }) {
  return (
    <div role="status">
      <Effects
        effects={[...counts].map(([result, jobs]) => ({
          key: result,
          value: formatCount(jobs),
          unit: jobs === 1 ? 'job' : 'jobs',
          children: describeResult(result),
        }))}
      />
    </div>
  );
}

/** Progress of a change of all matching jobs. The server continues when the page is closed. */
function Progress({ changeId }: { changeId: string }) {
  const queries = useQueryClient();
  const formatTime = useFormatTime();
  const { data } = useQuery({
    ...getJobChangeOptions({ path: { id: changeId } }),
    refetchInterval: ({ state }) => (state.data?.state === 'done' ? false : 1000),
  });
  const { seen = 0, changed = 0, tooLate = 0, state = 'running', endedAt = null } = data ?? {};
  const isDone = state === 'done';
  // The list behind the dialog still shows the jobs as they were before the change, so all data is loaded again.
  useEffect(() => {
    if (isDone) void queries.invalidateQueries();
  }, [isDone, queries]);
  return (
    <div className="grid gap-2" role="status">
      <Effects
        effects={[
          { key: 'seen', value: formatCount(seen), unit: 'matched', children: 'so far' },
          { key: 'changed', value: formatCount(changed), unit: 'changed', isHot: true, children: 'as requested' },
          {
            key: 'late',
            value: formatCount(tooLate),
            unit: 'unchanged',
            children: 'being called already, or ended',
          },
        ]}
      />
      <p className="t2 sm">
        {isDone
          ? `Done${endedAt === null ? '' : ` at ${formatTime(endedAt, { withSeconds: true })}`}.`
          : 'The change continues if you close this dialog.'}
      </p>
    </div>
  );
}
