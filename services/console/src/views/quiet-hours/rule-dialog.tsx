import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import { setQuietHours } from '#client/sdk.gen.ts';
import type { ActionType, QuietHours } from '#client/types.gen.ts';
import { useSession } from '../../frame/session/session.ts';
import { zoneNames } from '../../parts/times/zoned-times.ts';
import { Select, TextInput } from '../../parts/controls/controls.tsx';
import { ChoiceBoxes } from '../../parts/forms/choice-boxes.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FieldGroup, FormField } from '../../parts/forms/form-field.tsx';
import { everyType, formOf, ruleOf, describeRule, formatType, type RuleForm } from './rule-form.ts';

interface RuleDialogProps {
  quietHours: QuietHours;
  /** Index of the edited rule. For a new rule, the number of existing rules. */
  at: number;
  onClose: () => void;
}

const effectChoices = [
  { value: 'wait', label: 'Users wait', note: 'and are called when the hours end' },
  { value: 'drop', label: 'Users are dropped', note: 'they end as suppressed, and later steps are skipped' },
] as const;

/**
 * Form for one rule. Saving replaces all rules, at the revision that was current when the form opened: if they were
 * changed since, the API refuses to overwrite that change.
 */
export function RuleDialog({ quietHours, at, onClose }: RuleDialogProps) {
  const [{ rules, revision }] = useState(quietHours);
  const types = useQuery(listActionTypesOptions());
  const isNew = at >= rules.length;
  const [form, setForm] = useState(() => formOf(rules[at] ?? null));
  const change = (part: Partial<RuleForm>) => setForm({ ...form, ...part });
  const rule = ruleOf(form);
  const isComplete = rule.from !== '' && rule.until !== '' && rule.from !== rule.until;
  return (
    <EditDialog
      title={isNew ? 'New quiet hours' : 'Change quiet hours'}
      lead="Rules apply within seconds, also to running campaigns. Calls in flight are not interrupted."
      verb={isNew ? 'Add rule' : 'Save'}
      isIncomplete={!isComplete}
      within={`/rules/${at}`}
      save={() =>
        setQuietHours({
          headers: { 'if-match': `"${revision}"` },
          body: { rules: rules.toSpliced(at, 1, rule) },
          throwOnError: true,
        })
      }
      onClose={onClose}
    >
      <HoursFields form={form} change={change} types={types.data?.items ?? []} />
      <ZoneField form={form} change={change} />
      <EffectField form={form} change={change} />
      {isComplete && <p className="sm t2">{describeRule(rule)}</p>}
    </EditDialog>
  );
}

interface FieldsProps {
  form: RuleForm;
  change: (part: Partial<RuleForm>) => void;
}

function HoursFields({ form, change, types }: FieldsProps & { types: readonly ActionType[] }) {
  const { installation } = useSession();
  const names = types.filter(({ check }) => !check).map(({ name }) => name);
  const known = [...new Set([everyType, ...names, form.actionType])];
  return (
    <div className="grid grid-cols-2 gap-3.5 items-start phone:grid-cols-1">
      <FormField pointer="/actionType" label="Action type">
        {(control) => (
          <Select
            {...control}
            value={form.actionType}
            choices={known.map((name) => ({ value: name, label: formatType({ actionType: name }) }))}
            onChoose={(actionType) => change({ actionType })}
            data-autofocus
          />
        )}
      </FormField>
      <FormField
        pointer="/countries"
        label="Countries"
        hint={`Such as ${(installation.countries ?? ['SG', 'ID']).slice(0, 2).join(', ')}; empty: all of them`}
      >
        {(control) => <TextInput {...control} value={form.countries} onText={(countries) => change({ countries })} />}
      </FormField>
      <FormField pointer="/from" label="From" required hint="Included, such as 21:00">
        {(control) => <TextInput {...control} value={form.from} onText={(from) => change({ from })} maxLength={5} />}
      </FormField>
      <FormField pointer="/until" label="Until" required hint="Not included; a time up to “From” means the next day">
        {(control) => <TextInput {...control} value={form.until} onText={(until) => change({ until })} maxLength={5} />}
      </FormField>
    </div>
  );
}

function ZoneField({ form, change }: FieldsProps) {
  return (
    <>
      <FormField
        pointer="/zone"
        label="Time zone"
        hint="Empty: the zone of each country. A country with several zones is quiet while any of them is."
      >
        {(control) => (
          <TextInput
            {...control}
            list="zones-of-quiet-hours"
            placeholder="zone of the country"
            value={form.zone}
            onText={(zone) => change({ zone })}
          />
        )}
      </FormField>
      <datalist id="zones-of-quiet-hours">
        {zoneNames().map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

function EffectField({ form, change }: FieldsProps) {
  return (
    <FieldGroup pointer="/then" label="Users who would be called in these hours">
      <ChoiceBoxes
        name="quiet-then"
        choices={effectChoices}
        chosen={form.then}
        onChoose={(value) => change({ then: value })}
      />
    </FieldGroup>
  );
}
