import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { setApprovalPolicy } from '#client/sdk.gen.ts';
import type { ApprovalPolicy, System } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Check } from '../../parts/controls/controls.tsx';
import { FieldGroup, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../parts/forms/use-form-errors.ts';
import { FormError } from '../../parts/forms/form-error.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { currencyOf, formOf, policyOf, maxRules, describePolicyChange, addRule } from './policy-form.ts';
import { PolicyRuleFields } from './policy-rule-fields.tsx';

interface PolicyDialogProps {
  policy: ApprovalPolicy;
  system: System;
  onClose: () => void;
}

/**
 * Form for the approval policy. Saving replaces all rules, at the revision that was current when the form opened. If
 * the policy was changed since, the API refuses to overwrite that change.
 */
export function PolicyDialog({ policy, system, onClose }: PolicyDialogProps) {
  const queries = useQueryClient();
  const [before] = useState(policy);
  const [form, setForm] = useState(() => formOf(policy));
  const body = policyOf(form);
  const isUnchanged = JSON.stringify(form) === JSON.stringify(formOf(before));
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
    // The API's problems refer to rules by index. After the removal, an index may belong to another rule, so the
    // problems are cleared.
    save.reset();
  };
  return (
    <Dialog
      isWide
      title="Change the approval policy"
      lead="The matching rule with the most approvers applies. The author cannot approve."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="ink"
            disabled={save.isPending}
            refusal={describeRefusal(body === undefined, isUnchanged)}
            onClick={() => save.mutate()}
          >
            Save the policy
          </Button>
        </>
      }
    >
      <FormProblemsContext value={useFormErrors(save.error)}>
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
            refusal={form.rules.length >= maxRules ? `A policy has at most ${maxRules} rules` : undefined}
            onClick={() => setForm(addRule(form))}
          >
            Rule
          </Button>
        </div>
        <FieldGroup pointer="/approversSignIn" label="Who approves">
          <Check checked={form.approversSignIn} onCheck={(approversSignIn) => setForm({ ...form, approversSignIn })}>
            Only people who sign in with the identity provider; votes of API keys do not count
          </Check>
          {form.approversSignIn && system.access.issuer === null && (
            <p className="hint c-warn">This installation has no identity provider, so no user could approve.</p>
          )}
        </FieldGroup>
        {!isUnchanged && <p className="sm t2">{describePolicyChange(before, form)}</p>}
        <FormError error={save.error} />
      </FormProblemsContext>
    </Dialog>
  );
}

function describeRefusal(isInvalid: boolean, isUnchanged: boolean): string | undefined {
  if (isInvalid) return 'A limit has to be a number, or empty';
  return isUnchanged ? 'No changes' : undefined;
}
