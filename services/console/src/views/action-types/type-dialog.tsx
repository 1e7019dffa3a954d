import { useState } from 'react';
import { changeActionType, createActionType } from '#client/sdk.gen.ts';
import type { ActionType } from '#client/types.gen.ts';
import { Check, Select, TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FieldGroup, FormField } from '../../parts/forms/form-field.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { classSaid, type ContractClass } from './class-words.ts';
import {
  changesOf,
  definitionOf,
  formOf,
  moreNumberFields,
  numberFields,
  wrongIn,
  type TypeForm,
} from './type-form.ts';

interface TypeDialogProps {
  type: ActionType | null;
  onSaved: (name: string) => void;
  onClose: () => void;
}

/** Form for an action type. For an existing type, only the changed fields are sent. */
export function TypeDialog({ type, onSaved, onClose }: TypeDialogProps) {
  const [first] = useState(() => formOf(type));
  const [form, setForm] = useState(first);
  const changed = Object.keys(changesOf(form, first)).length;
  const save = async () => {
    if (type === null) return (await createActionType({ body: definitionOf(form), throwOnError: true })).data;
    const [path, headers] = [{ name: type.name }, { 'if-match': `"${type.revision}"` }];
    return (await changeActionType({ path, headers, body: changesOf(form, first), throwOnError: true })).data;
  };
  const change = (part: Partial<TypeForm>) => setForm({ ...form, ...part });
  return (
    <EditDialog
      title={type === null ? 'Register a type' : `Edit ${type.name}`}
      lead={
        type === null
          ? 'One batch endpoint of another team. Campaigns may use it once workers have taken it, about a second later.'
          : 'Workers call by it from about a second later on, in runs that go on too.'
      }
      isWide
      verb={type === null ? 'Register' : `Change ${changed === 0 ? 'it' : countOf(changed, 'field')}`}
      note={type === null ? 'Nothing is called now. Check its promises afterwards.' : undefined}
      isIncomplete={type !== null && changed === 0}
      wrong={wrongIn(form)}
      save={save}
      onSaved={({ name }) => onSaved(name)}
      onClose={onClose}
    >
      <Basics form={form} isNew={type === null} onChange={change} />
      <ClassField form={form} onChange={change} />
      <NumberFields fields={numberFields} form={form} onChange={change} />
      <More form={form} onChange={change} />
    </EditDialog>
  );
}

interface FieldsProps {
  form: TypeForm;
  onChange: (part: Partial<TypeForm>) => void;
}

function Basics({ form, isNew, onChange }: FieldsProps & { isNew: boolean }) {
  return (
    <>
      <div className="grid grid-cols-2 gap-3.5 items-start phone:grid-cols-1">
        {isNew && (
          <FormField pointer="/name" label="Name" required hint="Such as give-voucher; also part of topics’ names">
            {(control) => (
              <TextInput {...control} value={form.name} onText={(name) => onChange({ name })} data-autofocus />
            )}
          </FormField>
        )}
        <FormField pointer="/price" label="Price of one" hint="A decimal such as 0.05; empty: none is counted">
          {(control) => (
            <TextInput {...control} inputMode="decimal" value={form.price} onText={(price) => onChange({ price })} />
          )}
        </FormField>
      </div>
      <FormField
        pointer="/title"
        label="Title"
        hint="Campaign managers read it in place of the name, such as Give a voucher; empty: the name in words"
      >
        {(control) => <TextInput {...control} value={form.title} onText={(title) => onChange({ title })} />}
      </FormField>
      <FormField pointer="/description" label="Description" hint="What it does for a user, in plain words">
        {(control) => (
          <TextInput {...control} value={form.description} onText={(description) => onChange({ description })} />
        )}
      </FormField>
      <FormField pointer="/url" label="Address" required hint="Without user and password: secrets are set apart">
        {(control) => <TextInput {...control} mono value={form.url} onText={(url) => onChange({ url })} />}
      </FormField>
      {isNew && (
        <FieldGroup pointer="/check" label="What it is" isLabelHidden>
          <Check
            checked={form.check}
            onCheck={(check) => onChange({ check, ...(check && { class: 'A', receipts: false }) })}
          >
            A check: asked before steps that name it, never a step itself
          </Check>
        </FieldGroup>
      )}
    </>
  );
}

const classes: readonly ContractClass[] = ['A', 'B', 'C', 'D'];

function ClassField({ form, onChange }: FieldsProps) {
  if (form.check) return null;
  return (
    <>
      <FieldGroup pointer="/class" label="What does it do with a repeat?">
        <div className="grid gap-1.5">
          {classes.map((each) => (
            <label
              key={each}
              className={`box flex gap-2.5 py-1.5 px-2.5 cursor-pointer ${form.class === each ? 'border-ink bg-sunken' : ''}`}
            >
              <input
                type="radio"
                name="contract-class"
                className="accent-ink mt-0.75"
                checked={form.class === each}
                onChange={() => onChange({ class: each })}
              />
              <span>
                <b>{each}</b> <span className="t2 sm">{classSaid[each]}</span>
              </span>
            </label>
          ))}
        </div>
      </FieldGroup>
      {form.class === 'C' && (
        <div className="grid grid-cols-[1fr_200px] gap-3.5 items-start phone:grid-cols-1">
          <FormField pointer="/statusUrl" label="Status address" required hint="Where outcomes of users are asked for">
            {(control) => (
              <TextInput {...control} mono value={form.statusUrl} onText={(statusUrl) => onChange({ statusUrl })} />
            )}
          </FormField>
          <FormField pointer="/appliesLateSeconds" label="Applied late" required hint="At least the time-out">
            {(control) => (
              <TextInput
                {...control}
                inputMode="numeric"
                unit="s"
                value={form.appliesLateSeconds}
                onText={(appliesLateSeconds) => onChange({ appliesLateSeconds })}
              />
            )}
          </FormField>
        </div>
      )}
    </>
  );
}

function NumberFields({
  fields,
  form,
  onChange,
}: FieldsProps & { fields: typeof numberFields | typeof moreNumberFields }) {
  return (
    <div className="grid grid-cols-3 gap-3.5 items-start phone:grid-cols-1">
      {fields.map(({ name, pointer, label, unit, hint }) => (
        <FormField key={name} pointer={pointer} label={label} hint={hint}>
          {(control) => (
            <TextInput
              {...control}
              inputMode="decimal"
              {...(unit !== '' && { unit })}
              value={form[name]}
              onText={(text) => onChange({ [name]: text })}
            />
          )}
        </FormField>
      ))}
    </div>
  );
}

const forms = [
  { value: 'full', label: 'full: each user with a result' },
  { value: 'compact', label: 'compact: only who did not succeed' },
] as const;

function More({ form, onChange }: FieldsProps) {
  return (
    <details>
      <summary className="cursor-pointer font-medium">Parameters, retries and more</summary>
      <div className="grid gap-3.5 mt-3">
        <NumberFields fields={moreNumberFields} form={form} onChange={onChange} />
        <FormField pointer="/answerForm" label="It answers">
          {(control) => (
            <Select
              {...control}
              value={form.answerForm}
              choices={forms}
              onChoose={(answerForm) => onChange({ answerForm })}
            />
          )}
        </FormField>
        <div className="grid gap-1">
          <Check
            checked={form.unavailableMeansNotApplied}
            onCheck={(unavailableMeansNotApplied) => onChange({ unavailableMeansNotApplied })}
          >
            A 503 without Retry-After says that nothing was applied
          </Check>
          <Check checked={form.understandsTest} onCheck={(understandsTest) => onChange({ understandsTest })}>
            It understands tests: answers as it would, and gives nothing
          </Check>
          {!form.check && (
            <Check checked={form.receipts} onCheck={(receipts) => onChange({ receipts })}>
              It answers 202, and says by receipts what became of each user
            </Check>
          )}
        </div>
        <FormField
          pointer="/paramsSchema"
          label="Schema of its parameters"
          hint="JSON Schema; the editor makes a form of it"
        >
          {(control) => (
            <TextArea
              {...control}
              mono
              rows={6}
              value={form.paramsSchema}
              onText={(paramsSchema) => onChange({ paramsSchema })}
            />
          )}
        </FormField>
      </div>
    </details>
  );
}
