import { useState } from 'react';
import { changeCampaign } from '#client/sdk.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { createAboutForm, findAboutChanges } from './about-form.ts';

interface AboutDialogProps {
  campaign: Campaign;
  onClose: () => void;
}

/** Form for the description of a campaign, which may be changed at any time, because no call depends on it. */
export function AboutDialog({ campaign, onClose }: AboutDialogProps) {
  // The state when the dialog was opened: only fields that differ from it are sent, so changes by other people stay.
  const [before] = useState(() => createAboutForm(campaign));
  const [form, setForm] = useState(before);
  const change = (part: Partial<typeof form>) => setForm({ ...form, ...part });
  const body = findAboutChanges(before, form);
  return (
    <EditDialog
      title="Edit details"
      lead="Details do not affect what is sent. A change creates no revision and is possible during a run."
      verb="Save"
      isUnchanged={Object.keys(body).length === 0}
      save={() => changeCampaign({ path: { id: campaign.id }, body, throwOnError: true })}
      onClose={onClose}
    >
      <FormField pointer="/description" label="Description">
        {(control) => (
          <TextArea
            {...control}
            value={form.description}
            onText={(description) => change({ description })}
            data-autofocus
          />
        )}
      </FormField>
      <FormField pointer="/owner" label="Owner" hint="The team or person to contact">
        {(control) => <TextInput {...control} value={form.owner} onText={(owner) => change({ owner })} />}
      </FormField>
      <FormField pointer="/tags" label="Tags" hint="Up to 20, separated by spaces. Allowed: a-z, 0-9, - _ : and .">
        {(control) => <TextInput {...control} value={form.tags} onText={(tags) => change({ tags })} />}
      </FormField>
      <FormField pointer="/metadata" label="Metadata" hint="One pair per line: ticket=MKT-1204">
        {(control) => <TextArea {...control} mono value={form.metadata} onText={(metadata) => change({ metadata })} />}
      </FormField>
    </EditDialog>
  );
}
