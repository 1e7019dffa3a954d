import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { createCampaignOfTemplate } from '#client/sdk.gen.ts';
import type { Template } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../parts/forms/use-form-errors.ts';
import { fieldsOf } from '../../parts/forms/schema-fields.ts';
import { SchemaForm } from '../../parts/forms/schema-form.tsx';
import { initialTexts, valueOfFields } from '../../parts/forms/schema-values.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { createVariableSchema } from './variable-schema.ts';

export function UseDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const { id, name, variables, revision } = template;
  const schema = useMemo(() => createVariableSchema(variables), [variables]);
  const fields = useMemo(() => fieldsOf(schema) ?? [], [schema]);
  const [campaignName, setCampaignName] = useState('');
  const [texts, setTexts] = useState(() => initialTexts(fields));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async () => {
      const body = { name: campaignName, variables: valueOfFields(fields, texts).value, revision };
      return (await createCampaignOfTemplate({ path: { id }, body, throwOnError: true })).data;
    },
    onSuccess: async (campaign) => {
      await navigate({ to: '/campaigns/$campaignId', params: { campaignId: campaign.id } });
      await queries.invalidateQueries();
    },
  });
  const problems = useFormErrors(create.error);
  const problem = create.error ? problemOf(create.error) : null;
  const otherErrors = problem?.errors.filter(({ pointer }) => !/^\/(name|variables)/.test(pointer)) ?? [];
  return (
    <Dialog
      title={`New campaign from “${name}”`}
      lead="Creates a draft, which you can change before you start it."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="ink" disabled={create.isPending} onClick={() => create.mutate()}>
            Create draft
          </Button>
        </>
      }
    >
      <FormProblemsContext value={problems}>
        <FormField pointer="/name" label="Name of the campaign" required>
          {(control) => <TextInput {...control} value={campaignName} onText={setCampaignName} data-autofocus />}
        </FormField>
        {fields.length > 0 && (
          <SchemaForm pointer="/variables" schema={schema} texts={texts} asJson={false} onTexts={setTexts} />
        )}
      </FormProblemsContext>
      {problem !== null && (otherErrors.length > 0 || problem.errors.length === 0) && (
        <p className="c-bad sm" role="alert">
          {otherErrors.length === 0 ? problem.detail : otherErrors.map(({ detail }) => detail).join('; ')}
        </p>
      )}
    </Dialog>
  );
}
