import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { approveCampaign, sendBackCampaign } from '#client/sdk.gen.ts';
import type { Approval } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { describeApprovalNeed, usersAtMost } from '../../parts/campaign/approval-words.ts';
import { CountKindAndAge } from '../../parts/audience/user-count-line.tsx';
import { formatCountKind, formatUserCount } from '../../parts/audience/user-count.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextArea } from '../../parts/controls/controls.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Effects } from '../../parts/overlays/effects.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { useApprovalSize } from './approval-size.ts';
import { titlesOf } from '../../parts/words/action-titles.ts';

export function Decision({ approval }: { approval: Approval }) {
  const { campaignId, hash, state, given, refusedToYou, submittedBy } = approval;
  const [comment, setComment] = useState('');
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const commentId = useId();
  const path = { id: campaignId };
  const sendBack = useMutation({
    mutationFn: () => sendBackCampaign({ path, body: { hash, comment: comment.trim() }, throwOnError: true }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const isOpen = state === 'waiting' || state === 'approved';
  const noComment = comment.trim() === '' ? 'First describe what is missing or wrong' : undefined;
  const refusal = refusedToYou === null ? undefined : capital(refusedToYou);
  return (
    <Panel title={isOpen ? 'Your decision' : 'Decided'} padded>
      <div className="grid gap-2.5">
        {isOpen && <p className="sm t2">{describeApprovalNeed(approval)}</p>}
        {given.map(({ by, at, comment: text }) => (
          <div key={`${by} ${at}`} className="row sm items-start gap-1.5">
            <span className="c-ok pt-0.5">
              <Icon name="check" size={14} />
            </span>
            <span className="wrap-anywhere">
              <b className="font-medium">{by}</b> <Time instant={at} />
              {text !== null && `: “${text}”`}
            </span>
          </div>
        ))}
        {isOpen && refusal !== undefined && (
          <p className="sm row items-start gap-1.5">
            <span className="t3 pt-0.5">
              <Icon name="lock" size={14} />
            </span>
            {refusal}.
          </p>
        )}
        {isOpen && (
          <>
            <div>
              <label className="lab" htmlFor={commentId}>
                Comment for {submittedBy ?? 'its authors'} <span className="t3">required to send back</span>
              </label>
              <TextArea id={commentId} rows={3} maxLength={500} value={comment} onText={setComment} />
            </div>
            {/* On a phone, the buttons are at the bottom of the screen, where the thumb reaches them. */}
            <div className="row phone:fixed phone:inset-x-0 phone:bottom-0 phone:z-6 phone:px-4 phone:pt-2.5 phone:pb-3.5 phone:bg-page phone:border-t phone:border-line [&_.btn]:flex-1 phone:[&_.btn]:h-11">
              <Button refusal={refusal ?? noComment} disabled={sendBack.isPending} onClick={() => sendBack.mutate()}>
                Send back
              </Button>
              {state === 'waiting' && (
                <Button kind="ink" icon="check" refusal={refusal} onClick={() => setAsking(true)}>
                  Approve…
                </Button>
              )}
            </div>
            <div className="hidden phone:block phone:h-12" aria-hidden="true" />
            <p className="hint">{hintOf(approval)}</p>
          </>
        )}
        {sendBack.isError && <Refused error={sendBack.error} />}
      </div>
      {isAsking && <ApproveDialog approval={approval} comment={comment.trim()} onClose={() => setAsking(false)} />}
    </Panel>
  );
}

function hintOf({ state, requiredApprovers, given, runId }: Approval): string {
  if (state === 'approved') return 'If you send it back, no further run starts with it. Current runs continue.';
  if (given.length + 1 < requiredApprovers)
    return `With your approval it has ${given.length + 1} of ${requiredApprovers}.`;
  const then = runId === null ? 'its author may start it' : 'the run continues';
  return `With your approval it has ${requiredApprovers} of ${requiredApprovers}, and ${then}. You can still send it back afterwards.`;
}

interface ApproveDialogProps {
  approval: Approval;
  comment: string;
  onClose: () => void;
}

function ApproveDialog({ approval, comment, onClose }: ApproveDialogProps) {
  const { campaignId, campaignName, hash, unitsAtMost, covers } = approval;
  const size = useApprovalSize(approval);
  const queries = useQueryClient();
  const approve = useMutation({
    mutationFn: () =>
      approveCampaign({
        path: { id: campaignId },
        body: { hash, ...(comment !== '' && { comment }) },
        throwOnError: true,
      }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Approve “${campaignName}”?`}
      lead={hintOf(approval)}
      onClose={onClose}
      actions={
        <span className="ml-auto row">
          <Button onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button kind="ink" disabled={approve.isPending} onClick={() => approve.mutate()}>
            Approve
          </Button>
        </span>
      }
    >
      <Effects
        effects={[
          {
            value: formatCount(usersAtMost(approval)),
            unit: 'users, at most',
            isHot: true,
            children: `in ${covers.countries.join(', ')} get ${titlesOf(covers.chain)}.`,
          },
          ...(size === null
            ? []
            : [
                {
                  value: formatUserCount(size),
                  unit: `users, ${formatCountKind(size)}`,
                  children: <CountKindAndAge size={size} />,
                },
              ]),
          ...(unitsAtMost === null
            ? []
            : [{ value: formatCount(unitsAtMost), unit: 'units, at most', children: 'per run.' }]),
        ]}
      />
      {approve.isError && <Refused error={approve.error} />}
    </Dialog>
  );
}

function Refused({ error }: { error: Error }) {
  return (
    <p className="c-bad sm" role="alert">
      {capital(problemOf(error).detail)}.
    </p>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
