import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createSchedule } from '#client/sdk.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { describeCron } from '../../parts/when/cron-words.ts';
import { DaysOffFields } from '../../parts/when/days-off-fields.tsx';
import { NextFires } from '../../parts/when/next-fires.tsx';
import { SpanField } from '../../parts/when/span-field.tsx';
import { defaultWhen, scheduleOf, type Misfire, type Overlap, type WhenForm } from '../../parts/when/when-form.ts';
import { ZoneField } from '../../parts/when/zone-field.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Select, TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../parts/forms/use-form-errors.ts';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { useZone } from '../../parts/times/zone.ts';

interface NewScheduleDialogProps {
  clients: Clients;
  client: string | undefined;
  onCreated: (id: string) => void;
  onClose: () => void;
}

interface TargetForm {
  name: string;
  client: string;
  url: string;
  body: string;
  groups: string;
}

const misfires: readonly { value: Misfire; label: string }[] = [
  { value: 'fire-once', label: 'Fire once for all missed fires' },
  { value: 'fire-all', label: 'Fire late for each' },
  { value: 'skip', label: 'Do not fire' },
];
const overlaps: readonly { value: Overlap; label: string }[] = [
  { value: 'allow', label: 'Fire in parallel' },
  { value: 'skip', label: 'Skip the new fire' },
  { value: 'buffer-one', label: 'Fire when it has ended' },
];

export function NewScheduleDialog({ clients, client, onCreated, onClose }: NewScheduleDialogProps) {
  const { zone } = useZone();
  const [when, setWhen] = useState<WhenForm>({ ...defaultWhen, kind: 'recurring', zone, overlap: 'allow' });
  const first = clients.find(client)?.name ?? client ?? '';
  const [form, setForm] = useState<TargetForm>({ name: '', client: first, url: '', body: '', groups: '' });
  const put = (part: Partial<WhenForm>) => setWhen({ ...when, ...part });
  const change = (part: Partial<TargetForm>) => setForm({ ...form, ...part });
  const { schedule, problems: formProblems } = scheduleOf(when, []);
  const create = useCreateSchedule({ form, schedule, onCreated, onClose });
  const problems = useFormErrors(create.error);
  const refused = create.error && problemOf(create.error);
  return (
    <Dialog
      title="New schedule"
      isWide
      lead="A recurring call to the service of a client. Recurring campaigns have their own schedule in the editor."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="ink"
            disabled={create.isPending || form.client === '' || form.name.trim() === '' || formProblems.length > 0}
            onClick={() => create.mutate()}
          >
            Create
          </Button>
        </>
      }
    >
      <FormProblemsContext value={problems}>
        <TargetFields {...{ form, change, clients }} />
        <RuleFields when={when} put={put} />
        <NextFires when={when} />
        <div className="grid grid-cols-2 gap-3 items-start phone:grid-cols-1">
          <DaysOffFields {...{ when, put }} pointer="" />
          <ExceptionFields {...{ when, put }} />
          <FormField pointer="/groups" label="Groups" hint="One fire for each, such as SG, ID; empty: one for all">
            {(control) => <TextInput {...control} value={form.groups} onText={(groups) => change({ groups })} />}
          </FormField>
          <FormField pointer="/target/body" label="Body" hint="Sent as it is; empty: none">
            {(control) => <TextArea {...control} mono rows={2} value={form.body} onText={(body) => change({ body })} />}
          </FormField>
        </div>
        {refused !== null && refused.errors.length === 0 && (
          <p className="c-bad sm" role="alert">
            {refused.detail}
          </p>
        )}
      </FormProblemsContext>
    </Dialog>
  );
}

interface CreateScheduleOptions extends Pick<NewScheduleDialogProps, 'onCreated' | 'onClose'> {
  form: TargetForm;
  schedule: ReturnType<typeof scheduleOf>['schedule'];
}

/** Creates the schedule, then closes the dialog. */
function useCreateSchedule({ form, schedule, onCreated, onClose }: CreateScheduleOptions) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      if (schedule.type !== 'recurring') throw new Error('the schedule has no rule');
      const { type: _, ...recurrence } = schedule;
      const names = form.groups.split(/[\s,]+/).filter((name) => name !== '');
      const body = {
        ...recurrence,
        name: form.name,
        target: { client: form.client, url: form.url.trim(), ...(form.body !== '' && { body: form.body }) },
        ...(names.length > 0 && { groups: { names } }),
      };
      return (await createSchedule({ body, throwOnError: true })).data;
    },
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries();
      onClose();
      onCreated(id);
    },
  });
}

interface TargetFieldsProps {
  form: TargetForm;
  change: (part: Partial<TargetForm>) => void;
  clients: Clients;
}

/** Fields for the job of a schedule: its name, its client and its URL. */
function TargetFields({ form, change, clients }: TargetFieldsProps) {
  return (
    <>
      <div className="grid grid-cols-2 gap-3 items-start phone:grid-cols-1">
        <FormField pointer="/name" label="Name" required>
          {(control) => <TextInput {...control} value={form.name} data-autofocus onText={(name) => change({ name })} />}
        </FormField>
        <FormField pointer="/target/client" label="Client" required>
          {(control) => (
            <Select
              {...control}
              value={form.client}
              placeholder={clients.items?.length === 0 ? 'No clients yet' : 'Choose a client'}
              choices={clients.items?.map(({ name }) => ({ value: name, label: name })) ?? []}
              onChoose={(value) => change({ client: value })}
            />
          )}
        </FormField>
      </div>
      <FormField pointer="/target/url" label="URL" required>
        {(control) => <TextInput {...control} mono value={form.url} onText={(url) => change({ url })} />}
      </FormField>
    </>
  );
}

interface WhenFieldsProps {
  when: WhenForm;
  put: (part: Partial<WhenForm>) => void;
}

/** Fields for the handling of missed and of overlapping fires. */
function ExceptionFields({ when, put }: WhenFieldsProps) {
  return (
    <>
      <FormField pointer="/misfire" label="If fires are missed">
        {(control) => (
          <Select {...control} value={when.misfire} choices={misfires} onChoose={(misfire) => put({ misfire })} />
        )}
      </FormField>
      <FormField pointer="/overlap" label="If the previous job is still running">
        {(control) => (
          <Select {...control} value={when.overlap} choices={overlaps} onChoose={(overlap) => put({ overlap })} />
        )}
      </FormField>
    </>
  );
}

function RuleFields({ when, put }: WhenFieldsProps) {
  return (
    <div className="grid grid-cols-[108px_1fr_1fr] gap-3 items-start phone:grid-cols-1">
      <FormField pointer="/rule" label="By">
        {(control) => (
          <Select
            {...control}
            value={when.rule}
            choices={[
              { value: 'cron', label: 'Rule' },
              { value: 'every', label: 'Interval' },
            ]}
            onChoose={(rule) => put({ rule })}
          />
        )}
      </FormField>
      {when.rule === 'cron' ? (
        <FormField
          pointer="/cron"
          label="Rule, five fields"
          hint={describeCron(when.cron) ?? 'Minute, hour, day of month, month, day of week'}
        >
          {(control) => <TextInput {...control} mono value={when.cron} onText={(cron) => put({ cron })} />}
        </FormField>
      ) : (
        <SpanField
          pointer="/everySeconds"
          label="Every"
          hint="Counts from its creation; clock changes have no effect"
          value={when.every}
          units={['s', 'min', 'h', 'd']}
          onChange={(every) => put({ every })}
        />
      )}
      <ZoneField pointer="/zone" label="Zone" value={when.zone} onChange={(zone) => put({ zone })} />
    </div>
  );
}
