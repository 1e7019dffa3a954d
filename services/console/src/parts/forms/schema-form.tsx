import { use, type ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { Select, TextArea, TextInput } from '../controls/controls.tsx';
import { FormField, FormProblemsContext, type ControlProps } from './form-field.tsx';
import { OptionInput } from './option-input.tsx';
import { fieldsOf, type LeafField, type SchemaField } from './schema-fields.ts';
import { otherValues, wholeValue, type FieldTexts } from './schema-values.ts';
import type { OptionsOf } from './use-options.ts';

interface SchemaFormProps {
  pointer: string;
  /** Schema of the value; undefined if the format of the value is unknown. */
  schema: unknown;
  texts: FieldTexts;
  /** True if the whole value is edited as JSON, although there are fields. */
  asJson: boolean;
  onTexts: (texts: FieldTexts) => void;
  /** Action type and countries whose known options are offered, if the form edits the parameters of an action. */
  optionsOf?: OptionsOf;
  children?: ReactNode;
}

/** A form generated from a JSON Schema. A value that fields cannot express is edited as JSON, beside the schema. */
export function SchemaForm({ pointer, schema, texts, asJson, onTexts, optionsOf, children }: SchemaFormProps) {
  const fields = asJson ? null : fieldsOf(schema);
  const put = (field: string) => (text: string) => onTexts({ ...texts, [field]: text });
  if (fields === null) {
    return (
      <>
        <JsonField pointer={pointer} schema={schema} text={texts[wholeValue] ?? ''} onText={put(wholeValue)} />
        <div className="grid grid-cols-[repeat(auto-fill,minmax(190px,1fr))] gap-3 items-start">{children}</div>
      </>
    );
  }
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(190px,1fr))] gap-3 items-start">
      <Fields fields={fields} pointer={pointer} texts={texts} put={put} optionsOf={optionsOf} />
      {texts[otherValues] !== undefined && (
        <FormField
          className="col-span-full"
          pointer={pointer}
          label="Other parameters"
          hint="The schema does not define them"
        >
          {(control) => (
            <TextArea {...control} mono rows={3} value={texts[otherValues] ?? ''} onText={put(otherValues)} />
          )}
        </FormField>
      )}
      {children}
    </div>
  );
}

interface FieldsProps {
  fields: readonly SchemaField[];
  pointer: string;
  texts: FieldTexts;
  put: (field: string) => (text: string) => void;
  optionsOf: OptionsOf | undefined;
}

function Fields({ fields, ...rest }: FieldsProps) {
  return fields.map((field) =>
    field.kind === 'group' ? (
      <fieldset key={field.pointer} className="col-span-full min-w-0 m-0 px-3 pt-2 pb-3 border border-line rounded-md">
        <legend className="px-1 text-sm leading-4 font-medium">
          {field.label} {field.hint !== '' && <span className="t3">{field.hint}</span>}
        </legend>
        <div className="grid grid-cols-[repeat(auto-fill,minmax(190px,1fr))] gap-3 items-start">
          <Fields fields={field.fields} {...rest} />
        </div>
      </fieldset>
    ) : (
      <Leaf key={field.pointer} field={field} {...rest} />
    ),
  );
}

function Leaf({ field, pointer, texts, put, optionsOf }: { field: LeafField } & Omit<FieldsProps, 'fields'>) {
  const { label, hint, required, isDeprecated } = field;
  const wide = field.kind === 'json' || field.kind === 'list' ? 'col-span-full' : undefined;
  return (
    <FormField
      pointer={`${pointer}${field.pointer}`}
      label={label}
      required={required}
      className={wide}
      note={isDeprecated ? 'deprecated' : undefined}
      hint={hint === '' ? undefined : hint}
    >
      {(control) => (
        <LeafControl {...{ field, control, optionsOf }} text={texts[field.pointer] ?? ''} onText={put(field.pointer)} />
      )}
    </FormField>
  );
}

interface LeafControlProps {
  field: LeafField;
  control: ControlProps;
  text: string;
  onText: (text: string) => void;
  optionsOf: OptionsOf | undefined;
}

function LeafControl({ field, control, text, onText, optionsOf }: LeafControlProps) {
  const { placeholder, pointer } = field;
  const isListed = field.listedAt !== '';
  // A number without listed options is a quantity: values of earlier campaigns do not help.
  if (optionsOf && (field.kind === 'text' || (field.kind === 'number' && isListed))) {
    const inputMode = field.kind === 'number' ? 'decimal' : undefined;
    return (
      <OptionInput
        parameter={{ ...optionsOf, pointer }}
        {...{ control, isListed, text, placeholder, inputMode, onText }}
      />
    );
  }
  switch (field.kind) {
    case 'text':
      return <TextInput {...control} value={text} placeholder={placeholder} onText={onText} />;
    case 'number':
      return <TextInput {...control} inputMode="decimal" value={text} placeholder={placeholder} onText={onText} />;
    case 'boolean':
      return <Optional {...{ control, text, onText }} choices={yesOrNo} isRequired={field.required} />;
    case 'choice':
      return <Optional {...{ control, text, onText }} choices={field.options} isRequired={field.required} />;
    case 'list':
      return <TextArea {...control} rows={3} value={text} placeholder={placeholder} onText={onText} />;
    case 'json':
      return (
        <>
          <TextArea {...control} mono rows={3} value={text} placeholder={placeholder} onText={onText} />
          <SchemaText schema={field.schema} />
        </>
      );
  }
}

const yesOrNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];
const nothing = { value: '', label: 'Not set' };

interface OptionalProps {
  control: ControlProps;
  text: string;
  onText: (text: string) => void;
  choices: readonly { value: string; label: string }[];
  isRequired: boolean;
}

function Optional({ control, text, onText, choices, isRequired }: OptionalProps) {
  if (isRequired) return <Select {...control} value={text} choices={choices} placeholder="Choose…" onChoose={onText} />;
  return <Select {...control} value={text} choices={[nothing, ...choices]} onChoose={onText} />;
}

interface JsonFieldProps {
  pointer: string;
  schema: unknown;
  text: string;
  onText: (text: string) => void;
}

function JsonField({ pointer, schema, text, onText }: JsonFieldProps) {
  const problems = use(FormProblemsContext);
  const format = () => {
    try {
      onText(JSON.stringify(JSON.parse(text), null, 2));
    } catch {
      problems.onLeave(pointer);
    }
  };
  const hint = schema === undefined ? 'Its action type has no schema: any JSON object is accepted' : undefined;
  return (
    <div className="grid justify-items-start gap-1.5 *:first:w-full">
      <FormField pointer={pointer} label="Parameters" note="as JSON" hint={hint}>
        {(control) => <TextArea {...control} mono rows={5} value={text} placeholder="{}" onText={onText} />}
      </FormField>
      <Button small onClick={format} disabled={text.trim() === ''}>
        Format
      </Button>
      {schema !== undefined && <SchemaText schema={schema} />}
    </div>
  );
}

function SchemaText({ schema }: { schema: unknown }) {
  return (
    <details className="w-full">
      <summary className="text-sm leading-6 t2 cursor-pointer">Schema</summary>
      <pre className="bytes mt-1 max-h-55" tabIndex={0}>
        {JSON.stringify(schema, null, 2)}
      </pre>
    </details>
  );
}
