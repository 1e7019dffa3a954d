import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listBudgetsOptions } from '#client/@tanstack/react-query.gen.ts';
import { changeBudgets, changeRun, resumeRun, submitCampaign } from '#client/sdk.gen.ts';
import { problemOf } from '../../../api/problems.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Check } from '../../../parts/controls/controls.tsx';
import { FormProblemsContext } from '../../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../../parts/forms/use-form-errors.ts';
import { Dialog } from '../../../parts/overlays/dialog.tsx';
import { Refused } from '../../../parts/standing/refused.tsx';
import { useZone } from '../../../parts/times/zone.ts';
import { countOf } from '../../../parts/words/numbers.ts';
import type { RunDialogProps } from '../dialogs/control-dialog.tsx';
import { DialogLead } from '../dialogs/dialog-lead.tsx';
import { NoteField } from '../dialogs/note-field.tsx';
import { BudgetLines } from './budget-lines.tsx';
import { LimitLines } from './limit-lines.tsx';
import { pointerOf } from './limit-line.tsx';
import { readTypedLimits, formatLimits, type LimitName, type LimitTexts } from './limits.ts';

interface LimitsDialogProps extends RunDialogProps {
  first: LimitName;
}

export function LimitsDialog({ progress, first, onClose, onDone }: LimitsDialogProps) {
  const { zone } = useZone();
  const now = formatLimits(progress, zone);
  // Limits as they were when the dialog opened. They are compared with the current limits, so that each line shows if
  // another person has changed its limit since.
  const [initial] = useState(now);
  const [typed, setTyped] = useState<LimitTexts>({});
  const [note, setNote] = useState('');
  const [wantsResume, setWantsResume] = useState(true);
  const changes = readTypedLimits(now, typed, zone);
  const mayResume = progress.state === 'paused' && progress.stall?.by === 'budget';
  const resumes = mayResume && wantsResume && changes.budgets.length > 0;
  const { data: budgets } = useQuery({
    ...listBudgetsOptions({ path: { id: progress.campaignId } }),
    enabled: progress.budgets.length > 0,
  });
  const { save, done } = useSave(progress, onDone);
  const problems = useProblems(changes, save.error);
  const lines = {
    progress,
    initial,
    now,
    typed,
    changes,
    zone,
    first,
    onType: (name: LimitName, text: string) => setTyped({ ...typed, [name]: text }),
  };
  const reason = note.trim();
  const change = () => save.mutate({ changes, resumes, ...(reason !== '' && { reason }) });
  return (
    <Dialog
      title="Limits of this run"
      lead={
        <>
          <DialogLead progress={progress} countedAt={progress.asOf} /> · the limits of the campaign do not change
        </>
      }
      isWide
      onClose={onClose}
      actions={
        <>
          <span className="sm t2 wide mr-auto">Changes apply within 2 s. Budgets apply to the whole campaign.</span>
          <Button onClick={onClose}>Back</Button>
          <Button
            kind="ink"
            disabled={save.isPending || changes.count === 0 || changes.problems.size > 0}
            onClick={change}
          >
            {changes.count === 0
              ? 'Change'
              : `Change ${countOf(changes.count, 'limit')}${resumes ? ' and resume' : ''}`}
          </Button>
        </>
      }
    >
      <FormProblemsContext value={problems}>
        <div className="box">
          <LimitLines {...lines} />
          <BudgetLines {...lines} budgets={budgets?.items ?? []} />
        </div>
      </FormProblemsContext>
      {mayResume && (
        <Check checked={wantsResume} onCheck={setWantsResume}>
          Resume the run when its budget is raised
        </Check>
      )}
      <NoteField label="Reason" note="shown in the events and the audit log" value={note} onChange={setNote} />
      {save.error !== null && (
        <Refused error={save.error} changed={done === '' ? undefined : `Changed before that: ${done}.`} />
      )}
      {save.error !== null && problemOf(save.error).code === 'approval-needed' && (
        <RequestApproval campaignId={progress.campaignId} budgets={changes.budgets} />
      )}
    </Dialog>
  );
}

/** Requests an approval for larger budgets. Runs keep the current budgets until another person has approved. */
function RequestApproval({
  campaignId,
  budgets,
}: {
  campaignId: string;
  budgets: RequestedChanges['changes']['budgets'];
}) {
  const request = useMutation({
    mutationFn: () => submitCampaign({ path: { id: campaignId }, body: { budgets }, throwOnError: true }),
  });
  if (request.isSuccess) return <p role="status">Requested. The budget is raised when another person approves it.</p>;
  return (
    <>
      {request.error !== null && <Refused error={request.error} />}
      <Button disabled={request.isPending} onClick={() => request.mutate()}>
        Request approval
      </Button>
    </>
  );
}

interface RequestedChanges {
  changes: ReturnType<typeof readTypedLimits>;
  resumes: boolean;
  reason?: string;
}

/**
 * Saves budgets, limits and the resume in sequence. Budgets come first: if the API refuses them, nothing else has been
 * changed.
 */
function useSave({ runId, campaignId }: RunDialogProps['progress'], onSuccess: () => void) {
  const [done, setDone] = useState('');
  const save = useMutation({
    mutationFn: async ({ changes: { budgets, run }, resumes, ...reasonField }: RequestedChanges) => {
      setDone('');
      if (budgets.length > 0) {
        await changeBudgets({ path: { id: campaignId }, body: { budgets, ...reasonField }, throwOnError: true });
        setDone('the budget');
      }
      if (Object.keys(run).length > 0) {
        await changeRun({ path: { id: runId }, body: { ...run, ...reasonField }, throwOnError: true });
        setDone('all limits');
      }
      if (resumes) await resumeRun({ path: { id: runId }, body: reasonField, throwOnError: true });
    },
    onSuccess,
  });
  return { save, done };
}

function useProblems({ problems, budgets }: RequestedChanges['changes'], error: Error | null) {
  const refused = useFormErrors(error === null || problemOf(error).errors.length === 0 ? null : error);
  const local = new Map([...problems].map(([name, detail]) => [pointerOf(name, budgets), detail]));
  const at = (pointer: string) => {
    const detail = local.get(pointer);
    return detail === undefined ? refused.at(pointer) : [{ detail, tone: 'bad' as const }];
  };
  return { at, onLeave: () => undefined };
}
