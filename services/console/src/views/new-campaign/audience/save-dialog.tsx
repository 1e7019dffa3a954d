import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listAudiencesQueryKey } from '#client/@tanstack/react-query.gen.ts';
import { createAudience } from '#client/sdk.gen.ts';
import { problemOf } from '../../../api/problems.ts';
import type { CopiedForm } from '../../../parts/campaign/form.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { TextInput } from '../../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../../parts/forms/use-form-errors.ts';
import { Dialog } from '../../../parts/overlays/dialog.tsx';
import { countOf } from '../../../parts/words/numbers.ts';
import type { Editor } from '../form/use-editor.ts';

interface SaveDialogProps {
  editor: Editor;
  onSaved: (taken: CopiedForm) => void;
  onClose: () => void;
}

export function SaveDialog({ editor: { definition }, onSaved, onClose }: SaveDialogProps) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [owner, setOwner] = useState('');
  const { countries, audience } = definition;
  const { include, exclude } = audience;
  const save = useMutation({
    mutationFn: async () => {
      const body = { name: name.trim(), countries, audience: { include, ...(exclude && { exclude }) } };
      const ownerField = owner.trim() === '' ? {} : { owner: owner.trim() };
      return (await createAudience({ body: { ...body, ...ownerField }, throwOnError: true })).data;
    },
    onSuccess: ({ id, revision }) => {
      void queries.invalidateQueries({ queryKey: listAudiencesQueryKey() });
      onSaved({ id, revision });
      onClose();
    },
  });
  const problems = useFormErrors(save.error);
  const problem = save.isError ? problemOf(save.error) : null;
  const otherErrors = problem?.errors.filter(({ pointer }) => pointer !== '/name' && pointer !== '/owner') ?? [];
  return (
    <Dialog
      title="Save this audience"
      lead={`${countOf(include.length + (exclude ?? []).length, 'source')} in ${countries.join(', ')}. Campaigns copy it; the hold-out is not saved.`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="ink" disabled={save.isPending || name.trim() === ''} onClick={() => save.mutate()}>
            Save
          </Button>
        </>
      }
    >
      <FormProblemsContext value={problems}>
        <FormField pointer="/name" label="Name" required>
          {(control) => <TextInput {...control} value={name} onText={setName} maxLength={200} data-autofocus />}
        </FormField>
        <FormField pointer="/owner" label="Owner" hint="Team or person who is responsible">
          {(control) => <TextInput {...control} value={owner} onText={setOwner} maxLength={200} />}
        </FormField>
      </FormProblemsContext>
      {problem !== null && (problem.errors.length === 0 || otherErrors.length > 0) && (
        <p className="c-bad sm" role="alert">
          {otherErrors.length === 0 ? problem.detail : otherErrors.map(({ detail }) => detail).join('; ')}
        </p>
      )}
    </Dialog>
  );
}
