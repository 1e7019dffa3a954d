import { useState } from 'react';
import { changeClientEndpoint, createClientEndpoint } from '#client/sdk.gen.ts';
import type { Client, ClientEndpoint } from '#client/types.gen.ts';
import { Select, TextInput } from '../../parts/controls/controls.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { defaultEndpoint } from '../../parts/jobs/default-endpoint.ts';
import { countOf } from '../../parts/words/numbers.ts';
import {
  changesOf,
  endpointNumbers,
  formOf,
  newEndpointOf,
  strategyNumbers,
  wrongIn,
  type EndpointForm,
} from './endpoint-form.ts';

interface EndpointDialogProps {
  client: Client;
  endpoint: ClientEndpoint | null;
  onClose: () => void;
}

const strategies = [
  { value: 'none', label: 'never' },
  { value: 'fixed', label: 'after the same time' },
  { value: 'exponential', label: 'ever later' },
] as const;

const gone = [
  { value: 'dead-letter', label: 'gives that job up' },
  { value: 'sideline', label: 'puts all jobs for that host aside' },
] as const;

/** Form for an endpoint, also for `default`. Only changed fields are sent. The API refuses them if the endpoint was changed meanwhile. */
export function EndpointDialog({ client, endpoint, onClose }: EndpointDialogProps) {
  const isDefault = endpoint?.name === defaultEndpoint;
  const followed = isDefault ? 'as usual' : 'as default';
  const left = { value: 'followed', label: followed } as const;
  const [first] = useState(() => formOf(endpoint));
  const [form, setForm] = useState(first);
  const change = (part: Partial<EndpointForm>) => setForm({ ...form, ...part });
  const changed = Object.keys(changesOf(form, first)).length;
  const save = () =>
    endpoint === null
      ? createClientEndpoint({ path: { id: client.id }, body: newEndpointOf(form), throwOnError: true })
      : changeClientEndpoint({
          path: { id: client.id, endpoint: endpoint.name },
          headers: { 'if-match': `"${endpoint.revision}"` },
          body: changesOf(form, first),
          throwOnError: true,
        });
  return (
    <EditDialog
      title={endpoint === null ? `New endpoint of ${client.name}` : `Change ${endpoint.name}`}
      lead={
        endpoint === null
          ? 'What is left empty follows default, also when that changes.'
          : 'Its rules hold for what waits too, within a second; another address is for jobs and schedules to come.'
      }
      isWide
      verb={endpoint === null ? 'Make it' : `Change ${changed === 0 ? 'it' : countOf(changed, 'field')}`}
      isIncomplete={endpoint !== null && changed === 0}
      wrong={wrongIn(form)}
      save={save}
      onClose={onClose}
    >
      {endpoint === null && (
        <FormField pointer="/name" label="Name" required hint="Small letters, digits, - and ., such as billing">
          {(control) => <TextInput {...control} value={form.name} onText={(name) => change({ name })} data-autofocus />}
        </FormField>
      )}
      <FormField
        pointer="/url"
        label="Address"
        required={!isDefault}
        hint={
          isDefault
            ? 'Of jobs that name default and no address; empty: each job has its own'
            : 'Of jobs that name the endpoint and no address; without query: what opens a receiver is no part of it'
        }
      >
        {(control) => <TextInput {...control} mono value={form.url} onText={(url) => change({ url })} />}
      </FormField>
      <NumberFields fields={endpointNumbers} followed={followed} form={form} onChange={change} />
      <div className="grid grid-cols-2 gap-3 items-start phone:grid-cols-1">
        <FormField pointer="/retry" label="A call that failed is tried again">
          {(control) => (
            <Select
              {...control}
              value={form.strategy === '' ? 'followed' : form.strategy}
              choices={[left, ...strategies]}
              onChoose={(chosen) => change({ strategy: chosen === 'followed' ? '' : chosen })}
            />
          )}
        </FormField>
        <FormField pointer="/onGone" label="An answer 410">
          {(control) => (
            <Select
              {...control}
              value={form.onGone === '' ? 'followed' : form.onGone}
              choices={[left, ...gone]}
              onChoose={(chosen) => change({ onGone: chosen === 'followed' ? '' : chosen })}
            />
          )}
        </FormField>
      </div>
      <NumberFields fields={strategyNumbers[form.strategy]} followed={followed} form={form} onChange={change} />
      <FormField
        pointer="/finalCodes"
        label="Final answers"
        hint={`Codes after which a job is given up at once, such as 400, 404; empty: ${followed}`}
      >
        {(control) => (
          <TextInput {...control} value={form.finalCodes} onText={(finalCodes) => change({ finalCodes })} />
        )}
      </FormField>
    </EditDialog>
  );
}

interface NumberFieldsProps {
  followed: string;
  fields: typeof endpointNumbers | (typeof strategyNumbers)[EndpointForm['strategy']];
  form: EndpointForm;
  onChange: (part: Partial<EndpointForm>) => void;
}

function NumberFields({ fields, followed, form, onChange }: NumberFieldsProps) {
  if (fields.length === 0) return null;
  return (
    <div className="grid grid-cols-3 gap-3 items-start phone:grid-cols-1">
      {fields.map(({ name, pointer, label, unit }) => (
        <FormField key={name} pointer={pointer} label={label} hint={`Empty: ${followed}`}>
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
