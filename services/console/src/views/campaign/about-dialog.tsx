import { useState } from 'react';
import { changeCampaign } from '#client/sdk.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { EditDialog } from '../../parts/forms/edit-dialog.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { aboutForm, changedAbout } from './about-form.ts';

interface AboutDialogProps {
  campaign: Campaign;
  onClose: () => void;
}

/** Form for the description of a campaign, which may be changed at any time, because no call depends on it. */
export function AboutDialog({ campaign, onClose }: AboutDialogProps) {
  // The state when the dialog was opened: only fields that differ from it are sent, so changes by other people stay.
  const [before] = useState(() => aboutForm(campaign));
  const [form, setForm] = useState(before);
  const change = (part: Partial<typeof form>) => setForm({ ...form, ...part });
  const body = changedAbout(before, form);
  return (
    <EditDialog
      title="About the campaign"
      lead="Nothing that is sent depends on it: it makes no revision, and may be changed while a run goes on."
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
      <FormField pointer="/owner" label="Owner" hint="The team or the person to ask">
        {(control) => <TextInput {...control} value={form.owner} onText={(owner) => change({ owner })} />}
      </FormField>
      <FormField pointer="/tags" label="Tags" hint="Up to 20, of a-z, 0-9, - _ : and ., with blanks between them">
        {(control) => <TextInput {...control} value={form.tags} onText={(tags) => change({ tags })} />}
      </FormField>
      <FormField pointer="/metadata" label="Metadata" hint="A line each: ticket=MKT-1204">
        {(control) => <TextArea {...control} mono value={form.metadata} onText={(metadata) => change({ metadata })} />}
      </FormField>
    </EditDialog>
  );
}
