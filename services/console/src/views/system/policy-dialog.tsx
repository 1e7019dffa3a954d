import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { setApprovalPolicy } from '#client/sdk.gen.ts';
import type { ApprovalPolicy, System } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Check } from '../../parts/controls/controls.tsx';
import { FieldGroup, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { RefusedWhole } from '../../parts/forms/refused-whole.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { currencyOf, formOf, policyOf, rulesAtMost, waitingWords, withNewRule } from './policy-form.ts';
import { PolicyRuleFields } from './policy-rule-fields.tsx';

interface PolicyDialogProps {
  policy: ApprovalPolicy;
  system: System;
  onClose: () => void;
}

/**
 * Form for the policy. It replaces all rules at the revision of its opening: the API refuses the change if the policy
 * has another revision by then.
 */
export function PolicyDialog({ policy, system, onClose }: PolicyDialogProps) {
  const queries = useQueryClient();
  const [before] = useState(policy);
  const [form, setForm] = useState(() => formOf(policy));
  const body = policyOf(form);
  const isAsBefore = JSON.stringify(form) === JSON.stringify(formOf(before));
  const save = useMutation({
    mutationFn: async () => {
      if (body === undefined) return;
      await setApprovalPolicy({ headers: { 'if-match': `"${before.revision}"` }, body, throwOnError: true });
    },
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const remove = (key: string) => {
    setForm({ ...form, rules: form.rules.filter((rule) => rule.key !== key) });
    // The API's problems name rules by index, which now belongs to another rule.
    save.reset();
  };
  return (
    <Dialog
      isWide
      title="Change the approval policy"
      lead="The rule that asks for the most approvers counts. None of them is the author."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="ink"
            disabled={save.isPending}
            refusal={whyNot(body === undefined, isAsBefore)}
            onClick={() => save.mutate()}
          >
            Save the policy
          </Button>
        </>
      }
    >
      <FormProblemsContext value={useRefusedFields(save.error)}>
        {form.rules.length === 0 && <p className="t2">No rules: nothing needs approval.</p>}
        {form.rules.map((rule, index) => (
          <PolicyRuleFields
            key={rule.key}
            rule={rule}
            index={index}
            currency={currencyOf(system)}
            onChange={(changed) => setForm({ ...form, rules: form.rules.with(index, changed) })}
            onRemove={() => remove(rule.key)}
          />
        ))}
        <div className="phone:[&_button]:h-10">
          <Button
            small
            icon="plus"
            refusal={form.rules.length >= rulesAtMost ? `A policy has at most ${rulesAtMost} rules` : undefined}
            onClick={() => setForm(withNewRule(form))}
          >
            Rule
          </Button>
        </div>
        <FieldGroup pointer="/approversSignIn" label="Who approves">
          <Check checked={form.approversSignIn} onCheck={(approversSignIn) => setForm({ ...form, approversSignIn })}>
            Only people who sign in with the identity provider; votes of API keys do not count
          </Check>
          {form.approversSignIn && system.access.issuer === null && (
            <p className="hint c-warn">This installation has no identity provider, so nobody could approve.</p>
          )}
        </FieldGroup>
        {!isAsBefore && <p className="sm t2">{waitingWords(before, form)}</p>}
        <RefusedWhole error={save.error} />
      </FormProblemsContext>
    </Dialog>
  );
}

function whyNot(isUnread: boolean, isAsBefore: boolean): string | undefined {
  if (isUnread) return 'A bound has to be a number, or empty';
  return isAsBefore ? 'Nothing is changed' : undefined;
}
