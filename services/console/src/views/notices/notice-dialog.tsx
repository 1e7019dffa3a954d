import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeWebhook, createWebhook } from '#client/sdk.gen.ts';
import type { Webhook } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Segments, TextInput } from '../../parts/controls/controls.tsx';
import { Issued } from '../../parts/controls/issued.tsx';
import { FieldGroup, FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { zoneNames } from '../../parts/when/zoned-times.ts';
import { useZone } from '../../parts/times/zone.ts';
import { events, eventWords, formOf, webhookOfForm, type NoticeForm } from './notice-words.ts';

/** Whom to tell, and of what; of a new one then its secret, once. @param webhook null: a new one */
export function NoticeDialog({ webhook, onClose }: { webhook: Webhook | null; onClose: () => void }) {
  const queries = useQueryClient();
  const { zone } = useZone();
  const [form, setForm] = useState(() => formOf(webhook, zone));
  const save = useMutation({
    mutationFn: async () => {
      const { fields, url } = webhookOfForm(form);
      if (webhook === null) return (await createWebhook({ body: { ...fields, url }, throwOnError: true })).data;
      const [path, headers] = [{ id: webhook.id }, { 'if-match': `"${webhook.revision}"` }];
      await changeWebhook({ path, headers, body: { ...fields, ...(url !== '' && { url }) }, throwOnError: true });
      return null;
    },
    onSuccess: async (created) => {
      await queries.invalidateQueries();
      if ((created?.secret ?? null) === null) onClose();
    },
  });
  const problems = useRefusedFields(save.error);
  const refused = save.error && problemOf(save.error);
  const created = save.data;
  const secret = created?.secret ?? null;
  return (
    <Dialog
      title={webhook ? `Change ${webhook.name ?? webhook.url}` : 'New notice'}
      lead="A signed call to another service, or an e-mail; tried again for hours."
      onClose={onClose}
      actions={
        secret !== null ? (
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="ink" disabled={save.isPending} onClick={() => save.mutate()}>
              {webhook ? 'Change it' : 'Tell it'}
            </Button>
          </>
        )
      }
    >
      {created && secret !== null ? (
        <Issued what="secret" name={created.webhook.name ?? created.webhook.url} secret={secret} />
      ) : (
        <FormProblemsContext value={problems}>
          <Fields form={form} isNew={webhook === null} onChange={(part) => setForm({ ...form, ...part })} />
          {refused !== null && refused.errors.length === 0 && (
            <p className="c-bad sm" role="alert">
              {refused.detail}
            </p>
          )}
        </FormProblemsContext>
      )}
    </Dialog>
  );
}

interface FieldsProps {
  form: NoticeForm;
  isNew: boolean;
  onChange: (part: Partial<NoticeForm>) => void;
}

function Fields({ form, isNew, onChange }: FieldsProps) {
  const toggled = (event: (typeof events)[number]) => {
    const asked = new Set(form.events);
    if (!asked.delete(event)) asked.add(event);
    return asked;
  };
  return (
    <>
      <FormField pointer="/name" label="Name" hint="As people call it: Slack, growth">
        {(control) => <TextInput {...control} value={form.name} onText={(name) => onChange({ name })} data-autofocus />}
      </FormField>
      <FormField
        pointer="/url"
        label="URL"
        required={isNew}
        hint={isNew ? 'Or mailto:team@example.com; what stands behind a host is encrypted' : 'Empty: as it is'}
      >
        {(control) => <TextInput {...control} mono value={form.url} onText={(url) => onChange({ url })} />}
      </FormField>
      <FieldGroup pointer="/events" label="Tell it when a campaign or its run is">
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          {events.map((event) => (
            <label key={event} className="row">
              <input
                type="checkbox"
                checked={form.events.has(event)}
                onChange={() => onChange({ events: toggled(event) })}
              />
              {eventWords[event]}
            </label>
          ))}
        </div>
      </FieldGroup>
      <DigestFields form={form} onChange={onChange} />
      <FormField pointer="/tags" label="Tags" hint="Of campaigns with one of these, such as payday, vip; empty: all">
        {(control) => <TextInput {...control} value={form.tags} onText={(tags) => onChange({ tags })} />}
      </FormField>
      <FormField pointer="/owners" label="Owners" hint="Of campaigns, and keys, with one of these owners; empty: all">
        {(control) => <TextInput {...control} value={form.owners} onText={(owners) => onChange({ owners })} />}
      </FormField>
      <FormField pointer="/campaigns" label="Campaigns" hint="Of these alone, by their ids; empty: all">
        {(control) => (
          <TextInput {...control} mono value={form.campaigns} onText={(campaigns) => onChange({ campaigns })} />
        )}
      </FormField>
    </>
  );
}

const digests = [
  { value: 'each', label: 'Each by itself' },
  { value: 'day', label: 'Once a day' },
  { value: 'week', label: 'On Mondays' },
] as const;

/** What recurs would be told again and again; what needs a person is always told at once. */
function DigestFields({ form, onChange }: Pick<FieldsProps, 'form' | 'onChange'>) {
  return (
    <FieldGroup pointer="/digest" label="Runs of recurring campaigns that completed are told">
      <Segments
        label="How what recurs is told"
        value={form.digest}
        choices={digests}
        onChoose={(digest) => onChange({ digest })}
      />
      {form.digest !== 'each' && (
        <>
          <div className="grid grid-cols-[110px_minmax(0,1fr)] gap-3 items-start mt-2 phone:grid-cols-1">
            <FormField pointer="/digest/at" label="At" required>
              {(control) => <TextInput {...control} value={form.at} onText={(at) => onChange({ at })} maxLength={5} />}
            </FormField>
            <FormField pointer="/digest/zone" label="On the clocks of" required>
              {(control) => (
                <TextInput
                  {...control}
                  list="zones-of-digests"
                  value={form.zone}
                  onText={(zone) => onChange({ zone })}
                />
              )}
            </FormField>
            <datalist id="zones-of-digests">
              {zoneNames().map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </div>
          <p className="hint">
            Together, in one notice; that they started is not told. What needs somebody comes at once.
          </p>
        </>
      )}
    </FieldGroup>
  );
}
