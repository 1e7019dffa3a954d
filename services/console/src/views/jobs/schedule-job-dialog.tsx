import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import * as z from 'zod/mini';
import { createJob } from '#client/sdk.gen.ts';
import type { NewJobInput } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Check, Select, TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { DueField, dueInstant } from '../../parts/jobs/due-field.tsx';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
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

export function ScheduleJobDialog({ client, clients, onClose }: ScheduleJobDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { zone } = useZone();
  const [form, setForm] = useState<JobForm>({
    ...{
      client: clients.find(client)?.name ?? client ?? '',
      url: '',
      method: 'POST',
      body: '',
      isTemplate: false,
      due: '',
      key: '',
      tags: '',
      priority: 'normal',
    },
  });
  const change = (part: Partial<JobForm>) => setForm({ ...form, ...part });
  const dueAt = dueInstant(form.due, zone);
  const isDueWrong = form.due.trim() !== '' && dueAt === null;
  const schedule = useMutation({
    mutationFn: async () => {
      const { url, method, body, isTemplate, key, priority } = form;
      const tags = form.tags.split(/[\s,]+/).filter((tag) => tag !== '');
      const job = {
        ...{ client: form.client, url: url.trim(), method },
        ...(body !== '' && { body: bodyOf(body) }),
        ...(isTemplate && { template: true }),
        ...(dueAt !== null && { dueAt }),
        ...(key !== '' && { idempotencyKey: key }),
        ...(tags.length > 0 && { tags }),
        ...(priority !== 'normal' && { priority }),
      };
      return (await createJob({ body: job, throwOnError: true })).data;
    },
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries();
      onClose();
      await navigate({ to: '/jobs/$jobId', params: { jobId: id } });
    },
  });
  const problems = useRefusedFields(schedule.error);
  const refused = schedule.error && problemOf(schedule.error);
  const names = clients.items?.map(({ name }) => name) ?? [];
  return (
    <Dialog
      title="Schedule a job"
      lead="One call at a time, signed as its client’s calls are, tried again until it is answered well."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="ink"
            disabled={schedule.isPending || form.client === '' || isDueWrong}
            onClick={() => schedule.mutate()}
          >
            {form.due.trim() === '' ? 'Call it now' : 'Schedule it'}
          </Button>
        </>
      }
    >
      <FormProblemsContext value={problems}>
        <FormField pointer="/client" label="Client" required>
          {(control) => (
            <Select
              {...control}
              value={form.client}
              placeholder={names.length === 0 ? 'There is no client yet' : 'Whose call is it?'}
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
        <FormField pointer="/priority" label="Priority" hint="Beside what else is due of its client">
          {(control) => (
            <Select
              {...control}
              value={form.priority}
              choices={jobPriorities.map((value) => ({ value, label: value }))}
              onChoose={(priority) => change({ priority })}
            />
          )}
        </FormField>
        <FormField pointer="/body" label="Body" hint="An object or a list is sent as JSON, anything else as it is">
          {(control) => <TextArea {...control} mono rows={5} value={form.body} onText={(body) => change({ body })} />}
        </FormField>
        <Check checked={form.isTemplate} onCheck={(isTemplate) => change({ isTemplate })}>
          Fill names in at each call, such as <span className="mono">{'{{jobId}}'}</span>
        </Check>
        <FormField pointer="/idempotencyKey" label="Key" hint="A second job with the same key is the same job">
          {(control) => <TextInput {...control} mono value={form.key} onText={(key) => change({ key })} />}
        </FormField>
        <FormField pointer="/tags" label="Tags" hint="To find it by, such as order-17, pay">
          {(control) => <TextInput {...control} value={form.tags} onText={(tags) => change({ tags })} />}
        </FormField>
        {refused !== null && refused.errors.length === 0 && (
          <p className="c-bad sm" role="alert">
            {refused.detail}
          </p>
        )}
      </FormProblemsContext>
    </Dialog>
  );
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
