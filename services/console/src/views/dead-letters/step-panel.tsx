import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { discardQuarantinedStep, replayQuarantinedStep } from '#client/sdk.gen.ts';
import { getQuarantinedStepOptions } from '#client/@tanstack/react-query.gen.ts';
import type { QuarantinedStep, QuarantinedStepDetail } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Effects } from '../../parts/overlays/effects.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonBar } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { Neighbours } from './neighbours.tsx';
import type { SettleVerb } from './settle-dialog.tsx';
import { quotedTitleOf, titleOf } from '../../parts/words/action-titles.ts';

interface StepPanelProps {
  id: string;
  /** Those it is one of, newest first; empty where it is none of those that are listed. */
  group: readonly Pick<QuarantinedStep, 'id'>[];
  onShow: (id: string) => void;
}

/** One batch in one step: what happened to its calls, whose it is, and what can be done. */
export function StepPanel({ id, group, onShow }: StepPanelProps) {
  const { data, error, refetch } = useQuery(getQuarantinedStepOptions({ path: { id } }));
  const place = group.findIndex((step) => step.id === id);
  const [newer, older] = [group[place - 1], place < 0 ? undefined : group[place + 1]];
  return (
    <Panel
      title={place < 0 ? 'One step' : `${formatCount(place + 1)} of ${formatCount(group.length)}`}
      note={<CopyableId id={id} what="id of the step" />}
      actions={
        place >= 0 && (
          <Neighbours onNewer={newer ? () => onShow(newer.id) : null} onOlder={older ? () => onShow(older.id) : null} />
        )
      }
      footer="Opened again, it is called under the same key and with the same bytes, beside no other call, until it answers or lapses four more times."
    >
      {error !== null ? (
        <Failed title="The step could not be read" error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Step key={id} step={data} />
      ) : (
        <div className="grid gap-3 px-4 pt-3 pb-3.5" aria-hidden="true">
          <SkeletonBar width={240} />
          <SkeletonBar width={160} />
        </div>
      )}
    </Panel>
  );
}

const callColumns: readonly Column<QuarantinedStepDetail['calls'][number] & { no: number }>[] = [
  { header: 'Call', cell: ({ no }) => no },
  { header: 'At', look: 'whitespace-nowrap', cell: ({ at }) => <Time instant={at} withSeconds /> },
  { header: 'Worker', cell: ({ worker }) => worker ?? 'not noted' },
  { header: 'Result', look: 'c-bad', cell: ({ cause, result }) => cause ?? result },
];

function Step({ step }: { step: QuarantinedStepDetail }) {
  const [verb, setVerb] = useState<SettleVerb | null>(null);
  const mayNot = useRefusal('operator');
  const refusal = mayNot ?? (step.replayable ? undefined : `It cannot be opened again: ${step.whyNot ?? ''}`);
  return (
    <div className="grid gap-3 px-4 pt-3 pb-3.5">
      <dl className="kv [&_dd]:wrap-anywhere">
        <dt>Batch</dt>
        <dd>
          {formatCount(step.batchNo)} in {step.country}, at step {step.step}, {quotedTitleOf(step.action)}
        </dd>
        <dt>Run</dt>
        <dd>
          <Link className="link mono" to="/runs/$runId" params={{ runId: step.runId }}>
            {step.runId}
          </Link>{' '}
          <span className="t3">{step.runState}</span>
        </dd>
        <dt>Since</dt>
        <dd>
          <Time instant={step.since} withSeconds /> after {countOf(step.lapses, 'lapsed lease')}
        </dd>
        <dt>Users</dt>
        <dd>
          {formatCount(step.users)}, such as{' '}
          {step.sample.slice(0, 3).map((user, index) => (
            <span key={user}>
              {index > 0 && ', '}
              <Link className="link mono" to="/runs/$runId/users/$userId" params={{ runId: step.runId, userId: user }}>
                {user}
              </Link>
            </span>
          ))}
        </dd>
        <dt>Key</dt>
        <dd className="mono">{step.idempotencyKey}</dd>
      </dl>
      <div className="overflow-x-auto border border-line rounded-md [--row:26px]">
        <DataTable
          caption="Its calls"
          columns={callColumns}
          rows={step.calls.map((call, index) => ({ ...call, no: index + 1 }))}
          keyOf={({ no }) => no}
        />
      </div>
      {step.state === 'kept' && (
        <div className="row">
          <Button small icon="retry" refusal={refusal} onClick={() => setVerb('replay')}>
            Open again…
          </Button>
          <Button small kind="bad" refusal={mayNot} onClick={() => setVerb('discard')}>
            Leave as it ended…
          </Button>
        </div>
      )}
      {verb && <StepDialog verb={verb} step={step} onClose={() => setVerb(null)} />}
    </div>
  );
}

interface StepDialogProps {
  verb: SettleVerb;
  step: QuarantinedStepDetail;
  onClose: () => void;
}

function StepDialog({ verb, step, onClose }: StepDialogProps) {
  const queries = useQueryClient();
  const path = { id: step.id };
  const settle = useMutation({
    mutationFn: () => (verb === 'replay' ? replayQuarantinedStep({ path }) : discardQuarantinedStep({ path })),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const isReplay = verb === 'replay';
  return (
    <Dialog
      title={isReplay ? 'Open the step again?' : 'Leave the step as it ended?'}
      lead={`${titleOf(step.action)} ${step.country}, batch ${formatCount(step.batchNo)}`}
      onClose={onClose}
      actions={
        <span className="ml-auto row">
          <Button onClick={onClose} data-autofocus>
            Not now
          </Button>
          <Button kind={isReplay ? 'ink' : 'solid-bad'} disabled={settle.isPending} onClick={() => settle.mutate()}>
            {isReplay ? 'Open it again' : 'Leave it'}
          </Button>
        </span>
      }
    >
      <Effects
        effects={[
          {
            value: formatCount(step.users),
            unit: 'users',
            isHot: true,
            children: isReplay
              ? 'are pending again, and are called under the same key: who was served already is not served twice.'
              : 'stay unknown, and may be settled once the run has ended.',
          },
        ]}
      />
      {settle.isError && (
        <p className="c-bad sm" role="alert">
          {problemOf(settle.error).detail}
        </p>
      )}
    </Dialog>
  );
}
