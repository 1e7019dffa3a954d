import { useState } from 'react';
import { changeActionType, createActionType } from '#client/sdk.gen.ts';
import type { ActionType } from '#client/types.gen.ts';
import { Check, Select, TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { ChoiceBoxes } from '../../parts/forms/choice-boxes.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FieldGroup, FormField } from '../../parts/forms/form-field.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { classEffects, type ContractClass } from './contract-class.ts';
import {
  findChanges,
  createDefinition,
  createTypeForm,
  moreNumberFields,
  numberFields,
  findFormErrors,
  type TypeForm,
} from './type-form.ts';

interface TypeDialogProps {
  type: ActionType | null;
  onSaved: (name: string) => void;
  onClose: () => void;
}

/** Form for an action type. For an existing type, only the changed fields are sent. */
export function TypeDialog({ type, onSaved, onClose }: TypeDialogProps) {
  const [first] = useState(() => createTypeForm(type));
  const [form, setForm] = useState(first);
  const changed = Object.keys(findChanges(form, first)).length;
  const save = async () => {
    if (type === null) return (await createActionType({ body: createDefinition(form), throwOnError: true })).data;
    const [path, headers] = [{ name: type.name }, { 'if-match': `"${type.revision}"` }];
    return (await changeActionType({ path, headers, body: findChanges(form, first), throwOnError: true })).data;
  };
  const change = (part: Partial<TypeForm>) => setForm({ ...form, ...part });
  return (
    <EditDialog
      title={type === null ? 'Register a type' : `Edit ${type.name}`}
      lead={
        type === null
          ? 'A batch endpoint of another team. Campaigns can use it about a second later, once workers have loaded it.'
          : 'Workers use the new settings about a second later, also in active runs.'
      }
      isWide
      verb={type === null ? 'Register' : `Change ${changed === 0 ? 'it' : countOf(changed, 'field')}`}
      note={type === null ? 'No call is made now. Run the endpoint check afterwards.' : undefined}
      isIncomplete={type !== null && changed === 0}
      wrong={findFormErrors(form)}
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
          <FormField pointer="/name" label="Name" required hint="Such as give-voucher. It is also part of topic names">
            {(control) => (
              <TextInput {...control} value={form.name} onText={(name) => onChange({ name })} data-autofocus />
            )}
          </FormField>
        )}
        <FormField pointer="/price" label="Price per user" hint="A decimal such as 0.05. Empty: costs are not counted">
          {(control) => (
            <TextInput {...control} inputMode="decimal" value={form.price} onText={(price) => onChange({ price })} />
          )}
        </FormField>
      </div>
      <FormField
        pointer="/title"
        label="Title"
        hint="Shown instead of the name, such as Give a voucher. Empty: derived from the name"
      >
        {(control) => <TextInput {...control} value={form.title} onText={(title) => onChange({ title })} />}
      </FormField>
      <FormField pointer="/description" label="Description" hint="What the action does for a user">
        {(control) => (
          <TextInput {...control} value={form.description} onText={(description) => onChange({ description })} />
        )}
      </FormField>
      <FormField pointer="/url" label="Address" required hint="Without user name and password: set secrets separately">
        {(control) => <TextInput {...control} mono value={form.url} onText={(url) => onChange({ url })} />}
      </FormField>
      {isNew && (
        <FieldGroup pointer="/check" label="Kind" isLabelHidden>
          <Check
            checked={form.check}
            onCheck={(check) => onChange({ check, ...(check && { class: 'A', receipts: false }) })}
          >
            A check: called before steps that use it, never a step itself
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
      <FieldGroup pointer="/class" label="How does it handle repeats?">
        <ChoiceBoxes
          name="contract-class"
          choices={classes.map((each) => ({ value: each, label: each, note: classEffects[each] }))}
          chosen={form.class}
          onChoose={(each) => onChange({ class: each })}
        />
      </FieldGroup>
      {form.class === 'C' && (
        <div className="grid grid-cols-[1fr_200px] gap-3.5 items-start phone:grid-cols-1">
          <FormField pointer="/statusUrl" label="Status address" required hint="Returns the outcomes of users">
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
  { value: 'full', label: 'full: a result for each user' },
  { value: 'compact', label: 'compact: only users who did not succeed' },
] as const;

function More({ form, onChange }: FieldsProps) {
  return (
    <details>
      <summary className="cursor-pointer font-medium">Parameters, retries and more</summary>
      <div className="grid gap-3.5 mt-3">
        <NumberFields fields={moreNumberFields} form={form} onChange={onChange} />
        <FormField pointer="/answerForm" label="Response format">
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
            A 503 without Retry-After means that nothing was applied
          </Check>
          <Check checked={form.understandsTest} onCheck={(understandsTest) => onChange({ understandsTest })}>
            It supports tests: it responds as usual, without any effect
          </Check>
          {!form.check && (
            <Check checked={form.receipts} onCheck={(receipts) => onChange({ receipts })}>
              It responds with 202 and reports outcomes by receipts
            </Check>
          )}
        </div>
        {!form.check && (
          <FormField
            pointer="/previewUrl"
            label="Preview address"
            hint="Returns the message of one user before a start"
          >
            {(control) => (
              <TextInput {...control} mono value={form.previewUrl} onText={(previewUrl) => onChange({ previewUrl })} />
            )}
          </FormField>
        )}
        <FormField
          pointer="/paramsSchema"
          label="Parameter schema"
          hint="JSON Schema. The campaign editor builds a form from it"
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
