import { useSession } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Select, TextInput } from '../../parts/controls/controls.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { approverCounts, ruleOf, describeRule, type RuleForm } from './policy-form.ts';

interface PolicyRuleFieldsProps {
  rule: RuleForm;
  index: number;
  currency: string | null;
  onChange: (rule: RuleForm) => void;
  onRemove: () => void;
}

const approverChoices = approverCounts.map((value) => ({ value, label: countOf(Number(value), 'approver') }));

export function PolicyRuleFields({ rule, index, currency, onChange, onRemove }: PolicyRuleFieldsProps) {
  const { installation } = useSession();
  const pointer = `/rules/${index}`;
  const change = (part: Partial<RuleForm>) => onChange({ ...rule, ...part });
  const read = ruleOf(rule);
  const bounds = [
    { name: 'usersAbove', label: 'Users above' },
    { name: 'unitsAbove', label: 'Units above' },
    {
      name: 'amountAbove',
      label: 'Amount above',
      ...(currency === null ? { hint: 'In the currency of the installation' } : { note: currency }),
    },
  ] as const;
  return (
    <div role="group" aria-label={`Rule ${index + 1}`} className="box grid gap-2.5 p-3">
      <div className="grid grid-cols-[1fr_148px_auto] gap-2.5 items-start phone:grid-cols-[1fr_auto]">
        <FormField
          pointer={`${pointer}/countries`}
          label="Countries"
          hint={`Such as ${(installation.countries ?? ['SG', 'ID']).slice(0, 2).join(', ')}; empty: all of them`}
        >
          {(control) => <TextInput {...control} value={rule.countries} onText={(countries) => change({ countries })} />}
        </FormField>
        <FormField pointer={`${pointer}/approvers`} label="Approvers" className="phone:order-last phone:col-span-full">
          {(control) => (
            <Select
              {...control}
              value={approverCounts.find((count) => count === rule.approvers) ?? ''}
              choices={approverChoices}
              onChoose={(approvers) => change({ approvers })}
            />
          )}
        </FormField>
        <Button className="mt-5" icon="x" kind="ghost" label={`Remove rule ${index + 1}`} onClick={onRemove} />
      </div>
      <div className="grid grid-cols-3 gap-2.5 items-start phone:grid-cols-1 *:min-w-0">
        {bounds.map(({ name, ...words }) => (
          <FormField key={name} {...words} pointer={`${pointer}/${name}`}>
            {(control) => (
              <TextInput
                {...control}
                inputMode="decimal"
                value={rule[name]}
                onText={(text) => change({ [name]: text })}
              />
            )}
          </FormField>
        ))}
      </div>
      {read && <p className="sm t2 wrap-anywhere">{describeRule(read, currency)}</p>}
    </div>
  );
}
