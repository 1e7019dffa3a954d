import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import * as z from 'zod/mini';
import { createJob } from '#client/sdk.gen.ts';
import type { NewJobInput } from '#client/types.gen.ts';
import { Check, Select, TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { DueField, dueInstant } from '../../parts/jobs/due-field.tsx';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { useZone } from '../../parts/times/zone.ts';
import { jobPriorities } from './search.ts';

const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'] as const;

interface ScheduleJobDialogProps {
  client: string | undefined;
  clients: Clients;
  onClose: () => void;
}

interface JobForm {
  client: string;
  url: string;
  method: (typeof methods)[number];
  body: string;
  isTemplate: boolean;
  due: string;
  key: string;
  tags: string;
  priority: (typeof jobPriorities)[number];
}

const emptyForm: JobForm = {
  client: '',
  url: '',
  method: 'POST',
  body: '',
  isTemplate: false,
  due: '',
  key: '',
  tags: '',
  priority: 'normal',
};

export function ScheduleJobDialog({ client, clients, onClose }: ScheduleJobDialogProps) {
  const navigate = useNavigate();
  const { zone } = useZone();
  const [form, setForm] = useState<JobForm>({ ...emptyForm, client: clients.find(client)?.name ?? client ?? '' });
  const change = (part: Partial<JobForm>) => setForm({ ...form, ...part });
  const dueAt = dueInstant(form.due, zone);
  const isAtOnce = form.due.trim() === '';
  return (
    <EditDialog
      title="Schedule a job"
      lead="One call at a given time, signed with the keys of its client and retried until it succeeds."
      verb={isAtOnce ? 'Call it now' : 'Schedule it'}
      isIncomplete={form.client === '' || (!isAtOnce && dueAt === null)}
      save={async () => (await createJob({ body: jobOf(form, dueAt), throwOnError: true })).data}
      onSaved={({ id }) => void navigate({ to: '/jobs/$jobId', params: { jobId: id } })}
      onClose={onClose}
    >
      <CallFields form={form} change={change} clients={clients} />
      <ContentFields form={form} change={change} />
    </EditDialog>
  );
}

interface FieldsProps {
  form: JobForm;
  change: (part: Partial<JobForm>) => void;
}

function CallFields({ form, change, clients }: FieldsProps & { clients: Clients }) {
  const names = clients.items?.map(({ name }) => name) ?? [];
  return (
    <>
      <FormField pointer="/client" label="Client" required>
        {(control) => (
          <Select
            {...control}
            value={form.client}
            placeholder={names.length === 0 ? 'No clients yet' : 'Choose a client'}
            choices={names.map((name) => ({ value: name, label: name }))}
            onChoose={(value) => change({ client: value })}
          />
        )}
      </FormField>
      <div className="grid grid-cols-[96px_minmax(0,1fr)] gap-3">
        <FormField pointer="/method" label="Method">
          {(control) => (
            <Select
              {...control}
              value={form.method}
              choices={methods.map((method) => ({ value: method, label: method }))}
              onChoose={(method) => change({ method })}
            />
          )}
        </FormField>
        <FormField pointer="/url" label="URL" required>
          {(control) => <TextInput {...control} mono value={form.url} onText={(url) => change({ url })} />}
        </FormField>
      </div>
      <DueField label="Due" hint="Empty: at once" value={form.due} onText={(due) => change({ due })} />
      <FormField pointer="/priority" label="Priority" hint="Among the due jobs of its client">
        {(control) => (
          <Select
            {...control}
            value={form.priority}
            choices={jobPriorities.map((value) => ({ value, label: value }))}
            onChoose={(priority) => change({ priority })}
          />
        )}
      </FormField>
    </>
  );
}

function ContentFields({ form, change }: FieldsProps) {
  return (
    <>
      <FormField pointer="/body" label="Body" hint="Objects and lists are sent as JSON, anything else unchanged">
        {(control) => <TextArea {...control} mono rows={5} value={form.body} onText={(body) => change({ body })} />}
      </FormField>
      <Check checked={form.isTemplate} onCheck={(isTemplate) => change({ isTemplate })}>
        Fill in variables at each call, such as <span className="mono">{'{{jobId}}'}</span>
      </Check>
      <FormField pointer="/idempotencyKey" label="Key" hint="Requests with the same key create one job">
        {(control) => <TextInput {...control} mono value={form.key} onText={(key) => change({ key })} />}
      </FormField>
      <FormField pointer="/tags" label="Tags" hint="For searching, such as order-17, pay">
        {(control) => <TextInput {...control} value={form.tags} onText={(tags) => change({ tags })} />}
      </FormField>
    </>
  );
}

/** Returns the request of a form. Empty fields are left out, so that the API's defaults hold. */
function jobOf({ client, url, method, body, isTemplate, key, priority, ...form }: JobForm, dueAt: string | null) {
  const tags = form.tags.split(/[\s,]+/).filter((tag) => tag !== '');
  return {
    client,
    url: url.trim(),
    method,
    ...(body !== '' && { body: bodyOf(body) }),
    ...(isTemplate && { template: true }),
    ...(dueAt !== null && { dueAt }),
    ...(key !== '' && { idempotencyKey: key }),
    ...(tags.length > 0 && { tags }),
    ...(priority !== 'normal' && { priority }),
  };
}

/** Parses a body as JSON. A body that is not JSON is sent as text, and the API validates it. */
function bodyOf(text: string): NonNullable<NewJobInput['body']> {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null
      ? z.parse(z.custom<NonNullable<NewJobInput['body']>>(), read)
      : text;
  } catch {
    return text;
  }
}
