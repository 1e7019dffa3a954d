import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listBudgetsOptions } from '#client/@tanstack/react-query.gen.ts';
import { changeBudgets, changeRun, resumeRun, submitCampaign } from '#client/sdk.gen.ts';
import { problemOf } from '../../../api/problems.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Check } from '../../../parts/controls/controls.tsx';
import { FormProblemsContext } from '../../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../../parts/forms/refused-fields.ts';
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
import { askedLimits, limitsOf, type LimitName, type LimitTexts } from './limits.ts';

interface LimitsDialogProps extends RunDialogProps {
  first: LimitName;
}

export function LimitsDialog({ progress, first, onClose, onDone }: LimitsDialogProps) {
  const { zone } = useZone();
  const now = limitsOf(progress, zone);
  // Limits when the dialog was opened: the line of a limit shows if another person has changed it since.
  const [seen] = useState(now);
  const [typed, setTyped] = useState<LimitTexts>({});
  const [note, setNote] = useState('');
  const [wantsResume, setWantsResume] = useState(true);
  const asked = askedLimits(now, typed, zone);
  const mayResume = progress.state === 'paused' && progress.stall?.by === 'budget';
  const resumes = mayResume && wantsResume && asked.budgets.length > 0;
  const { data: budgets } = useQuery({
    ...listBudgetsOptions({ path: { id: progress.campaignId } }),
    enabled: progress.budgets.length > 0,
  });
  const { save, done } = useSave(progress, onDone);
  const problems = useProblems(asked, save.error);
  const lines = {
    ...{ progress, seen, now, typed, asked, zone, first },
    onType: (name: LimitName, text: string) => setTyped({ ...typed, [name]: text }),
  };
  const reason = note.trim();
  const change = () => save.mutate({ asked, resumes, ...(reason !== '' && { reason }) });
  return (
    <Dialog
      title="Limits of this run"
      lead={
        <>
          <DialogLead progress={progress} countedAt={progress.asOf} /> · the campaign keeps its own
        </>
      }
      isWide
      onClose={onClose}
      actions={
        <>
          <span className="sm t2 wide mr-auto">They hold within 2 s; a budget is the campaign’s.</span>
          <Button onClick={onClose}>Change nothing</Button>
          <Button kind="ink" disabled={save.isPending || asked.count === 0 || asked.problems.size > 0} onClick={change}>
            {asked.count === 0 ? 'Change' : `Change ${countOf(asked.count, 'limit')}${resumes ? ' and resume' : ''}`}
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
      <NoteField label="Why" note="stands in the events and in the audit log" value={note} onChange={setNote} />
      {save.error !== null && (
        <Refused error={save.error} changed={done === '' ? undefined : `Changed before that: ${done}.`} />
      )}
      {save.error !== null && problemOf(save.error).code === 'approval-needed' && (
        <AskForRaise campaignId={progress.campaignId} budgets={asked.budgets} />
      )}
    </Dialog>
  );
}

/** Requests an approval for larger budgets. Runs keep the current budgets until another person has approved. */
function AskForRaise({ campaignId, budgets }: { campaignId: string; budgets: Wanted['asked']['budgets'] }) {
  const ask = useMutation({
    mutationFn: () => submitCampaign({ path: { id: campaignId }, body: { budgets }, throwOnError: true }),
  });
  if (ask.isSuccess) return <p role="status">Asked for: it is raised when another person approves it.</p>;
  return (
    <>
      {ask.error !== null && <Refused error={ask.error} />}
      <Button disabled={ask.isPending} onClick={() => ask.mutate()}>
        Ask for its approval
      </Button>
    </>
  );
}

interface Wanted {
  asked: ReturnType<typeof askedLimits>;
  resumes: boolean;
  reason?: string;
}

/** Saves in sequence: budgets come first, because if the API refuses them, nothing else was changed. */
function useSave({ runId, campaignId }: RunDialogProps['progress'], onSuccess: () => void) {
  const [done, setDone] = useState('');
  const save = useMutation({
    mutationFn: async ({ asked: { budgets, run }, resumes, ...said }: Wanted) => {
      setDone('');
      if (budgets.length > 0) {
        await changeBudgets({ path: { id: campaignId }, body: { budgets, ...said }, throwOnError: true });
        setDone('the budget');
      }
      if (Object.keys(run).length > 0) {
        await changeRun({ path: { id: runId }, body: { ...run, ...said }, throwOnError: true });
        setDone('all limits');
      }
      if (resumes) await resumeRun({ path: { id: runId }, body: said, throwOnError: true });
    },
    onSuccess,
  });
  return { save, done };
}

function useProblems({ problems, budgets }: Wanted['asked'], error: Error | null) {
  const refused = useRefusedFields(error === null || problemOf(error).errors.length === 0 ? null : error);
  const local = new Map([...problems].map(([name, detail]) => [pointerOf(name, budgets), detail]));
  const at = (pointer: string) => {
    const detail = local.get(pointer);
    return detail === undefined ? refused.at(pointer) : [{ detail, tone: 'bad' as const }];
  };
  return { at, onLeave: () => undefined };
}
