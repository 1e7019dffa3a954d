import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeAudience, createAudience } from '#client/sdk.gen.ts';
import type { SavedAudience } from '#client/types.gen.ts';
import { useSession } from '../../../frame/session/session.ts';
import { CountriesField } from '../../../parts/audience/countries-field.tsx';
import { entryOf, sourceOf } from '../../../parts/audience/source-form.ts';
import type { SourceForm } from '../../../parts/audience/source-form.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { TextInput } from '../../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../../parts/forms/use-form-errors.ts';
import { Dialog } from '../../../parts/overlays/dialog.tsx';
import { SourcesField } from './sources-field.tsx';
import { FormError } from '../../../parts/forms/form-error.tsx';

interface AudienceFormProps {
  saved?: SavedAudience;
  onSaved: (id: string) => void;
  onClose: () => void;
}

const nothing: Pick<SavedAudience, 'name' | 'description' | 'owner' | 'countries' | 'audience'> = {
  name: '',
  countries: [],
  audience: { include: [] },
};

export function AudienceForm({ saved, onSaved, onClose }: AudienceFormProps) {
  const queries = useQueryClient();
  const { installation } = useSession();
  const known = installation.countries ?? [];
  const before = saved ?? nothing;
  const [name, setName] = useState(before.name);
  const [owner, setOwner] = useState(before.owner ?? '');
  const [description, setDescription] = useState(before.description ?? '');
  const [countries, setCountries] = useState<readonly string[]>(
    saved === undefined && known.length === 1 ? known : before.countries,
  );
  const [include, setInclude] = useState<readonly SourceForm[]>(before.audience.include.map(sourceOf));
  const [exclude, setExclude] = useState<readonly SourceForm[]>((before.audience.exclude ?? []).map(sourceOf));
  const save = useMutation({
    mutationFn: async () => {
      const { exclude: _, ...kept } = before.audience;
      const body = {
        name: name.trim(),
        countries: [...countries],
        audience: {
          ...kept,
          include: include.map(entryOf),
          ...(exclude.length > 0 && { exclude: exclude.map(entryOf) }),
        },
      };
      const [ownerText, descriptionText] = [owner.trim(), description.trim()];
      if (saved === undefined) {
        const optionalFields = {
          ...(ownerText !== '' && { owner: ownerText }),
          ...(descriptionText !== '' && { description: descriptionText }),
        };
        return (await createAudience({ body: { ...body, ...optionalFields }, throwOnError: true })).data;
      }
      return (
        await changeAudience({
          path: { id: saved.id },
          // Null removes an emptied field.
          body: {
            ...body,
            owner: ownerText === '' ? null : ownerText,
            description: descriptionText === '' ? null : descriptionText,
          },
          headers: { 'if-match': `"${saved.revision}"` },
          throwOnError: true,
        })
      ).data;
    },
    onSuccess: async ({ id }) => {
      onSaved(id);
      await queries.invalidateQueries();
    },
  });
  const problems = useFormErrors(save.error);
  const isComplete = name.trim() !== '' && countries.length > 0 && include.length > 0;
  return (
    <Dialog
      title={saved === undefined ? 'New audience' : `Change “${saved.name}”`}
      isWide
      lead={
        saved === undefined
          ? 'Users in any included source, except users in an excluded source. Campaigns copy its sources.'
          : 'Creates a new revision. Campaigns that use it are not affected: they have copies of its sources.'
      }
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="ink"
            disabled={save.isPending}
            refusal={isComplete ? undefined : 'Enter a name, countries and at least one source to include'}
            onClick={() => save.mutate()}
          >
            Save
          </Button>
        </>
      }
    >
      <FormProblemsContext value={problems}>
        <div className="grid grid-cols-[1fr_1fr] gap-3.5 items-start phone:grid-cols-1 *:min-w-0">
          <FormField pointer="/name" label="Name" required>
            {(control) => <TextInput {...control} value={name} onText={setName} maxLength={200} data-autofocus />}
          </FormField>
          <FormField pointer="/owner" label="Owner" hint="The team or person to contact">
            {(control) => <TextInput {...control} value={owner} onText={setOwner} maxLength={200} />}
          </FormField>
        </div>
        <CountriesField countries={countries} known={known} onChange={setCountries} onLeave={() => undefined} />
        <SourcesField role="include" sources={include} countries={countries} onChange={setInclude} />
        <SourcesField role="exclude" sources={exclude} countries={countries} onChange={setExclude} />
        <FormField pointer="/description" label="Description">
          {(control) => <TextInput {...control} value={description} onText={setDescription} />}
        </FormField>
        <FormError error={save.error} />
      </FormProblemsContext>
    </Dialog>
  );
}
