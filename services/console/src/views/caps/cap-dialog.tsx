import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import { setCaps } from '#client/sdk.gen.ts';
import type { Caps } from '#client/types.gen.ts';
import { useSession } from '../../frame/session/session.ts';
import { CampaignChoice } from '../../parts/campaign/campaign-choice.tsx';
import { Check, TextInput } from '../../parts/controls/controls.tsx';
import { ChoiceBoxes } from '../../parts/forms/choice-boxes.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FieldGroup, FormField } from '../../parts/forms/form-field.tsx';
import { titleOf } from '../../parts/words/action-titles.ts';
import { capOf, describeCap, describeChange, formOf, writtenOf, type CapForm } from './cap-form.ts';

interface CapDialogProps {
  caps: Caps;
  /** Index of the edited cap. For a new cap, the number of existing caps. */
  at: number;
  onClose: () => void;
}

const countings = [
  { value: 'rolling', label: 'Rolling', note: 'the last 24 hours, times the days' },
  { value: 'calendar', label: 'Calendar days', note: 'today and the days before, by the clocks of the country' },
] as const;

/**
 * Form for one cap. Saving replaces all caps, at the revision that was current when the form opened: if they were
 * changed since, the API refuses to overwrite that change.
 */
export function CapDialog({ caps: opened, at, onClose }: CapDialogProps) {
  const [{ caps, revision }] = useState(opened);
  const isNew = at >= caps.length;
  const [form, setForm] = useState(() => formOf(caps[at]));
  const change = (part: Partial<CapForm>) => setForm({ ...form, ...part });
  const cap = capOf(form);
  return (
    <EditDialog
      title={isNew ? 'New cap' : 'Change the cap'}
      lead="A change applies to every batch that is claimed afterwards, also of running campaigns. Users at the cap are suppressed."
      verb={isNew ? 'Add cap' : 'Save'}
      isIncomplete={cap === undefined}
      within={`/caps/${at}`}
      save={() =>
        setCaps({
          headers: { 'if-match': `"${revision}"` },
          body: { caps: cap ? caps.map(writtenOf).toSpliced(at, 1, cap) : caps.map(writtenOf) },
          throwOnError: true,
        })
      }
      onClose={onClose}
    >
      <FormField pointer="/name" label="Name" required hint="Of a-z, 0-9 and -, such as weekly-messages">
        {(control) => (
          <TextInput {...control} value={form.name} onText={(name) => change({ name })} maxLength={64} data-autofocus />
        )}
      </FormField>
      <TypesField form={form} change={change} />
      <LimitFields form={form} change={change} />
      <CountingField form={form} change={change} />
      <FieldGroup pointer="/exempt" label="Exempt campaigns" note="neither limited nor counted">
        <CampaignChoice
          chosen={form.exempt}
          search={form.campaignSearch}
          none={{ text: 'None', verb: 'Exempt one…' }}
          onChange={({ campaigns, campaignSearch }) =>
            change({ campaignSearch, ...(campaigns && { exempt: campaigns }) })
          }
        />
      </FieldGroup>
      {cap && (
        <p className="sm t2" role="status">
          {describeCap(cap)} {describeChange(cap, caps)}
        </p>
      )}
    </EditDialog>
  );
}

interface FieldsProps {
  form: CapForm;
  change: (part: Partial<CapForm>) => void;
}

function TypesField({ form: { actionTypes }, change }: FieldsProps) {
  const types = useQuery(listActionTypesOptions());
  const names = (types.data?.items ?? []).filter(({ check }) => !check).map(({ name }) => name);
  const known = [...new Set([...names, ...actionTypes])];
  return (
    <FieldGroup pointer="/actionTypes" label="Action types" note="whose effects count together">
      <div className="flex flex-wrap gap-x-4">
        {known.map((name) => (
          <Check
            key={name}
            checked={actionTypes.includes(name)}
            onCheck={(on) =>
              change({ actionTypes: on ? [...actionTypes, name] : actionTypes.filter((each) => each !== name) })
            }
          >
            {titleOf(name)}
          </Check>
        ))}
      </div>
    </FieldGroup>
  );
}

function LimitFields({ form, change }: FieldsProps) {
  const { installation } = useSession();
  return (
    <div className="grid grid-cols-3 gap-3.5 items-start phone:grid-cols-1">
      <FormField pointer="/effects" label="At most" required hint="Effects for a user, 1 to 1,000">
        {(control) => (
          <TextInput
            {...control}
            inputMode="numeric"
            value={form.effects}
            onText={(effects) => change({ effects })}
            maxLength={5}
          />
        )}
      </FormField>
      <FormField pointer="/days" label="Within days" required hint="1 to 90">
        {(control) => (
          <TextInput
            {...control}
            inputMode="numeric"
            value={form.days}
            onText={(days) => change({ days })}
            maxLength={2}
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
    </div>
  );
}

function CountingField({ form, change }: FieldsProps) {
  return (
    <FieldGroup pointer="/counting" label="Days are counted by">
      <ChoiceBoxes
        name="cap-counting"
        choices={countings}
        chosen={form.counting}
        onChoose={(value) => change({ counting: value })}
      />
    </FieldGroup>
  );
}
