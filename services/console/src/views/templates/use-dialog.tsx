import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { createCampaignOfTemplate } from '#client/sdk.gen.ts';
import type { Template } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { fieldsOf } from '../../parts/forms/schema-fields.ts';
import { SchemaForm } from '../../parts/forms/schema-form.tsx';
import { initialTexts, valueOfFields } from '../../parts/forms/schema-values.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { schemaOfVariables } from './variable-schema.ts';

export function UseDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const { id, name, variables, revision } = template;
  const schema = useMemo(() => schemaOfVariables(variables), [variables]);
  const fields = useMemo(() => fieldsOf(schema) ?? [], [schema]);
  const [campaignName, setCampaignName] = useState('');
  const [texts, setTexts] = useState(() => initialTexts(fields));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const make = useMutation({
    mutationFn: async () => {
      const body = { name: campaignName, variables: valueOfFields(fields, texts).value, revision };
      return (await createCampaignOfTemplate({ path: { id }, body, throwOnError: true })).data;
    },
    onSuccess: async (campaign) => {
      await navigate({ to: '/campaigns/$campaignId', params: { campaignId: campaign.id } });
      await queries.invalidateQueries();
    },
  });
  const problems = useRefusedFields(make.error);
  const elsewhere = make.error ? problemOf(make.error) : null;
  const others = elsewhere?.errors.filter(({ pointer }) => !/^\/(name|variables)/.test(pointer)) ?? [];
  return (
    <Dialog
      title={`New campaign from “${name}”`}
      lead="It is a draft, and can be changed like any other before it is started."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="ink" disabled={make.isPending} onClick={() => make.mutate()}>
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
      {elsewhere !== null && (others.length > 0 || elsewhere.errors.length === 0) && (
        <p className="c-bad sm" role="alert">
          {others.length === 0 ? elsewhere.detail : others.map(({ detail }) => detail).join('; ')}
        </p>
      )}
    </Dialog>
  );
}
