import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeCampaign } from '#client/sdk.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { aboutForm, changedAbout } from './about-form.ts';
import { RefusedWhole } from '../../parts/forms/refused-whole.tsx';

interface AboutDialogProps {
  campaign: Campaign;
  onClose: () => void;
}

/** May be changed at any time: nothing that is sent depends on it. */
export function AboutDialog({ campaign, onClose }: AboutDialogProps) {
  const queries = useQueryClient();
  // As it was when the dialog was opened: what somebody else says meanwhile stays, where it is not changed here.
  const [before] = useState(() => aboutForm(campaign));
  const [form, setForm] = useState(before);
  const save = useMutation({
    mutationFn: () =>
      changeCampaign({ path: { id: campaign.id }, body: changedAbout(before, form), throwOnError: true }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const change = (part: Partial<typeof form>) => setForm({ ...form, ...part });
  const problems = useRefusedFields(save.error);
  return (
    <Dialog
      title="About the campaign"
      lead="Nothing that is sent depends on it: it makes no revision, and may be changed while a run goes on."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="ink"
            disabled={save.isPending}
            onClick={() => (Object.keys(changedAbout(before, form)).length === 0 ? onClose() : save.mutate())}
          >
            Save
          </Button>
        </>
      }
    >
      <FormProblemsContext value={problems}>
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
          {(control) => (
            <TextArea {...control} mono value={form.metadata} onText={(metadata) => change({ metadata })} />
          )}
        </FormField>
      </FormProblemsContext>
      <RefusedWhole error={save.error} />
    </Dialog>
  );
}
