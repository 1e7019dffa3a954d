import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { getApprovalPolicyOptions } from '#client/@tanstack/react-query.gen.ts';
import { submitCampaign, withdrawCampaign } from '#client/sdk.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import {
  approvalLook,
  describeApprovalOutcome,
  describeApprovalNeed,
  formatUsersByCountry,
} from '../../parts/campaign/approval-words.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { isDraft } from '../../parts/standing/state-looks.ts';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';

const ruleChangesRarely = 60_000;

/** State of the campaign's approval. Renders nothing if the installation requires no approvals. */
export function ApprovalPanel({ campaign }: { campaign: Campaign }) {
  const { approval, state, archivedAt } = campaign;
  const refusal = useRefusal('manager');
  const [open, setOpen] = useState<'submit' | 'withdraw' | null>(null);
  const policy = useQuery({ ...getApprovalPolicyOptions(), staleTime: ruleChangesRarely });
  const isRequired = (policy.data?.rules.length ?? 0) > 0;
  if (approval === null && (!isRequired || !isDraft(state))) return null;
  const isInForce = approval?.state === 'waiting' || approval?.state === 'approved';
  const maySubmit = isRequired && !isInForce && archivedAt === null;
  const close = () => setOpen(null);
  return (
    <Panel
      title="Approval"
      padded
      actions={
        <span className="row">
          {maySubmit && (
            <Button small refusal={refusal} onClick={() => setOpen('submit')}>
              Submit for approval…
            </Button>
          )}
          {isInForce && (
            <Button small refusal={refusal} onClick={() => setOpen('withdraw')}>
              Withdraw…
            </Button>
          )}
        </span>
      }
    >
      {approval === null ? (
        <p className="t2">Not submitted. The start dialog shows whether an approval is needed.</p>
      ) : (
        <Standing approval={approval} />
      )}
      {open === 'submit' && <SubmitDialog campaign={campaign} onClose={close} />}
      {open === 'withdraw' && <WithdrawDialog campaign={campaign} onClose={close} />}
    </Panel>
  );
}

function Standing({ approval }: { approval: NonNullable<Campaign['approval']> }) {
  const { icon, words, tone } = approvalLook(approval);
  return (
    <div className="grid gap-1.5">
      <div className="row flex-wrap">
        <span className={`badge ${tone === 'idle' ? '' : tone}`.trimEnd()}>
          <Icon name={icon} />
          {words}
        </span>
        <Link className="link" to="/approvals" search={{ id: approval.id }}>
          Open the approval
        </Link>
      </div>
      <p className="wrap-anywhere">{describeApprovalOutcome(approval)}</p>
      {approval.state === 'waiting' && <p className="t2 sm">{describeApprovalNeed(approval)}</p>}
      <p className="t3 sm">At most {formatUsersByCountry(approval)}, in each run.</p>
    </div>
  );
}

interface DialogProps {
  campaign: Campaign;
  onClose: () => void;
}

function SubmitDialog({ campaign: { id, name, revision }, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title={`Submit “${name}” for approval?`}
      lead={`Revision ${revision} with its audience, chain, schedule and limits.`}
      verb="Submit it"
      leave="Cancel"
      act={() => submitCampaign({ path: { id }, body: {}, throwOnError: true })}
      onClose={onClose}
    >
      The approval covers five percent more users than expected now. Any later change needs a new approval. You can
      start the campaign once others have approved it.
    </ConfirmDialog>
  );
}

function WithdrawDialog({ campaign: { id, name }, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title={`Withdraw “${name}”?`}
      lead="The request ends. An approval that was given no longer counts."
      verb="Withdraw it"
      leave="Cancel"
      act={() => withdrawCampaign({ path: { id }, throwOnError: true })}
      onClose={onClose}
    >
      No run can start with this approval. Active runs continue.
    </ConfirmDialog>
  );
}
