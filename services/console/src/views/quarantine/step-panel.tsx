import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { getQuarantinedStepOptions } from '#client/@tanstack/react-query.gen.ts';
import { discardQuarantinedStep, replayQuarantinedStep } from '#client/sdk.gen.ts';
import type { QuarantinedStep, QuarantinedStepDetail } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Time } from '../../parts/times/time.tsx';
import { quotedTitleOf, titleOf } from '../../parts/words/action-titles.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { DecisionDialog } from './decision-dialog.tsx';
import type { Verb } from './item-list.tsx';
import { ItemButtons, ItemPanel } from './item-panel.tsx';

interface StepPanelProps {
  id: string;
  /** Steps of the group, newest first; empty if the step is not listed. */
  group: readonly Pick<QuarantinedStep, 'id'>[];
  onShow: (id: string) => void;
}

export function StepPanel({ id, group, onShow }: StepPanelProps) {
  const { data, error, refetch } = useQuery(getQuarantinedStepOptions({ path: { id } }));
  const index = group.findIndex((step) => step.id === id);
  const [newer, older] = [group[index - 1], index < 0 ? undefined : group[index + 1]];
  const neighbours = {
    onNewer: newer ? () => onShow(newer.id) : null,
    onOlder: older ? () => onShow(older.id) : null,
  };
  return (
    <ItemPanel
      noun="step"
      id={id}
      {...(index >= 0 && { place: { index, items: group.length, ...neighbours } })}
      error={error}
      onRetry={() => void refetch()}
      footer="A replay reopens the step. It is called alone, with the same key and bytes, until it answers or its lease lapses four more times."
    >
      {data && <Step key={id} step={data} />}
    </ItemPanel>
  );
}

const callColumns: readonly Column<QuarantinedStepDetail['calls'][number] & { no: number }>[] = [
  { header: 'Call', cell: ({ no }) => no },
  { header: 'At', look: 'whitespace-nowrap', cell: ({ at }) => <Time instant={at} withSeconds /> },
  { header: 'Worker', cell: ({ worker }) => worker ?? 'unknown' },
  { header: 'Result', look: 'c-bad', cell: ({ cause, result }) => cause ?? result },
];

function Step({ step }: { step: QuarantinedStepDetail }) {
  const [verb, setVerb] = useState<Verb>();
  const refusal = useRefusal('operator');
  const replay = refusal ?? (step.replayable ? undefined : `It cannot be replayed: ${step.whyNot ?? ''}`);
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
          caption="Calls of the step"
          columns={callColumns}
          rows={step.calls.map((call, index) => ({ ...call, no: index + 1 }))}
          keyOf={({ no }) => no}
        />
      </div>
      {step.state === 'kept' && (
        <div className="row">
          <ItemButtons refusals={{ replay, discard: refusal }} onDecide={setVerb} />
        </div>
      )}
      {verb && <StepDialog verb={verb} step={step} onClose={() => setVerb(undefined)} />}
    </div>
  );
}

const effects = {
  replay: 'are pending again and are called with the same key, so no user is served twice.',
  discard: 'stay unknown, and may be settled once the run has ended.',
} as const;

interface StepDialogProps {
  verb: Verb;
  step: QuarantinedStepDetail;
  onClose: () => void;
}

function StepDialog({ verb, step: { id, action, country, batchNo, users }, onClose }: StepDialogProps) {
  const decide = verb === 'replay' ? replayQuarantinedStep : discardQuarantinedStep;
  return (
    <DecisionDialog
      verb={verb}
      noun="step"
      items={1}
      lead={`${titleOf(action)} ${country}, batch ${formatCount(batchNo)}`}
      effects={[{ value: formatCount(users), unit: 'users', isHot: true, children: effects[verb] }]}
      act={() => decide({ path: { id }, throwOnError: true })}
      onClose={onClose}
    />
  );
}
