import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import { setQuietHours } from '#client/sdk.gen.ts';
import type { ActionType, QuietHours } from '#client/types.gen.ts';
import { useSession } from '../../frame/session/session.ts';
import { zoneNames } from '../../parts/when/zoned-times.ts';
import { Select, TextInput } from '../../parts/controls/controls.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FieldGroup, FormField } from '../../parts/forms/form-field.tsx';
import { everyType, formOf, ruleOf, ruleWords, typeWords, type RuleForm } from './rule-form.ts';

interface RuleDialogProps {
  quietHours: QuietHours;
  /** Index of the edited rule; one past the last for a new rule. */
  at: number;
  onClose: () => void;
}

const ends = [
  { value: 'wait', label: 'Users wait', said: 'and are called when the hours end' },
  { value: 'drop', label: 'Users are dropped', said: 'they end as suppressed, and later steps are skipped' },
] as const;

/**
 * Form for a rule. It replaces all rules at the revision of its opening: the API refuses to overwrite a later change.
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
      lead="In force within seconds, for runs that go on too. A call that was sent before takes as long as it takes."
      verb={isNew ? 'Add them' : 'Change them'}
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
      {isComplete && <p className="sm t2">{ruleWords(rule)}</p>}
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
            choices={known.map((name) => ({ value: name, label: typeWords({ actionType: name }) }))}
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
      <FormField pointer="/until" label="Until" required hint="Not included; not later than from: of the next day">
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
        label="Clocks of"
        hint="Empty: each country’s own; where it has several, while it is quiet in any of them"
      >
        {(control) => (
          <TextInput
            {...control}
            list="zones-of-quiet-hours"
            placeholder="the country"
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
    <FieldGroup pointer="/then" label="Who would be called meanwhile">
      <div className="grid gap-1.5">
        {ends.map(({ value, label, said }) => (
          <label
            key={value}
            className={`box flex gap-2.5 py-1.5 px-2.5 cursor-pointer ${form.then === value ? 'border-ink bg-sunken' : ''}`}
          >
            <input
              type="radio"
              name="quiet-then"
              className="accent-ink mt-0.75"
              checked={form.then === value}
              onChange={() => change({ then: value })}
            />
            <span>
              <b>{label}</b> <span className="t2 sm">{said}</span>
            </span>
          </label>
        ))}
      </div>
    </FieldGroup>
  );
}
