import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeWebhook, createWebhook } from '#client/sdk.gen.ts';
import type { Webhook } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Issued } from '../../parts/controls/issued.tsx';
import { FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { useZone } from '../../parts/times/zone.ts';
import { NoticeFields } from './notice-fields.tsx';
import { formOf, webhookOfForm } from './notice-words.ts';

/** Whom to tell, and of what; of a new one then its secret, once. @param webhook null: a new one */
export function NoticeDialog({ webhook, onClose }: { webhook: Webhook | null; onClose: () => void }) {
  const queries = useQueryClient();
  const { zone } = useZone();
  const [form, setForm] = useState(() => formOf(webhook, zone));
  const save = useMutation({
    mutationFn: async () => {
      const { fields, format, url } = webhookOfForm(form);
      if (webhook === null) return (await createWebhook({ body: { ...fields, format, url }, throwOnError: true })).data;
      const [path, headers] = [{ id: webhook.id }, { 'if-match': `"${webhook.revision}"` }];
      await changeWebhook({ path, headers, body: { ...fields, ...(url !== '' && { url }) }, throwOnError: true });
      return null;
    },
    onSuccess: async (created) => {
      await queries.invalidateQueries();
      if ((created?.secret ?? null) === null) onClose();
    },
  });
  // A name that is only typed would not narrow the notices.
  const isSearched = (form.campaignSearch ?? '').trim() !== '';
  const problems = useRefusedFields(save.error);
  const refused = save.error && problemOf(save.error);
  const created = save.data;
  const secret = created?.secret ?? null;
  return (
    <Dialog
      title={webhook ? `Change ${webhook.name ?? webhook.url}` : 'New notice'}
      lead="A message to a channel, an e-mail, or a signed call to another service; tried again for hours."
      onClose={onClose}
      actions={
        secret !== null ? (
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              kind="ink"
              disabled={save.isPending}
              refusal={isSearched ? 'Choose a campaign below, or cancel the search' : undefined}
              onClick={() => save.mutate()}
            >
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
          <NoticeFields form={form} isNew={webhook === null} onChange={(part) => setForm({ ...form, ...part })} />
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
