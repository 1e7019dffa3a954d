import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunReport } from '#client/types.gen.ts';
import { Button } from '../controls/button.tsx';
import { Check, Segments } from '../controls/controls.tsx';
import { FormProblemsContext } from '../forms/form-field.tsx';
import { useFormErrors } from '../forms/use-form-errors.ts';
import { columnQuery } from '../file-preview/column-choice.ts';
import { rejectedRowsIn } from '../file-preview/file-preview.tsx';
import { useFilePreview } from '../file-preview/use-file-preview.ts';
import { Dialog } from '../overlays/dialog.tsx';
import { Effects } from '../overlays/effects.tsx';
import { Refused } from '../standing/refused.tsx';
import { useFormatTime } from '../times/zone.ts';
import { countOf } from '../words/numbers.ts';
import {
  usersToRequest,
  emptyDraft,
  requestOf,
  type SettleLines,
  type SettleDraft,
  type SettleWay,
} from './settle-draft.ts';
import { SettleFields } from './settle-ways.tsx';
import { partialChanges, effectsOfWay, unknownEffect } from './settle-effects.ts';
import { SettlementResult, SettledSoFar } from './settled-so-far.tsx';
import { requestableLines, unknownLines, unknownUsers } from './unknown-lines.ts';
import type { RunSettlements } from './use-settlements.ts';

/** Data of a run that has ended. Both the run's report and its progress contain these fields. */
export type SettledRun = Pick<RunReport, 'runId' | 'campaignName' | 'scheduledFor' | 'steps' | 'countries'>;

const ways = {
  status: { value: 'status', label: 'Query the endpoint' },
  file: { value: 'file', label: 'By a file' },
  hand: { value: 'hand', label: 'One user by hand' },
} as const;

interface SettleDialogProps {
  run: SettledRun;
  settlements: RunSettlements;
  onClose: () => void;
}

/** Dialog that settles unknown users: their numbers, earlier settlements, and the outcomes to set. */
export function SettleDialog({ run, settlements: { known, settle, made }, onClose }: SettleDialogProps) {
  const formatTime = useFormatTime();
  const { data: types } = useQuery(listActionTypesOptions());
  const unknown = unknownLines(run);
  const lines: SettleLines = { unknown, askable: requestableLines(unknown, types?.items ?? []) };
  const [chosen, setChosen] = useState<SettleWay | null>(null);
  const [draft, setDraft] = useState<SettleDraft>(emptyDraft);
  const [isSure, setSure] = useState(false);
  const problems = useFormErrors(settle.error);
  const canAsk = lines.askable.length > 0;
  const way = chosen ?? (canAsk ? 'status' : 'file');
  const isStill = settle.isPending || made !== undefined;
  const preview = useFilePreview(
    way === 'file' ? draft.file : null,
    { for: 'settlement', ...columnQuery(draft.columns) },
    isStill,
  );
  const rejected = way === 'file' ? rejectedRowsIn(preview) : null;
  const isRefused = way === 'file' && rejected === null && (preview.data?.refusal ?? null) !== null;
  const request = isRefused ? null : requestOf(way, draft, lines, rejected);
  const users = unknownUsers(unknown);
  const choose = (next: SettleWay) => {
    setChosen(next);
    settle.reset();
  };
  const again = () => {
    setDraft(emptyDraft);
    setSure(false);
    settle.reset();
  };
  return (
    <Dialog
      title={users === 0 ? 'No unknown users left' : `Settle ${countOf(users, 'unknown user')}?`}
      lead={`${run.campaignName} · run of ${formatTime(run.scheduledFor)}`}
      isWide
      onClose={onClose}
      actions={
        made ? (
          <>
            {users > 0 && made.state !== 'running' && <Button onClick={again}>Settle more</Button>}
            <Button kind="ink" onClick={onClose}>
              Done
            </Button>
          </>
        ) : (
          <>
            <Button data-autofocus onClick={onClose}>
              Leave them unknown
            </Button>
            <Button
              kind="ink"
              disabled={request === null || settle.isPending || (way !== 'status' && !isSure)}
              onClick={() => request !== null && settle.mutate(request)}
            >
              {rejected === null ? verbOf(way, draft, lines) : `Skip ${countOf(rejected, 'line')} and settle`}
            </Button>
          </>
        )
      }
    >
      {users > 0 && <Effects effects={unknown.map((line) => unknownEffect(line, types?.items))} />}
      <SettledSoFar known={known} />
      {made ? (
        <SettlementResult settlement={made} />
      ) : (
        <FormProblemsContext value={problems}>
          <span>
            <Segments
              label="Source of the outcomes"
              value={way}
              choices={[...(canAsk ? [ways.status] : []), ways.file, ways.hand]}
              onChoose={choose}
            />
          </span>
          <SettleFields runId={run.runId} {...{ way, lines, draft, preview }} onDraft={setDraft} />
          <Effects effects={effectsOfWay(way)} />
          <p className="t2">
            No notification is sent, and no user is called. The audit log and the list above record it with the name of
            the key. The report counts the settled users.
          </p>
          {way !== 'status' && (
            <Check checked={isSure} onCheck={setSure}>
              The records of the called service confirm it. A settlement cannot be undone.
            </Check>
          )}
          {settle.error !== null && <Refused error={settle.error} changed={partialChanges[way]} />}
        </FormProblemsContext>
      )}
    </Dialog>
  );
}

function verbOf(way: SettleWay, draft: SettleDraft, lines: SettleLines): string {
  if (way === 'file') return 'Settle by this file';
  if (way === 'hand') return `Settle as ${draft.hand.outcome}`;
  return `Query ${countOf(usersToRequest(draft, lines), 'user')}`;
}
