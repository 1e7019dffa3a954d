import { useId } from 'react';
import { Button } from '../../parts/controls/button.tsx';
import { Select, TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { createVariable, variableTypes, type VariableForm } from './template-form.ts';

interface VariablesFieldProps {
  variables: readonly VariableForm[];
  onChange: (variables: readonly VariableForm[]) => void;
}

const choices = variableTypes.map((value) => ({ value, label: value }));
const maxVariables = 50;

export function VariablesField({ variables, onChange }: VariablesFieldProps) {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id} className="grid gap-2">
      <span className="lab mb-0" id={id}>
        Variables <span className="t3">values to choose for each campaign</span>
      </span>
      {variables.map((variable, index) => (
        <VariableFields
          key={variable.key}
          variable={variable}
          onChange={(changed) => onChange(variables.with(index, changed))}
          onRemove={() => onChange(variables.filter((each) => each !== variable))}
        />
      ))}
      {variables.length < maxVariables && (
        <div className="phone:[&_button]:h-10">
          <Button small icon="plus" onClick={() => onChange([...variables, createVariable(variables)])}>
            Variable
          </Button>
        </div>
      )}
    </div>
  );
}

interface VariableFieldsProps {
  variable: VariableForm;
  onChange: (variable: VariableForm) => void;
  onRemove: () => void;
}

function VariableFields({ variable, onChange, onRemove }: VariableFieldsProps) {
  const { name, type, description, defaultText, oneOf, bounds } = variable;
  const pointer = `/variables/${name}`;
  const change = (part: Partial<VariableForm>) => onChange({ ...variable, ...part });
  const others = Object.entries(bounds).map(([word, value]) => `${word} ${String(value)}`);
  return (
    <div role="group" aria-label={`Variable ${name}`} className="box grid gap-2.5 p-3">
      <div className="grid grid-cols-[1fr_124px_auto] gap-2.5 items-end phone:grid-cols-[1fr_auto]">
        <FormField pointer={`${pointer}/name`} label="Name" required>
          {(control) => (
            <TextInput
              {...control}
              mono
              value={name}
              placeholder="reward"
              onText={(text) => change({ name: text.trim() })}
            />
          )}
        </FormField>
        <FormField pointer={`${pointer}/type`} label="Type" className="phone:order-last phone:col-span-full">
          {(control) => (
            <Select {...control} value={type} choices={choices} onChoose={(chosen) => change({ type: chosen })} />
          )}
        </FormField>
        <Button icon="x" kind="ghost" label={`Remove the variable ${name}`} onClick={onRemove} />
      </div>
      <div className="grid grid-cols-2 gap-2.5 items-start phone:grid-cols-1">
        <FormField pointer={`${pointer}/default`} label="Default value" hint="Empty: the value is required">
          {(control) => <TextInput {...control} value={defaultText} onText={(text) => change({ defaultText: text })} />}
        </FormField>
        <FormField pointer={`${pointer}/description`} label="Description">
          {(control) => <TextInput {...control} value={description} onText={(text) => change({ description: text })} />}
        </FormField>
        <FormField
          pointer={`${pointer}/enum`}
          label="Allowed values"
          note="one per line"
          className="col-span-full"
          hint={others.length === 0 ? 'Empty: any value of the type' : `Also: ${others.join(', ')}`}
        >
          {(control) => <TextArea {...control} rows={2} value={oneOf} onText={(text) => change({ oneOf: text })} />}
        </FormField>
      </div>
    </div>
  );
}
