import { useState } from 'react';
import { changeNotification, createNotification } from '#client/sdk.gen.ts';
import type { Notification } from '#client/types.gen.ts';
import { IssuedSecret } from '../../parts/controls/issued-secret.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { useZone } from '../../parts/times/zone.ts';
import { NotificationFields } from './notification-fields.tsx';
import { formOf, readForm } from './notification-words.ts';

/** Form for a notification. The secret of a new one is then shown once. @param notification null for a new one */
export function NotificationDialog({
  notification,
  onClose,
}: {
  notification: Notification | null;
  onClose: () => void;
}) {
  const { zone } = useZone();
  const [form, setForm] = useState(() => formOf(notification, zone));
  // A name that is typed but not chosen would have no effect, so the form cannot be saved while the search contains
  // text.
  const isSearched = (form.campaignSearch ?? '').trim() !== '';
  const save = async () => {
    const { fields, kind, url } = readForm(form);
    if (notification === null)
      return (await createNotification({ body: { ...fields, kind, url }, throwOnError: true })).data;
    const [path, headers] = [{ id: notification.id }, { 'if-match': `"${notification.revision}"` }];
    await changeNotification({ path, headers, body: { ...fields, ...(url !== '' && { url }) }, throwOnError: true });
    return null;
  };
  return (
    <EditDialog
      title={notification ? `Change ${notification.name ?? notification.url}` : 'New notification'}
      lead="A message to a channel, an e-mail, or a signed call to another service; retried for hours."
      verb={notification ? 'Save' : 'Notify'}
      refusal={isSearched ? 'Choose a campaign below, or cancel the search' : undefined}
      save={save}
      outcome={(created) => {
        const secret = created?.secret ?? null;
        return created && secret !== null ? (
          <IssuedSecret what="secret" name={created.notification.name ?? created.notification.url} secret={secret} />
        ) : null;
      }}
      onClose={onClose}
    >
      <NotificationFields
        form={form}
        isNew={notification === null}
        onChange={(part) => setForm({ ...form, ...part })}
      />
    </EditDialog>
  );
}
