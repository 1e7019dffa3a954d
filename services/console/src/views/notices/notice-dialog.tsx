import { useState } from 'react';
import { changeWebhook, createWebhook } from '#client/sdk.gen.ts';
import type { Webhook } from '#client/types.gen.ts';
import { Issued } from '../../parts/controls/issued.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { useZone } from '../../parts/times/zone.ts';
import { NoticeFields } from './notice-fields.tsx';
import { formOf, webhookOfForm } from './notice-words.ts';

/** Form for a webhook. The secret of a new one is then shown once. @param webhook null for a new one */
export function NoticeDialog({ webhook, onClose }: { webhook: Webhook | null; onClose: () => void }) {
  const { zone } = useZone();
  const [form, setForm] = useState(() => formOf(webhook, zone));
  // A typed name that is not chosen would not filter the notices.
  const isSearched = (form.campaignSearch ?? '').trim() !== '';
  const save = async () => {
    const { fields, format, url } = webhookOfForm(form);
    if (webhook === null) return (await createWebhook({ body: { ...fields, format, url }, throwOnError: true })).data;
    const [path, headers] = [{ id: webhook.id }, { 'if-match': `"${webhook.revision}"` }];
    await changeWebhook({ path, headers, body: { ...fields, ...(url !== '' && { url }) }, throwOnError: true });
    return null;
  };
  return (
    <EditDialog
      title={webhook ? `Change ${webhook.name ?? webhook.url}` : 'New notice'}
      lead="A message to a channel, an e-mail, or a signed call to another service; tried again for hours."
      verb={webhook ? 'Change it' : 'Tell it'}
      refusal={isSearched ? 'Choose a campaign below, or cancel the search' : undefined}
      save={save}
      outcome={(created) => {
        const secret = created?.secret ?? null;
        return created && secret !== null ? (
          <Issued what="secret" name={created.webhook.name ?? created.webhook.url} secret={secret} />
        ) : null;
      }}
      onClose={onClose}
    >
      <NoticeFields form={form} isNew={webhook === null} onChange={(part) => setForm({ ...form, ...part })} />
    </EditDialog>
  );
}
