import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunReport } from '#client/types.gen.ts';
import { Button } from '../controls/button.tsx';
import { Check, Segments } from '../controls/controls.tsx';
import { FormProblemsContext } from '../forms/form-field.tsx';
import { useRefusedFields } from '../forms/refused-fields.ts';
import { columnQuery } from '../file-preview/column-choice.ts';
import { rejectedIn } from '../file-preview/file-preview.tsx';
import { useFilePreview } from '../file-preview/use-file-preview.ts';
import { Dialog } from '../overlays/dialog.tsx';
import { Effects } from '../overlays/effects.tsx';
import { Refused } from '../standing/refused.tsx';
import { useFormatTime } from '../times/zone.ts';
import { countOf } from '../words/numbers.ts';
import { askedUsers, emptyDraft, requestOf, type Lines, type SettleDraft, type Way } from './settle-draft.ts';
import { SaidFields } from './settle-ways.tsx';
import { changedBefore, meanings, whoIsUnknown } from './answer-words.ts';
import { Made, SettledSoFar } from './settled-so-far.tsx';
import { askableLines, unknownLines, unknownUsers } from './unknown-lines.ts';
import type { RunSettlements } from './use-settlements.ts';

/** A run that has ended, from its report or its progress. */
export type SettledRun = Pick<RunReport, 'runId' | 'campaignName' | 'scheduledFor' | 'steps' | 'countries'>;

const ways = {
  status: { value: 'status', label: 'Ask the endpoint' },
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
  const lines: Lines = { unknown, askable: askableLines(unknown, types?.items ?? []) };
  const [chosen, setChosen] = useState<Way | null>(null);
  const [draft, setDraft] = useState<SettleDraft>(emptyDraft);
  const [isSure, setSure] = useState(false);
  const problems = useRefusedFields(settle.error);
  const canAsk = lines.askable.length > 0;
  const way = chosen ?? (canAsk ? 'status' : 'file');
  const isStill = settle.isPending || made !== undefined;
  const preview = useFilePreview(
    way === 'file' ? draft.file : null,
    { for: 'settlement', ...columnQuery(draft.columns) },
    isStill,
  );
  const rejected = way === 'file' ? rejectedIn(preview) : null;
  const isRefused = way === 'file' && rejected === null && (preview.data?.refusal ?? null) !== null;
  const request = isRefused ? null : requestOf(way, draft, lines, rejected);
  const users = unknownUsers(unknown);
  const choose = (next: Way) => {
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
      title={users === 0 ? 'Nobody is unknown any more' : `Settle ${countOf(users, 'unknown user')}?`}
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
              {rejected === null ? verbOf(way, draft, lines) : `Leave out ${countOf(rejected, 'line')} and settle`}
            </Button>
          </>
        )
      }
    >
      {users > 0 && <Effects effects={unknown.map((line) => whoIsUnknown(line, types?.items))} />}
      <SettledSoFar known={known} />
      {made ? (
        <Made settlement={made} />
      ) : (
        <FormProblemsContext value={problems}>
          <span>
            <Segments
              label="Who says how it ended"
              value={way}
              choices={[...(canAsk ? [ways.status] : []), ways.file, ways.hand]}
              onChoose={choose}
            />
          </span>
          <SaidFields runId={run.runId} {...{ way, lines, draft, preview }} onDraft={setDraft} />
          <Effects effects={meanings(way)} />
          <p className="t2">
            No notification is sent, and no user is called. It stands in the audit log and above, with the name of the
            key; the report says how many were settled.
          </p>
          {way !== 'status' && (
            <Check checked={isSure} onCheck={setSure}>
              The books of the called service say so. What is settled cannot be taken back.
            </Check>
          )}
          {settle.error !== null && <Refused error={settle.error} changed={changedBefore[way]} />}
        </FormProblemsContext>
      )}
    </Dialog>
  );
}

function verbOf(way: Way, draft: SettleDraft, lines: Lines): string {
  if (way === 'file') return 'Settle by this file';
  if (way === 'hand') return `Settle as ${draft.hand.outcome}`;
  return `Ask about ${countOf(askedUsers(draft, lines), 'user')}`;
}
