import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getApprovalPolicyOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ApprovalPolicy, System } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonBar, useHasWaited } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { PolicyDialog } from './policy-dialog.tsx';
import { describeApprovers, currencyOf, describeRule } from './policy-form.ts';

export function PolicyPanel({ system }: { system: System }) {
  const refusal = useRefusal('operator');
  const [isOpen, setOpen] = useState(false);
  const policy = useQuery(getApprovalPolicyOptions());
  const patience = useHasWaited();
  return (
    <Panel
      title="Approvals"
      padded
      actions={
        <Button small refusal={refusal} disabled={policy.data === undefined} onClick={() => setOpen(true)}>
          Change…
        </Button>
      }
      footer={policy.data && <Revision policy={policy.data} />}
    >
      {policy.data ? (
        <PolicyInWords policy={policy.data} currency={currencyOf(system)} />
      ) : policy.error !== null ? (
        <Failed
          title="The approval policy could not be read"
          error={policy.error}
          onRetry={() => void policy.refetch()}
        />
      ) : (
        patience && <SkeletonBar width={240} />
      )}
      {isOpen && policy.data && <PolicyDialog policy={policy.data} system={system} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function PolicyInWords({ policy, currency }: { policy: ApprovalPolicy; currency: string | null }) {
  const { rules, approversSignIn } = policy;
  if (rules.length === 0) return <p className="t2">Nothing needs approval.</p>;
  const hasAmount = rules.some(({ amountAbove }) => amountAbove !== undefined);
  return (
    <div className="grid gap-2">
      <ul className="m-0 pl-4.5 grid gap-1">
        {rules.map((rule, index) => (
          <li key={index} className="list-disc wrap-anywhere">
            {describeRule(rule, currency)}
          </li>
        ))}
      </ul>
      <p className="sm t2">
        The matching rule with the most approvers applies; the author cannot approve.{' '}
        {describeApprovers(approversSignIn)}
        {hasAmount && currency === null && ' Amounts are in the currency of the installation.'}
      </p>
    </div>
  );
}

function Revision({ policy: { revision, madeAt } }: { policy: ApprovalPolicy }) {
  if (madeAt === null) return <>No policy was set yet</>;
  return (
    <>
      Revision {revision} · changed <Time instant={madeAt} />
    </>
  );
}
