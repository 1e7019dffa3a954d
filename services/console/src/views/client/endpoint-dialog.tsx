import { useState } from 'react';
import { changeClientEndpoint, createClientEndpoint } from '#client/sdk.gen.ts';
import type { Client, ClientEndpoint } from '#client/types.gen.ts';
import { Select, TextInput } from '../../parts/controls/controls.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { defaultEndpoint } from '../../parts/jobs/default-endpoint.ts';
import { countOf } from '../../parts/words/numbers.ts';
import {
  findChanges,
  endpointNumbers,
  createEndpointForm,
  createEndpoint,
  strategyNumbers,
  findFormErrors,
  type EndpointForm,
} from './endpoint-form.ts';

interface EndpointDialogProps {
  client: Client;
  endpoint: ClientEndpoint | null;
  onClose: () => void;
}

const strategies = [
  { value: 'none', label: 'never' },
  { value: 'fixed', label: 'at a fixed interval' },
  { value: 'exponential', label: 'with growing delays' },
] as const;

const goneChoices = [
  { value: 'dead-letter', label: 'the job is dead' },
  { value: 'sideline', label: 'all jobs of the host are sidelined' },
] as const;

/**
 * Form for an endpoint, also for `default`. Only changed fields are sent. The API refuses them if the endpoint was
 * changed meanwhile.
 */
export function EndpointDialog({ client, endpoint, onClose }: EndpointDialogProps) {
  const isDefault = endpoint?.name === defaultEndpoint;
  const defaultLabel = isDefault ? 'as usual' : 'as default';
  const defaultChoice = { value: 'followed', label: defaultLabel } as const;
  const [first] = useState(() => createEndpointForm(endpoint));
  const [form, setForm] = useState(first);
  const change = (part: Partial<EndpointForm>) => setForm({ ...form, ...part });
  const changed = Object.keys(findChanges(form, first)).length;
  const save = () =>
    endpoint === null
      ? createClientEndpoint({ path: { id: client.id }, body: createEndpoint(form), throwOnError: true })
      : changeClientEndpoint({
          path: { id: client.id, endpoint: endpoint.name },
          headers: { 'if-match': `"${endpoint.revision}"` },
          body: findChanges(form, first),
          throwOnError: true,
        });
  return (
    <EditDialog
      title={endpoint === null ? `New endpoint of ${client.name}` : `Change ${endpoint.name}`}
      lead={
        endpoint === null
          ? 'Empty fields use the settings of default, also after default changes.'
          : 'Settings apply within a second, also to waiting jobs. A new address applies only to new jobs and schedules.'
      }
      isWide
      verb={endpoint === null ? 'Create' : `Change ${changed === 0 ? 'it' : countOf(changed, 'field')}`}
      isIncomplete={endpoint !== null && changed === 0}
      wrong={findFormErrors(form)}
      save={save}
      onClose={onClose}
    >
      {endpoint === null && (
        <FormField pointer="/name" label="Name" required hint="Lowercase letters, digits, - and ., such as billing">
          {(control) => <TextInput {...control} value={form.name} onText={(name) => change({ name })} data-autofocus />}
        </FormField>
      )}
      <FormField
        pointer="/url"
        label="Address"
        required={!isDefault}
        hint={
          isDefault
            ? 'For jobs that name default without an address. Empty: each job needs its own'
            : 'For jobs of this endpoint without an address. No query: credentials do not belong in the address'
        }
      >
        {(control) => <TextInput {...control} mono value={form.url} onText={(url) => change({ url })} />}
      </FormField>
      <NumberFields fields={endpointNumbers} defaultLabel={defaultLabel} form={form} onChange={change} />
      <div className="grid grid-cols-2 gap-3 items-start phone:grid-cols-1">
        <FormField pointer="/retry" label="Retry failed calls">
          {(control) => (
            <Select
              {...control}
              value={form.strategy === '' ? 'followed' : form.strategy}
              choices={[defaultChoice, ...strategies]}
              onChoose={(chosen) => change({ strategy: chosen === 'followed' ? '' : chosen })}
            />
          )}
        </FormField>
        <FormField pointer="/onGone" label="After a 410 response">
          {(control) => (
            <Select
              {...control}
              value={form.onGone === '' ? 'followed' : form.onGone}
              choices={[defaultChoice, ...goneChoices]}
              onChoose={(chosen) => change({ onGone: chosen === 'followed' ? '' : chosen })}
            />
          )}
        </FormField>
      </div>
      <NumberFields fields={strategyNumbers[form.strategy]} defaultLabel={defaultLabel} form={form} onChange={change} />
      <FormField
        pointer="/finalCodes"
        label="Final status codes"
        hint={`A job is not retried after these codes, such as 400, 404. Empty: ${defaultLabel}`}
      >
        {(control) => (
          <TextInput {...control} value={form.finalCodes} onText={(finalCodes) => change({ finalCodes })} />
        )}
      </FormField>
    </EditDialog>
  );
}

interface NumberFieldsProps {
  defaultLabel: string;
  fields: typeof endpointNumbers | (typeof strategyNumbers)[EndpointForm['strategy']];
  form: EndpointForm;
  onChange: (part: Partial<EndpointForm>) => void;
}

function NumberFields({ fields, defaultLabel, form, onChange }: NumberFieldsProps) {
  if (fields.length === 0) return null;
  return (
    <div className="grid grid-cols-3 gap-3 items-start phone:grid-cols-1">
      {fields.map(({ name, pointer, label, unit }) => (
        <FormField key={name} pointer={pointer} label={label} hint={`Empty: ${defaultLabel}`}>
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
